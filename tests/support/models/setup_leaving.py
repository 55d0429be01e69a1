"""A small abstract model of how confirmed seats leave setup ([D-9] to [D-11]), and their links.

Time is continuous. Each honest seat sends what is new to all that it is linked with, and all that
it has once a second. Links break and come back, and what is on its way in a broken link is lost.
Seats crash and resume. The faulty seats hold back their confirmation and show it, their words and
their inputs to the deal to whomever they like, at times that follow what the honest seats do.

There is one chain, and every input is stored. What a second shuffle and further versions of an
input do is simulated with the machines (`support.sim.setups`).
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from protocol.wire.table_header import default_quorum

LONG = 60.0
"""Seconds after which a confirmed seat gives up: twice the step timeout."""
ALONE = 12.0
"""Seconds without a link after which a seat that has given up leaves."""
END = 40.0
"""Seconds after the last event of the plan in which all is decided."""


@dataclass(frozen=True)
class Rules:
    """The rules of [D-9] to [D-11], each of which can be left out.

    Attributes:
        round: Seconds of one round of leaving.
        rounds: How many rounds there are beyond n − t + 1.
        counts_deals: Whether each round asks for one input to the deal more than the one before.
        follows: Whether a seat gives up once it stores the words of a quorum.
        needs_quorum: Whether a seat leaves only when it stores the words of a quorum.
    """

    round: float = 4.5
    rounds: int = 0
    counts_deals: bool = True
    follows: bool = True
    needs_quorum: bool = True


@dataclass
class Seat:
    """An honest seat: what it stores, and how far it is.

    Attributes:
        began: When it confirmed, or resumed last, in seconds.
        words: The seats whose word is stored that they have given up or ended.
        whole: Whether it stores the inputs of all seats to `deck.ok`.
        deals: The seats whose input to the deal is stored.
        gave_up: Whether it has given up and not returned.
        closing: When the words of a quorum were stored, None before.
        dealt: Whether it has given its own input to the deal.
        left: When it left by itself, None if it has not.
        up: Whether its program runs.
        met: When it last had a link.
    """

    began: float
    words: set[int] = field(default_factory=set)
    whole: bool = False
    deals: set[int] = field(default_factory=set)
    gave_up: bool = False
    closing: float | None = None
    dealt: bool = False
    left: float | None = None
    up: bool = True
    met: float = 0.0


@dataclass(frozen=True)
class Plan:
    """What happens at one table.

    Attributes:
        seats: The number of seats.
        liars: How many of them are faulty: the last ones.
        delay: The most seconds that a frame takes.
        flaps: Each link of two honest seats that breaks: its two seats, and from when to when.
        crashes: Each honest seat that crashes, and from when to when.
        ended: Whether the honest seat 0 has ended the table before it confirmed.
        late: By how many seconds the clock of the honest seat 0 is late, since its machine slept.
    """

    seats: int
    liars: int
    delay: float
    flaps: tuple[tuple[int, int, float, float], ...] = ()
    crashes: tuple[tuple[int, float, float], ...] = ()
    ended: bool = False
    late: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """How a table ended.

    Attributes:
        thrown_out: Whether an honest seat left by itself, and a quorum can play without it.
        waiting: The honest seats that neither play nor have left.
        playing: The honest seats that play.
        latest: When the last seat left, 0.0 if none has.
    """

    thrown_out: bool
    waiting: frozenset[int]
    playing: frozenset[int]
    latest: float


class Table:
    """One table, from the confirmation of all honest seats on."""

    def __init__(self, seed: str, plan: Plan, rules: Rules | None = None) -> None:
        self.die, self.plan, self.rules = random.Random(seed), plan, rules or Rules()
        self.quorum = default_quorum(plan.seats)
        self.rounds = plan.seats - self.quorum + 1 + self.rules.rounds
        honest = plan.seats - plan.liars
        self.liars = list(range(honest, plan.seats))
        starts = [self.die.uniform(0.0, plan.delay) for _ in range(honest)]
        starts[0] += plan.late
        self.seats = {s: Seat(starts[s], met=starts[s]) for s in range(honest)}
        if plan.ended:
            del self.seats[0]
            word = frozenset({0})
            for seat in self.seats.values():
                seat.words |= word
        self.now, self.count = 0.0, 0
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.watched: list[Callable[[str, int], None]] = []

    # Time and links

    def at(self, when: float, what: Callable[[], None]) -> None:
        """Have something happen."""
        self.count += 1
        heapq.heappush(self.events, (when, self.count, what))

    def linked(self, one: int, other: int) -> bool:
        """Return whether two honest seats are linked now."""
        there = all(self.seats[s].up and self.seats[s].left is None for s in (one, other))
        return there and not any(
            {one, other} == {a, b} and start <= self.now < end
            for a, b, start, end in self.plan.flaps
        )

    def run(self) -> Verdict:
        """Play until all is decided."""
        for number in self.seats:
            self.at(self.die.random() * 0.2, lambda n=number: self._tick(n))  # type: ignore[misc]
            self.at(self.die.random(), lambda n=number: self._sync(n))  # type: ignore[misc]
        for number, start, end in self.plan.crashes:
            self.at(start, lambda n=number: self._crash(n))  # type: ignore[misc]
            self.at(end, lambda n=number: self._resume(n))  # type: ignore[misc]
        last = max(
            [
                LONG + self.plan.late,
                *(f[3] for f in self.plan.flaps),
                *(c[2] for c in self.plan.crashes),
            ]
        )
        limit = last + LONG + END
        while self.events:
            self.now, _, what = heapq.heappop(self.events)
            if self.now > limit or all(s.left is not None for s in self.seats.values()):
                break
            what()
        return self._verdict()

    def _verdict(self) -> Verdict:
        playing = {n for n, s in self.seats.items() if s.dealt and s.left is None}
        left = [s.left for s in self.seats.values() if s.left is not None]
        waiting = {n for n, s in self.seats.items() if s.left is None and not s.dealt}
        goes_on = bool(playing) and len(playing) + len(self.liars) >= self.quorum
        return Verdict(
            bool(left) and goes_on, frozenset(waiting), frozenset(playing), max(left, default=0.0)
        )

    # Frames

    def _sync(self, number: int) -> None:
        self._tell(number)
        self.at(self.now + 1.0, lambda: self._sync(number))

    def _tell(self, number: int) -> None:
        """Send all that a seat has to all that it is linked with."""
        seat = self.seats[number]
        told = (seat.words.copy(), seat.whole, seat.deals.copy())
        for other in self.seats:
            if other != number and self.linked(number, other):
                when = self.now + self.plan.delay * self.die.uniform(0.3, 1.0)
                self.at(when, lambda o=other: self._arrive(number, o, *told))  # type: ignore[misc]

    def _arrive(self, source: int, to: int, words: set[int], whole: bool, deals: set[int]) -> None:
        there = self.seats[to].up and self.seats[to].left is None
        cut = any(
            {source, to} == {a, b} and start <= self.now < end
            for a, b, start, end in self.plan.flaps
        )
        if there and not cut:
            self.learn(to, words, whole, deals)

    def learn(
        self,
        number: int,
        words: set[int] = frozenset(),  # type: ignore[assignment]
        whole: bool = False,
        deals: set[int] = frozenset(),  # type: ignore[assignment]
    ) -> None:
        """Let a seat store what it is told, act on it, and pass it on if it is new."""
        seat = self.seats[number]
        if not seat.up or seat.left is not None:
            return
        before = (len(seat.words), seat.whole, len(seat.deals))
        seat.words |= words
        seat.whole = seat.whole or whole
        seat.deals |= deals
        self._act(number)
        if before != (len(seat.words), seat.whole, len(seat.deals)):
            self._tell(number)

    # The rules of a seat

    def _tick(self, number: int) -> None:
        seat = self.seats[number]
        if seat.up and seat.left is None:
            if any(self.linked(number, o) for o in self.seats if o != number):
                seat.met = self.now
            told = (seat.gave_up, seat.dealt, len(seat.words))
            self._act(number)
            if told != (seat.gave_up, seat.dealt, len(seat.words)):
                self._tell(number)
        if seat.left is None:
            self.at(self.now + 0.2, lambda: self._tick(number))

    def _act(self, number: int) -> None:
        seat, quorum = self.seats[number], self.quorum
        if seat.dealt:
            return
        if not seat.whole and not seat.gave_up:
            is_late = self.now - seat.began >= LONG
            is_asked = self.rules.follows and len(seat.words) >= quorum
            if is_late or is_asked or self.plan.ended:
                seat.gave_up = True
                seat.words.add(number)
                self._happened("gave up", number)
        enough = len(seat.words) >= quorum or not self.rules.needs_quorum
        if seat.closing is None and seat.gave_up and enough:
            seat.closing = self.now
            self._happened("closing", number)
        if seat.whole and self._accepts(seat, number):
            seat.gave_up, seat.dealt = False, True
            seat.deals.add(number)
            self._happened("dealt", number)
        elif seat.gave_up:
            self._leave(number)

    def _accepts(self, seat: Seat, number: int) -> bool:
        if seat.closing is None:
            return True
        if not self.rules.counts_deals:
            return self.now < seat.closing + self.rounds * self.rules.round
        needed = int((self.now - seat.closing) // self.rules.round) + 1
        return needed <= self.rounds and len(seat.deals - {number}) >= needed

    def _leave(self, number: int) -> None:
        seat = self.seats[number]
        is_over = seat.closing is not None and self.now >= seat.closing + (
            self.rounds * self.rules.round
        )
        # A liar keeps its link, but what only a liar could end is not modelled as a link.
        is_alone = not self.liars and self.now - seat.met >= ALONE
        if is_over or is_alone:
            seat.left = self.now
            self._happened("left", number)

    def _crash(self, number: int) -> None:
        if number in self.seats:
            self.seats[number].up = False

    def _resume(self, number: int) -> None:
        old = self.seats.get(number)
        if old is not None and old.left is None:
            fresh = Seat(self.now, whole=old.whole, dealt=old.dealt, met=self.now)
            fresh.deals = {number} if old.dealt else set()
            self.seats[number] = fresh
            self._tell(number)

    def _happened(self, what: str, number: int) -> None:
        for watch in self.watched:
            watch(what, number)


class Liars:
    """The faulty seats of one table, as one mind."""

    TIMES = ("any", "gave up", "closing", "left", "dealt", "round")

    def __init__(self, table: Table) -> None:
        self.table, self.die = table, table.die
        self.seen: set[str] = set()
        self.plans = [
            (self.die.choice(self.TIMES), self._late(), what, self._some())
            for what in ("whole", "words", "deals", "whole", "words", "deals")
            for _ in range(self.die.choice((0, 1, 1, 2)))
        ]
        table.watched.append(self._watch)
        for when, late, what, some in self.plans:
            if when == "any":
                start = self.die.uniform(0.0, LONG + 20.0)
                table.at(start + late, lambda w=what, s=some: self._show(w, s))  # type: ignore[misc]

    def _late(self) -> float:
        return self.die.choice((0.0, 0.01, self.die.uniform(0, 3), self.die.uniform(0, 12)))

    def _some(self) -> list[int]:
        honest = sorted(self.table.seats)
        return self.die.sample(honest, self.die.randint(1, len(honest)))

    def _watch(self, what: str, number: int) -> None:
        if what in self.seen:
            return
        self.seen.add(what)
        for when, late, shown, some in self.plans:
            rounds = self.die.randint(1, self.table.rounds) * self.table.rules.round
            if when == what:
                self._soon(late, shown, some)
            elif when == "round" and what == "closing":
                self._soon(rounds + self.die.uniform(-1.5, 1.0), shown, some)

    def _soon(self, late: float, shown: str, some: list[int]) -> None:
        when = self.table.now + late + 0.001
        self.table.at(when, lambda: self._show(shown, some))

    def _show(self, what: str, some: list[int]) -> None:
        liars = set(self.die.sample(self.table.liars, self.die.randint(1, len(self.table.liars))))
        for number in some:
            if what == "whole":
                self.table.learn(number, whole=True)
            else:
                self.table.learn(number, **{what: liars})


def draw(seed: str, seats: int, liars: int = 1, flaps: float = 0.0, crashes: bool = False) -> Plan:
    """Return a plan drawn from a seed.

    `flaps` is the longest time for which a link is broken, in seconds; 0.0 for no broken links.
    """
    die = random.Random(f"plan {seed}")
    honest = range(seats - liars)
    broken = []
    for _ in range(die.choice((0, 1, 2, 4)) if flaps and len(honest) > 1 else 0):
        one, other = die.sample(honest, 2)
        start = die.uniform(LONG - 5, LONG + 15)
        broken.append((one, other, start, start + die.uniform(0.1, flaps)))
    down = []
    if crashes:
        start = die.uniform(0.0, LONG + 12.0)
        down.append((die.choice(honest), start, start + die.choice((0.5, 3.0, 20.0, 300.0))))
    ended = die.random() < 0.2 and seats - liars > 2
    return Plan(
        seats, liars, die.choice((0.01, 0.1, 0.5, 1.0, 2.0)), tuple(broken), tuple(down), ended
    )


def play(seed: str, plan: Plan, rules: Rules | None = None) -> Verdict:
    """Play one table whose faulty seats do what the seed says."""
    table = Table(seed, plan, rules)
    if plan.liars:
        Liars(table)
    return table.run()
