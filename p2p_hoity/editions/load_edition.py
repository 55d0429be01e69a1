"""Load an edition file, and check everything on which the rules rely ([G-1]).

Errors name the line of a field. A search in the text finds this line, because the parser, the
module `tomllib`, reports no lines. The path of a field is the keys and indices that lead to it. The
private functions for the search are given the text without comments and strings.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from string import ascii_lowercase
from typing import Any, Literal, NoReturn, cast

from protocol import is_one_name, is_plain

from ..coded_errors import Code, CodedError, Reason, Value, because, of_system
from ..confusable_names import is_stacked, twins
from ..pasted_text import bare, hyphenated, visible
from ..rules import LETTERS, Edition
from ..rules.edition import (
    MAX_COLOURS,
    MIN_COLOURS,
    SWITCH_VALUES,
    Castle,
    Collectible,
    Colour,
    Switches,
)
from ..storage.private_files import NAMED
from .toml_text import MOST_PARTS, long_key, marked_up, typographic, without_strings

Place = tuple[str | int, ...]

MOST_SHOWN = 100
"""The most characters of a wrong value or unknown key that an error shows."""


def line_of(text: str, path: Place) -> int | None:
    """Return the line of a field in the text of an edition file, from 1.

    If the field is not found, it is the line of the longest part of the path that is. None if that
    is nothing.
    """
    blank = without_strings(text)
    at: int | None = None
    for i, part in enumerate(path):
        following = _find(blank, at or 0, path[i - 1] if i else "", part)
        if following is None:
            break
        at = following
    return None if at is None else text.count("\n", 0, at) + 1


def _find(text: str, start: int, parent: str | int, part: str | int) -> int | None:
    """Return the position of one part of a path, a key or the index of an item, None if not found.

    Args:
        start: The position at which the search begins.
        parent: The part of the path before `part`. "" if `part` is the first one.
    """
    if isinstance(part, int):
        return _item(text, start, str(parent), part)
    if len(part) > MOST_SHOWN:  # No key of an edition. A pattern of this length takes seconds.
        return None
    key = re.escape(part)
    pattern = rf"^[ \t]*\[\[?[ \t]*(?P<table>{key})[ \t]*\]|(?<![\w-])(?P<key>{key})[ \t]*="
    match = re.compile(pattern, re.MULTILINE).search(text, start)
    return None if match is None else match.start(match.lastgroup or 0)


def _item(text: str, start: int, parent: str, index: int) -> int | None:
    """Return the position of an item of the array with the key `parent`, None if not found."""
    tables = re.finditer(rf"^[ \t]*\[\[[ \t]*{re.escape(parent)}[ \t]*\]\]", text, re.MULTILINE)
    headers = [match.end() for match in tables]
    if headers:
        return headers[index] if index < len(headers) else None
    opening = text.find("[", start)
    if opening < 0:
        return None
    return next((at for i, at in enumerate(_items(text, opening)) if i == index), None)


def _items(text: str, opening: int) -> Iterator[int]:
    """Find the positions of the items of the array whose bracket is at `opening`."""
    depth, fresh = 0, True
    for at in range(opening, len(text)):
        letter = text[at]
        if depth == 1 and fresh and letter not in " \t\r\n,]":
            yield at
            fresh = False
        depth += (letter in "[{") - (letter in "]}")
        if depth == 0:
            return
        fresh = fresh or (depth == 1 and letter == ",")


class EditionCode(Code):
    """Why an edition is wrong. The sentences name the file, the line and the key.

    In them, `{value}` is the value in the file as `_shown` shows it, and `{detail}` is the English
    message of the TOML parser.
    """

    NO_CANONICAL = "no-canonical-form", "is not an edition's canonical form"
    NOT_CANONICAL = "not-canonical-form", "is not in canonical form"
    UNREAD = "edition-unread", "cannot be read ({why}); give a file or one of: {known}"
    TOO_LARGE = (
        "edition-too-large",
        ("is larger than {most} bytes, which is too large for an edition"),
    )
    NO_TEXT = (
        "edition-no-text",
        (
            "is not UTF-8 text: line {line} has bytes of another encoding, such as Windows-1252 "
            "(ANSI); save the file as UTF-8"
        ),
    )
    UTF_16 = (
        "edition-utf-sixteen",
        (
            "is no UTF-8 text but UTF-16, which some editors call Unicode, or no text at all; save "
            "the file as UTF-8"
        ),
    )
    NO_TOML = "edition-no-toml", "is not valid TOML: {detail}"
    MARKED_UP = "edition-marked-up", "is {form} instead of TOML; save it as plain text, in UTF-8"
    TYPOGRAPHIC = (
        "edition-typographic",
        (
            "is not valid TOML: line {line} has {sign}, which word processors write in the place "
            "of a plain character; type the plain one, and save it as plain text"
        ),
    )
    LONG_KEY = (
        "edition-long-key",
        "has a key of more than {most} parts in line {line}, and no edition needs one; correct it",
    )
    NO_TABLE = "no-table", "must be a table, not {value}"
    UNKNOWN_KEY = "unknown-key", "unknown key; remove it or correct its spelling"
    MISSING = "missing-key", "is missing; add it"
    NO_ARRAY = "no-array", "must be an array, not {value}"
    NOT_SO_MANY = "not-so-many-items", "must have {wanted} items, not {number}"
    NOT_BETWEEN = "not-between-items", "must have {least} to {most} items, not {number}"
    NO_WHOLE = "no-whole-number", "must be a whole number, not {value}"
    OUT_OF_BOUNDS = "number-out-of-bounds", "must be from {least} to {most}, not {value}"
    NO_FLAG = "no-truth-value", "must be true or false, not {value}"
    NO_WORDS = "no-words", "must be a text, not {value}"
    BAD_WORDS = "bad-words", "must be 1 to {most} printable characters"
    BAD_NAME = (
        "edition-bad-name",
        "must be 1 to {most} printable characters, without a comma or a semicolon",
    )
    STACKED = (
        "edition-name-of-marks",
        "begins with an accent, or has too many of them on one letter; correct it",
    )
    ALIKE = (
        "edition-names-alike",
        "looks like {twin}, which is {other}; give the colours names that differ clearly",
    )
    NONE_OF = "none-of-the-words", "must be one of {words}, not {value}"
    TWIN = (
        "collectible-twice",
        ("{twin} already has {letter} {year}: no two Collectibles may be equal"),
    )
    LETTERS = (
        "letters-without-collectible",
        "no Collectible has letter {letters}; every letter needs one",
    )
    NO_YEARS = (
        "years-that-are-numbers",
        (
            'no Collectible has a year of {least} or later: write age = "number", and number '
            "instead of year"
        ),
    )
    COLOUR = "colour-twice", "{twin} already has this name; name each colour once"
    CASH = "cash-of-other-sum", "the four Cash cards must add up to {wanted} (thousand), not {sum}"
    NUMBER = "number-twice", "{twin} already has {value}; all must differ"
    OCTAGON = "octagon-upside-down", "an octagon is [larger, smaller], not [{first}, {second}]"
    AT_FILE = "edition-file", "{file}: {why}"
    AT_FIELD = "edition-field", "{file}: {field}: {why}"
    AT_LINE = "edition-line", "{file}, line {line}: {field}: {why}"


class EditionError(CodedError, ValueError):
    """An error: an edition cannot be used.

    Attributes:
        file: The name of the file.
        field: As in `collectibles[3].year`. Empty if the error is about the whole file.
        line: The line of the field, from 1. None if it is not known.
    """

    def __init__(self, file: str, why: Reason, field: str = "", line: int | None = None) -> None:
        self.file, self.field, self.line = file, field, line
        if not field:
            super().__init__(EditionCode.AT_FILE, file=file, why=why)
        elif line is None:
            super().__init__(EditionCode.AT_FIELD, file=file, field=field, why=why)
        else:
            super().__init__(EditionCode.AT_LINE, file=file, line=line, field=field, why=why)


def _key(name: str) -> str:
    """Return a key as errors show it. A key with unprintable characters is quoted and escaped."""
    return _cut(name if is_plain(name) else ascii(name))


def _cut(text: str) -> str:
    """Return the beginning of a text that may be as long as a whole file."""
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"


def _shown(value: object) -> str:
    """Return a value as errors show it, cut if it is long."""
    try:
        return _cut(repr(value))
    except (ValueError, RecursionError):  # An integer of more digits than Python shows.
        return "…"


def _sign(sign: str) -> str:
    """Return a character with its number and name in Unicode, without itself if nobody sees it."""
    named = f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".strip()
    return f"{sign} ({named})" if sign.isprintable() else named


@dataclass(frozen=True)
class Field:
    """A value in an edition file, with its position."""

    file: str
    text: str
    path: Place
    value: object

    @property
    def name(self) -> str:
        """The path of the field as text, such as collectibles[3].year. Items count from 1."""
        parts = (f"[{p + 1}]" if isinstance(p, int) else f".{_key(p)}" for p in self.path)
        return "".join(parts).lstrip(".")

    def fail(self, code: EditionCode, at: Place | None = None, **fields: Value) -> NoReturn:
        """Raise an error about this field, with the line of the field `at` (None for this one).

        Raises:
            EditionError: Always.
        """
        line = line_of(self.text, self.path if at is None else at)
        raise EditionError(self.file, because(code, **fields), self.name, line or None)

    def _part(self, part: str | int, value: object) -> Field:
        return Field(self.file, self.text, (*self.path, part), value)

    def table(self, required: Iterable[str], optional: Iterable[str] = ()) -> Mapping[str, Field]:
        """Return the fields of a TOML table by key.

        Raises:
            EditionError: If the value is no TOML table, a required key is missing, or there is an
                unknown key.
        """
        if not isinstance(self.value, dict):
            self.fail(EditionCode.NO_TABLE, value=_shown(self.value))
        required, optional = tuple(required), tuple(optional)
        for key in self.value:
            if key not in required + optional:
                self._part(key, None).fail(EditionCode.UNKNOWN_KEY)
        for key in required:
            if key not in self.value:
                self._part(key, None).fail(EditionCode.MISSING, at=self.path)
        return {key: self._part(key, value) for key, value in self.value.items()}

    def items(self, least: int, most: int) -> tuple[Field, ...]:
        """Return the items of an array.

        Raises:
            EditionError: If the value is no array, or has another number of items.
        """
        if not isinstance(self.value, list):
            self.fail(EditionCode.NO_ARRAY, value=_shown(self.value))
        number = len(self.value)
        if least == most != number:
            self.fail(EditionCode.NOT_SO_MANY, wanted=least, number=number)
        if not least <= number <= most:
            self.fail(EditionCode.NOT_BETWEEN, least=least, most=most, number=number)
        return tuple(self._part(i, value) for i, value in enumerate(self.value))

    def integer(self, least: int, most: int) -> int:
        """Return the value, which must be a whole number. True and False are not accepted.

        Raises:
            EditionError: If the value is no whole number, or out of these bounds.
        """
        value = self.value
        # Not `isinstance`, by which True is an int.
        if type(value) is not int:
            self.fail(EditionCode.NO_WHOLE, value=_shown(value))
        if not least <= value <= most:
            self.fail(EditionCode.OUT_OF_BOUNDS, least=least, most=most, value=_shown(value))
        return value

    def flag(self) -> bool:
        """Return the value, which must be true or false.

        Raises:
            EditionError: If the value is no truth value.
        """
        if not isinstance(self.value, bool):
            self.fail(EditionCode.NO_FLAG, value=_shown(self.value))
        return self.value

    def words(self, most: int = 80, in_list: bool = False) -> str:
        """Return the value, which must be a printable text that is not empty.

        Args:
            most: The most characters.
            in_list: Whether the text has to be one that can stand in a list of names ([H-10]).

        Raises:
            EditionError: If the value is no such text.
        """
        value = self.value
        if not isinstance(value, str):
            self.fail(EditionCode.NO_WORDS, value=_shown(value))
        is_sound, code = (
            (is_one_name, EditionCode.BAD_NAME) if in_list else (is_plain, EditionCode.BAD_WORDS)
        )
        if not value or not is_sound(value) or len(value) > most:
            self.fail(code, most=most)
        return value

    def one_of(self, allowed: Iterable[object]) -> str:
        """Return the value, which must be one of some words.

        Raises:
            EditionError: If the value is none of them.
        """
        words = tuple(allowed)
        if self.value not in words:
            self.fail(EditionCode.NONE_OF, words=words, value=_shown(self.value))
        return str(self.value)


DEFAULT = "uberplay-2004"
NAMES = (DEFAULT, "reference-manual")
CASH_SUM = 50
"""The sum of each colour's four Cash cards, in thousands."""
MIN_COLLECTIBLES, MAX_COLLECTIBLES = 24, 256
MAX_COLOUR_NAME = 24
"""The most characters of a colour's name: as many as a nickname, beside which it stands."""
MAX_BYTES = 1 << 20
FIRST_YEAR = 1000
"""An edition with years has at least one from this on. Numbers instead of years are lower."""
RECONSTRUCTIBLE = ("letters", "years", "names", "cash", "thieves", "track")


