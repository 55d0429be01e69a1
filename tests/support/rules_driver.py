"""A driver of the rules for tests: it holds the true deck and plays games without any protocol."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

from p2p_hoity import rules
from protocol import game_interface

Chooser = Callable[[rules.View, rules.Expected, random.Random], rules.Choice]
COIN = bytes(32)
H = TypeVar("H")


def random_choice(seen: rules.View, due: rules.Expected, rng: random.Random) -> rules.Choice:
    """Any legal choice."""
    kind = due.kind  # type: ignore[union-attr]
    return rng.choice(seen.legal(kind))  # type: ignore[arg-type]


@dataclass
class Referee:
    """Drives one game; `deck` is the Collectible in each slot."""

    state: rules.State
    deck: list[int]
    rng: random.Random
    choosers: list[Chooser]
    sealed: dict[int, rules.Choice] = field(default_factory=dict)
    log: list[game_interface.Event] = field(default_factory=list)
    record: list[rules.Happening] = field(default_factory=list)
    plan: dict[tuple[str, int], rules.Choice] = field(default_factory=dict)

    @classmethod
    def seat(
        cls,
        edition: rules.Edition,
        seats: int,
        seed: int = 0,
        variant: rules.Variant = None,
        choosers: list[Chooser] | None = None,
    ) -> Self:
        rng = random.Random(seed)
        deck = list(range(len(edition.collectibles)))
        rng.shuffle(deck)
        chosen = choosers or [random_choice] * seats
        return cls(rules.start(edition, seats, variant), deck, rng, chosen)

    def cards(self, slots: object) -> rules.Cards:
        return {slot: self.deck[slot] for slot in slots}  # type: ignore[attr-defined]

    def tops(self) -> rules.Cards:
        """The window tops that the deal opens."""
        return self.cards(rules.layout(len(self.deck), self.state.seats).tops)

    def private(self, seat: int) -> rules.Cards:
        return self.cards(range(4 * seat, 4 * seat + 4))

    def view(self, seat: int) -> rules.View:
        return rules.view(self.state, seat, self.private(seat))

    def legal(self, kind: str, seat: int) -> tuple[rules.Choice, ...]:
        return rules.legality.legal(self.state, kind, seat, self.private(seat))  # type: ignore[arg-type]

    def choose(self, seat: int, due: rules.Expected) -> rules.Choice:
        kind = due.kind  # type: ignore[union-attr]
        if (kind, seat) in self.plan:
            return self.plan[kind, seat]
        return self.choosers[seat](self.view(seat), due, self.rng)

    def apply(self, event: game_interface.Event) -> rules.State:
        self.state = rules.apply(self.state, event)
        self.log.append(event)
        self.record.extend(self.state.news)
        return self.state

    def answer(self) -> game_interface.Event:
        """What honest seats would answer to what is expected."""
        due = rules.expected(self.state)
        match due:
            case game_interface.Deal():
                return game_interface.Dealt(self.rng.randbytes(32), self.tops())
            case rules.Seal():
                self.sealed.update({s: self.choose(s, due) for s in sorted(due.seats)})
                return game_interface.Sealed(due.kind, due.seats)
            case game_interface.Unseal():
                return self.unsealed(due, {s: self.sealed[s] for s in due.seats})
            case rules.Show():
                slots = self.choose(due.seat, due)
                assert isinstance(slots, tuple)
                return game_interface.Shown(due.kind, due.seat, slots, self.hidden(slots))
            case rules.Choose():
                return game_interface.Chosen(due.kind, due.seat, self.choose(due.seat, due))
            case game_interface.Draw():
                return game_interface.Drawn(self.cards(due.slots))
            case game_interface.OpenAll():
                return game_interface.Opened(self.cards(due.slots))
        raise AssertionError(f"nothing answers {due}")

    def unsealed(
        self, due: game_interface.Unseal, choices: dict[int, rules.Choice | None]
    ) -> game_interface.Unsealed:
        cards: dict[int, int] = {}
        if due.kind == "exhibit":
            for slots in choices.values():
                cards.update(self.hidden(slots or ()))
        return game_interface.Unsealed(due.kind, choices, cards)

    def hidden(self, slots: object) -> rules.Cards:
        return self.cards(s for s in slots if self.state.known[s] is None)  # type: ignore[attr-defined]

    def open(self, *slots: int) -> None:
        """Let everybody know what lies in these slots."""
        known = {slot: self.deck[slot] for slot in slots}
        after = (known.get(slot, card) for slot, card in enumerate(self.state.known))
        self.state = self.state.but(known=tuple(after))

    def step(self, times: int = 1) -> rules.State:
        for _ in range(times):
            self.apply(self.answer())
        return self.state

    def play(self, limit: int = 200_000) -> rules.State:
        for _ in range(limit):
            if isinstance(rules.expected(self.state), game_interface.Over):
                return self.state
            self.step()
        raise AssertionError("the game does not end")

    def round(self, **plans: dict[int, rules.Choice]) -> tuple[rules.Happening, ...]:
        """Play one round by plan (place, action, turn, exhibit, window, theft by seat); what is
        not planned is chosen by the choosers. Returns what happened."""
        self.plan = {(kind, s): c for kind, plan in plans.items() for s, c in plan.items()}
        number, begun = self.state.round, len(self.record)
        while self.state.round == number and not isinstance(
            rules.expected(self.state), game_interface.OpenAll | game_interface.Over
        ):
            self.step()
        return tuple(self.record[begun:])

    def until(self, kind: str, **plans: dict[int, rules.Choice]) -> rules.Expected:
        """Play by plan until a choice of this kind ("show" for a lone exhibit) is expected."""
        self.plan = {(k, s): c for k, plan in plans.items() for s, c in plan.items()}
        while getattr(rules.expected(self.state), "kind", None) != kind:
            if kind == "show" and isinstance(rules.expected(self.state), rules.Show):
                break
            self.step()
        return rules.expected(self.state)

    def away(self, *seats: int, banned: frozenset[int] = frozenset()) -> rules.State:
        present = frozenset(range(self.state.seats)) - set(seats) - banned
        return self.apply(game_interface.Presence(present, self.state.banned | banned))


def cautious(seen: rules.View, due: rules.Expected, rng: random.Random) -> rules.Choice:
    """The Castle and the Detective, else the first legal choice: quiet company for a test."""
    assert seen.seat is not None
    kind = due.kind  # type: ignore[union-attr]
    options = seen.legal(kind)  # type: ignore[arg-type]
    if kind == "action":
        return next(
            (c for c in options if seen.state.kind(c) == rules.ActionKind.DETECTIVE), options[0]
        )  # type: ignore[arg-type]
    return options[0]


def piece(edition: rules.Edition, name: str) -> int:
    """The Collectible of this letter and place by age: "A1" is the oldest A."""
    found = [i for i, c in enumerate(edition.collectibles) if c.letter == name[0]]
    return found[int(name[1:]) - 1]


def deck_of(edition: rules.Edition, wanted: dict[int, str]) -> list[int]:
    """A deck with these Collectibles in these slots, the rest in order."""
    fixed = {slot: piece(edition, name) for slot, name in wanted.items()}
    rest = iter(c for c in range(len(edition.collectibles)) if c not in set(fixed.values()))
    return [fixed[s] if s in fixed else next(rest) for s in range(len(edition.collectibles))]


def table(
    edition: rules.Edition,
    seats: int,
    hands: dict[int, str] | None = None,
    slots: dict[int, str] | None = None,
    variant: rules.Variant = None,
) -> Referee:
    """A dealt table of cautious seats: seat i has colour i; `hands` gives a seat's four
    Collectibles as in "A1 A2 B1 C1", `slots` single slots."""
    wanted = dict(slots or {})
    for seat, names in (hands or {}).items():
        wanted.update({4 * seat + i: name for i, name in enumerate(names.split())})
    referee = Referee.seat(edition, seats, 1, variant, [cautious] * seats)
    referee.deck = deck_of(edition, wanted)
    due = rules.expected(referee.state)
    assert isinstance(due, game_interface.Deal)
    referee.apply(game_interface.Dealt(COIN, referee.tops()))
    return referee


def card(state: rules.State, seat: int, kind: rules.ActionKind, which: int = 0) -> int:
    """An Action card of the seat's hand: of this kind the one so far up by number."""
    held = [c for c in state.hands[seat] if state.kind(c) == kind]
    return sorted(held, key=state.edition.number)[which]


