"""The plan of one simulated game: its seats, lies and disturbances, all drawn from its seed."""

import random
from dataclasses import dataclass, replace
from typing import Any

from support.sim.endings import Ending, draw_absence, draw_ending
from support.sim.lies import LIES
from support.sim.tricks import TRICKS, WAYS

THINKS = 36.0
"""The longest time that a person thinks: three step timeouts of a choice, in seconds."""
HABITS = ("hub", "thinkers", "restored", "clone")
"""Disturbances by honest people and their machines in a wide game, beside those by liars."""
DEPARTURES = ("leaving_seats", "false-departures")
"""Honest people who leave for now; liars that sign, forge and replay departures."""


@dataclass(frozen=True)
class Restored:
    """A home restored from a backup: down from `start` to `until`, so many records behind."""

    start: float
    until: float
    seat: int
    lost: int

    @property
    def is_short(self) -> bool:
        return self.until - self.start <= 3.0


@dataclass(frozen=True)
class Clone:
    """A second process on a copy of a home, so many records behind."""

    start: float
    seat: int
    lost: int


@dataclass(frozen=True)
class Absence:
    """An honest seat that leaves for now.

    Attributes:
        start: When it leaves.
        seat: The seat.
        away: The seconds after which it is back.
        amid: Its machine stops after so many effects of leaving; None if it carries out all.
    """

    start: float
    seat: int
    away: float
    amid: int | None


@dataclass(frozen=True)
class Wide:
    """The disturbances that only a wide game has.

    Attributes:
        ways: What the liars do all the time.
        hub: The seat that is everybody's only path.
        thinkers: People who think for up to three step timeouts.
        restored: A home that is restored from a backup.
        clone: A second process on a copy of a home.
        silent: When the first liar goes silent for good.
        leaving_seats: Honest seats that leave for now.
    """

    ways: tuple[str, ...] = ()
    hub: int | None = None
    thinkers: frozenset[int] = frozenset()
    restored: Restored | None = None
    clone: Clone | None = None
    silent: float | None = None
    leaving_seats: tuple[Absence, ...] = ()


@dataclass(frozen=True)
class Plan:
    """The plan of one game, drawn from its seed."""

    seed: str
    seats: int
    quorum: int
    liars: frozenset[int]
    lies: tuple[str, ...]
    delay: float
    loss: float
    doubles: float
    unordered: bool
    partitions: tuple[tuple[float, float, frozenset[int]], ...]
    crashes: tuple[tuple[float, float, int, bool], ...]
    slow: frozenset[int]
    vanish: tuple[int, float] | None
    calm_from: float
    calm_setup: bool
    wide: Wide | None = None
    ending: Ending | None = None

    @property
    def quiet(self) -> bool:
        """Whether liars alone disturb the game, so that no honest seat may be made absent."""
        disturbed = self.partitions or self.crashes or self.slow or self.loss
        is_whole = self.vanish is None and (self.ending is None or self.ending.absent is None)
        quiet = not disturbed and is_whole and self.delay <= 0.3
        return quiet and (self.wide is None or self._is_calm(self.wide))

    @property
    def is_linked(self) -> bool:
        """Whether all links between honest seats stand, and all honest seats stay."""
        wide = self.wide or Wide()
        cut = self.partitions or wide.hub is not None or "cut" in wide.ways
        gone = self.crashes or self.vanish is not None or wide.silent is not None
        return not (cut or gone or wide.restored or wide.clone or wide.leaving_seats)

    def _is_calm(self, wide: Wide) -> bool:
        """Return whether no honest seat can miss a step.

        A seat that thinks or is cut off can miss one. A seat that is back soon cannot, if all
        others tell it which of its statements they store.
        """
        is_back = wide.restored is None or self._is_back_soon(wide, wide.restored)
        gone = len({one.seat for one in wide.leaving_seats} | self.liars)
        few = not wide.leaving_seats or gone <= self.seats - self.quorum
        return is_back and few and not wide.thinkers and wide.hub not in self.liars

    def _is_back_soon(self, wide: Wide, restored: Restored) -> bool:
        """Return whether a seat with its whole journal signs again before a step times out.

        By [E-10] it signs nothing until "every other present seat has told which statements of it
        that seat stores", or until "`timeouts[1]` and g have passed since it resumed". With the
        time that it was down, the second may be longer than a step timeout. So nobody may be mute
        or gone for a while, and every other seat is linked with it itself.
        """
        soon = restored.lost == 0 and restored.is_short
        linked = wide.hub in (None, restored.seat) and "cut" not in wide.ways
        there = wide.silent is None and "mute" not in wide.ways and not wide.leaving_seats
        return soon and linked and there


