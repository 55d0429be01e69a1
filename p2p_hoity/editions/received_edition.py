"""Reading an edition of the game from a table's header, and comparing it with shipped editions.

An edition is the data of one form of the board game, such as its cards and its score track.
"""

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
    """The difference between an edition and the shipped edition of the same or a similar name.

    Attributes:
        original: The name of the shipped edition. Empty if there is no such edition.
        changes: The names of the parts that differ, in the order of `parts_of`.
    """

    original: str = ""
    changes: tuple[str, ...] = ()


@lru_cache(maxsize=32)
def descent(edition: Edition) -> Descent:
    """Compare an edition with the shipped one of the same name, or of a name that looks alike."""
    for name in NAMES:
        if twins(name, edition.name):
            own, original = parts_of(edition), parts_of(load(name))
            return Descent(name, tuple(part for part in own if own[part] != original[part]))
    return Descent()


def parts_of(edition: Edition) -> dict[str, object]:
    """Return the parts in which editions may differ, in the order in which changes are shown."""
    return {
        "name": edition.name,
        "collectibles": [(item.letter, item.year) for item in edition.collectibles],
        "colours": [colour.name for colour in edition.colours],
        "cash": [colour.cash for colour in edition.colours],
        "thieves": [colour.thieves for colour in edition.colours],
        "track": (edition.club_room, edition.castles, edition.banquet_fields),
        **asdict(edition.switches),
    }


SOURCE = "edition"
"""The word that errors show instead of the name of a file."""


def read_canonical(data: bytes) -> Edition:
    """Read an edition from its canonical bytes, which contain no names of Collectibles ([G-1]).

    Raises:
        EditionError: If the bytes are no valid edition, or not in canonical form.
    """
    try:
        value = codec.decode(data, MAX_BYTES)
        root = _table(value)
    except (Invalid, ValueError, TypeError) as error:
        raise EditionError(SOURCE, because(EditionCode.NO_CANONICAL)) from error
    edition = build(Field(SOURCE, "", (), root))
    # One edition has one encoding, so that terms with equal rules have equal digests.
    if edition.canonical() != data:
        raise EditionError(SOURCE, because(EditionCode.NOT_CANONICAL))
    return edition


def _table(value: Any) -> dict[str, Any]:
    """Turn the decoded canonical form of an edition into the tables of an edition file."""
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


def known_edition(edition: Edition, *own: Edition) -> Edition:
    """Give an edition the names of its Collectibles, if a known one differs only in the switches.

    The editions `own` are tried before the shipped ones. Editions are equal whatever their names.
    """
    for known in (*own, *(load(name) for name in NAMES)):
        if replace(known, switches=edition.switches) == edition:
            return replace(known, switches=edition.switches)
    return edition
