"""The errors that input from a peer turns into: a code, a note for developers, and the place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldPlace:
    """Where in a body something is wrong. It is for people, and nothing agreed on rests on it.

    Attributes:
        field: the name that section 7 of SPEC.md gives to a field of the body.
        index: which item of the field, from 0; None if it is the field as a whole.
    """

    field: str
    index: int | None = None

    def __str__(self) -> str:
        return self.field if self.index is None else f"{self.field}[{self.index}]"


class Invalid(ValueError):
    """Bytes that break the protocol. `code` is a fixed kebab-case word, `reason` is for people.

    The code can be compared and sent; the reason holds no secret and no bytes of the input. `place`
    says where in a body it is, if it is in a field of one.
    """

    def __init__(self, code: str, reason: str, place: FieldPlace | None = None) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.place = place


class OtherVersion(Invalid):
    """The terms are of another version of the protocol: `theirs` as they say it, and `ours`."""

    def __init__(self, theirs: str, ours: str) -> None:
        super().__init__("bad-header", f"the table speaks {theirs!r}, this is {ours!r}")
        self.theirs, self.ours = theirs, ours


@contextmanager
def within(field: str, index: int | None = None) -> Iterator[None]:
    """Name the field of a body in which something inside is Invalid.

    Args:
        field: its name.
        index: which item of it; None if it is the field as a whole, or the error has its own index.
    """
    try:
        yield
    except Invalid as error:
        if error.place is None or not error.place.field:
            own = None if error.place is None else error.place.index
            error.place = FieldPlace(field, own if index is None else index)
        raise


@contextmanager
def coded(code: str) -> Iterator[None]:
    """Give every Invalid that is raised inside this code in place of its own.

    Args:
        code: The code of what the values inside are part of.
    """
    try:
        yield
    except Invalid as error:
        raise Invalid(code, error.reason, error.place) from error
