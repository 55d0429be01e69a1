"""Typed reading of a parsed edition file: every wrong field becomes an error that names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from protocol import is_plain

from ..errors import Code, CodedError, Reason, Value, because
from .lines import Path, line_of


class EditionCode(Code):
    """What is wrong with a field of an edition, or with the whole; then where it stands.

    `value` is as Python writes it; `detail` is what the TOML reader says, which has no codes.
    """

    NO_CANONICAL = "no-canonical-form"
    NOT_CANONICAL = "not-canonical-form"
    UNREAD = "edition-unread", "why", "known"
    TOO_LARGE = "edition-too-large", "most"
    NO_TEXT = "edition-no-text"
    NO_TOML = "edition-no-toml", "detail"
    NO_TABLE = "no-table", "value"
    UNKNOWN_KEY = "unknown-key"
    MISSING = "missing-key"
    NO_ARRAY = "no-array", "value"
    NOT_SO_MANY = "not-so-many-items", "wanted", "number"
    NOT_BETWEEN = "not-between-items", "least", "most", "number"
    NO_WHOLE = "no-whole-number", "value"
    OUT_OF_BOUNDS = "number-out-of-bounds", "least", "most", "value"
    NO_FLAG = "no-truth-value", "value"
    NO_WORDS = "no-words", "value"
    BAD_WORDS = "bad-words", "most"
    NONE_OF = "none-of-the-words", "words", "value"
    TWIN = "collectible-twice", "letter", "year", "twin"
    LETTERS = "letters-without-collectible", "letters"
    NO_YEARS = "years-that-are-numbers", "least"
    COLOUR = "colour-twice", "colour"
    CASH = "cash-of-other-sum", "wanted", "sum"
    NUMBER = "number-twice", "value", "twin"
    OCTAGON = "octagon-upside-down", "first", "second"
    AT_FILE = "edition-file", "file", "why"
    AT_FIELD = "edition-field", "file", "field", "why"
    AT_LINE = "edition-line", "file", "line", "field", "why"


class EditionError(CodedError, ValueError):
    """An edition that cannot be used: which file, which field, which line, and why."""

    def __init__(self, file: str, why: Reason, field: str = "", line: int | None = None) -> None:
        self.file, self.field, self.line = file, field, line
        if not field:
            super().__init__(EditionCode.AT_FILE, file=file, why=why)
        elif line is None:
            super().__init__(EditionCode.AT_FIELD, file=file, field=field, why=why)
        else:
            super().__init__(EditionCode.AT_LINE, file=file, line=line, field=field, why=why)


def _key(name: str) -> str:
    """A key as it can be told: one that is no plain text in quotes and escapes."""
    return name if is_plain(name) else ascii(name)


@dataclass(frozen=True)
class Field:
    """A value in an edition file and where it stands."""

    file: str
    text: str
    path: Path
    value: object

    @property
    def name(self) -> str:
        """Its path in words, as in collectibles[3].year (the first is 1)."""
        parts = (f"[{p + 1}]" if isinstance(p, int) else f".{_key(p)}" for p in self.path)
        return "".join(parts).lstrip(".")

    def fail(self, code: EditionCode, at: Path | None = None, **fields: Value) -> NoReturn:
        """Raise an EditionError about this field, with the line of `at` (else its own)."""
        line = line_of(self.text, self.path if at is None else at)
        raise EditionError(self.file, because(code, **fields), self.name, line or None)

    def _part(self, part: str | int, value: object) -> Field:
        return Field(self.file, self.text, (*self.path, part), value)

    def table(self, required: Iterable[str], optional: Iterable[str] = ()) -> Mapping[str, Field]:
        """Its fields by key: all required keys, no unknown ones."""
        if not isinstance(self.value, dict):
            self.fail(EditionCode.NO_TABLE, value=repr(self.value))
        required, optional = tuple(required), tuple(optional)
        for key in self.value:
            if key not in required + optional:
                self._part(key, None).fail(EditionCode.UNKNOWN_KEY)
        for key in required:
            if key not in self.value:
                self._part(key, None).fail(EditionCode.MISSING, at=self.path)
        return {key: self._part(key, value) for key, value in self.value.items()}

    def items(self, least: int, most: int) -> tuple[Field, ...]:
        """Its items, so many of them."""
        if not isinstance(self.value, list):
            self.fail(EditionCode.NO_ARRAY, value=repr(self.value))
        number = len(self.value)
        if least == most != number:
            self.fail(EditionCode.NOT_SO_MANY, wanted=least, number=number)
        if not least <= number <= most:
            self.fail(EditionCode.NOT_BETWEEN, least=least, most=most, number=number)
        return tuple(self._part(i, value) for i, value in enumerate(self.value))

    def integer(self, least: int, most: int) -> int:
        """A whole number in bounds (a truth value is none)."""
        value = self.value
        if type(value) is not int:
            self.fail(EditionCode.NO_WHOLE, value=repr(value))
        if not least <= value <= most:
            self.fail(EditionCode.OUT_OF_BOUNDS, least=least, most=most, value=repr(value))
        return value

    def flag(self) -> bool:
        """true or false."""
        if not isinstance(self.value, bool):
            self.fail(EditionCode.NO_FLAG, value=repr(self.value))
        return self.value

    def words(self, most: int = 80) -> str:
        """A printable text that is not empty."""
        value = self.value
        if not isinstance(value, str):
            self.fail(EditionCode.NO_WORDS, value=repr(value))
        if not value or not is_plain(value) or len(value) > most:
            self.fail(EditionCode.BAD_WORDS, most=most)
        return value

    def one_of(self, allowed: Iterable[str]) -> str:
        """One of these words."""
        words = tuple(allowed)
        if self.value not in words:
            self.fail(EditionCode.NONE_OF, words=words, value=repr(self.value))
        return str(self.value)
