"""The base classes of errors and reasons that carry a code instead of a sentence.

A code has an English template, which `cli/words` translates. It also has an exit code for commands
that fail with this code. The `str` of an error is for developers, such as
`ticket-letters-missing number=3`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from protocol import Invalid

NOT_OK: Final = 1
"""The exit code of a command that fails because a game, table or transcript is not valid."""
USAGE: Final = 2
"""The exit code of a command that fails because of its arguments or its input."""
NETWORK: Final = 3
"""The exit code of a command that fails because of the network."""


class Code(StrEnum):
    """A set of codes. A member is equal to its code, a word in kebab case.

    Attributes:
        template: What the code means, in English, with gaps such as `{number}` for its fields.
        exit_code: The exit code of a command that fails for this reason.
    """

    template: str
    exit_code: int

    def __new__(cls, word: str, template: str, exit_code: int | None = None) -> Code:
        """Make one code, with the usual exit code of the set if none is given."""
        code = str.__new__(cls, word)
        code._value_ = word
        code.template = template
        code.exit_code = cls.usual_exit() if exit_code is None else exit_code
        return code

    @classmethod
    def usual_exit(cls) -> int:
        """Return the exit code of members that are made without one."""
        return USAGE

    @property
    def fields(self) -> frozenset[str]:
        """The names of the fields that belong to the code."""
        return frozenset(GAP.findall(self.template))


GAP: Final = re.compile(r"\{(\w+)\}")


class NetworkCode(Code):
    """A set of codes for failures of the network."""

    @classmethod
    def usual_exit(cls) -> int:
        """Return the exit code of the network."""
        return NETWORK


Value = Any
"""A field of a code: text, a number, a `Reason` that is the cause, or a tuple of these."""


@dataclass(frozen=True)
class Reason:
    """A `Code`, or a code of the package `protocol`, with its fields."""

    code: str
    fields: Mapping[str, Value] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        told = (f"{name}={_plain(value)}" for name, value in self.fields.items())
        return " ".join((str(self.code), *told))


def _plain(value: Value) -> str:
    """Return the value of a field as text for developers."""
    if isinstance(value, Reason):
        return f"({value})"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plain, value))}]"
    # In ASCII, since the text may come from others and be full of control characters.
    return ascii(value) if isinstance(value, str) else str(value)


def because(code: Code, **fields: Value) -> Reason:
    """Make a reason of a code and its fields."""
    return Reason(code, fields)


class CodedError(Exception):
    """An error with a code. It is the base class of the errors of `p2p_hoity`."""

    def __init__(self, code: Code, **fields: Value) -> None:
        self.code, self.reason, self.fields = code, because(code, **fields), fields
        super().__init__(str(self.reason))


class SystemCode(Code):
    """Why the operating system has refused something."""

    REFUSED = "system-refused", "the system refused"
    NUMBERED = "system-error", "{number}"
    NO_REGULAR_FILE = "no-regular-file", "it is not a regular file"


class NotRegularError(OSError):
    """An error: a file is a device, a pipe or a folder."""


def of_system(error: OSError) -> Reason:
    """Return an error of the operating system as a reason, by its number (errno) if it has one."""
    if isinstance(error, NotRegularError):
        return because(SystemCode.NO_REGULAR_FILE)
    # Without a number its text is all there is, and that may be in any language.
    if not error.errno:
        return because(SystemCode.REFUSED)
    return because(SystemCode.NUMBERED, number=error.errno)


def of_protocol(error: Invalid) -> Reason:
    """Return an error of the package `protocol` as a reason, without fields."""
    return Reason(error.code)
