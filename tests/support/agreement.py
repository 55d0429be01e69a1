"""The simulator beside the rules: the same deals and choices, every field of both compared."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from p2p_hoity import rules
from p2p_hoity.rules import Presence as Attendance
from support.mirror import Mirror, written
from training.sim import NONE, VOID, Ended, Point, Presence, Table

LISTED = ("place", "action", "turn", "window")


@dataclass(frozen=True)
class Unrest:
    """How likely it is, at each decision, that presence changes, or a choice is none or void."""

    presence: float = 0.0
    none: float = 0.0
    void: float = 0.0
    ban: float = 0.0
    withheld: float = 0.0


CALM = Unrest()
UNRULY = Unrest(0.08, 0.04, 0.04, 0.02, 0.3)


@dataclass
class Beside:
    """A table of the simulator and the rules' game beside each of its games."""

    table: Table
    rng: random.Random
    unrest: Unrest = CALM
    rounds: int = 0
    decisions: int = 0
    furthest: int = 0

    def __post_init__(self) -> None:
        """Of the first games some seats may be away before the deal."""
        seats, games = range(self.table.seats), range(self.table.games)
        gone = self.unrest.presence
        early = {
            game: Attendance(frozenset(s for s in seats if self.rng.random() >= gone), frozenset())
            for game in games
        }
        self.table.change(presence_of(early, self.table.seats))
        self.mirrors = [self._begin(game, early[game]) for game in games]

    def _begin(self, game: int, early: Attendance | None = None) -> Mirror:
        withheld = [self.rng.random() < self.unrest.withheld for _ in range(self.table.seats)]
        self.table.board.withheld[game] = withheld
        return Mirror(self.table.board, game, early)

    def play(self, rounds: int) -> None:
        """Until so many rounds of games that ended were compared."""
        point = self.table.step()
        while self.rounds < rounds:
            assert point is not None
            self._wake()
            point = self._answer(point)
            if self.table.ended is not None:
                self._end(self.table.ended)

    def _answer(self, point: Point) -> Point | None:
        choices = np.full(len(point), NONE, np.int64)
        after: dict[int, Attendance] = {}
        for game, rows in rows_by_game(point):
            mirror = self.mirrors[game]
            mirror.go()
            mirror.woken = False
            self._check_due(mirror, point, rows)
            if self.rng.random() < self.unrest.presence:
                self._change(mirror)
            rows = [r for r in rows if self.table.board.active[game, point.seats[r]]]
            if rows:
                choices[rows] = self._choose(mirror, point, rows)
                if self._between(mirror) and self.rng.random() < self.unrest.presence:
                    after[game] = self._attendance(mirror)
                    mirror.apply(after[game])
        return self.table.choose(choices, presence_of(after, self.table.seats) if after else None)

    def _check_due(self, mirror: Mirror, point: Point, rows: list[int]) -> None:
        """The rules ask the same seats for the same, and their lists have what the table lists."""
        mirror.compare()
        due = rules.expected(mirror.state)
        assert isinstance(due, rules.Seal | rules.Choose | rules.Show)
        seats = {int(point.seats[row]) for row in rows}
        assert (due.kind, due.seats if isinstance(due, rules.Seal) else {due.seat}) == (
            point.kind,
            seats,
        )
        for row in rows:
            self._check_listed(mirror, point, row)

    def _check_listed(self, mirror: Mirror, point: Point, row: int) -> None:
        self.decisions += 1
        seat = int(point.seats[row])
        listed = point.option[point.first[row] : point.first[row] + point.count[row]].tolist()
        options = rules.legal(mirror.state, point.kind, seat, mirror.private(seat))
        if point.kind in LISTED:
            assert sorted(listed) == sorted(written(choice) for choice in options)
        elif point.kind == "exhibit":
            shown = [mirror.slots(mask) for mask in listed]
            assert len(set(shown)) == len(shown)
            assert options[0] in shown
            for choice in shown:
                rules.check(mirror.state, "exhibit", seat, choice, mirror.private(seat))
        else:
            exhibit = mirror.state.exhibits[point.owners[row]]
            assert exhibit
            assert oldest_of_letters(mirror, exhibit) == {mirror.slot[bit] for bit in listed}

    # Choices, any that the rules allow.

    def _choose(self, mirror: Mirror, point: Point, rows: list[int]) -> list[int]:
        answers: dict[int, rules.Choice | None] = {}
        nothing: set[int] = set()
        given: dict[int, rules.Choice | None] = {}
        exhibits = mirror.state.exhibits
        for seat in sorted({int(point.seats[row]) for row in rows}):
            lot = self.rng.random()
            answers[seat] = self._any(mirror, point, seat)
            if lot < self.unrest.none:
                nothing.add(seat)
            elif lot < self.unrest.none + self.unrest.void:
                answers[seat] = None
            given[seat] = NONE if seat in nothing else answers[seat]
        mirror.choose(answers, nothing)
        chosen = [given[int(point.seats[row])] for row in rows]
        if point.kind == "theft":
            of = [exhibits[int(point.owners[row])] or () for row in rows]
            chosen = [
                next(s for s in choice if s in shown) if isinstance(choice, tuple) else choice
                for choice, shown in zip(chosen, of, strict=True)
            ]
        return [self._written(mirror, point, choice) for choice in chosen]

    def _any(self, mirror: Mirror, point: Point, seat: int) -> rules.Choice:
        state, private = mirror.state, mirror.private(seat)
        if point.kind == "theft":
            return tuple(self.rng.choice(exhibit) for exhibit in state.exhibits if exhibit)
        options = rules.legal(state, point.kind, seat, private)
        choice = self.rng.choice(options)
        if point.kind == "exhibit":
            assert isinstance(choice, tuple)
            return self._fewer(mirror, seat, choice)
        return choice

    def _fewer(self, mirror: Mirror, seat: int, slots: tuple[int, ...]) -> tuple[int, ...]:
        """Some pieces left out where a valid exhibit remains."""
        for slot in self.rng.sample(slots, self.rng.randrange(len(slots))):
            fewer = tuple(s for s in slots if s != slot)
            mask = np.array([mirror.mask(fewer)])
            if self.table.board.pieces.is_exhibit(mask)[0]:
                slots = fewer
        return slots

    def _written(self, mirror: Mirror, point: Point, choice: rules.Choice | None) -> int:
        if choice is None:
            return VOID
        if choice == NONE:
            return NONE
        if point.kind == "exhibit":
            return mirror.mask(choice)
        if point.kind == "theft":
            return int(mirror.bits[choice])
        return written(choice)

    # Presence.

    def _attendance(self, mirror: Mirror) -> Attendance:
        seats = range(mirror.state.seats)
        more = {s for s in seats if self.rng.random() < self.unrest.ban and len(seats) > 2}
        banned = mirror.state.banned | (more if len(mirror.state.banned | more) < 2 else set())
        return Attendance(
            frozenset(s for s in seats if s not in banned and self.rng.random() < 0.75), banned
        )

    def _change(self, mirror: Mirror) -> None:
        changed = self._attendance(mirror)
        mirror.apply(changed)
        self.table.change(presence_of({mirror.game: changed}, self.table.seats))

    def _between(self, mirror: Mirror) -> bool:
        """Whether the rules wait between what was chosen and what follows from it."""
        return isinstance(rules.expected(mirror.state), rules.Unseal | rules.Draw)

    def _wake(self) -> None:
        """Where everyone had gone somebody comes back."""
        for mirror in self.mirrors:
            if not mirror.state.present and not mirror.woken:
                mirror.go()
                if rules.expected(mirror.state) == rules.Seal("place", frozenset()):
                    back = next(s for s in range(6) if s not in mirror.state.banned)
                    changed = Attendance(frozenset({back}), mirror.state.banned)
                    mirror.apply(changed)
                    self.table.change(presence_of({mirror.game: changed}, self.table.seats))
                    mirror.woken = True

    # The end of games.

    def _end(self, ended: Ended) -> None:
        for row, game in enumerate(ended.games.tolist()):
            mirror = self.mirrors[game]
            mirror.go()
            mirror.finish(ended.withheld[row].tolist())
            self._check_standings(mirror, ended, row)
            self.rounds += mirror.state.round
            self.furthest = max(self.furthest, *mirror.state.figures)
            self.mirrors[game] = self._begin(game)

    def _check_standings(self, mirror: Mirror, ended: Ended, row: int) -> None:
        state = mirror.state
        assert ended.rounds[row] == state.round
        for line in state.standings:
            assert ended.rank[row, line.seat] == line.rank
            assert ended.figures[row, line.seat] == line.field == state.figures[line.seat]
            assert ended.exhibits[row, line.seat] == mirror.mask(line.exhibit)
        winners = [line.seat for line in state.standings if line.rank == 1]
        shares = [(seat in winners) / len(winners) for seat in range(state.seats)]
        assert ended.shares[row].tolist() == shares


