"""The state of a game: everything that is open to all, frozen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

from .choices import Place
from .edition import ActionCard, ActionKind, Edition
from .happenings import Happening, Piece
from .phases import Phase

Variant = Literal["surprise", "confrontation"] | None
HAND = 4
"""Collectibles dealt to each seat."""


@dataclass(frozen=True, slots=True)
class DealPlan:
    """Which slot is whose at the deal; windows top first."""

    hands: tuple[tuple[int, ...], ...]
    windows: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def tops(self) -> tuple[int, ...]:
        """The open top of each window that holds a Collectible."""
        return tuple(window[0] for window in self.windows if window)


def piece_of(edition: Edition, slot: int, card: int | None) -> Piece:
    """A slot and the Collectible in it; None if it is hidden."""
    if card is None:
        return Piece(slot, None, None, None)
    collectible = edition.collectibles[card]
    return Piece(slot, card, collectible.letter, collectible.year)


@dataclass(frozen=True, slots=True)
class Claim:
    """An Exhibit played by a seat that then showed less than a valid exhibit of its choice: the
    slots it held, to be judged when all hands are open."""

    round: int
    seat: int
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings; `exhibit` is the final exhibit's slots, empty if none."""

    rank: int
    seat: int
    field: int
    exhibit: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class State:
    """All that is open to all. Tuples over seats are indexed by seat. Defaults are those before the
    deal.

    `hands` are Action cards (ids, rising) not on the table; `collectibles` are slots, rising;
    `known` is the Collectible in each slot, None while hidden; `register` the paid Cash;
    `prison` the Thieves by cell, cell 1 first; `places` and `actions` what is shown this round;
    `sealed` who has a sealed choice due to be opened; `exhibits` the slots still in each exhibit;
    `thieves` the seats whose theft is still to come; `before` the figures when this round
    began; `resting` the present seats that sit out until the next round;
    `joined` the seats present when this round began; `buyer` whoever has yet to choose a window.
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
        """This state with some fields changed; as `dataclasses.replace`, but much faster.

        TypeError for a field that a state does not have.
        """
        fields = self.__dict__ | changes
        if len(fields) != len(self.__dict__):
            raise TypeError(f"a state has not all of these fields: {sorted(changes)}")
        made = object.__new__(State)
        made.__dict__.update(fields)
        return made

    def active(self, seat: int) -> bool:
        """Present and not sitting out: it may be asked for choices."""
        return seat in self.present and seat not in self.resting

    @property
    def windows_empty(self) -> bool:
        """No window holds a Collectible."""
        return not any(self.windows)

    def at(self, place: Place) -> tuple[int, ...]:
        """The seats in this Place, rising."""
        return tuple(seat for seat, where in enumerate(self.places) if where == place)

    def playing(self, place: Place, kind: ActionKind) -> tuple[int, ...]:
        """The seats that show an Action card of this kind in this Place, rising."""
        played = ((seat, self.actions[seat]) for seat in self.at(place))
        return tuple(s for s, card in played if card is not None and self.kind(card) == kind)

    def action(self, seat: int) -> int:
        """Return the id of the Action card that lies before a seat, which must have one there."""
        return cast(int, self.actions[seat])

    def kind(self, card: int) -> ActionKind:
        """What Action card `card` does."""
        return self.edition.kind(card)

    def action_card(self, card: int) -> ActionCard:
        """The Action card with this id."""
        return self.edition.action_cards[card]

    def owner(self, card: int) -> int:
        """The seat whose colour this Action card has."""
        return self.colours.index(card // 8)

    def colour_name(self, seat: int) -> str:
        """The seat's colour; only after the deal."""
        return self.edition.colours[self.colours[seat]].name

    def piece(self, slot: int) -> Piece:
        """What is open to all about this slot."""
        return piece_of(self.edition, slot, self.known[slot])

    def pieces(self, slots: Iterable[int]) -> tuple[Piece, ...]:
        """What is open to all about these slots."""
        return tuple(self.piece(slot) for slot in slots)

    def open_cards(self, slots: Iterable[int]) -> dict[int, int]:
        """Slot to Collectible for those of `slots` that are open to all."""
        seen = ((slot, self.known[slot]) for slot in slots)
        return {slot: card for slot, card in seen if card is not None}

    @property
    def shares(self) -> tuple[float, ...]:
        """What share of victory each seat has at the end: those that share rank 1 divide it."""
        winners = [line.seat for line in self.standings if line.rank == 1]
        return tuple((seat in winners) / len(winners) for seat in range(self.seats))

    def ranks(self, figures: tuple[int, ...]) -> tuple[int, ...]:
        """Standard competition ranks on the track (1, 2, 2, 4), by seat."""
        return tuple(1 + sum(other > field for other in figures) for field in figures)


def layout(cards: int, seats: int) -> DealPlan:
    """Which slot is whose: four to each seat in turn, then window 1 gets the larger half of the
    rest; depends on the numbers alone. ValueError if there are too few Collectibles."""
    if cards < HAND * seats:
        raise ValueError(f"{seats} seats need {HAND * seats} Collectibles, not {cards}")
    hands = tuple(tuple(range(HAND * i, HAND * i + HAND)) for i in range(seats))
    rest = tuple(range(HAND * seats, cards))
    half = (len(rest) + 1) // 2
    return DealPlan(hands, (rest[:half], rest[half:]))
