"""A whole game by the real rules, with every card dealt by chance and no protocol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from p2p_hoity.bots import Bot
from p2p_hoity.rules import (
    Choice,
    Choose,
    Edition,
    Expected,
    Seal,
    Show,
    State,
    Variant,
    apply,
    expected,
    layout,
    start,
    view,
)
from p2p_hoity.rules.game_setup import COIN_BYTES
from p2p_hoity.rules.game_state import HAND
from protocol.game_interface import (
    Chosen,
    Deal,
    Dealt,
    Draw,
    Drawn,
    Event,
    OpenAll,
    Opened,
    Over,
    Sealed,
    Shown,
    Unseal,
    Unsealed,
)


class Referee:
    """Knows the deck, and asks each seat's bot what it chooses by its own view."""

    def __init__(
        self, edition: Edition, seats: int, variant: Variant, bots: Sequence[Bot], seed: int
    ) -> None:
        self.state = start(edition, seats, variant)
        self.bots, self.rng = bots, Random(seed)
        self.deck = list(range(len(edition.collectibles)))
        self.rng.shuffle(self.deck)
        self.sealed: dict[int, Choice] = {}

    def play(self) -> State:
        """The state at the end."""
        while not isinstance(due := expected(self.state), Over):
            self.state = apply(self.state, self._answer(due))
        return self.state

    def _cards(self, slots: Iterable[int]) -> dict[int, int]:
        return {slot: self.deck[slot] for slot in slots}

    def _choose(self, seat: int, due: Expected) -> Choice:
        own = self._cards(range(HAND * seat, HAND * seat + HAND))
        return self.bots[seat](view(self.state, seat, own), due, self.rng)

    def _hidden(self, slots: Choice) -> dict[int, int]:
        shown = slots if isinstance(slots, tuple) else ()
        return self._cards(slot for slot in shown if self.state.known[slot] is None)

    def _answer(self, due: Expected) -> Event:
        match due:
            case Deal():
                tops = layout(len(self.deck), self.state.seats).tops
                return Dealt(self.rng.randbytes(COIN_BYTES), self._cards(tops))
            case Seal(kind, seats):
                self.sealed.update({seat: self._choose(seat, due) for seat in sorted(seats)})
                return Sealed(kind, seats)
            case Unseal(kind, seats):
                return self._unsealed(kind, seats)
            case Show(kind, seat):
                choice = self._choose(seat, due)
                return Shown(kind, seat, choice, self._hidden(choice))
            case Choose(kind, seat):
                return Chosen(kind, seat, self._choose(seat, due))
            case Draw(slots):
                return Drawn(self._cards(slots))
            case OpenAll(slots):
                return Opened(self._cards(slots))
        raise RuntimeError(f"nothing answers {due}")

    def _unsealed(self, kind: str, seats: Iterable[int]) -> Unsealed:
        choices = {seat: self.sealed[seat] for seat in seats}
        shown: dict[int, int] = {}
        if kind == "exhibit":
            for choice in choices.values():
                shown.update(self._hidden(choice))
        return Unsealed(kind, choices, shown)
