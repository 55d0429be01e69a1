"""Errors and reasons with codes, their English templates and exit codes.

Nothing is translated here. `cli/words` looks the templates up in its catalogues. `str` of an error
is for developers, such as `ticket-letters-missing number=3`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from protocol import Invalid

NOT_OK: Final = 1
USAGE: Final = 2
NETWORK: Final = 3
"""What a command ends with: the game, table or transcript is not ok; it was told something that
cannot be; the network failed."""


class Code(StrEnum):
    """A closed set of codes, each a word in kebab case.

    Attributes:
        template: What it means, in English. The gaps are the fields that belong to the code.
        exit_code: What a command ends with that fails for this reason.
    """

    template: str
    exit_code: int

    def __new__(cls, word: str, template: str, exit_code: int | None = None) -> Code:
        """Make a member. It equals, and is written as, its word."""
        code = str.__new__(cls, word)
        code._value_ = word
        code.template = template
        code.exit_code = cls.usual_exit() if exit_code is None else exit_code
        return code

    @classmethod
    def usual_exit(cls) -> int:
        """Return the exit code of members that name none."""
        return USAGE

    @property
    def fields(self) -> frozenset[str]:
        """The names of the fields that belong to it."""
        return frozenset(GAP.findall(self.template))


GAP: Final = re.compile(r"\{(\w+)\}")


class NetworkCode(Code):
    """Codes of a network that fails."""

    @classmethod
    def usual_exit(cls) -> int:
        """Return the exit code of members that name none."""
        return NETWORK


Value = Any
"""A field: text, a number, a `Reason` that is the cause, or a tuple of these."""


@dataclass(frozen=True)
class Reason:
    """Why something is so: a `Code` or a code of `protocol`, and what belongs to it."""

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
    return Reason(code, fields)


class CodedError(Exception):
    """The base of all errors of this floor: one of its class's codes, with the code's fields."""

    def __init__(self, code: Code, **fields: Value) -> None:
        self.code, self.reason, self.fields = code, because(code, **fields), fields
        super().__init__(str(self.reason))


def installing(*packages: str) -> str:
    """Return the command that installs packages where this program finds them, however it came
    there itself."""
    import subprocess

    return subprocess.list2cmdline([sys.executable, "-m", "pip", "install", *packages])


class SystemCode(Code):
    """What the operating system says."""

    REFUSED = "system-refused", "the system refused"
    NUMBERED = "system-error", "{number}"
    NO_REGULAR_FILE = "no-regular-file", "it is not a regular file"


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
