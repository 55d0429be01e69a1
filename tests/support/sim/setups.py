"""Simulated setups: one faulty seat tries to part the honest ones before the game begins.

It holds back its inputs from some step of setup on, and shows them, end notices, departures and
faults of its own to whomever it likes, at times that follow what the honest seats do. Links of
honest seats may break for a while, and an honest seat may crash and resume. Seats leave as the
program does. `play_setup(seed)` raises `Violation` if a promise of [D-3] or [E-30] does not hold.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from protocol.chain import transition
from protocol.seat.effects import UNCONFIRMED, Broken
from protocol.wire import peer_frames, signed_notices
from protocol.wire.peer_frames import FrameBody
from protocol.wire.signed_messages import StepInput
from protocol.wire.signed_notices import Departure, EndNotice
from protocol.wire.table_header import Timeouts, default_quorum
from support.inspection import has_input, leaving_since, secrets_of
from support.machine_table import MachineTable, carried, toy_table
from support.sim.invariants import Violation, need

TIMEOUTS = Timeouts(choice=8000, step=4000, back_off=1000, cap=8000)
LATE = 2 * TIMEOUTS.step / 1000
"""Seconds after which a confirmed seat gives up."""
LEFT = LATE + 15.0
"""Seconds from the last confirmation by which all have left, if the game does not begin."""
LIMIT = 160.0
"""Seconds after which nothing happens any more."""
REASONS = (*sorted(signed_notices.REASONS - {signed_notices.OVER}),)
DEEDS = (
    *("show", "show", "show", "deal", "notice", "depart"),
    *("junk", "stray", "stray", "refuse", "unlink"),
)
WHEN = ("any", "any", "late", "leaving", "left")


@dataclass(frozen=True)
class Deed:
    """What the faulty seat does once: to whom, and how long after which moment."""

    what: str
    to: frozenset[int]
    when: str
    after: float
    word: int


@dataclass(frozen=True)
class SetupPlan:
    """One simulated setup.

    Attributes:
        seed: All is drawn from it.
        seats: The number of seats.
        quorum: The quorum.
        liar: The faulty seat.
        held: The first step from which on it holds its inputs back.
        delay: The most seconds that a frame takes.
        deeds: What the faulty seat does.
        flap: Two honest seats whose link breaks, from when to when. None for no break.
        crash: An honest seat that crashes, when, and for how long. None for no crash.
        fork: The seats to which the faulty seat, which shuffles last, shows another shuffle.
    """

    seed: str
    seats: int
    quorum: int
    liar: int
    held: int
    delay: float
    deeds: tuple[Deed, ...]
    flap: tuple[int, int, float, float] | None = None
    crash: tuple[int, float, float] | None = None
    fork: frozenset[int] = frozenset()

    @property
    def honest(self) -> list[int]:
        """The other seats."""
        return [seat for seat in range(self.seats) if seat != self.liar]

    @property
    def is_calm(self) -> bool:
        """Whether nothing but the faulty seat disturbs the table."""
        return self.flap is None and self.crash is None


def draw_setup(seed: str, disturbed: bool = False) -> SetupPlan:
    """Return the plan of a seed; `disturbed` for links that break and seats that crash."""
    die = random.Random(f"setup {seed}")
    seats = die.choice((3, 3, 4, 4, 5, 6))
    quorum = seats if die.random() < 0.15 else default_quorum(seats)
    liar = die.randrange(seats)
    honest = [seat for seat in range(seats) if seat != liar]
    held = die.choice((seats + 4,) * 6 + (1, 2, 3, 4 + liar))
    deeds = tuple(_draw_deed(die, honest) for _ in range(die.randint(1, 6)))
    flap = crash = None
    if disturbed and len(honest) > 1 and die.random() < 0.6:
        one, other = die.sample(honest, 2)
        start = die.uniform(0.0, LATE + 12)
        flap = (one, other, start, start + die.choice((0.5, 2.0, 8.0)))
    if disturbed and (flap is None or die.random() < 0.3):
        crash = (die.choice(honest), die.uniform(0.0, LATE + 12), die.choice((0.5, 3.0, 20.0)))
    delay = die.choice((0.01, 0.1, 0.5, 1.0, 2.0))
    forks = liar == seats - 1 and held == seats + 4 and die.random() < 0.3
    fork = frozenset(die.sample(honest, die.randint(1, len(honest)))) if forks else frozenset[int]()
    return SetupPlan(seed, seats, quorum, liar, held, delay, deeds, flap, crash, fork)


def _draw_deed(die: random.Random, honest: list[int]) -> Deed:
    to = frozenset(die.sample(honest, die.randint(1, len(honest))))
    when = die.choice(WHEN)
    after = {
        "any": die.uniform(0.0, LEFT + 5),
        "late": die.uniform(-1.0, 6.0),
        "leaving": die.uniform(0.0, 16.0),
        "left": die.choice((0.0, 0.05, die.uniform(0.0, 3.0))),
    }[when]
    return Deed(die.choice(DEEDS), to, when, after, die.randrange(1000))


class SetupTable:
    """One table whose setup one faulty seat disturbs."""

    def __init__(self, plan: SetupPlan) -> None:
        self.plan, self.die = plan, random.Random(f"deeds {plan.seed}")
        self.played: MachineTable = toy_table(plan.seats, quorum=plan.quorum, timeouts=TIMEOUTS)
        self.played.delay = lambda a, b: plan.delay * self.die.uniform(0.5, 1.0)
        self.played.leaving = set(plan.honest)
        self.played.hold_back = self._holds_back
        self.held: list[tuple[int, StepInput | FrameBody, bytes]] = []
        self.shown: set[tuple[int, bool]] = set()
        self.unlinked: set[int] = set()
        self.done: set[int] = set()
        self.cut_now = False
        self.played.cut = self._is_cut
        self.signed: list[EndNotice] = []
        self.at_deck: float | None = None
        self.events: set[str] = set()
        self.other = b""

    # Links

    def _is_cut(self, one: int, other: int) -> bool:
        pair = {one, other}
        if self.plan.flap is not None and pair == set(self.plan.flap[:2]):
            return self.cut_now
        return self.plan.liar in pair and bool(pair & self.unlinked)

    def _break(self, one: int, other: int) -> None:
        self.played.down(one, other)
        self.played.down(other, one)

    def _flap(self, is_cut: bool) -> None:
        one, other, *_ = self.plan.flap or (0, 0)
        self.cut_now = is_cut
        if is_cut:
            self._break(one, other)
        else:
            self.played.up(one, other)
            self.played.up(other, one)

    def _crash(self, seat: int) -> None:
        place = self.played.places[seat]
        if seat not in self.played.left_at and place.machine.broken is None:
            place.alive = False
            for other in range(self.plan.seats):
                self.played.down(other, seat)

    def _resume(self, seat: int) -> None:
        if self.played.places[seat].alive or seat in self.played.left_at:
            return
        self.played.crash_and_resume(seat)
        for other in self.played.linked(seat):
            self.played.up(other, seat)

    # The faulty seat

    def _holds_back(self, seat: int, other: int, frame: bytes) -> bool:
        parsed = peer_frames.parse_frame(frame)
        is_own = isinstance(parsed, EndNotice) and parsed.seat == seat != self.plan.liar
        if is_own and not parsed.is_over:  # type: ignore[union-attr]
            self.signed.append(parsed)
        if seat != self.plan.liar:
            return False
        if isinstance(parsed, EndNotice | Departure) and parsed.seat == seat:
            return True
        message = self.played.message(frame)
        if message is None or message.seat != seat or not isinstance(message.statement, StepInput):
            return False
        step = message.statement.step
        if step == self.plan.seats + 3 and other in self.plan.fork:
            self.played.carry(seat, other, self._other_shuffle())
            return True
        is_deal = step > self.plan.seats + 4
        if step < self.plan.held or (other, is_deal) in self.shown:
            return False
        self.held.append((other, message.statement, frame))
        return True

    def _other_shuffle(self) -> bytes:
        """Return a second shuffle of the faulty seat, which shuffles last."""
        if not self.other:
            liar, step = self.plan.liar, self.plan.seats + 3
            machine = self.played.machine(liar)
            node = machine.tip if machine.tip.step == step else machine.tip.parent
            assert node is not None
            body = transition.body_of(node, liar, secrets_of(machine), self.die.randbytes)
            self.other = carried(self.played.sign(liar, StepInput(0, step, node.digest, body)))
        return self.other

    def _do(self, number: int) -> None:
        """Do a deed, unless it is done."""
        if number in self.done:
            return
        self.done.add(number)
        deed = self.plan.deeds[number]
        getattr(self, f"_do_{deed.what}")(deed)

    def _do_show(self, deed: Deed, is_deal: bool = False) -> None:
        for seat in sorted(deed.to):
            self.shown.add((seat, is_deal))
        for other, statement, frame in list(self.held):
            assert isinstance(statement, StepInput)
            if (other, statement.step > self.plan.seats + 4) in self.shown:
                self.played.carry(self.plan.liar, other, frame)

    def _do_deal(self, deed: Deed) -> None:
        self._do_show(deed, is_deal=True)

    def _do_notice(self, deed: Deed) -> None:
        reason = REASONS[deed.word % len(REASONS)]
        about = (None, *range(self.plan.seats))[deed.word % (self.plan.seats + 1)]
        self._send(deed, EndNotice(self.plan.liar, reason, about))

    def _do_depart(self, deed: Deed) -> None:
        tip = self.played.machine(self.plan.honest[0]).tip
        number = deed.word % 6 + 1
        word = Departure(self.plan.liar, number, 0, tip.step + deed.word % 2, tip.digest)
        self._send(deed, word)

    def _send(self, deed: Deed, bare: EndNotice | Departure) -> None:
        played, liar = self.played, self.plan.liar
        word = signed_notices.sign_notice(played.who[liar], played.table.id, bare)
        for seat in sorted(deed.to):
            played.carry(liar, seat, peer_frames.encode_frame(word))

    def _do_junk(self, deed: Deed) -> None:
        """Show two illegal inputs to the next step, which prove a fault of the faulty seat."""
        tip = self.played.machine(self.plan.honest[0]).tip
        for body in (b"one", b"two"):
            made = self.played.sign(self.plan.liar, StepInput(0, tip.step, tip.digest, body))
            for seat in sorted(deed.to):
                self.played.carry(self.plan.liar, seat, carried(made))

    def _do_stray(self, deed: Deed) -> None:
        """Show inputs to `deck.ok` or to the deal that name no node."""
        step = self.plan.seats + 4 + deed.word % 2
        for on in (b"x" * 32, b"y" * 32)[: 1 + deed.word // 2 % 2]:
            made = self.played.sign(self.plan.liar, StepInput(0, step, on, b"stray"))
            for seat in sorted(deed.to):
                self.played.carry(self.plan.liar, seat, carried(made))

    def _do_refuse(self, deed: Deed) -> None:
        for seat in sorted(deed.to):
            if self.played.places[seat].alive:
                self.played.machine(seat).refuse(self.plan.liar, self.played.now)
                self.played.collect(seat)

    def _do_unlink(self, deed: Deed) -> None:
        self.unlinked |= deed.to
        for seat in sorted(deed.to):
            self._break(seat, self.plan.liar)

    # The course

    def run(self) -> None:
        """Play until every honest seat has left, or has ended the game."""
        self.played.start()
        self.played.go(self._is_over, LIMIT)

    def _is_over(self) -> bool:
        self._look()
        return all(
            seat in self.played.left_at or self.played.machine(seat).finished
            for seat in self.plan.honest
        )

    def _look(self) -> None:
        """Schedule what follows from what the honest seats have done since."""
        machines = self.played.machines(self.plan.honest)
        if "any" not in self.events and all(self._waits(seat) for seat in self.plan.honest):
            self.at_deck = self.played.now
            self._begin("any")
            self._begin("late", LATE)
            if self.plan.flap is not None:
                for when, is_cut in ((self.plan.flap[2], True), (self.plan.flap[3], False)):
                    self.played.at(self.played.now + when, lambda c=is_cut: self._flap(c))  # type: ignore[misc]
            if self.plan.crash is not None:
                seat, start, away = self.plan.crash
                self.played.at(self.played.now + start, lambda: self._crash(seat))
                self.played.at(self.played.now + start + away, lambda: self._resume(seat))
        if any(leaving_since(machine) is not None for machine in machines):
            self._begin("leaving")
        if self.played.left_at:
            self._begin("left")

    def _waits(self, seat: int) -> bool:
        """Return whether a seat waits for the faulty one alone, or no longer at all."""
        machine = self.played.machine(seat)
        due = set(range(self.plan.seats)) if self.plan.fork else {self.plan.liar}
        waits = machine.tip.step == self.plan.held and machine.awaited() <= due
        return waits or machine.has_begun or machine.broken is not None

    def _begin(self, what: str, late: float = 0.0) -> None:
        if what in self.events:
            return
        self.events.add(what)
        for number, deed in enumerate(self.plan.deeds):
            if deed.when == what:
                when = max(self.played.now, self.played.now + late + deed.after)
                self.played.at(when, lambda n=number: self._do(n))  # type: ignore[misc]

    # The verdict

    def judge(self) -> Counter[str]:
        """Return what happened. Raises Violation if a promise does not hold."""
        plan, played = self.plan, self.played
        left = {seat for seat in plan.honest if seat in played.left_at}
        left = {seat for seat in left if not played.machine(seat).finished}
        ended = {seat: played.machine(seat).broken for seat in plan.honest}
        plays = {
            seat for seat in plan.honest if played.machine(seat).has_begun and seat not in left
        }
        begun = {seat for seat in plan.honest if played.machine(seat).has_begun}
        away = {seat for seat in left if _is_unconfirmed(ended[seat])}
        counts = Counter(setups=1, left=bool(away), played=bool(plays), ended=bool(left - away))
        counts["leaving"] = "leaving" in self.events
        self._judge_words(ended)
        if plan.is_calm:
            parted = f"seats {sorted(left)} have left a game that {sorted(plays)} play"
            strict = plan.quorum == plan.seats
            need(strict or not (left and plays), parted)
            # On slower links an honest seat can miss the short step timeout of these games.
            for seat in plays if not strict and plan.delay <= 0.5 else ():
                absences = played.machine(seat).tip.absences or (0,) * plan.seats
                gone = [other for other in plan.honest if absences[other]]
                need(not gone, f"honest seats {gone} were made absent")
            waiting = [s for s in plan.honest if s not in left and s not in plays]
            need(not waiting, f"seats {waiting} wait for ever")
            last = max((played.left_at[seat] for seat in away), default=0.0)
            due = (self.at_deck or 0.0) + LEFT + 2 * plan.delay
            due = due if plan.held == plan.seats + 4 and not begun else LIMIT
            need(last <= due, f"the last left at {last}")
        elif 2 * plan.quorum - plan.seats - 1 >= 1:
            goes_on = bool(plays) and len(plays) + 1 >= plan.quorum
            counts["thrown out"] = bool(away) and goes_on
        return counts

    def _judge_words(self, ended: dict[int, Broken | None]) -> None:
        """Check that no honest seat says or signs that another honest one is to blame."""
        for seat, broken in ended.items():
            if broken is None or broken.seat in (None, self.plan.liar) or not self.plan.is_calm:
                continue
            need(broken.by == self.plan.liar, f"seat {seat} blames an honest one: {broken}")
        for notice in self.signed:
            is_true = notice.about in (None, self.plan.liar) or not self.plan.is_calm
            need(is_true, f"an honest seat signs {notice}")
            need(
                not has_input(self.played.machine(notice.seat), self.plan.seats + 4),
                f"a seat that has confirmed signs {notice}",
            )


def _is_unconfirmed(broken: Broken | None) -> bool:
    return broken is not None and broken.code == UNCONFIRMED


def play_setup(seed: str, disturbed: bool = False) -> Counter[str]:
    """Simulate the setup of a seed."""
    plan = draw_setup(seed, disturbed)
    table = SetupTable(plan)
    try:
        table.run()
        return table.judge()
    except Violation as violation:
        raise Violation(f"{seed}: {violation}; {plan}") from violation
