"""The simulator beside the rules: the same deals and choices, every field of both compared."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hoity_training.sim import CARD_IDS, NONE, VOID, Board, Ended, Point, Presence, Table

from p2p_hoity import rules
from protocol import game_interface
from protocol.game_interface import Presence as Attendance

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


# One game, by the rules.


def coin_of(colours: list[int]) -> bytes:
    """The coin that draws these colours."""
    left, digits = list(range(6)), []
    for colour in colours:
        digits.append((left.index(colour), len(left)))
        left.remove(colour)
    number = 0
    for digit, base in reversed(digits):
        number = number * base + digit
    return number.to_bytes(32, "big")


@dataclass
class Mirror:
    """One game of the simulator, played by the rules."""

    board: Board
    game: int
    early: Attendance | None = None
    state: rules.State = field(init=False)
    sealed: dict[int, rules.Choice | None] = field(default_factory=dict)
    woken: bool = False

    def __post_init__(self) -> None:
        board, game = self.board, self.game
        self.bits = board.deck[game].tolist()
        self.deck = board.pieces.card[board.deck[game]].tolist()
        self.slot = {bit: slot for slot, bit in enumerate(self.bits)}
        self.state = rules.start(board.edition, board.seats, board.variant)
        if self.early is not None:
            self.apply(self.early)
        tops = rules.layout(len(self.deck), board.seats).tops
        self.apply(game_interface.Dealt(coin_of(board.colours[game].tolist()), self.cards(tops)))

    def cards(self, slots: Any) -> dict[int, int]:
        return {slot: self.deck[slot] for slot in slots}

    def hidden(self, slots: Any) -> dict[int, int]:
        return self.cards(slot for slot in slots if self.state.known[slot] is None)

    def mask(self, slots: Any) -> int:
        return sum(1 << self.bits[slot] for slot in slots or ())

    def slots(self, mask: int) -> tuple[int, ...]:
        return tuple(sorted(s for bit, s in self.slot.items() if mask >> bit & 1))

    def private(self, seat: int) -> dict[int, int]:
        return self.cards(range(4 * seat, 4 * seat + 4))

    def apply(self, event: game_interface.Event) -> None:
        self.state = rules.apply(self.state, event)

    # What the simulator's state is in the rules' words, and what theirs is.

    def theirs(self) -> dict[str, object]:
        state = self.state
        return {
            "round": state.round,
            "colours": list(state.colours),
            "figures": list(state.figures),
            "hands": [sum(1 << card for card in hand) for hand in state.hands],
            "collectibles": [self.mask(slots) for slots in state.collectibles],
            "windows": [list(window) for window in state.windows],
            "known": self.mask(s for s, card in enumerate(state.known) if card is not None),
            "register": sum(1 << card for card in state.register),
            "prison": [*state.prison, *[NONE] * (state.seats - len(state.prison))],
            "present": flags(state, state.present),
            "banned": flags(state, state.banned),
            "resting": flags(state, state.resting),
            "joined": flags(state, state.joined),
            "places": [NONE if place is None else int(place) for place in state.places],
            "actions": [NONE if card is None else card for card in state.actions],
            "sealed": flags(state, state.sealed),
            "exhibits": [self.mask(slots) for slots in state.exhibits],
            "thieves": flags(state, state.thieves),
            "buyer": NONE if state.buyer is None else state.buyer,
            "before": list(state.before),
        }

    def ours(self) -> dict[str, object]:
        board, game = self.board, self.game
        windows = zip(board.pointer[game].tolist(), board.ends.tolist(), strict=True)
        names = {"collectibles": "held"}
        listed = {
            name: getattr(board, names.get(name, name))[game].tolist()
            for name in self.theirs()
            if name not in ("windows", "sealed")
        }
        listed["windows"] = [list(range(*window)) for window in windows]
        listed["sealed"] = (board.sealed[game] != NONE).tolist()
        return listed

    def compare(self) -> None:
        theirs, ours = self.theirs(), self.ours()
        wrong = {k: (theirs[k], ours[k]) for k in theirs if theirs[k] != ours[k]}
        assert not wrong, (self.state.phase, wrong)

    # The course.

    def go(self) -> None:
        """On through all that no seat chooses, to the next choice that somebody owes."""
        while True:
            match due := rules.expected(self.state):
                case game_interface.Unseal():
                    self.apply(self.unsealed(due))
                case game_interface.Draw():
                    self.apply(game_interface.Drawn(self.cards(due.slots)))
                case _:
                    return

    def unsealed(self, due: game_interface.Unseal) -> game_interface.Unsealed:
        choices = {seat: self.sealed.pop(seat) for seat in due.seats}
        shown = [slots for slots in choices.values() if isinstance(slots, tuple)]
        cards = self.hidden(s for slots in shown for s in slots) if due.kind == "exhibit" else {}
        return game_interface.Unsealed(due.kind, choices, cards)

    def choose(self, answers: dict[int, rules.Choice | None], nothing: set[int]) -> None:
        """Answer what is due: None is void, those in `nothing` give none."""
        match due := rules.expected(self.state):
            case rules.Seal():
                given = {s: c for s, c in answers.items() if s not in nothing and s in due.seats}
                self.sealed.update(given)
                self.apply(game_interface.Sealed(due.kind, frozenset(given)))
            case rules.Choose():
                choice = None if due.seat in nothing else answers[due.seat]
                self.apply(game_interface.Chosen(due.kind, due.seat, choice))
            case rules.Show():
                void: rules.Choice = ()
                choice = answers[due.seat]
                choice = None if due.seat in nothing else void if choice is None else choice
                self.apply(
                    game_interface.Shown(due.kind, due.seat, choice, self.hidden(choice or ()))
                )

    def finish(self, withheld: list[bool]) -> None:
        due = rules.expected(self.state)
        assert isinstance(due, game_interface.OpenAll)
        seats = [seat for seat, kept in enumerate(withheld) if not kept]
        held = {slot for seat in seats for slot in self.state.collectibles[seat]}
        self.apply(game_interface.Opened(self.cards(held.intersection(due.slots))))
        assert isinstance(rules.expected(self.state), game_interface.Over)


def flags(state: rules.State, seats: Any) -> list[bool]:
    return [seat in seats for seat in range(state.seats)]


def written(choice: rules.Choice) -> int:
    """A choice of the rules that is a number, or a turn, as the simulator writes it."""
    if isinstance(choice, int):
        return choice
    place, card = choice
    return place * CARD_IDS + card


# All games.


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
        options = rules.legality.legal(mirror.state, point.kind, seat, mirror.private(seat))
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
        options = rules.legality.legal(state, point.kind, seat, private)
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
        return isinstance(rules.expected(mirror.state), game_interface.Unseal | game_interface.Draw)

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
