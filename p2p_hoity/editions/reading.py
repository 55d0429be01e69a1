"""Typed reading of a parsed edition file: every wrong field becomes an error that names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from protocol.wire.text import is_plain

from .lines import Path, line_of


class EditionError(ValueError):
    """An edition that cannot be used: which file, which field, which line, and what to do."""

    def __init__(self, file: str, field: str, line: int | None, what: str) -> None:
        where = f"{file}, line {line}" if line else file
        super().__init__(f"{where}: {field}: {what}" if field else f"{where}: {what}")
        self.file = file
        self.field = field
        self.line = line


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

    def fail(self, what: str, at: Path | None = None) -> NoReturn:
        """Raise an EditionError about this field, with the line of `at` (else its own)."""
        line = line_of(self.text, self.path if at is None else at)
        raise EditionError(self.file, self.name, line, what)

    def _part(self, part: str | int, value: object) -> Field:
        return Field(self.file, self.text, (*self.path, part), value)

    def table(self, required: Iterable[str], optional: Iterable[str] = ()) -> Mapping[str, Field]:
        """Its fields by key: all required keys, no unknown ones."""
        if not isinstance(self.value, dict):
            self.fail(f"must be a table, not {self.value!r}")
        required, optional = tuple(required), tuple(optional)
        for key in self.value:
            if key not in required + optional:
                self._part(key, None).fail("unknown key; remove it or correct its spelling")
        for key in required:
            if key not in self.value:
                self._part(key, None).fail("is missing; add it", at=self.path)
        return {key: self._part(key, value) for key, value in self.value.items()}

    def items(self, least: int, most: int) -> tuple[Field, ...]:
        """Its items, so many of them."""
        if not isinstance(self.value, list):
            self.fail(f"must be an array, not {self.value!r}")
        if not least <= len(self.value) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            self.fail(f"must have {wanted} items, not {len(self.value)}")
        return tuple(self._part(i, value) for i, value in enumerate(self.value))

    def integer(self, least: int, most: int) -> int:
        """A whole number in bounds (a truth value is none)."""
        value = self.value
        if type(value) is not int:
            self.fail(f"must be a whole number, not {value!r}")
        if not least <= value <= most:
            self.fail(f"must be from {least} to {most}, not {value}")
        return value

    def flag(self) -> bool:
        """true or false."""
        if not isinstance(self.value, bool):
            self.fail(f"must be true or false, not {self.value!r}")
        return self.value

    def words(self, most: int = 80) -> str:
        """A printable text that is not empty."""
        value = self.value
        if not isinstance(value, str):
            self.fail(f"must be a text, not {value!r}")
        if not value or not is_plain(value) or len(value) > most:
            self.fail(f"must be 1 to {most} printable characters")
        return value

    def one_of(self, allowed: Iterable[str]) -> str:
        """One of these words."""
        words = tuple(allowed)
        if self.value not in words:
            self.fail(f"must be one of {', '.join(words)}, not {self.value!r}")
        return str(self.value)
