"""The rules of one seat in the model of endings: epochs, end notices, leaving, resuming.

The chain is at its end: one step is left whose input a cheater may give in two versions or not at
all, and behind it every seat signs its last input. From there a seat follows the rules of SPEC 10,
in which every base leads to the end. Statements are bits of a set. `models.endings` has what
happens to the seats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Any, NamedTuple

Statement = tuple[Any, ...]
"""Kind, seat, then: version; last input's chain; epoch of a request; epoch, certificate and listed
inputs of a promise; epoch and chain of a new epoch, or the base of its certificate; epoch and base
of a vote."""
VERSION, LAST, REQUEST, PROMISE, NEW, PREPARE, COMMIT = range(7)
WITHOUT = "-"
"""The chain on which the cheater's input counts as none, and the cheater is not present."""
HALVES = 2
"""Halves of the step timeout that [E-10] and [E-19] wait."""


class Seat(NamedTuple):
    """One honest seat; sets of seats and of statements are numbers with a bit for each.

    Attributes:
        know: The statements that it stores.
        promise: Its promise.
        epoch: The epoch that it stands in.
        final: The chain of its final end, with the standings; empty for none.
        gone: Whether it has left.
        over: The seats whose end notice it stores.
        met: The seats with which a link came up after its own end.
        age: Halves since the last of the moments of [E-19] 2.
        turn: Halves since its promise rose.
        told: The seats that have told it of its statements since it resumed; None if it may sign.
        cautious: Whether it is cautious ([E-22]).
        floor: Below this epoch it signs nothing.
    """

    know: int = 0
    promise: int = 0
    epoch: int = 0
    final: str = ""
    gone: bool = False
    over: int = 0
    met: int = 0
    age: int = 0
    turn: int = 0
    told: int | None = None
    cautious: bool = False
    floor: int = 0


class World(NamedTuple):
    """A state of the whole table.

    Attributes:
        seats: All seats; what stands for a cheater is not used.
        links: Of each pair of honest seats how long its link has stood: 0 for broken since the
            half before, 1 for broken now, 2 for new, 3 for older.
        signed: All that honest seats have signed.
        broke: Whether links have been broken; they are so once.
        backup: An older state of the seat that is restored.
        restored: Whether it has been.
        stored: Its statements that some other honest seat stored when it resumed.
    """

    seats: tuple[Seat, ...]
    links: tuple[int, ...]
    signed: int = 0
    broke: bool = False
    backup: Seat | None = None
    restored: bool = False
    stored: int = 0


BROKEN_BEFORE, BROKEN, FRESH, STANDING = range(4)


class Facts(NamedTuple):
    """The facts that follow from a set of statements.

    Attributes:
        versions: The versions of the cheater's input.
        last: By chain who has signed its last input there.
        common: The t-th highest requested epoch.
        promises: The promises of each epoch.
        news: Epoch and chain of each new epoch, the highest first.
        votes: The seats that voted, by kind, epoch and base.
        committed: Epoch and name of each base with t commits, the highest first.
        prepared: The same of each base with t prepares or t commits.
    """

    versions: frozenset[str]
    last: dict[str, frozenset[int]]
    common: int
    promises: dict[int, tuple[Statement, ...]]
    news: tuple[tuple[int, str], ...]
    votes: dict[tuple[int, int, str], int]
    committed: tuple[tuple[int, str], ...]
    prepared: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Rules:
    """Earlier rules that the model can follow in place of those of SPEC.

    Attributes:
        leaves_by_time: A seat leaves once a step timeout is over since its end, come what may.
        keeps_notices: An end notice counts beyond the link that it came over.
        promised_announce: A seat announces its end when it stores all last inputs, though it may
            have promised an epoch before it did.
        waits_from_first_link: A resumed seat waits for one back-off from its first link on.
        base_without_standings: Votes name a base that leaves the standings out ([N-13]).
        forgets_absent: A seat waits for the notices of present seats only.
    """

    leaves_by_time: bool = False
    keeps_notices: bool = False
    promised_announce: bool = False
    waits_from_first_link: bool = False
    base_without_standings: bool = False
    forgets_absent: bool = False


class Violation(Exception):
    """A property that does not hold, and the actions that lead to where it does not."""

    trace: tuple[Any, ...] = ()


