"""Errors and reasons above `protocol`: codes with fields.

No sentence is written here, or anywhere on this floor; `cli/words` has one for each code. What
`str` gives is for developers, as in `ticket-letters-missing missing=3`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from protocol import Invalid


class Code(StrEnum):
    """A closed set of codes: each member has a kebab-case word and the names of its fields."""

    fields: tuple[str, ...]

    def __new__(cls, word: str, *fields: str) -> Code:
        """The word is the value; it equals, and is written as, a plain text."""
        code = str.__new__(cls, word)
        code._value_ = word
        code.fields = fields
        return code


Value = Any
"""A field: text, a number, a `Reason` that is the cause, or a tuple of these."""


@dataclass(frozen=True)
class Reason:
    """Why something is so: a code, and what belongs to it."""

    code: str
    fields: Mapping[str, Value] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        told = (f"{name}={_plain(value)}" for name, value in self.fields.items())
        return " ".join((str(self.code), *told))


def _plain(value: Value) -> str:
    if isinstance(value, Reason):
        return f"({value})"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plain, value))}]"
    return ascii(value) if isinstance(value, str) else str(value)


def because(code: Code, **fields: Value) -> Reason:
    """A reason of one of our codes."""
    return Reason(code.value, fields)


class CodedError(Exception):
    """The base of all errors of this floor: one of its class's codes, with the code's fields."""

    def __init__(self, code: Code, **fields: Value) -> None:
        self.reason = because(code, **fields)
        super().__init__(str(self.reason))

    @property
    def code(self) -> str:
        """The word of the code."""
        return self.reason.code

    @property
    def fields(self) -> Mapping[str, Value]:
        """What belongs to it."""
        return self.reason.fields


def installing(*packages: str) -> str:
    """Return the command that installs packages where this program finds them, however it came
    there itself."""
    import subprocess

    return subprocess.list2cmdline([sys.executable, "-m", "pip", "install", *packages])


class SystemCode(Code):
    """What the operating system says."""

    REFUSED = "system-refused"
    NUMBERED = "system-error", "number"
    NO_REGULAR_FILE = "no-regular-file"


class NotRegularError(OSError):
    """Where a file of ours should be there is a device, a pipe or a folder."""


def of_system(error: OSError) -> Reason:
    """Why the system refused, by its own number (errno)."""
    if isinstance(error, NotRegularError):
        return because(SystemCode.NO_REGULAR_FILE)
    if not error.errno:
        return because(SystemCode.REFUSED)
    return because(SystemCode.NUMBERED, number=error.errno)


def of_protocol(error: Invalid) -> Reason:
    """Why bytes of a peer were refused: a code of `protocol`."""
    return Reason(error.code)
