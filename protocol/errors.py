"""Errors in data that a peer has sent: a code, a note for developers, and the faulty field."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldPlace:
    """The field of a body in which an error is. It is shown to people and decides nothing.

    Attributes:
        field: The name that section 7 of SPEC.md gives to a field of the body.
        index: The index of the item in the field, from 0. None for the field as a whole.
    """

    field: str
    index: int | None = None

    def __str__(self) -> str:
        return self.field if self.index is None else f"{self.field}[{self.index}]"


class Invalid(ValueError):
    """The error that bytes break the protocol.

    Attributes:
        code: A fixed word in kebab case, which can be compared and sent.
        reason: A note for developers. It contains no secret and no bytes of the input.
        place: The field of a body in which the error is, None if it is not in one field.
    """

    def __init__(self, code: str, reason: str, place: FieldPlace | None = None) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.place = place


class OtherVersion(Invalid):
    """The error that a table's terms are of another version of the protocol.

    Attributes:
        theirs: The version that the terms name.
        ours: The version of this program.
    """

    def __init__(self, theirs: str, ours: str) -> None:
        super().__init__("bad-header", f"the table speaks {theirs!r}, this is {ours!r}")
        self.theirs, self.ours = theirs, ours


@contextmanager
def within(field: str, index: int | None = None) -> Iterator[None]:
    """Add the name of a body's field to every Invalid that is raised in a `with` block.

    Args:
        index: The index of the item in the field. None for the field as a whole, or if the raised
            error has its own index.
    """
    try:
        yield
    except Invalid as error:
        # The innermost block knows the field best.
        if error.place is None or not error.place.field:
            own = None if error.place is None else error.place.index
            error.place = FieldPlace(field, own if index is None else index)
        raise


@contextmanager
def coded(code: str) -> Iterator[None]:
    """Give every Invalid that is raised in a `with` block another code.

    Raises:
        Invalid: If an Invalid was raised in the block, with the same note and place.
    """
    try:
        yield
    except Invalid as error:
        raise Invalid(code, error.reason, error.place) from error
