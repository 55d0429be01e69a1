"""All machines of one table in one process, on a clock that the test moves, without a network.

A `MachineTable` delivers frames one by one and at once. With a `delay` each link keeps its order
and takes its time, links may be cut, and seats may leave as the program has them leave.
"""

import hashlib
import heapq
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from protocol.chain.chain_state import Table
from protocol.crypto.identities import Identity
from protocol.seat.effects import ChoiceAsked, Effect, Record, ResultFinal, Send
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import peer_frames, signed_messages, table_header
from protocol.wire.peer_frames import FrameBody
from protocol.wire.signed_messages import Message, Statement
from protocol.wire.table_header import Header, Terms, Timeouts
from support.forgeries.cheater import CheatingMachine, Lie
from support.toy_game import ToyGame

TIMEOUTS = Timeouts()
QUICK = Timeouts(20_000, 10_000, 3_000, 60_000)
TICK = 0.2
"""Seconds between two ticks of the machines where links take time."""
Chooser = Callable[[SeatMachine, ChoiceAsked], Any]


def seeded(name: str) -> Callable[[int], bytes]:
    """Return randomness from a name, the same every time."""
    return random.Random(hashlib.sha256(name.encode()).digest()).randbytes


def identity(seat: int) -> Identity:
    """Return a seat's identity, the same every time."""
    return Identity(hashlib.sha256(b"seat%d" % seat).digest())


def seat_at(
    terms: Terms, game_of: Callable[[Terms], Any], names: Sequence[str] = ()
) -> tuple[Table, list[Identity]]:
    """Return a table of these terms with a roster of seeded identities."""
    who = [identity(i) for i in range(terms.seats)]
    names = names or [f"seat {i}" for i in range(terms.seats)]
    roster = tuple(
        table_header.sit(terms, one, names[i], bytes([i]) * 32) for i, one in enumerate(who)
    )
    return Table(Header(terms, roster), game_of(terms)), who


def make_table(
    game: Any,
    seats: int,
    quorum: int | None = None,
    timeouts: Timeouts = TIMEOUTS,
    rejoins: int = 8,
) -> tuple[Table, list[Identity]]:
    """Return a table of a game that needs no terms."""
    quorum = quorum or table_header.default_quorum(seats)
    terms = Terms(identity(0).public, b"n" * 32, (("toy", 1),), seats, quorum, timeouts, rejoins)
    return seat_at(terms, lambda _: game)


def toy_choice(machine: SeatMachine, asked: ChoiceAsked) -> Any:
    """Return a legal choice of the toy game."""
    hand = machine.table.layout.hands[machine.seat or 0]
    return {"bid": (machine.seat or 0) % 4, "pile": 1, "card": (hand[0],), "solo": (hand[1],)}[
        asked.kind
    ]


def carried(message: Message) -> bytes:
    """Return the frame that carries a message."""
    return peer_frames.encode_frame(peer_frames.Carry(message.encode()))


def sent(machine: SeatMachine) -> list[FrameBody]:
    """Take a machine's effects, and return the frames among them that it sends."""
    return [peer_frames.parse_frame(e.frame) for e in machine.take() if isinstance(e, Send)]


@dataclass
class Place:
    """One machine, its journal, and its effects with the seconds at which it had them."""

    machine: SeatMachine
    journal: list[bytes] = field(default_factory=list)
    heard: list[Effect] = field(default_factory=list)
    heard_at: list[float] = field(default_factory=list)
    alive: bool = True

    def of_kind(self, kind: type) -> list[Any]:
        """Return the effects of one kind."""
        return [effect for effect in self.heard if isinstance(effect, kind)]


