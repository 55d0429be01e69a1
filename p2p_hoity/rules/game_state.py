"""The state of a game, as a frozen dataclass: everything that is open to all seats.

A *slot* is a position in the shuffled deck. A *window*, 0 or 1, is one of the two piles of
Collectibles in the Auction Hall. A Collectible is named by its index in `Edition.collectibles`, and
an Action card by its id. Seats and slots are returned in rising order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

from .choices import Place
from .edition import CARDS_PER_COLOUR, ActionCard, ActionKind, Edition
from .happenings import Happening, Piece
from .phases import Phase

Variant = Literal["surprise", "confrontation"] | None
HAND = 4
"""The number of Collectibles that are dealt to each seat."""


@dataclass(frozen=True, slots=True)
class DealPlan:
    """The slots that belong to each seat and each window at the deal, the top of a window first."""

    hands: tuple[tuple[int, ...], ...]
    windows: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def tops(self) -> tuple[int, ...]:
        """The slot at the top of each window that is not empty."""
        return tuple(window[0] for window in self.windows if window)


def piece_of(edition: Edition, slot: int, card: int | None) -> Piece:
    """Return a slot with the Collectible `card` in it, which is None if it is hidden."""
    if card is None:
        return Piece(slot, None, None, None)
    collectible = edition.collectibles[card]
    return Piece(slot, card, collectible.letter, collectible.year)


@dataclass(frozen=True, slots=True)
class Claim:
    """The record that a seat played Exhibit but showed nothing.

    At the end of the game, when all hands are open, it is judged whether `slots`, which the seat
    held in that round, had a valid exhibit.
    """

    round: int
    seat: int
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the standings.

    Attributes:
        rank: The rank, 1 for the winner.
        exhibit: The slots of the final exhibit. Empty if the seat has none.
    """

    rank: int
    seat: int
    field: int
    exhibit: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class State:
    """Everything about a game that is open to all. Tuples over seats are indexed by seat.

    Attributes:
        variant: None for more than two seats.
        round: The number of the round, 0 before the first one.
        colours: The number of each seat's colour. Empty before the deal.
        figures: The field of each seat's figure.
        hands: For each seat the ids of its Action cards that are not on the table, rising.
        collectibles: For each seat the slots of its Collectibles, rising.
        windows: The slots of each window, the top first.
        known: For each slot its Collectible. None while it is hidden.
        register: The ids of the Cash cards in the cash register.
        prison: The ids of the Thief cards in the prison, cell 1 first.
        resting: The present seats that sit out until the next round.
        joined: The seats that were present when this round began.
        places: For each seat the Place that it has shown this round.
        actions: For each seat the id of the Action card that lies in front of it.
        sealed: The seats with a sealed choice that is to be opened.
        exhibits: For each seat the slots that are still in its exhibit.
        thieves: The seats whose theft is still to come, in their order.
        buyer: The seat that has to choose a window. None if there is none.
        before: The field of each seat's figure at the beginning of the Castle phase, or of the
            round if there was no Castle phase in it yet.
        standings: Empty before the end.
        news: The events that the last call of `apply` has caused.
    """

    edition: Edition
    seats: int
    variant: Variant
    phase: Phase = Phase.DEAL
    round: int = 0
    colours: tuple[int, ...] = ()
    figures: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    collectibles: tuple[tuple[int, ...], ...]
    windows: tuple[tuple[int, ...], tuple[int, ...]]
    known: tuple[int | None, ...]
    register: tuple[int, ...] = ()
    prison: tuple[int, ...] = ()
    present: frozenset[int]
    banned: frozenset[int] = frozenset()
    resting: frozenset[int] = frozenset()
    joined: frozenset[int] = frozenset()
    places: tuple[Place | None, ...]
    actions: tuple[int | None, ...]
    sealed: frozenset[int] = frozenset()
    exhibits: tuple[tuple[int, ...] | None, ...]
    thieves: tuple[int, ...] = ()
    buyer: int | None = None
    before: tuple[int, ...]
    claims: tuple[Claim, ...] = ()
    standings: tuple[Standing, ...] = ()
    news: tuple[Happening, ...] = ()

    def but(self, **changes: object) -> State:
        """Return this state with some fields changed, by their names.

        Raises:
            TypeError: If a state does not have one of the fields.
        """
        # Faster than `dataclasses.replace`: the `__init__` of a frozen dataclass sets its fields
        # singly.
        fields = self.__dict__ | changes
        if len(fields) != len(self.__dict__):
            raise TypeError(f"a state has not all of these fields: {sorted(changes)}")
        made = object.__new__(State)
        made.__dict__.update(fields)
        return made

    def active(self, seat: int) -> bool:
        """Return whether a seat may be asked for choices: it is present and does not sit out."""
        return seat in self.present and seat not in self.resting

    @property
    def windows_empty(self) -> bool:
        """True if nothing is for sale."""
        return not any(self.windows)

    def at(self, place: Place) -> tuple[int, ...]:
        """Return the seats in a Place, rising."""
        return tuple(seat for seat, where in enumerate(self.places) if where == place)

    def playing(self, place: Place, kind: ActionKind) -> tuple[int, ...]:
        """Return the seats that show an Action card of a kind in a Place, rising."""
        played = ((seat, self.actions[seat]) for seat in self.at(place))
        return tuple(s for s, card in played if card is not None and self.kind(card) == kind)

    def action(self, seat: int) -> int:
        """Return the Action card in front of a seat, which must have one there."""
        return cast(int, self.actions[seat])

    def kind(self, card: int) -> ActionKind:
        """Return what an Action card does."""
        return self.edition.kind(card)

    def action_card(self, card: int) -> ActionCard:
        """Return the Action card with an id."""
        return self.edition.action_cards[card]

    def owner(self, card: int) -> int:
        """Return the seat to which an Action card belongs, by its colour."""
        return self.colours.index(card // CARDS_PER_COLOUR)

    def colour_name(self, seat: int) -> str:
        """Return the English name of a seat's colour, once the cards are dealt."""
        return self.edition.colours[self.colours[seat]].name

    def piece(self, slot: int) -> Piece:
        """Return a slot with its Collectible, which is None unless it is known to all."""
        return piece_of(self.edition, slot, self.known[slot])

    def pieces(self, slots: Iterable[int]) -> tuple[Piece, ...]:
        """Return some slots in the given order, each as `piece` does."""
        return tuple(self.piece(slot) for slot in slots)

    def open_cards(self, slots: Iterable[int]) -> dict[int, int]:
        """Return the Collectibles in slots, by slot. Hidden ones are left out."""
        seen = ((slot, self.known[slot]) for slot in slots)
        return {slot: card for slot, card in seen if card is not None}

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each seat in the finished game: equal ones on rank 1, and 0 otherwise."""
        winners = [line.seat for line in self.standings if line.rank == 1]
        return tuple((seat in winners) / len(winners) for seat in range(self.seats))

    def ranks(self, figures: tuple[int, ...]) -> tuple[int, ...]:
        """Return the competition rank of each figure from its field, such as 1, 2, 2, 4."""
        return tuple(1 + sum(other > field for other in figures) for field in figures)


def layout(cards: int, seats: int) -> DealPlan:
    """Return which slots belong to each seat and window at the deal.

    They depend on the two numbers alone. Each seat in turn gets four slots. Of the rest window 0
    gets the first half, and one more if the number is odd.

    Args:
        cards: The number of Collectibles.

    Raises:
        ValueError: If there are too few Collectibles.
    """
    if cards < HAND * seats:
        raise ValueError(f"{seats} seats need {HAND * seats} Collectibles, not {cards}")
    hands = tuple(tuple(range(HAND * i, HAND * i + HAND)) for i in range(seats))
    rest = tuple(range(HAND * seats, cards))
    half = (len(rest) + 1) // 2
    return DealPlan(hands, (rest[:half], rest[half:]))