def rows_by_game(point: Point) -> Iterator[tuple[int, list[int]]]:
    """The rows of each game of a point."""
    rows: dict[int, list[int]] = {}
    for row, game in enumerate(point.games.tolist()):
        rows.setdefault(game, []).append(row)
    return iter(rows.items())


def presence_of(changes: dict[int, Attendance], seats: int) -> Presence:
    """The rules' events as one change of the simulator."""
    return Presence(
        np.array(list(changes), np.int64),
        np.array([[s in c.present for s in range(seats)] for c in changes.values()]),
        np.array([[s in c.banned for s in range(seats)] for c in changes.values()]),
    )


def oldest_of_letters(mirror: Mirror, slots: tuple[int, ...]) -> set[int]:
    """The slot of the oldest piece of each letter."""
    edition = mirror.state.edition
    oldest: dict[str, int] = {}
    for slot in sorted(slots, key=lambda s: edition.collectibles[mirror.deck[s]].age):
        oldest.setdefault(edition.collectibles[mirror.deck[slot]].letter, slot)
    return set(oldest.values())


def agree(
    edition: rules.Edition,
    seats: int,
    variant: rules.Variant,
    rounds: int,
    seed: int,
    unrest: Unrest,
    games: int,
) -> Beside:
    """Play both side by side; AssertionError where they differ."""
    table = Table(edition, seats, variant, games, np.random.default_rng(seed))
    beside = Beside(table, random.Random(seed), unrest)
    beside.play(rounds)
    return beside