@dataclass
class SeatRules:
    """The rules by which the seats of one small table act.

    Attributes:
        seats: How many seats there are.
        quorum: t.
        liars: The cheaters; the lowest of them has its input in the step before the last.
        rules: Which rules hold.
        standings: By seat a letter for the standings that its program computes at the end. Empty
            if all programs agree. Where they differ, `two_versions` is not modelled.
        absent: An honest seat that is absent and resumes without a link; None for none. Beside
            one, `two_versions` is not modelled.
    """

    seats: int
    quorum: int
    liars: frozenset[int]
    rules: Rules = field(default_factory=Rules)
    standings: str = ""
    absent: int | None = None

    def __post_init__(self) -> None:
        self._bits: dict[Statement, int] = {}
        self._all: list[Statement] = []
        self._facts: dict[int, Facts] = {}
        self.honest = [seat for seat in range(self.seats) if seat not in self.liars]
        self.pairs = list(combinations(self.honest, 2))
        self.liar = min(self.liars, default=-1)

    # Statements

    def bit(self, *statement: Any) -> int:
        """Return the bit of a statement."""
        if statement not in self._bits:
            self._bits[statement] = 1 << len(self._all)
            self._all.append(statement)
        return self._bits[statement]

    def statements(self, know: int) -> Iterator[Statement]:
        """Yield the statements of a set."""
        while know:
            low = know & -know
            yield self._all[low.bit_length() - 1]
            know ^= low

    def facts(self, know: int) -> Facts:
        """Return the facts that follow from a set of statements."""
        if know not in self._facts:
            self._facts[know] = self._read(know)
        return self._facts[know]

    def _read(self, know: int) -> Facts:
        requests, votes = [0] * self.seats, dict[tuple[int, int, str], int]()
        last, promises = dict[str, set[int]](), dict[int, list[Statement]]()
        versions, news = set[str](), set[tuple[int, str]]()
        for one in self.statements(know):
            kind, seat, what = one[:3]
            if kind == VERSION:
                versions.add(what)
            elif kind == LAST:
                last.setdefault(what, set()).add(seat)
            elif kind == NEW:
                news.add((what, one[3]))
            else:
                requests[seat] = max(requests[seat], what)
                if kind == PROMISE:
                    promises.setdefault(what, []).append(one)
                elif kind != REQUEST:
                    key = kind, what, one[3]
                    votes[key] = votes.get(key, 0) | 1 << seat
        enough = {key[1:]: key[0] for key in sorted(votes) if votes[key].bit_count() >= self.quorum}
        found = [key for key in enough if key in news or (key[0], key[1][:1]) in news]
        return Facts(
            frozenset(versions),
            {chain: frozenset(seats) for chain, seats in last.items()},
            sorted(requests, reverse=True)[self.quorum - 1],
            {epoch: tuple(found) for epoch, found in promises.items()},
            tuple(sorted(news, reverse=True)),
            votes,
            tuple(sorted((k for k in found if enough[k] == COMMIT), reverse=True)),
            tuple(sorted(found, reverse=True)),
        )

    def present(self, chain: str) -> frozenset[int]:
        """Return who is present on a chain."""
        gone = {self.liar} if chain[:1] == WITHOUT else set()
        return frozenset(range(self.seats)) - gone - {self.absent}

    # Results and bases ([N-13])

    def result(self, number: int, chain: str) -> str:
        """Return a chain with the standings that a seat computes at its end."""
        return chain[:1] + self.standings[number : number + 1]

    def base(self, number: int, chain: str) -> str:
        """Return the base that a seat computes at the end of a chain."""
        return chain[:1] if self.rules.base_without_standings else self.result(number, chain)

    def is_own(self, number: int, base: str) -> bool:
        """Return whether a seat computes this base, and not one that differs in its standings."""
        return base == self.base(number, base)

    # The base of a new epoch (SPEC 10.5)

    def base_of(self, promises: tuple[Statement, ...]) -> str | None:
        """Return the chain of the base that promises of a quorum give; None if it is invalid."""
        certificates = [promise[3] for promise in promises if promise[3] is not None]
        if certificates:
            return str(max(certificates)[1])
        listed = 0
        for promise in promises:
            listed |= promise[4]
        facts, signers = self.facts(listed), {promise[1] for promise in promises}
        for promise in promises:
            own = [c for c, seats in facts.last.items() if promise[1] in seats]
            told = self.facts(promise[4]).last
            if len(own) > 1 or any(promise[1] not in told.get(chain, ()) for chain in own):
                return None
        if len(facts.versions) < 2:
            return next(iter(facts.versions), WITHOUT)
        if self.liar in signers:
            return None
        for chain in sorted(facts.versions):
            others = [s for c, seats in facts.last.items() if c != chain for s in seats]
            if signers <= facts.last.get(chain, frozenset()) and set(others) <= {self.liar}:
                return chain
        return WITHOUT

    def proposals(self, know: int, epoch: int) -> set[str]:
        """Return the chains that somebody who stores these statements may propose."""
        found = set()
        for promises in combinations(self.facts(know).promises.get(epoch, ()), self.quorum):
            if len({promise[1] for promise in promises}) == self.quorum:
                found.add(self.base_of(promises))
        return {chain for chain in found if chain is not None}

    # What one honest seat does of itself

    def follow(self, world: World, number: int, seat: Seat) -> World:
        """Let a seat do all that it does at once, in the order of its rules."""
        world = self.with_seat(world, number, seat)
        while (done := self._rule(number, world.seats[number])) is not None:
            seat, statement = done
            if statement is not None:
                one = self.bit(*statement)
                self._check_signed(world, number, seat, one)
                seat = seat._replace(know=seat.know | one)
                world = world._replace(signed=world.signed | one)
            world = self.with_seat(world, number, seat)
        return world

    @staticmethod
    def with_seat(world: World, number: int, seat: Seat) -> World:
        """Return a state in which one seat has changed."""
        seats = (*world.seats[:number], seat, *world.seats[number + 1 :])
        return world._replace(seats=seats)

    def _rule(self, number: int, seat: Seat) -> tuple[Seat, Statement | None] | None:
        facts = self.facts(seat.know)
        own = (key for key in facts.committed if self.is_own(number, key[1]))
        for epoch, base in islice(own, 1):
            if epoch > seat.epoch:
                final = seat.final or self.result(number, base)
                seat = seat._replace(epoch=epoch, final=final, age=0)
                return seat._replace(promise=max(epoch, seat.promise)), None
        if not seat.final and seat.promise == seat.epoch:
            for chain, seats in facts.last.items():
                is_followed = number == self.absent or self._follows(number, seat) == chain
                if is_followed and self.present(chain) <= seats:
                    return seat._replace(final=chain, age=0), None
        if seat.told is not None:
            return None
        return self._last_input(number, seat) or self._vote(number, seat, facts)

    def _follows(self, number: int, seat: Seat) -> str | None:
        """Return the chain on which a seat has signed its last input."""
        last = self.facts(seat.know).last
        return next((chain for chain, seats in last.items() if number in seats), None)

    def _last_input(self, number: int, seat: Seat) -> tuple[Seat, Statement | None] | None:
        if seat.promise or seat.floor or self._follows(number, seat) or number == self.absent:
            return None
        versions = self.facts(seat.know).versions
        return (seat, (LAST, number, self.result(number, min(versions)))) if versions else None

    def _vote(self, number: int, seat: Seat, facts: Facts) -> tuple[Seat, Statement | None] | None:
        common = facts.common
        if common > seat.promise:
            known = (key for key in facts.prepared if self.is_own(number, key[1]))
            certificate = next((k for k in known if k[0] < common), None)
            if not seat.floor or (certificate is not None and certificate[0] >= seat.floor):
                listed = 0 if certificate else self._inputs(seat.know)
                raised = seat._replace(promise=common, turn=0)
                return raised, (PROMISE, number, common, certificate, listed)
        for epoch, chain in facts.news:
            base = self.base(number, chain)
            if epoch < max(1, seat.promise, seat.floor) or chain not in (chain[:1], base):
                continue
            prepare, commit = (self._own(seat, kind, epoch, number) for kind in (PREPARE, COMMIT))
            raised = seat._replace(promise=epoch, turn=0 if epoch > seat.promise else seat.turn)
            if not prepare:
                return raised, (PREPARE, number, epoch, base)
            if not commit and (epoch, base) in facts.prepared:
                return raised, (COMMIT, number, epoch, base)
        return self._propose(number, seat, facts)

    def _propose(
        self, number: int, seat: Seat, facts: Facts
    ) -> tuple[Seat, Statement | None] | None:
        epoch = seat.promise
        if epoch == seat.epoch or epoch % self.seats != number or epoch < seat.floor:
            return None
        if any(known[0] == epoch for known in facts.news):
            return None
        proposals = self.proposals(seat.know, epoch)
        chains = {c for c in proposals if c in (c[:1], self.base(number, c))}
        if not chains:
            return None
        return seat, (NEW, number, epoch, max(chains))  # a chain with all seats goes before

    def _inputs(self, know: int) -> int:
        return sum(self.bit(*one) for one in self.statements(know) if one[0] in (VERSION, LAST))

    def _own(self, seat: Seat, kind: int, epoch: int, number: int) -> bool:
        votes = self.facts(seat.know).votes
        return any(k[:2] == (kind, epoch) and mask >> number & 1 for k, mask in votes.items())

    # What must hold of each statement

    def _check_signed(self, world: World, number: int, seat: Seat, new: int) -> None:
        """Raise Violation if the statement contradicts an earlier one that SPEC covers.

        Of what a seat forgot, these are the statements that another honest seat stored as it
        resumed, and once it is cautious all of them ([E-10], [E-22]).
        """
        covered = world.signed if not world.restored or seat.floor else world.stored | seat.know
        statement = self._all[new.bit_length() - 1]
        for old in self.statements(world.signed & covered & ~new):
            if old[1] == number and self.contradict(old, statement):
                raise Violation(f"seat {number} contradicts itself: {old} and {statement}")

    def contradict(self, one: Statement, other: Statement) -> bool:
        """Return whether two statements of one seat prove a fault (SPEC 10.4)."""
        if one[0] > other[0]:
            one, other = other, one
        if one[0] == other[0]:
            return one != other and one[0] != REQUEST and (one[0] == LAST or one[2] == other[2])
        if other[0] == COMMIT and one[0] == PROMISE:
            certificate = one[3]
            return bool(other[2] < one[2] and (certificate is None or certificate[0] < other[2]))
        if (one[0], other[0]) == (LAST, PROMISE):
            return other[3] is None and not other[4] & self.bit(*one)
        return False
