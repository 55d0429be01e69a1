"""Traces of the model of endings, replayed by the machines of a table.

Every frame waits until the trace delivers its link. Each seat has a clock of its own, since the
model lets no two of them run alike.
"""

from collections import defaultdict

from protocol.chain.chain_state import Kind
from protocol.seat.signer import SigningState
from protocol.wire import peer_frames
from protocol.wire.signed_messages import EpochRequest, Message
from protocol.wire.table_header import Timeouts
from support.inspection import inspect
from support.machine_table import toy_table
from support.models.ending_rules import LAST, REQUEST, Statement
from support.models.endings import Action, Endings

TIMES = Timeouts()
STEP, BACK_OFF = TIMES.step / 1000, TIMES.back_off / 1000
ASKS = (peer_frames.Sync, peer_frames.Own, peer_frames.Fetch)


class Replay:
    """Machines that wait for the last inputs of each other, and what a trace does to them.

    Attributes:
        table: The machines. Those of the cheaters are not there any more.
        waits: The frames that each link has still to hand over.
        clocks: The time of each seat, in seconds.
        half: What passes for half a step timeout, in seconds.
        down: The pairs of seats without a link.
        last: The last input of each cheater.
        backup: How many records of its journal the restored seat keeps.
    """

    def __init__(self, model: Endings) -> None:
        self.model = model
        self.table = table = toy_table(model.seats, quorum=model.quorum, timeouts=TIMES)
        table.hold_back = lambda seat, other, frame: (
            table.machine(seat).tip.want.kind is Kind.RESULT
        )
        self.down: set[frozenset[int]] = set()
        if model.absent is None:
            table.start()
            table.settle()
        else:
            self._play_without(model.absent)
        present = [machine for machine in table.machines() if machine.seat != model.absent]
        assert all(machine.tip.want.kind is Kind.RESULT for machine in present)
        # Two halves and a back-off are less than a seat beside cheaters waits when it resumes.
        self.half = STEP / 2 - (0 if model.serves else 1)
        self.waits = defaultdict[tuple[int, int], list[bytes]](list)
        self.clocks = [table.now] * model.seats
        self.backup: int | None = None
        self.last = {liar: self.own(liar)[-1] for liar in model.liars}
        for liar in model.liars:
            table.places[liar].alive = False
        table.hold_back = self.keep
        if model.absent is not None:
            self._resume_without_links(model.absent)

    def _play_without(self, absent: int) -> None:
        """Play to the last step, where one seat is away from the first bids on."""
        table, others = self.table, [s for s in self.model.honest if s != absent]
        table.begin(*range(self.model.seats))
        table.places[absent].alive = False
        for seat in others:
            table.down(seat, absent)
        while not all(m.tip.want.kind is Kind.RESULT for m in table.machines(others)):
            table.run(until=1.0, step=1.0)
        assert all(absent not in machine.tip.present for machine in table.machines(others))

    def _resume_without_links(self, seat: int) -> None:
        """Let a seat come back to which no link has come up yet."""
        self.down |= {frozenset(pair) for pair in self.model.pairs if seat in pair}
        self.table.cut = lambda one, other: True
        self.table.crash_and_resume(seat)
        self.table.cut = lambda one, other: False

    def keep(self, seat: int, other: int, frame: bytes) -> bool:
        """Have a frame wait on its link, if there is one."""
        if frozenset((seat, other)) not in self.down:
            self.waits[seat, other].append(frame)
        return True

    def own(self, seat: int) -> list[Message]:
        """Return the own messages that a seat stores."""
        return list(inspect(self.table.machine(seat)).store.by_seat(seat))

    def at(self, seat: int) -> None:
        """Have a seat's clock be that of the table."""
        self.table.now = self.clocks[seat]

    def deliver(self, source: int, seat: int, only_asks: bool = False) -> None:
        """Let a seat have what waits on a link, or the questions among it."""
        self.at(seat)
        waiting, self.waits[source, seat] = self.waits[source, seat], []
        for frame in waiting:
            if only_asks and not isinstance(peer_frames.parse_frame(frame), ASKS):
                self.waits[source, seat].append(frame)
            elif self.table.places[seat].alive:
                self.table.hear(seat, frame, source)

    def wait(self, seat: int, seconds: float) -> None:
        """Let time pass for one seat."""
        self.clocks[seat] += seconds
        self.at(seat)
        self.table.machine(seat).tick(self.table.now)
        self.table.collect(seat)

    # What a trace does

    def play(self, trace: tuple[Action, ...]) -> None:
        """Do all that a trace does."""
        for kind, *given in trace:
            getattr(self, f"_{kind}")(*given)

    def _hear(self, source: int, seat: int) -> None:
        self.at(seat)
        self.table.machine(seat).sync(self.table.table.ids[source])
        self.table.collect(seat)
        self.deliver(seat, source, only_asks=True)
        self.deliver(source, seat)

    def _level(self) -> None:
        for _ in range(4):
            for one, other in self.model.pairs:
                if self.is_linked(one, other):
                    self._hear(one, other)
                    self._hear(other, one)

    def is_linked(self, one: int, other: int) -> bool:
        """Return whether two seats are there and have a link."""
        places = self.table.places
        return places[one].alive and places[other].alive and {one, other} not in self.down

    def _show(self, seat: int, statement: Statement) -> None:
        kind, liar, what = statement
        self.at(seat)
        if kind == LAST:
            self.table.tell(seat, self.last[liar])
        elif kind == REQUEST:
            self.table.tell(seat, self.table.sign(liar, EpochRequest(what)))

    def _pass(self, source: int, seat: int) -> None:
        self.at(seat)
        for message in self.own(source):
            self.table.tell(seat, message, min(self.model.liars))

    def _request(self, seat: int) -> None:
        """Let time pass for a seat until it requests another epoch, if it would."""
        before, signs = self._requested(seat), inspect(self.table.machine(seat)).state
        if signs not in (SigningState.STANDING, SigningState.PROMISED):
            return
        for _ in range(12):
            if self._requested(seat) == before:
                self.wait(seat, BACK_OFF)

    def _requested(self, seat: int) -> int:
        return sum(isinstance(message.statement, EpochRequest) for message in self.own(seat))

    def _half(self) -> None:
        for seat in self.model.honest:
            if self.table.places[seat].alive:
                self.wait(seat, self.half)

    def _leave(self, seat: int) -> None:
        if self.table.machine(seat).may_leave():
            self.table.places[seat].alive = False
            for other in self.model.honest:
                self._part(seat, other)

    def _part(self, seat: int, other: int) -> None:
        self.down.add(frozenset((seat, other)))
        for one, two in ((seat, other), (other, seat)):
            self.waits[one, two].clear()
            self.at(one)
            self.table.down(one, two)

    def _break(self, seat: int) -> None:
        for other in self.model.honest:
            self._part(seat, other)

    def _up(self, one: int, other: int) -> None:
        self.down.discard(frozenset((one, other)))
        for seat, peer in ((one, other), (other, one)):
            self.at(seat)
            self.table.up(seat, peer)

    def _backup(self) -> None:
        self.backup = len(self.table.places[self.model.restores or 0].journal)

    def _restore(self) -> None:
        seat = self.model.restores or 0
        self._break(seat)
        self.at(seat)
        self.table.cut = lambda one, other: True  # until each link comes up
        self.table.crash_and_resume(seat, self.backup)
        self.table.cut = lambda one, other: False
        for liar in self.model.liars:
            self.table.machine(seat).link_up(self.table.table.ids[liar], self.table.now)
            self.table.collect(seat)
        for pair in self.model.pairs if self.model.serves else ():
            if seat in pair:
                self._up(*pair)

    def _speak(self, seat: int) -> None:
        """Let one back-off pass, after which a seat spoke by an earlier rule."""
        self.wait(seat, BACK_OFF)

    # What must follow

    def ends_well(self) -> bool:
        """Let all links come up, and time pass; return whether every honest end is the same."""
        honest = self.model.honest
        for one, other in self.model.pairs:
            if frozenset((one, other)) in self.down and self._are_there(one, other):
                self._up(one, other)
        self.table.now = max(self.clocks)
        self.table.hold_back = lambda seat, other, frame: False
        self.table.run(until=900, step=1.0)
        machines = self.table.machines(honest)
        return all(m.finished for m in machines) and len({m.tip.digest for m in machines}) == 1

    def _are_there(self, *seats: int) -> bool:
        return all(self.table.places[seat].alive for seat in seats)

    def blamed(self) -> set[int]:
        """Return the seats that some honest seat can prove at fault."""
        return {s for m in self.table.machines(self.model.honest) for s in inspect(m).proofs}
