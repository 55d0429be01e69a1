"""An edition as frozen data: Collectibles, Action cards, score track and switches.

An Action card's id is `8 * colour + place in its colour`: Cash 0 to 3, Thieves 4 and 5,
Detective 6, Exhibit 7. A Collectible's index is its position in `Edition.collectibles`, which is
sorted by letter and then by year (or number).
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
CARDS_PER_COLOUR = 8

ActionChoice = Literal["staged", "together"]
DetectiveRank = Literal["after", "before"]


class ActionKind(StrEnum):
    """What an Action card does."""

    CASH = "Cash"
    THIEF = "Thief"
    DETECTIVE = "Detective"
    EXHIBIT = "Exhibit"


@dataclass(frozen=True, slots=True)
class Collectible:
    """One Collectible: letter A to F, its year of make (or number), names by language."""

    letter: str
    year: int
    names: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def age(self) -> tuple[int, str]:
        """The order of age, oldest first: year (or number), then letter."""
        return (self.year, self.letter)

    def name(self, language: str = "en") -> str:
        """Its name in that language, else in English, else letter and year."""
        return self.names.get(language) or self.names.get("en") or f"{self.letter} {self.year}"


@dataclass(frozen=True, slots=True)
class ActionCard:
    """One Action card; `number` is Cash in thousands, a Thief's number, or None."""

    id: int
    kind: ActionKind
    number: int | None
    colour: str


@dataclass(frozen=True, slots=True)
class Colour:
    """What sets one colour's eight Action cards apart: four Cash (thousands) and two Thieves."""

    name: str
    cash: tuple[int, int, int, int]
    thieves: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Castle:
    """One Castle of the score track: its octagon (larger, smaller) and how many fields it has."""

    larger: int
    smaller: int
    fields: int


@dataclass(frozen=True, slots=True)
class Switches:
    """Where editions differ: `action_choice` staged or together, Detective in the Auction Hall
    legal or not, and the Detective's rank taken after or before the Exhibits move."""

    action_choice: ActionChoice = "staged"
    detective_in_hall: bool = False
    detective_rank: DetectiveRank = "after"


@dataclass(frozen=True, eq=False)
class Edition:
    """One edition of the game. Equal when their canonical bytes are equal."""

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
        """Put the Collectibles into their canonical order."""
        ordered = sorted(self.collectibles, key=lambda c: (c.letter, c.year))
        object.__setattr__(self, "collectibles", tuple(ordered))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Edition) and self.canonical() == other.canonical()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.canonical())

    @cached_property
    def action_cards(self) -> tuple[ActionCard, ...]:
        """Every Action card by id."""
        return tuple(card for k, colour in enumerate(self.colours) for card in _hand(k, colour))

    @cached_property
    def seniority(self) -> tuple[int, ...]:
        """By Collectible its place in the order of age, the oldest 0."""
        by_age = sorted(self.collectibles, key=lambda collectible: collectible.age)
        places = {collectible: place for place, collectible in enumerate(by_age)}
        return tuple(places[collectible] for collectible in self.collectibles)

    @cached_property
    def octagons(self) -> tuple[tuple[int, int], ...]:
        """(larger, smaller) by field; field 0 is the Club Room. Banquet fields have none."""
        castles = [((c.larger, c.smaller), c.fields) for c in self.castles]
        return (self.club_room, *(octagon for octagon, n in castles for _ in range(n)))

    @property
    def last_field(self) -> int:
        """The last Banquet field."""
        return len(self.octagons) - 1 + self.banquet_fields

    def in_banquet(self, position: int) -> bool:
        """Whether this field is a Banquet field."""
        return position >= len(self.octagons)

    def kind(self, card: int) -> ActionKind:
        """What Action card `card` does."""
        return self.action_cards[card].kind

    def number(self, card: int) -> int:
        """Cash in thousands or a Thief's number; 0 for Detective and Exhibit."""
        return self.action_cards[card].number or 0

    def with_switches(self, **given: str | bool | None) -> Edition:
        """This edition with some switches set otherwise, those that are given and not None.

        ValueError if there is no such setting.
        """
        changes = {name: value for name, value in given.items() if value is not None}
        for name, value in changes.items():
            if value not in SWITCH_VALUES[name]:
                raise ValueError(f"switch {name} is one of {SWITCH_VALUES[name]}, not {value!r}")
        return replace(self, switches=replace(self.switches, **changes))  # type: ignore[arg-type]

    def canonical(self) -> bytes:
        """What the rules depend on, as msgpack of plain arrays; names of Collectibles are left out,
        so that a better translation does not part two tables."""
        return self._canonical

    @cached_property
    def _canonical(self) -> bytes:
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


def _hand(k: int, colour: Colour) -> tuple[ActionCard, ...]:
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
