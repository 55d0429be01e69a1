"""Load an edition file and check all that the rules rely on ([G-1])."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from string import ascii_lowercase
from typing import Literal, cast

from ..errors import because, of_system
from ..rules.edition import (
    COLOURS,
    LETTERS,
    SWITCH_VALUES,
    ActionChoice,
    Castle,
    Collectible,
    Colour,
    DetectiveRank,
    Edition,
    Switches,
)
from ..storage.private_files import open_at_once
from .reading import EditionCode, EditionError, Field

DEFAULT = "uberplay-2004"
NAMES = (DEFAULT, "reference-manual")
CASH_SUM = 50
"""Thousands; each colour's four Cash."""
MIN_COLLECTIBLES, MAX_COLLECTIBLES = 24, 256
MAX_BYTES = 1 << 20
FIRST_YEAR = 1000
"""An age from which on it is a year: numbers of age are lower, and of years at least one is not."""
RECONSTRUCTIBLE = ("letters", "years", "names", "cash", "thieves", "track")


LANGUAGE_CODES = tuple(one + two for one in ascii_lowercase for two in ascii_lowercase)
"""Two letters as in ISO 639-1: an edition may have names in languages that nothing else speaks."""


def load(name_or_path: str | Path = DEFAULT) -> Edition:
    """The edition of this name, or in this file. EditionError (a ValueError) if there is none, or
    if it cannot be used."""
    if isinstance(name_or_path, str) and name_or_path in NAMES:
        source = resources.files(__package__) / f"{name_or_path}.toml"
        return parse(source.read_text(encoding="utf-8"), f"{name_or_path}.toml")
    path = Path(name_or_path)
    return parse(_read(path), str(path))


def _read(path: Path) -> str:
    try:
        with open(path, "rb", opener=open_at_once) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        unread = because(EditionCode.UNREAD, why=of_system(error), known=NAMES)
        raise EditionError(str(path), unread) from error
    if len(data) > MAX_BYTES:
        raise EditionError(str(path), because(EditionCode.TOO_LARGE, most=MAX_BYTES))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise EditionError(str(path), because(EditionCode.NO_TEXT)) from error


def parse(text: str, file: str) -> Edition:
    """The edition this TOML text describes; `file` is its name in errors.

    EditionError if it describes none.
    """
    try:
        root = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # an endless number is a plain ValueError
        raise EditionError(file, because(EditionCode.NO_TOML, detail=str(error))) from error
    return build(Field(file, text, (), root))


def build(root: Field) -> Edition:
    """The edition of a parsed file, every field checked; EditionError names the wrong one."""
    fields = root.table(
        ("name", "age", "colours", "collectibles", "switches", "track"),
        ("categories", "reconstructed"),
    )
    age = cast('Literal["year", "number"]', fields["age"].one_of(("year", "number")))
    track = fields["track"].table(("club_room", "castles", "banquet_fields"))
    return Edition(
        name=fields["name"].words(64),
        collectibles=_collectibles(fields["collectibles"], age),
        colours=_colours(fields["colours"]),
        club_room=_octagon(track["club_room"], *track["club_room"].items(2, 2)),
        castles=tuple(_castle(castle) for castle in track["castles"].items(1, 100)),
        banquet_fields=track["banquet_fields"].integer(1, 100),
        switches=_switches(fields["switches"]),
        age_word=age,
        categories=_categories(fields.get("categories")),
        reconstructed=_reconstructed(fields.get("reconstructed")),
    )


def age_word(ages: Iterable[int]) -> Literal["year", "number"]:
    """Return what an edition's ages are; its canonical form holds them without this word."""
    return "year" if max(ages, default=0) >= FIRST_YEAR else "number"


def _switches(field: Field) -> Switches:
    given = field.table(SWITCH_VALUES)
    choice = given["action_choice"].one_of(("staged", "together"))
    rank = given["detective_rank"].one_of(("after", "before"))
    return Switches(
        cast(ActionChoice, choice),
        given["detective_in_hall"].flag(),
        cast(DetectiveRank, rank),
    )


# Collectibles.


def _collectibles(field: Field, age: str) -> tuple[Collectible, ...]:
    found: dict[tuple[str, int], Field] = {}
    made = []
    most = 9999 if age == "year" else FIRST_YEAR - 1
    for item in field.items(MIN_COLLECTIBLES, MAX_COLLECTIBLES):
        given = item.table(("letter", age, "name"))
        letter, year = given["letter"].one_of(LETTERS), given[age].integer(1, most)
        if (letter, year) in found:
            twin = found[letter, year].name
            given[age].fail(EditionCode.TWIN, letter=letter, year=year, twin=twin)
        found[letter, year] = item
        made.append(Collectible(letter, year, _names(given["name"])))
    missing = [letter for letter in LETTERS if letter not in {c.letter for c in made}]
    if missing:
        field.fail(EditionCode.LETTERS, letters=tuple(missing))
    if age_word(c.year for c in made) != age:
        field.fail(EditionCode.NO_YEARS, least=FIRST_YEAR)
    return tuple(made)


def _names(field: Field) -> Mapping[str, str]:
    """Language code to name; whoever speaks a language that is missing is told the English one."""
    given = field.table(("en",), LANGUAGE_CODES)
    return {language: name.words() for language, name in given.items()}


def _categories(field: Field | None) -> Mapping[str, Mapping[str, str]]:
    if field is None:
        return {}
    return {letter: _names(names) for letter, names in field.table(LETTERS).items()}


def _reconstructed(field: Field | None) -> tuple[str, ...]:
    if field is None:
        return ()
    return tuple(item.one_of(RECONSTRUCTIBLE) for item in field.items(0, len(RECONSTRUCTIBLE)))


# Action cards.


def _colours(field: Field) -> tuple[Colour, ...]:
    made: dict[str, Colour] = {}
    cash: dict[int, Field] = {}
    thieves: dict[int, Field] = {}
    for item in field.items(len(COLOURS), len(COLOURS)):
        given = item.table(("name", "cash", "thieves"))
        name = given["name"].one_of(COLOURS)
        if name in made:
            given["name"].fail(EditionCode.COLOUR, colour=name)
        values = _distinct(given["cash"].items(4, 4), cash, 999)
        if sum(values) != CASH_SUM:
            given["cash"].fail(EditionCode.CASH, wanted=CASH_SUM, sum=sum(values))
        numbers = _distinct(given["thieves"].items(2, 2), thieves, 99)
        made[name] = Colour(
            name, cast("tuple[int, int, int, int]", values), cast("tuple[int, int]", numbers)
        )
    return tuple(made[name] for name in COLOURS)


def _distinct(items: Iterable[Field], seen: dict[int, Field], most: int) -> tuple[int, ...]:
    values = []
    for item in items:
        value = item.integer(1, most)
        if value in seen:
            item.fail(EditionCode.NUMBER, value=value, twin=seen[value].name)
        seen[value] = item
        values.append(value)
    return tuple(values)


# The track.


def _octagon(field: Field, larger: Field, smaller: Field) -> tuple[int, int]:
    first, second = larger.integer(1, 20), smaller.integer(1, 20)
    if first <= second:
        field.fail(EditionCode.OCTAGON, first=first, second=second)
    return first, second


def _castle(field: Field) -> Castle:
    larger, smaller, fields = field.items(3, 3)
    return Castle(*_octagon(field, larger, smaller), fields.integer(1, 20))