def draw_plan(
    seed: str,
    seats: int | None = None,
    liar: bool | None = None,
    two: bool = False,
    wide: bool = False,
    only: str | None = None,
) -> Plan:
    """Return the plan of a seed.

    Args:
        seed: All is drawn from it.
        seats: The number of seats, if it is not to be drawn.
        liar: Whether one seat lies, if that is not to be drawn.
        two: Whether a second seat lies too.
        wide: Whether the game may have all of the wide catalogue.
        only: The only entry of the wide catalogue that the game has.
    """
    plan = _draw(seed, seats, True if only in (*WAYS, *TRICKS, "false-departures") else liar, two)
    return widen(plan, only) if wide or only else plan


def draw_plan_of_ending(seed: str, timeouts: float) -> Plan:
    """Return a quiet table with as many liars as may be, who try to strand somebody at its end.

    Args:
        seed: All is drawn from it.
        timeouts: Seconds for which the last step is waited for.
    """
    die = random.Random(f"plan of ending {seed}")
    seats, quorum = die.choice([(4, 3), (4, 3), (5, 4), (6, 4)])
    liars = frozenset(die.sample(range(seats), seats - quorum))
    honest = [seat for seat in range(seats) if seat not in liars]
    ending = draw_ending(seed, honest, timeouts)
    calm = (0.1, 0.0, 0.0, False, (), (), frozenset(), None, 0.0, True)
    return Plan(seed, seats, quorum, liars, (), *calm, ending=ending)


def draw_plan_of_absence(seed: str, timeouts: float) -> Plan:
    """Return a quiet table to whose end an absent seat comes back, perhaps beside a liar.

    Args:
        seed: All is drawn from it.
        timeouts: Seconds for which the last step is waited for.
    """
    die = random.Random(f"plan of absence {seed}")
    seats, quorum, count = die.choice([(3, 2, 0), (4, 3, 0), (5, 4, 0), (6, 4, 0), (6, 4, 1)])
    liars = frozenset(die.sample(range(seats), count))
    ending = draw_absence(seed, [seat for seat in range(seats) if seat not in liars], timeouts)
    calm = (0.1, 0.0, 0.0, False, (), (), frozenset(), None, 0.0, True)
    return Plan(seed, seats, quorum, liars, (), *calm, ending=ending)


def _draw(seed: str, seats: int | None, liar: bool | None, two: bool) -> Plan:
    die = random.Random(f"plan {seed}")
    n = seats or die.choice([2, 3, 3, 4, 4, 4, 5, 5, 6])
    quorum = {2: 2, 3: 2, 4: 3, 5: 4, 6: 4}[n]
    if n > 2 and die.random() < 0.05:
        quorum = n
    strict = quorum == n
    lying = die.random() < 0.6 if liar is None else liar
    who = die.randrange(n) if lying and not strict else None
    names = tuple(die.sample(list(LIES), die.choice([1, 1, 2, 3]))) if who is not None else ()
    end = die.choice([5.0, 20.0, 60.0])
    wild = die.random() < 0.7
    vanish = _vanish(die, n, quorum, who, end)
    current = strict or vanish is not None
    return Plan(
        seed,
        n,
        quorum,
        _liars(seed, n, who, two),
        names,
        die.choice([0.02, 0.1, 0.3, 1.0, 3.0]) if wild else 0.1,
        die.choice([0.0, 0.0, 0.1, 0.3]) if wild else 0.0,
        die.choice([0.0, 0.2]),
        wild and die.random() < 0.3,
        _partitions(die, n, end) if wild else (),
        _crashes(die, n, end, current) if wild else (),
        frozenset(die.sample(range(n), 1)) if wild and die.random() < 0.15 else frozenset(),
        vanish,
        end + 40.0,
        die.random() < 0.9,
    )


def _liars(seed: str, n: int, who: int | None, two: bool) -> frozenset[int]:
    if who is None or not two:
        return frozenset(() if who is None else (who,))
    others = [seat for seat in range(n) if seat != who]
    return frozenset({who, random.Random(f"second {seed}").choice(others)})


def _partitions(die: random.Random, n: int, end: float) -> Any:
    found = []
    for _ in range(die.choice([0, 0, 1, 1, 2])):
        start = die.uniform(0.5, end)
        side = frozenset(die.sample(range(n), die.randint(1, n - 1)))
        found.append((start, start + die.choice([3.0, 12.0, 30.0]), side))
    return tuple(found)


