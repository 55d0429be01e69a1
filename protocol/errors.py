"""Errors about what a peer has sent: a code, a note for developers, and the place of the error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldPlace:
    """The place of an error in a body. It is only shown to people, and no decision rests on it.

    Attributes:
        field: The name that section 7 of SPEC.md gives to a field of the body.
        index: The index of the item in the field, from 0. None for the field as a whole.
    """

    field: str
    index: int | None = None

    def __str__(self) -> str:
        return self.field if self.index is None else f"{self.field}[{self.index}]"


class Invalid(ValueError):
    """Bytes that break the protocol.

    Attributes:
        code: A fixed word in kebab case, which can be compared and sent.
        reason: A note for developers. It contains no secret and no bytes of the input.
        place: The place of the error in a body, None if it is in no field of one.
    """

    def __init__(self, code: str, reason: str, place: FieldPlace | None = None) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.place = place


class OtherVersion(Invalid):
    """The terms are of another version of the protocol.

    Attributes:
        theirs: The version that the terms name.
        ours: The version of this program.
    """

    def __init__(self, theirs: str, ours: str) -> None:
        super().__init__("bad-header", f"the table speaks {theirs!r}, this is {ours!r}")
        self.theirs, self.ours = theirs, ours


@contextmanager
def within(field: str, index: int | None = None) -> Iterator[None]:
    """Name the field of a body that is read in a `with` block, in every Invalid raised there.

    Args:
        field: The name of the field.
        index: The index of the item in it. None for the field as a whole, or if the error has its
            own index.

    Yields:
        Nothing, once.
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
    """Give every Invalid that is raised in a `with` block another code.

    Args:
        code: The code of the value that contains the invalid one.

    Yields:
        Nothing, once.

    Raises:
        Invalid: If one was raised in the block, with the same note and place.
    """
    try:
        yield
    except Invalid as error:
        raise Invalid(code, error.reason, error.place) from error
