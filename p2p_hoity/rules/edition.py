"""An edition as frozen data: Collectibles, Action cards, score track and switches.

The id of an Action card is `8 * colour + place in its colour`. The places are 0 to 3 for Cash, 4
and 5 for Thieves, 6 for the Detective and 7 for Exhibit. The index of a Collectible is its position
in `Edition.collectibles`, which is sorted by letter and then by year (or number).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Literal, cast

import msgpack  # type: ignore[import-untyped]  # it ships no types

LETTERS = "ABCDEF"
COLOURS = ("black", "red", "blue", "green", "purple", "beige")
"""The colours of the shipped editions. Another edition may have others."""
MIN_COLOURS, MAX_COLOURS = 2, 6
CARDS_PER_COLOUR = 8

ActionChoice = Literal["staged", "together"]
DetectiveRank = Literal["after", "before"]


class ActionKind(StrEnum):
    """The kinds of Action cards."""

    CASH = "Cash"
    THIEF = "Thief"
    DETECTIVE = "Detective"
    EXHIBIT = "Exhibit"


@dataclass(frozen=True, slots=True)
class Collectible:
    """A Collectible.

    Attributes:
        letter: A to F.
        year: The year in which it was made. Some editions have a number instead.
        names: The name by language code.
    """

    letter: str
    year: int
    names: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def age(self) -> tuple[int, str]:
        """The sort key for the order of age, oldest first: the year, then the letter."""
        return (self.year, self.letter)

    def name(self, language: str = "en") -> str:
        """Return the name in a language, or else in English, or else the letter and the year."""
        return self.names.get(language) or self.names.get("en") or f"{self.letter} {self.year}"


@dataclass(frozen=True, slots=True)
class ActionCard:
    """An Action card.

    Attributes:
        id: The id of the card, from 0. The highest is 47, in an edition of six colours.
        kind: What the card does.
        number: Thousands for Cash, the number of a Thief, or None for other cards.
        colour: The name of the card's colour.
    """

    id: int
    kind: ActionKind
    number: int | None
    colour: str


@dataclass(frozen=True, slots=True)
class Colour:
    """The numbers on one colour's eight Action cards, for Cash in thousands."""

    name: str
    cash: tuple[int, int, int, int]
    thieves: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Castle:
    """A Castle: adjacent fields of the score track that have the same octagon (two numbers).

    Attributes:
        larger: How far the best exhibit moves.
        smaller: How far the second-best exhibit moves.
    """

    larger: int
    smaller: int
    fields: int


@dataclass(frozen=True, slots=True)
class Switches:
    """The rules in which editions differ.

    Attributes:
        action_choice: `together` if all Actions are sealed at once, `staged` if those in the Castle
            are sealed after the sale.
        detective_in_hall: Whether a Detective may be played in the Auction Hall.
        detective_rank: Whether the rank by which a Detective moves its figure is determined `after`
            or `before` the figures of the best exhibits move.
    """

    action_choice: ActionChoice = "staged"
    detective_in_hall: bool = False
    detective_rank: DetectiveRank = "after"