def _crashes(die: random.Random, n: int, end: float, current: bool) -> Any:
    """Draw crashes. At most one seat resumes with an old journal, as if it had been absent."""
    found = []
    for _ in range(die.choice([0, 0, 1, 1, 2, 3])):
        start = die.uniform(0.5, end)
        old = die.random() < 0.3 and not current and not any(c[3] for c in found)
        found.append((start, start + die.choice([0.1, 3.0, 25.0]), die.randrange(n), old))
    return tuple(found)


def _vanish(
    die: random.Random, n: int, quorum: int, liar: int | None, end: float
) -> tuple[int, float] | None:
    dispensable = n - quorum - (liar is not None)
    if dispensable < 1 or die.random() < 0.7:
        return None
    return die.choice([s for s in range(n) if s != liar]), die.uniform(0.5, end)


# The wide catalogue. It is drawn apart, so that the plain game of a seed stays the same.


def widen(plan: Plan, only: str | None = None) -> Plan:
    """Return the same plan with more lies, and with disturbances by honest people."""
    die = random.Random(f"wide {plan.seed}")
    liars = plan.liars
    if plan.seats == 5 and liars and plan.quorum == 4 and die.random() < 0.4:
        liars = _liars(plan.seed, 5, min(liars), True)
    plan = replace(plan, liars=liars)
    lies, ways = _tricks(die, plan, only)
    habits = {h for h in HABITS if h == only or (only is None and die.random() < 0.15)}
    if "rubbish" in lies:
        habits.add("thinkers")  # they make epochs change, each of which takes as much again
    if "restored" in habits and liars and "mute" not in ways and die.random() < 0.5:
        ways += ("mute",)  # the one that does not answer
    honest = [seat for seat in range(plan.seats) if seat not in liars]
    end = plan.calm_from - 40.0
    wide = Wide(
        ways,
        die.randrange(plan.seats)
        if "hub" in habits or ("cut" in ways and die.random() < 0.7)
        else None,
        frozenset(die.sample(honest, die.randint(1, 2))) if "thinkers" in habits else frozenset(),
        _restored(die, honest, end) if "restored" in habits and plan.vanish is None else None,
        Clone(die.uniform(0.5, end), die.choice(honest), die.choice([0, 0, 1, 5, 40]))
        if "clone" in habits
        else None,
        die.uniform(0.5, end) if "roots" in ways else None,
    )
    if "cut" in ways and wide.hub is not None:
        wide = replace(wide, hub=min(liars))  # the seat that cuts links is the only path
    wide = _departing(plan, wide, honest, only)
    return replace(plan, lies=plan.lies + lies, wide=wide)


def _departing(plan: Plan, wide: Wide, honest: list[int], only: str | None) -> Wide:
    """Add departures, which are drawn apart for the same reason."""
    die = random.Random(f"leave {plan.seed}")
    chosen = {n for n in DEPARTURES if n == only or (only is None and die.random() < 0.25)}
    end = plan.calm_from - 40.0
    if "leaving_seats" in chosen and plan.vanish is None:  # a seat that is back asks those present
        who = [die.choice(honest) for _ in range(die.choice([1, 1, 2, 3]))]
        wide = replace(wide, leaving_seats=tuple(_departure(die, seat, end) for seat in who))
    if "false-departures" in chosen and plan.liars:
        wide = replace(wide, ways=(*wide.ways, "false-departures"))
    return wide


def _departure(die: random.Random, seat: int, end: float) -> Absence:
    away, amid = die.choice([0.1, 1.0, 5.0, 25.0]), die.choice([None, None, None, 0, 1])
    return Absence(die.uniform(0.5, end), seat, away, amid)


def _tricks(
    die: random.Random, plan: Plan, only: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lies and ways that the liars have beside the plain ones."""
    chosen = [n for n in (*TRICKS, *WAYS) if n == only or (only is None and die.random() < 0.2)]
    if not plan.liars:
        return (), ()
    has_shares = plan.quorum < plan.seats
    ways = tuple(n for n in chosen if n in WAYS and (has_shares or n != "roots"))
    return tuple(n for n in chosen if n in TRICKS), ways


def _restored(die: random.Random, honest: list[int], end: float) -> Restored:
    start = die.uniform(0.5, end)
    lost = die.choice([0, 0, 1, 3, 10, 40, 400])
    return Restored(start, start + die.choice([0.1, 1.0, 3.0, 25.0]), die.choice(honest), lost)