def plays(state: rules.State, **kinds: str) -> dict[int, rules.Choice]:
    """Actions by seat, as in plays(state, s0="Thief", s1="Cash:3")."""
    chosen: dict[int, rules.Choice] = {}
    for seat, words in kinds.items():
        kind, _, which = words.partition(":")
        chosen[int(seat[1:])] = card(state, int(seat[1:]), rules.ActionKind(kind), int(which or 0))
    return chosen


def in_play(
    kind: str,
    edition: rules.Edition,
    seats: int,
    hands: dict[int, str] | None = None,
    place: dict[int, rules.Choice] | None = None,
    **kinds: str,
) -> Referee:
    """A table played by these plans until a choice of this kind is expected."""
    referee = table(edition, seats, hands)
    referee.until(kind, place=place or {}, action=plays(referee.state, **kinds))
    return referee


def at(referee: Referee, *figures: int, **more: object) -> Referee:
    """Put the figures of a game on these fields, and change other parts of its state."""
    referee.state = replace(referee.state, figures=figures, **more)  # type: ignore[arg-type]
    return referee


def moves(news: object) -> dict[int, int]:
    """Return by how many fields each figure has moved."""
    return {one.seat: one.fields for one in of(news, rules.happenings.FigureMoved)}


def of(news: object, kind: type[H]) -> list[H]:
    """Those of this kind."""
    return [n for n in news if isinstance(n, kind)]  # type: ignore[attr-defined]