@dataclass(frozen=True, eq=False)
class Edition:
    """An edition of the game. Two editions are equal if their canonical bytes are.

    Attributes:
        club_room: The octagon of field 0.
        castles: The Castles of the score track, in their order.
        banquet_fields: The number of Banquet fields at the end of the track.
        age_word: Whether the ages of Collectibles are years or numbers.
        categories: For each letter the name of its category by language code.
        reconstructed: The parts that were not taken from a printed edition.
    """

    name: str
    collectibles: tuple[Collectible, ...]
    colours: tuple[Colour, ...]
    club_room: tuple[int, int]
    castles: tuple[Castle, ...]
    banquet_fields: int
    switches: Switches = Switches()
    age_word: Literal["year", "number"] = "year"
    categories: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    reconstructed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Sorted, so that the order in a file does not change indices, ids and canonical bytes.
        ordered = sorted(self.collectibles, key=lambda c: (c.letter, c.year))
        object.__setattr__(self, "collectibles", tuple(ordered))
        colours = sorted(self.colours, key=lambda colour: colour_order(colour.name))
        object.__setattr__(self, "colours", tuple(colours))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Edition) and self.canonical() == other.canonical()

    def __hash__(self) -> int:
        return hash(self.canonical())

    @cached_property
    def action_cards(self) -> tuple[ActionCard, ...]:
        """The Action cards of all colours, by id."""
        return tuple(card for k, colour in enumerate(self.colours) for card in _hand(k, colour))

    @cached_property
    def seniority(self) -> tuple[int, ...]:
        """For each Collectible its place in the order of age, 0 for the oldest."""
        by_age = sorted(self.collectibles, key=lambda collectible: collectible.age)
        places = {collectible: place for place, collectible in enumerate(by_age)}
        return tuple(places[collectible] for collectible in self.collectibles)

    @cached_property
    def octagons(self) -> tuple[tuple[int, int], ...]:
        """For each field but those of the Banquet how far the best and second-best exhibit move."""
        castles = [((c.larger, c.smaller), c.fields) for c in self.castles]
        return (self.club_room, *(octagon for octagon, n in castles for _ in range(n)))

    @property
    def last_field(self) -> int:
        """The number of the last Banquet field."""
        return len(self.octagons) - 1 + self.banquet_fields

    def in_banquet(self, position: int) -> bool:
        """Return whether a field, given by its number, is a Banquet field."""
        return position >= len(self.octagons)

    def kind(self, card: int) -> ActionKind:
        """Return what an Action card does."""
        return self.action_cards[card].kind

    def number(self, card: int) -> int:
        """Return thousands for Cash, a Thief's number, 0 for other Action cards."""
        return self.action_cards[card].number or 0

    def with_switches(self, **given: str | bool | None) -> Edition:
        """Return this edition with some switches changed. None leaves a switch as it is.

        Raises:
            ValueError: If a switch has no such value.
        """
        changes = {name: value for name, value in given.items() if value is not None}
        for name, value in changes.items():
            if value not in SWITCH_VALUES[name]:
                raise ValueError(f"switch {name} is one of {SWITCH_VALUES[name]}, not {value!r}")
        # Each value was checked above, which a type checker does not see.
        return replace(self, switches=replace(self.switches, **changes))  # type: ignore[arg-type]

    def canonical(self) -> bytes:
        """Return everything on which the rules depend, as msgpack of plain arrays.

        Names of Collectibles are left out, so that two players with different translations can play
        together.
        """
        return self._canonical

    @cached_property
    def _canonical(self) -> bytes:
        """The canonical bytes, which are computed once."""
        plain = [
            self.name,
            [[c.letter, c.year] for c in self.collectibles],
            [astuple(colour) for colour in self.colours],
            [self.club_room, [astuple(castle) for castle in self.castles]],
            self.banquet_fields,
            astuple(self.switches),
        ]
        return cast(bytes, msgpack.packb(plain))


SWITCH_VALUES: Mapping[str, tuple[object, ...]] = {
    "action_choice": ("staged", "together"),
    "detective_in_hall": (False, True),
    "detective_rank": ("after", "before"),
}


def colour_order(name: str) -> tuple[int, str]:
    """Return the sort key of a colour: those of `COLOURS` in their order, then all others by name.

    So it makes no difference in which order a file names the colours ([G-1]).
    """
    return (COLOURS.index(name) if name in COLOURS else len(COLOURS), name)


def _hand(k: int, colour: Colour) -> tuple[ActionCard, ...]:
    """Return the eight Action cards of the colour at index `k` of the edition, by id."""
    faces: list[tuple[ActionKind, int | None]] = [
        *((ActionKind.CASH, value) for value in colour.cash),
        *((ActionKind.THIEF, number) for number in colour.thieves),
        (ActionKind.DETECTIVE, None),
        (ActionKind.EXHIBIT, None),
    ]
    first = CARDS_PER_COLOUR * k
    return tuple(
        ActionCard(first + j, kind, number, colour.name) for j, (kind, number) in enumerate(faces)
    )