class MachineTable:
    """All seats of one table.

    A test may set these attributes; each function takes the sender's and the receiver's seat.

    choose: What a machine's player chooses; None for nothing.
    thinkers: Seats whose players choose nothing yet.
    cheaters: Seats that lie, and how; see `support.forgeries.cheater`.
    cut: Whether the link between two seats is broken, and carries nothing.
    drop: Whether this frame is lost as it arrives.
    hold_back: Whether this frame is never sent.
    delay: Seconds that a link takes; None where frames wait in `queue` to be delivered.
    leaving: Seats that leave as soon as the program would; they are not there any more.
    does_jobs: Whether the seat's jobs are done at once; a machine that hands out none has none.
    """

    def __init__(
        self,
        table: Table,
        who: list[Identity],
        choose: Chooser = toy_choice,
        seed: str = "",
        thinkers: Iterable[int] = (),
        cheaters: Mapping[int, Lie] | None = None,
    ) -> None:
        self.table, self.who, self.choose, self.seed = table, who, choose, seed
        self.cheaters = cheaters or {}
        self.thinkers = set(thinkers)
        self.now = 0.0
        self.queue: list[tuple[int, int, bytes]] = []
        self.places = [Place(self.build(i)) for i in range(table.seats)]
        self.cut: Callable[[int, int], bool] = lambda a, b: False
        self.drop: Callable[[int, int, bytes], bool] = lambda a, b, f: False
        self.hold_back: Callable[[int, int, bytes], bool] = lambda a, b, f: False
        self.delay: Callable[[int, int], float] | None = None
        self.leaving: set[int] = set()
        self.left_at: dict[int, float] = {}
        self.does_jobs: Callable[[int], bool] = lambda seat: True
        self.done_jobs = 0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._count, self._last = 0, dict[tuple[int, int], float]()

    def build(self, seat: int) -> SeatMachine:
        """Return a fresh machine of a seat, the same secrets every time."""
        secret = hashlib.sha256(f"{self.seed}secret{seat}".encode()).digest()
        rng = seeded(f"{self.seed}rng{seat}{self.now}")
        return self.made(seat, rng, secret)

    def made(self, seat: int, rng: Callable[[int], bytes], secret: bytes) -> SeatMachine:
        """Return a machine of a seat, which cheats if it is one of the cheaters."""
        if seat not in self.cheaters:
            return SeatMachine(self.table, rng, seat, self.who[seat], secret)
        machine = CheatingMachine(self.table, rng, seat, self.who[seat], secret)
        machine.lie = self.cheaters[seat]
        return machine

    def machine(self, seat: int = 0) -> SeatMachine:
        """Return a seat's machine."""
        return self.places[seat].machine

    def machines(self, seats: Iterable[int] | None = None) -> list[SeatMachine]:
        """Return the machines of these seats, or of all."""
        return [self.machine(s) for s in (range(len(self.places)) if seats is None else seats)]

    def linked(self, seat: int) -> list[int]:
        """Return the seats to which a seat has a link, there or not."""
        return [o for o in range(len(self.places)) if o != seat and not self.cut(seat, o)]

    # Starting

    def start(self, apart: float = 0.0) -> None:
        """Start all machines, so many seconds apart."""
        for seat, place in enumerate(self.places):
            self.now = apart * seat
            place.machine.start(self.now)
            if not apart:
                self.link(seat)
                self.collect(seat)
        for seat in range(len(self.places)) if apart else ():
            self.link(seat)
            self.collect(seat)

    def link(self, seat: int) -> None:
        """Tell a machine of its links to all that are alive."""
        for other in self.linked(seat):
            if self.places[other].alive:
                self.places[seat].machine.link_up(self.table.ids[other], self.now)

    def crash_and_resume(self, seat: int, keep: int | None = None) -> None:
        """Replace a machine by one rebuilt from its journal, or from its first `keep` records."""
        place = self.places[seat]
        place.machine = self.build(seat)
        place.machine.restore(list(place.journal[:keep]))
        place.machine.start(self.now)
        place.alive = True
        self.link(seat)
        self.collect(seat)

    # Effects

    def collect(self, seat: int) -> None:
        """Take a machine's effects until it has none: journal, send, answer what is asked."""
        place = self.places[seat]
        while found := place.machine.take():
            for effect in found:
                place.heard.append(effect)
                place.heard_at.append(self.now)
                self._effect(seat, place, effect)
        job = place.machine.job
        if job is not None and self.does_jobs(seat):
            self.done_jobs += 1
            place.machine.finish(job, job.run(), self.now)
            self.collect(seat)

    def _effect(self, seat: int, place: Place, effect: Effect) -> None:
        match effect:
            case Record():
                place.journal.append(effect.data)
            case Send():
                self.post(seat, effect)
            case ChoiceAsked() if seat not in self.thinkers:
                choice = self.choose(place.machine, effect)
                if choice is not None and place.machine.must_choose:
                    place.machine.choose(choice, self.now)
            case ResultFinal() if self.delay is not None:
                place.machine.sync(None)  # as the driver does

    def choose_now(self, seat: int, choice: Any) -> None:
        """Let a seat's player choose."""
        self.machine(seat).choose(choice, self.now)
        self.collect(seat)

    # Frames

    def post(self, seat: int, send: Send) -> None:
        """Put a frame on its way to all that it is for."""
        ids = self.table.ids
        for other in self.linked(seat):
            if ids[other] in send.but or send.peer not in (None, ids[other]):
                continue
            if not self.hold_back(seat, other, send.frame):
                self.carry(seat, other, send.frame)

    def carry(self, seat: int, other: int, frame: bytes) -> None:
        """Put a frame on its way to one seat, in the order of the link."""
        if self.delay is None:
            self.queue.append((seat, other, frame))
            return
        when = max(self.now + self.delay(seat, other), self._last.get((seat, other), 0.0))
        self._last[seat, other] = when
        self.at(when, lambda: self._arrive(seat, other, frame))

    def _arrive(self, seat: int, other: int, frame: bytes) -> None:
        place = self.places[other]
        if place.alive and not self.cut(seat, other) and not self.drop(seat, other, frame):
            place.machine.receive(frame, self.now, self.table.ids[seat])
            self.collect(other)

    def deliver(self) -> bool:
        """Deliver the first frame of the queue; return False if none is left."""
        if not self.queue:
            return False
        source, to, frame = self.queue.pop(0)
        if self.places[source].alive:
            self._arrive(source, to, frame)
        return True

    def settle(self) -> None:
        """Deliver all there is, and what follows of it."""
        while self.deliver():
            pass

    def sign(self, seat: int, statement: Statement) -> Message:
        """Return a statement signed by a seat."""
        return signed_messages.sign(self.who[seat], self.table.id, seat, statement)

    def show(self, seat: int, other: int, statement: Statement) -> None:
        """Let a seat sign a statement and show it to one other, even if frames are held back."""
        self.carry(seat, other, carried(self.sign(seat, statement)))

    def message(self, frame: bytes) -> Message | None:
        """Return the message that a frame carries, if it does."""
        parsed = peer_frames.parse_frame(frame)
        if not isinstance(parsed, peer_frames.Carry):
            return None
        return signed_messages.parse(parsed.message, self.table.id, self.table.ids)

    def own_messages(self, seat: int, effects: Iterable[Effect]) -> list[Message]:
        """Return every own statement of a seat that it sends among these effects."""
        found = [self.message(effect.frame) for effect in effects if isinstance(effect, Send)]
        return [message for message in found if message is not None and message.seat == seat]

    def tell(self, seat: int, message: Message, peer: int | None = None) -> Message:
        """Let a seat receive a message from its author, or from another peer."""
        self.hear(seat, carried(message), message.seat if peer is None else peer)
        return message

    def hear(self, seat: int, frame: bytes, peer: int) -> None:
        """Let a seat receive a frame from a peer."""
        self.machine(seat).receive(frame, self.now, self.table.ids[peer])
        self.collect(seat)

    # Seat 0 alone

    def tell_first(self, seat: int, statement: Statement) -> Message:
        """Let seat 0 receive a statement of another seat, and nothing of it leaves."""
        message = self.tell(0, self.sign(seat, statement))
        self.queue.clear()
        return message

    def wait_first(self, seconds: float) -> None:
        """Let time pass for seat 0 alone, and nothing of it leaves."""
        self.now += seconds
        self.machine().tick(self.now)
        self.collect(0)
        self.queue.clear()

    # Time

    def at(self, when: float, what: Callable[[], None]) -> None:
        """Have something happen."""
        self._count += 1
        heapq.heappush(self._events, (when, self._count, what))

    def run(self, until: float = 0.0, step: float = 0.5) -> None:
        """Deliver all there is, then let time pass, until every live seat is finished."""
        limit = self.now + until
        while True:
            while self.deliver():
                pass
            if self.done() or self.now >= limit:
                return
            self.now += step
            for seat, place in enumerate(self.places):
                if place.alive:
                    place.machine.tick(self.now)
                    self.collect(seat)

    def play(self, until: float = 0.0) -> None:
        """Start all machines, and run."""
        self.start()
        self.run(until)

    def begin(self, *seats: int) -> None:
        """Start all machines, and deliver until the game has begun for these, or for seat 0."""
        self.start()
        while not all(machine.has_begun for machine in self.machines(seats or (0,))):
            self.deliver()

    def done(self) -> bool:
        """Return whether every live seat is finished."""
        return all(p.machine.finished or not p.alive for p in self.places)

    def go(self, until: Callable[[], bool], most: float) -> bool:
        """Let time pass until this holds, or so many seconds; return whether it holds."""
        end = self.now + most
        while self.now < end and not until():
            goal = self.now + TICK
            while self._events and self._events[0][0] <= goal and not until():
                self.now, _, what = heapq.heappop(self._events)
                what()
            self.now = max(self.now, goal)
            self._tick()
        return until()

    def _tick(self) -> None:
        for seat, place in enumerate(self.places):
            if not place.alive:
                continue
            if seat in self.leaving and place.machine.may_leave():
                self.leave(seat)
            else:
                place.machine.tick(self.now)
                self.collect(seat)

    def leave(self, seat: int) -> None:
        """Let a seat leave for good. The others lose their links with it."""
        self.left_at[seat] = self.now
        self.places[seat].alive = False
        for other in range(len(self.places)):
            delay = 0.0 if self.delay is None else self.delay(seat, other)
            self.at(self.now + delay, lambda other=other: self.down(other, seat))  # type: ignore[misc]

    def down(self, seat: int, other: int) -> None:
        """Let a seat lose its link with another."""
        if seat != other and self.places[seat].alive:
            self.places[seat].machine.link_down(self.table.ids[other], self.now)
            self.collect(seat)

    def up(self, seat: int, other: int) -> None:
        """Let a seat have its link with another again, if both are there."""
        if self.places[seat].alive and self.places[other].alive:
            self.places[seat].machine.link_up(self.table.ids[other], self.now)
            self.collect(seat)


