"""Editions as they travel in a table's header, and which shipped edition one says it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from protocol import Invalid, codec

from ..coded_errors import because
from ..confusable_names import twins
from ..rules.edition import SWITCH_VALUES, Edition
from .load_edition import MAX_BYTES, NAMES, EditionCode, EditionError, Field, age_word, build, load


@dataclass(frozen=True)
class Descent:
    """`original` is a shipped edition's name, or empty if it has a name of its own; `changes` are
    the parts in which it differs, in the order of `parts_of`."""

    original: str = ""
    changes: tuple[str, ...] = ()


@lru_cache(maxsize=32)
def descent(edition: Edition) -> Descent:
    """Whose name it bears, or one that looks like it, and what of that edition it changes."""
    for name in NAMES:
        if twins(name, edition.name):
            own, original = parts_of(edition), parts_of(load(name))
            return Descent(name, tuple(part for part in own if own[part] != original[part]))
    return Descent()


def parts_of(edition: Edition) -> dict[str, object]:
    """The parts in which editions may differ, in the order in which changes are told."""
    return {
        "name": edition.name,
        "collectibles": [(item.letter, item.year) for item in edition.collectibles],
        "cash": [(colour.name, colour.cash) for colour in edition.colours],
        "thieves": [(colour.name, colour.thieves) for colour in edition.colours],
        "track": (edition.club_room, edition.castles, edition.banquet_fields),
        **asdict(edition.switches),
    }


SOURCE = "edition"
"""What stands in an error for the file's name."""


def read_canonical(data: bytes) -> Edition:
    """The edition whose canonical bytes these are; EditionError if there is none ([G-1]).

    Names of Collectibles do not travel: see `known_edition`.
    """
    try:
        value = codec.decode(data, MAX_BYTES)
        root = _table(value)
    except (Invalid, ValueError, TypeError) as error:
        raise EditionError(SOURCE, because(EditionCode.NO_CANONICAL)) from error
    edition = build(Field(SOURCE, "", (), root))
    if edition.canonical() != data:
        raise EditionError(SOURCE, because(EditionCode.NOT_CANONICAL))
    return edition


def _table(value: Any) -> dict[str, Any]:
    name, collectibles, colours, (club_room, castles), banquet, switches = value
    pieces = [(letter, year) for letter, year in collectibles]
    age = age_word(year for _, year in pieces)
    return {
        "name": name,
        "age": age,
        "collectibles": [
            {"letter": letter, age: year, "name": {"en": f"{letter} {year}"}}
            for letter, year in pieces
        ],
        "colours": [
            {"name": colour, "cash": list(cash), "thieves": list(thieves)}
            for colour, cash, thieves in colours
        ],
        "track": {
            "club_room": list(club_room),
            "castles": [list(castle) for castle in castles],
            "banquet_fields": banquet,
        },
        "switches": dict(zip(SWITCH_VALUES, switches, strict=True)),
    }


@lru_cache(maxsize=8)
def _shipped(name: str) -> Edition:
    return load(name)


def known_edition(edition: Edition, *own: Edition) -> Edition:
    """The same edition with the names of a shipped one, or one of `own`, if all else agrees."""
    for known in (*own, *(_shipped(name) for name in NAMES)):
        if replace(known, switches=edition.switches) == edition:
            return replace(known, switches=edition.switches)
    return edition
