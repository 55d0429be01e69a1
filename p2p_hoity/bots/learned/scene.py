"""The scene of one decision: what the deciding seat's view says, brought into handy numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...rules import ActionKind, Cards, Place, State, View
from ...rules.vocabulary import Kind
from .holdings import Holdings


def share(found: int, of: int) -> float:
    """This part of them; 0 if there are none."""
    return found / of if of else 0.0


def clipped(value: float) -> float:
    """Brought into -1 to 1."""
    return max(-1.0, min(1.0, value))


@dataclass(frozen=True)
class Scene:
    """What a seat that owes a choice of this kind knows. Numbers of Action cards are largest
    first."""

    view: View
    seat: int
    kind: Kind

    @property
    def state(self) -> State:
        """What is open to all."""
        return self.view.state

    @cached_property
    def cards(self) -> Cards:
        """Every slot whose Collectible the seat knows."""
        return self.view.cards

    @cached_property
    def others(self) -> tuple[int, ...]:
        """The other seats, rising."""
        return tuple(seat for seat in range(self.state.seats) if seat != self.seat)

    @cached_property
    def holdings(self) -> tuple[Holdings, ...]:
        """By seat what is known of its Collectibles."""
        return tuple(self._holdings(slots) for slots in self.state.collectibles)

    def _holdings(self, slots: Sequence[int]) -> Holdings:
        known = {slot: self.cards[slot] for slot in slots if slot in self.cards}
        return Holdings(self.state.edition, known, len(slots) - len(known))

    @property
    def mine(self) -> Holdings:
        """The own Collectibles."""
        return self.holdings[self.seat]

    @cached_property
    def cash(self) -> tuple[list[int], ...]:
        """By seat its Cash in hand."""
        return tuple(self._numbers(hand, ActionKind.CASH) for hand in self.state.hands)

    @cached_property
    def thieves(self) -> tuple[list[int], ...]:
        """By seat its Thieves in hand."""
        return tuple(self._numbers(hand, ActionKind.THIEF) for hand in self.state.hands)

    def _numbers(self, hand: Sequence[int], kind: ActionKind) -> list[int]:
        edition = self.state.edition
        found = [edition.number(card) for card in hand if edition.kind(card) == kind]
        return sorted(found, reverse=True)

    @cached_property
    def largest(self) -> tuple[int, int]:
        """The largest Cash and the highest Thief of the edition."""
        cards = self.state.edition.action_cards
        cash = (card.number or 0 for card in cards if card.kind == ActionKind.CASH)
        thieves = (card.number or 0 for card in cards if card.kind == ActionKind.THIEF)
        return max(cash), max(thieves)

    @cached_property
    def shown(self) -> tuple[ActionKind | None, ...]:
        """By seat the kind of Action it has on the table."""
        kind = self.state.edition.kind
        return tuple(None if card is None else kind(card) for card in self.state.actions)

    @cached_property
    def active(self) -> tuple[bool, ...]:
        """By seat whether it may be asked for choices."""
        return tuple(map(self.state.active, range(self.state.seats)))

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """By seat its rank on the track."""
        return self.state.ranks(self.state.figures)

    def may_be_in(self, seat: int, place: Place) -> bool:
        """Whether a seat takes part and is, or may yet be, in this Place."""
        return self.active[seat] and self.state.places[seat] in (None, place)

    def has(self, seat: int, kind: ActionKind) -> bool:
        """Whether a card of this kind is in a seat's hand."""
        return any(self.state.edition.kind(card) == kind for card in self.state.hands[seat])