def toy_table(
    seats: int = 4,
    rounds: int = 1,
    quorum: int | None = None,
    timeouts: Timeouts = QUICK,
    choose: Chooser = toy_choice,
    thinkers: Iterable[int] = (),
    cheaters: Mapping[int, Lie] | None = None,
    rejoins: int = 8,
) -> MachineTable:
    """Return a table of the toy game before its first word."""
    made = make_table(ToyGame(seats, rounds), seats, quorum, timeouts, rejoins)
    return MachineTable(*made, choose, thinkers=thinkers, cheaters=cheaters)


def waiting_table(
    thinkers: Iterable[int] = range(6), seats: int = 4, quorum: int | None = None
) -> MachineTable:
    """Return a table of the toy game that waits for the first bids of `thinkers`."""
    made = toy_table(seats, quorum=quorum, thinkers=thinkers)
    made.start()
    made.settle()
    return made


def begun_table(game: Any, seats: int = 4) -> MachineTable:
    """Return a table whose first machine stands in epoch 0, the deal ahead."""
    made = MachineTable(*make_table(game, seats))
    made.begin()
    return made


def answer_inquiry(machine: SeatMachine, now: float, *peers: bytes) -> None:
    """Let peers have told a machine all that they store of its seat."""
    for peer in peers:
        machine.receive(peer_frames.encode_frame(peer_frames.Told()), now, peer)