LANGUAGE_CODES = tuple(one + two for one in ascii_lowercase for two in ascii_lowercase)
"""All codes of two letters, as in ISO 639-1. An edition may have names in any language."""


def load(name_or_path: str | Path = DEFAULT) -> Edition:
    """Load a shipped edition by its name, or a file by its path.

    Raises:
        EditionError: If there is no such edition, or it is not valid. This is also a ValueError.
    """
    if isinstance(name_or_path, str) and name_or_path in NAMES:
        return _shipped(name_or_path)
    path = Path(name_or_path)
    if isinstance(name_or_path, str) and not NAMED.has(path):
        # Only if there is no such file, whose name may look like that of a shipped edition.
        name = hyphenated(bare(visible(name_or_path))).lower()
        if name in NAMES:
            return _shipped(name)
    return parse(_read(path), str(path))


@cache
def _shipped(name: str) -> Edition:
    source = resources.files(__package__) / f"{name}.toml"
    return parse(source.read_text(encoding="utf-8"), f"{name}.toml")


def _read(path: Path) -> str:
    """Return the text of an edition file."""
    try:
        # One byte more than may be, which shows that a file is too large without reading all of it.
        data = NAMED.get(path, MAX_BYTES + 1)
    except OSError as error:
        unread = because(EditionCode.UNREAD, why=of_system(error), known=NAMES)
        raise EditionError(str(path), unread) from error
    if len(data) > MAX_BYTES:
        raise EditionError(str(path), because(EditionCode.TOO_LARGE, most=MAX_BYTES))
    return _decoded(data, str(path))


