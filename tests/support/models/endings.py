"""A small abstract model of how a game ends: links, end notices, departures, a restored backup.

Seats follow `models.ending_rules`. A link hands over all that its sender stores, cheaters show any
seat whatever they can sign, and pass on what others signed. Time is counted in halves of
the step timeout. A half passes only when each link that stood since the half before has handed over
everything; links break once, and no honest link is broken for two halves. The first back-off may
be shorter than a half, the later ones are not. A backup is restored while everybody honest is
there: whoever resumes after the others have left has nobody to wait for.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from support.models.ending_rules import (
    BROKEN,
    BROKEN_BEFORE,
    COMMIT,
    FRESH,
    HALVES,
    LAST,
    NEW,
    PREPARE,
    PROMISE,
    REQUEST,
    STANDING,
    VERSION,
    Seat,
    SeatRules,
    Statement,
    Violation,
    World,
)

Action = tuple[Any, ...]
"""What happens, and to whom."""


@dataclass
class Endings(SeatRules):
    """One small table, and what its seats, its links and its cheaters can do.

    Attributes:
        epochs: The highest epoch that anybody requests.
        two_versions: Whether the cheater's input comes in two versions or not at all; else all
            have it.
        votes: Whether the cheaters promise and vote; else they withhold that.
        breaks: The seats whose links break.
        restores: The seat that is restored once from an older state; None for none.
        late: The seat whose link with that one may stay broken for longer; None for none.
        agrees: Whether all final chains must be equal: no more cheaters than SPEC 3 allows for it.
        serves: Whether nobody may be stranded, likewise.
    """

    epochs: int = 1
    two_versions: bool = False
    votes: bool = False
    breaks: frozenset[int] = frozenset()
    restores: int | None = None
    request: int | None = None
    agrees: bool = True
    serves: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._ends: dict[Any, bool] = {}

    # What can happen

    def start(self) -> World:
        """Return the table at the last step but one, nothing said in it yet."""
        know = 0 if self.two_versions else self.bit(VERSION, self.liar, "a")
        resumed = Seat(know=know, told=0)
        seats = tuple(resumed if s == self.absent else Seat(know=know) for s in range(self.seats))
        world = World(
            seats, tuple(BROKEN if self.absent in pair else STANDING for pair in self.pairs)
        )
        for number in self.honest:
            world = self.follow(world, number, world.seats[number])
        return world

    def actions(self, world: World) -> list[Action]:
        """Return all that can happen next."""
        active = [seat for seat in self.honest if not world.seats[seat].gone]
        found: list[Action] = [("leave", s) for s in active if self.may_leave(world, s)]
        found += [("request", s) for s in active if self.may_request(world.seats[s])]
        found += [("speak", s) for s in active if self.may_speak(world.seats[s])]
        for (one, other), link in zip(self.pairs, world.links, strict=True):
            if not world.seats[one].gone and not world.seats[other].gone:
                ways = [("hear", one, other), ("hear", other, one)]
                found += ways if link >= FRESH else [("up", one, other)]
        found += [("break", s) for s in active if s in self.breaks and not world.broke]
        found += [("show", seat, one) for seat in active for one in self.menu(world, seat)]
        if self.liars and (self.breaks or self.restores is not None):
            found += [
                ("pass", a, b) for a in self.honest for b in active if self._news(world, a, b)
            ]
        if not world.restored and self.restores is not None and len(active) == len(self.honest):
            found.append(("restore",) if world.backup is not None else ("backup",))
        if self._is_quiet(world):
            found.append(("half",))
        return found

    def apply(self, world: World, action: Action) -> World:
        """Return the state after an action. Raises Violation if a property does not hold there."""
        kind, *given = action
        after: World = getattr(self, f"_{kind}")(world, *given)
        self.check(after)
        return after

    def _leave(self, world: World, number: int) -> World:
        after = self.with_seat(world, number, world.seats[number]._replace(gone=True))
        absent = self.absent
        if absent is not None and self._linked(world, number) >> absent & 1:
            owed = [absent]
            if self.serves and self.can_end(world, owed) and not self.can_end(after, owed):
                raise Violation("a linked absent seat is stranded")
        return after

    def _request(self, world: World, number: int) -> World:
        seat = world.seats[number]
        one = self.bit(REQUEST, number, seat.promise + 1)
        world = world._replace(signed=world.signed | one)
        return self.follow(world, number, seat._replace(know=seat.know | one))

    def _speak(self, world: World, number: int) -> World:
        seat = world.seats[number]
        common = self.facts(seat.know).common
        floor = max(seat.promise + 1, seat.epoch + 1, common + 2) if seat.cautious else 0
        return self.follow(world, number, seat._replace(told=None, floor=max(floor, seat.floor)))

    def _hear(self, world: World, source: int, number: int) -> World:
        seat, other = world.seats[number], world.seats[source]
        over = seat.over | (other.over & ~self._linked(world, number) & ~(1 << number))
        if self.announces(source, other):
            over |= 1 << source
        if seat.told is not None:
            seat = seat._replace(told=seat.told | 1 << source)
        return self._learn(world, number, seat._replace(over=over), other.know)

    def _learn(self, world: World, number: int, seat: Seat, know: int) -> World:
        """Take in statements; a forgotten one of its own makes a seat cautious ([E-22])."""
        new = know & ~seat.know
        if any(one[1] == number for one in self.statements(new)) and not seat.cautious:
            told = 0 if seat.told is None else seat.told
            seat = seat._replace(cautious=True, told=told, turn=0)
        return self.follow(world, number, seat._replace(know=seat.know | know))

    def _show(self, world: World, number: int, statement: Statement) -> World:
        return self._learn(world, number, world.seats[number], self.bit(*statement))

    def _news(self, world: World, source: int, number: int) -> int:
        own = sum(self.bit(*o) for o in self.statements(world.signed) if o[1] == source)
        return own & ~world.seats[number].know

    def _pass(self, world: World, source: int, number: int) -> World:
        news = self._news(world, source, number)
        return self._learn(world, number, world.seats[number], news)

    def _break(self, world: World, number: int) -> World:
        links = zip(self.pairs, world.links, strict=True)
        broken = tuple(BROKEN if number in p else link for p, link in links)
        return world._replace(links=broken, broke=True)

    def _up(self, world: World, one: int, other: int) -> World:
        links = list(world.links)
        links[self.pairs.index((one, other))] = FRESH
        world = world._replace(links=tuple(links))
        for number, peer in ((one, other), (other, one)):
            seat = world.seats[number]
            if not self.rules.keeps_notices:
                seat = seat._replace(over=seat.over & ~(1 << peer))
            if seat.final and not seat.met >> peer & 1:
                age = seat.age if self.rules.leaves_by_time else 0
                seat = seat._replace(age=age, met=seat.met | 1 << peer)
            world = self.with_seat(world, number, seat)
        return world

    def _backup(self, world: World) -> World:
        return world._replace(backup=world.seats[self.restores or 0])

    def _restore(self, world: World) -> World:
        number = self.restores or 0
        seat = world.backup
        assert seat is not None
        stored = 0
        for other in self.honest:
            stored |= world.seats[other].know if other != number else 0
        seat = seat._replace(over=0, met=0, age=0, turn=0, told=0)
        world = self._break(self.with_seat(world, number, seat), number)
        for one, other in self.pairs if self.serves else ():
            world = self._up(world, one, other) if number in (one, other) else world
        return world._replace(restored=True, backup=None, stored=stored)

    def _level(self, world: World) -> World:
        """Let all links hand over what there is."""
        before = None
        while before != world:
            before = world
            for (one, other), link in zip(self.pairs, world.links, strict=True):
                if link >= FRESH and not (world.seats[one].gone or world.seats[other].gone):
                    world = self._hear(self._hear(world, one, other), other, one)
        return world

    def _half(self, world: World) -> World:
        seats = (
            s._replace(age=min(s.age + 1, HALVES), turn=min(s.turn + 1, HALVES))
            for s in world.seats
        )
        links = (STANDING if link >= FRESH else BROKEN_BEFORE for link in world.links)
        return world._replace(seats=tuple(seats), links=tuple(links))

    # When it can

    def _linked(self, world: World, number: int) -> int:
        links = zip(self.pairs, world.links, strict=True)
        ends = [pair for pair, link in links if number in pair and link >= FRESH]
        return sum(1 << s for pair in ends for s in pair if s != number and not world.seats[s].gone)

    def announces(self, number: int, seat: Seat) -> bool:
        """Return whether a seat tells that its end is final ([E-29])."""
        if self.rules.promised_announce:
            last = self.facts(seat.know).last
            return any(self.present(chain) <= seats for chain, seats in last.items())
        return bool(seat.final) and seat.told is None

    def may_request(self, seat: Seat) -> bool:
        """Return whether a seat may request the next epoch ([E-3])."""
        facts = self.facts(seat.know)
        if seat.told is not None or seat.promise >= self.epochs:
            return False
        if seat.promise > seat.epoch:
            return seat.promise == seat.epoch + 1 or seat.turn > 0
        return not seat.final or (seat.epoch == 0 and len(facts.versions) > 1)

    def may_speak(self, seat: Seat) -> bool:
        """Return whether a resumed seat may sign from now on ([E-10])."""
        if seat.told is None:
            return False
        if self.rules.waits_from_first_link:
            return True
        told = seat.told.bit_count() + len(self.liars)
        has_waited = seat.turn >= HALVES and told >= self.quorum - 1
        return has_waited or told >= self.seats - 1

    def may_leave(self, world: World, number: int) -> bool:
        """Return whether a seat may leave ([E-19])."""
        seat = world.seats[number]
        facts = self.facts(seat.know)
        if not seat.final:
            return False
        if self.rules.leaves_by_time:
            return seat.age >= HALVES
        linked_seats = self._linked(world, number)
        owed = sum(1 << s for s in self.honest if s not in (number, self.absent))
        if self.absent is not None and not self.rules.forgets_absent:
            owed |= linked_seats & 1 << self.absent
        if not owed & ~seat.over:
            linked = linked_seats.bit_count() + len(self.liars)
            if seat.epoch or len(facts.versions) < 2 or linked < self.quorum - 1:
                return True
        if seat.age < HALVES:
            return False
        if seat.promise == seat.epoch:
            return facts.common <= seat.epoch
        return seat.promise >= seat.epoch + self.seats and seat.turn > 0

    def _is_quiet(self, world: World) -> bool:
        """Return whether a half may pass: all has come, and no link is broken for too long."""
        for (one, other), link in zip(self.pairs, world.links, strict=True):
            first, second = world.seats[one], world.seats[other]
            if first.gone or second.gone or link in (BROKEN, FRESH):
                continue
            is_late = {one, other} == {self.restores, self.request} or self.absent in (one, other)
            if link == BROKEN_BEFORE and is_late:
                continue
            if link == BROKEN_BEFORE or first.know != second.know:
                return False
            for number, seat, peer in ((one, first, second), (other, second, first)):
                lacks = self.announces(number, seat) and not peer.over >> number & 1
                if lacks or (peer.told is not None and not peer.told >> number & 1):
                    return False
        return True

    # The cheaters

    def menu(self, world: World, number: int) -> list[Statement]:
        """Return what a cheater may show a seat that it does not know yet."""
        know, found = world.seats[number].know, list[Statement]()
        chains = ["a", "b"] if self.two_versions else ["a"]
        if self.two_versions:
            found += [(VERSION, self.liar, chain) for chain in chains]
        epochs = range(1, self.epochs + 1)
        for liar in sorted(self.liars):
            found += [(LAST, liar, end) for end in self.ends(chains)]
            found += [(REQUEST, liar, epoch) for epoch in epochs]
            found += self._votes_of(world, liar, chains) if self.votes else []
        return [one for one in found if not know & self.bit(*one)]

    def _votes_of(self, world: World, liar: int, chains: list[str]) -> Iterator[Statement]:
        signed = self.facts(world.signed)
        for epoch in sorted(signed.promises):
            versions = [(self.bit(VERSION, self.liar, c), self.bit(LAST, liar, c)) for c in chains]
            listings = [version | last for version, last in versions]
            if self.two_versions:
                listings += [0, *(version for version, _ in versions)]
            lies = [(PROMISE, liar, epoch, None, listed) for listed in listings]
            yield from lies
            if epoch % self.seats == liar:
                know = world.signed | sum(self.bit(*lie) for lie in lies)
                yield from ((NEW, liar, epoch, c) for c in sorted(self.proposals(know, epoch)))
        seen = set(signed.news).union(*(self.facts(s.know).news for s in world.seats))
        for epoch, chain in sorted(seen):
            bases = {self.base(number, chain) for number in self.honest}
            named = bases if chain == chain[:1] else {chain}
            yield from (
                (kind, liar, epoch, base) for base in sorted(named) for kind in (PREPARE, COMMIT)
            )

    def ends(self, chains: list[str]) -> list[str]:
        """Return each chain with each of the standings that an honest seat computes there."""
        return sorted({self.result(number, chain) for chain in chains for number in self.honest})

    # What must hold

    def check(self, world: World) -> None:
        """Raise Violation if two final chains differ, or somebody honest is stranded."""
        seats = [world.seats[number] for number in self.honest]
        finals = {seat.final for seat in seats if seat.final}
        for number, seat in zip(self.honest, seats, strict=True):
            for _, base in self.facts(seat.know).committed:
                finals.add(self.result(number, base) if self.is_own(number, base) else base)
        if self.agrees and len(finals) > 1:
            raise Violation(f"two final chains: {sorted(finals)}")
        owed = [number for number in self.honest if number != self.absent]
        if self.serves and not all(world.seats[number].final for number in owed):
            key = tuple(s._replace(over=0, met=0, age=0, turn=0) for s in seats)
            if key not in self._ends:
                self._ends[key] = self.can_end(world, owed)
            if not self._ends[key]:
                raise Violation("a seat is stranded")

    def can_end(self, world: World, owed: list[int]) -> bool:
        """Return whether these ends become final with all links up and no help of a cheater."""
        active = [number for number in self.honest if not world.seats[number].gone]
        limit = max(seat.promise for seat in world.seats) + self.seats + 1
        for _ in range(limit):
            world = self._share(world, active)
            if all(world.seats[number].final for number in owed):
                return True
            for number in active:
                seat = world.seats[number]
                if seat.told is not None and len(active) + len(self.liars) >= self.quorum:
                    world = self._speak(world, number)
                elif not seat.final or seat.promise > seat.epoch:
                    world = self._request(world, number)
        return False

    def _share(self, world: World, active: list[int]) -> World:
        before = None
        while before != world:
            before, know = world, 0
            for number in active:
                know |= world.seats[number].know
            for number in active:
                world = self._learn(world, number, world.seats[number], know)
        return world

    # Search

    def explore(self, most: int = 10**9) -> int:
        """Look at every reachable state, or at the first so many.

        Returns:
            How many states were looked at.

        Raises:
            Violation: If a property does not hold, with the way there.
        """
        first = self.start()
        came: dict[World, tuple[World, Action] | None] = {first: None}
        queue = deque([first])
        while queue and len(came) < most:
            world = queue.popleft()
            for action in self.actions(world):
                try:
                    after = self.apply(world, action)
                except Violation as violation:
                    violation.trace = (*trace_to(came, world), action)
                    raise
                if after not in came:
                    came[after] = world, action
                    queue.append(after)
        return len(came)

    def walk(self, seed: str, steps: int) -> Violation | None:
        """Take a random walk, and return what is violated on it, with the way there."""
        draw, world, trace = random.Random(seed), self.start(), list[Action]()
        for _ in range(steps):
            actions = [*self.actions(world), ("level",)]
            kind = draw.choice(sorted({action[0] for action in actions}))
            trace.append(draw.choice([action for action in actions if action[0] == kind]))
            try:
                world = self.apply(world, trace[-1])
            except Violation as violation:
                violation.trace = tuple(trace)
                return violation
        return None


def trace_to(came: dict[World, tuple[World, Action] | None], world: World) -> tuple[Action, ...]:
    """Return the actions that lead to a state."""
    found, step = list[Action](), came[world]
    while step is not None:
        found.append(step[1])
        step = came[step[0]]
    return tuple(reversed(found))
