"""A referee for tests: it holds the true deck and plays whole games without any protocol."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from p2p_hoity.rules import (
    Cards,
    Choice,
    Choose,
    Chosen,
    Deal,
    Dealt,
    Draw,
    Drawn,
    Edition,
    Event,
    Expected,
    OpenAll,
    Opened,
    Over,
    Presence,
    Seal,
    Sealed,
    Show,
    Shown,
    State,
    Unseal,
    Unsealed,
    Variant,
    View,
    apply,
    expected,
    legal,
    start,
    view,
)

Chooser = Callable[[View, Expected, random.Random], Choice]
COIN = bytes(32)


def random_choice(seen: View, due: Expected, rng: random.Random) -> Choice:
    """Any legal choice."""
    kind = "exhibit" if isinstance(due, Show) else due.kind  # type: ignore[union-attr]
    return rng.choice(seen.legal(kind))  # type: ignore[arg-type]


@dataclass
class Referee:
    """Drives one game; `deck` is the Collectible in each slot."""

    state: State
    deck: list[int]
    rng: random.Random
    choosers: list[Chooser]
    sealed: dict[int, Choice] = field(default_factory=dict)
    log: list[Event] = field(default_factory=list)
    record: list[object] = field(default_factory=list)

    @classmethod
    def seat(
        cls,
        edition: Edition,
        seats: int,
        seed: int = 0,
        variant: Variant = None,
        choosers: list[Chooser] | None = None,
    ) -> Referee:
        rng = random.Random(seed)
        deck = list(range(len(edition.collectibles)))
        rng.shuffle(deck)
        chosen = choosers or [random_choice] * seats
        return cls(start(edition, seats, variant), deck, rng, chosen)

    def cards(self, slots: object) -> Cards:
        return {slot: self.deck[slot] for slot in slots}  # type: ignore[attr-defined]

    def private(self, seat: int) -> Cards:
        return self.cards(range(4 * seat, 4 * seat + 4))

    def view(self, seat: int) -> View:
        return view(self.state, seat, self.private(seat))

    def legal(self, kind: str, seat: int) -> tuple[Choice, ...]:
        return legal(self.state, kind, seat, self.private(seat))  # type: ignore[arg-type]

    def choose(self, seat: int, due: Expected) -> Choice:
        return self.choosers[seat](self.view(seat), due, self.rng)

    def apply(self, event: Event) -> State:
        self.state = apply(self.state, event)
        self.log.append(event)
        self.record.extend(self.state.news)
        return self.state

    def answer(self) -> Event:
        """What honest seats would answer to what is expected."""
        due = expected(self.state)
        match due:
            case Deal():
                return Dealt(self.rng.randbytes(32), self.cards(due.slots))
            case Seal():
                self.sealed.update({s: self.choose(s, due) for s in sorted(due.seats)})
                return Sealed(due.kind, due.seats)
            case Unseal():
                return self.unsealed(due, {s: self.sealed[s] for s in due.seats})
            case Show():
                slots = self.choose(due.seat, due)
                assert isinstance(slots, tuple)
                return Shown(due.seat, slots, self.hidden(slots))
            case Choose():
                return Chosen(due.kind, due.seat, self.choose(due.seat, due))
            case Draw():
                return Drawn(self.cards(due.slots))
            case OpenAll():
                return Opened(self.cards(due.slots))
        raise AssertionError(f"nothing answers {due}")

    def unsealed(self, due: Unseal, choices: dict[int, Choice | None]) -> Unsealed:
        cards: dict[int, int] = {}
        if due.kind == "exhibit":
            for slots in choices.values():
                cards.update(self.hidden(slots or ()))
        return Unsealed(due.kind, choices, cards)

    def hidden(self, slots: object) -> Cards:
        return self.cards(s for s in slots if self.state.known[s] is None)  # type: ignore[attr-defined]

    def step(self) -> State:
        return self.apply(self.answer())

    def play(self, limit: int = 200_000) -> State:
        for _ in range(limit):
            if isinstance(expected(self.state), Over):
                return self.state
            self.step()
        raise AssertionError("the game does not end")

    def away(self, *seats: int, banned: frozenset[int] = frozenset()) -> State:
        present = frozenset(range(self.state.seats)) - set(seats) - banned
        return self.apply(Presence(present, self.state.banned | banned))