def _decoded(data: bytes, file: str) -> str:
    """Return the bytes of an edition file as text, without a byte order mark.

    Each kind of line end becomes a newline, because TOML has no lone carriage return, by which old
    editors end a line.
    """
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in data:
        raise EditionError(file, because(EditionCode.UTF_16))
    data = data.removeprefix(BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = _with_newlines(data[: error.start].decode("utf-8")).count("\n") + 1
        raise EditionError(file, because(EditionCode.NO_TEXT, line=line)) from error
    return _with_newlines(text)


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse(text: str, file: str) -> Edition:
    """Parse the text of an edition file, which errors name as `file`.

    Raises:
        EditionError: If the text is no valid edition.
    """
    # Before the parser, whose message about such a text would help nobody.
    if (form := marked_up(text)) is not None:
        raise EditionError(file, because(EditionCode.MARKED_UP, form=form))
    # `tomllib` needs quadratic time and memory for such a key.
    if (line := long_key(text)) is not None:
        raise EditionError(file, because(EditionCode.LONG_KEY, most=MOST_PARTS, line=line))
    try:
        root = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # A huge number is a ValueError.
        why = because(EditionCode.NO_TOML, detail=str(error))
        if (odd := typographic(text, str(error))) is not None:
            why = because(EditionCode.TYPOGRAPHIC, line=odd[0], sign=_sign(odd[1]))
        raise EditionError(file, why) from error
    edition = build(Field(file, text, (), root))
    # Only here: canonical bytes are not checked so, because the verdict on a game must not depend
    # on a version of Unicode.
    _tell_apart(Field(file, text, ("colours",), root["colours"]))
    return edition


def build(root: Field) -> Edition:
    """Check all fields of a parsed edition file, the root first, and make the edition.

    Raises:
        EditionError: If a field is wrong. The error names the field.
    """
    fields = root.table(
        ("name", "age", "colours", "collectibles", "switches", "track"),
        ("categories", "reconstructed"),
    )
    age = cast('Literal["year", "number"]', fields["age"].one_of(("year", "number")))
    track = fields["track"].table(("club_room", "castles", "banquet_fields"))
    given = fields["switches"].table(SWITCH_VALUES)
    switches: dict[str, Any] = {
        name: field.flag() if name == "detective_in_hall" else field.one_of(SWITCH_VALUES[name])
        for name, field in given.items()
    }
    return Edition(
        name=fields["name"].words(64),
        collectibles=_collectibles(fields["collectibles"], age),
        colours=_colours(fields["colours"]),
        club_room=_octagon(track["club_room"], *track["club_room"].items(2, 2)),
        castles=tuple(_castle(castle) for castle in track["castles"].items(1, 100)),
        banquet_fields=track["banquet_fields"].integer(1, 100),
        switches=Switches(**switches),
        age_word=age,
        categories=_categories(fields.get("categories")),
        reconstructed=_reconstructed(fields.get("reconstructed")),
    )


def age_word(ages: Iterable[int]) -> Literal["year", "number"]:
    """Return whether the ages of an edition are years or numbers.

    The largest age tells it, because the canonical bytes of an edition do not say it.
    """
    return "year" if max(ages, default=0) >= FIRST_YEAR else "number"


# Collectibles


def _collectibles(field: Field, age: str) -> tuple[Collectible, ...]:
    """Return the Collectibles, each of which has its age under the key `age`."""
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
    """Return the names in a field, by language code. The English name is required."""
    given = field.table(("en",), LANGUAGE_CODES)
    return {language: name.words() for language, name in given.items()}


def _categories(field: Field | None) -> Mapping[str, Mapping[str, str]]:
    """Return the name of each letter's category of Collectibles, by letter and language code."""
    if field is None:
        return {}
    return {letter: _names(names) for letter, names in field.table(LETTERS).items()}


def _reconstructed(field: Field | None) -> tuple[str, ...]:
    """Return the names of the parts of an edition that come from no printed edition."""
    if field is None:
        return ()
    return tuple(item.one_of(RECONSTRUCTIBLE) for item in field.items(0, len(RECONSTRUCTIBLE)))


# Action cards


def _colours(field: Field) -> tuple[Colour, ...]:
    """Return the Action cards of each colour, in the order of the file."""
    made: dict[str, Colour] = {}
    names: dict[str, Field] = {}
    cash: dict[int, Field] = {}
    thieves: dict[int, Field] = {}
    for item in field.items(MIN_COLOURS, MAX_COLOURS):
        given = item.table(("name", "cash", "thieves"))
        name = given["name"].words(MAX_COLOUR_NAME, in_list=True)
        if name in names:
            given["name"].fail(EditionCode.COLOUR, twin=names[name].name)
        names[name] = given["name"]
        values = _distinct(given["cash"].items(4, 4), cash, 999)
        if sum(values) != CASH_SUM:
            given["cash"].fail(EditionCode.CASH, wanted=CASH_SUM, sum=sum(values))
        numbers = _distinct(given["thieves"].items(2, 2), thieves, 99)
        made[name] = Colour(
            name, cast("tuple[int, int, int, int]", values), cast("tuple[int, int]", numbers)
        )
    return tuple(made.values())


def _tell_apart(field: Field) -> None:
    """Check that people can read the names of the colours and tell them apart ([H-11])."""
    names = [
        item.table(("name", "cash", "thieves"))["name"] for item in field.items(0, MAX_COLOURS)
    ]
    for i, name in enumerate(names):
        if is_stacked(str(name.value)):
            name.fail(EditionCode.STACKED)
        for other in names[:i]:
            if twins(str(other.value), str(name.value)):
                name.fail(EditionCode.ALIKE, twin=other.name, other=_shown(other.value))


def _distinct(items: Iterable[Field], seen: dict[int, Field], most: int) -> tuple[int, ...]:
    """Return the whole numbers of some fields. Fail if the edition has used a number before.

    `seen` has the field in which each earlier number stands. The new numbers are added.
    """
    values = []
    for item in items:
        value = item.integer(1, most)
        if value in seen:
            item.fail(EditionCode.NUMBER, value=value, twin=seen[value].name)
        seen[value] = item
        values.append(value)
    return tuple(values)


# The track


def _octagon(field: Field, larger: Field, smaller: Field) -> tuple[int, int]:
    """Return the two numbers of the octagon `field`, of which the first must be the larger one."""
    first, second = larger.integer(1, 20), smaller.integer(1, 20)
    if first <= second:
        field.fail(EditionCode.OCTAGON, first=first, second=second)
    return first, second


def _castle(field: Field) -> Castle:
    """Return the Castle that an array of three ints describes, in the order of its attributes."""
    larger, smaller, fields = field.items(3, 3)
    return Castle(*_octagon(field, larger, smaller), fields.integer(1, 20))
