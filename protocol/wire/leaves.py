"""The word of a seat that leaves for now, or is back: signed, and in no chain or file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..bounds import Quota
from ..crypto import identities
from ..crypto.hashing import Label
from ..errors import Invalid
from . import encoding
from .fields import Raw
from .messages import MAX_EPOCH, MAX_STEP

MAX_NUMBER: Final[Quota] = 254
"""The highest number: so often others pass on what one seat says of leaving at one table."""


@dataclass(frozen=True)
class Leave:
    """From this step of this epoch on, on the chain through the digest `on`, I say nothing; or,
    by an even number, I am here again.

    `number` counts these words of the seat at this table, from 1. The step is the one that stands
    behind `on`, or the next if the seat has spoken there. Nothing names it, and no two of them
    contradict each other.

    SPEC: [E-24], [E-28].
    """

    seat: int
    number: int
    epoch: int
    step: int
    on: bytes
    signature: bytes = field(repr=False)

    @property
    def says_back(self) -> bool:
        """Whether it ends the leave before it ([E-28])."""
        return self.number % 2 == 0

    @property
    def fields(self) -> tuple[Any, ...]:
        """What stands behind the kind in its frame."""
        return *_said(self), self.signature


def _said(leave: Leave) -> tuple[Any, ...]:
    return leave.seat, leave.number, leave.epoch, leave.step, leave.on


def _payload(table: bytes, said: tuple[Any, ...]) -> bytes:
    return encoding.encode((table, *said))


def sign(
    who: identities.Identity,
    table: bytes,
    seat: int,
    number: int,
    epoch: int,
    step: int,
    on: bytes,
) -> Leave:
    """A leave of one's own."""
    data = _payload(table, (seat, number, epoch, step, on))
    return Leave(seat, number, epoch, step, on, who.sign(Label.LEAVE, data))


def check(leave: Leave, table: bytes, ids: Sequence[bytes]) -> None:
    """Invalid unless its seat sits at this table ('bad-frame') and has signed it
    ('bad-signature'); neither says anything of that seat.

    SPEC: [L-23].
    """
    if leave.seat >= len(ids):
        raise Invalid("bad-frame", "a leave is of no seat of this table")
    data = _payload(table, _said(leave))
    identities.verify_signature(ids[leave.seat], Label.LEAVE, data, leave.signature)


def read(raw: Raw) -> Leave:
    """The leave in a frame's fields; raises Invalid ('bad-frame')."""
    _, seat, number, epoch, step, on, signature = raw.row(
        "its kind", "the seat", "the number", "the epoch", "the step", "the chain", "the signature"
    )
    return Leave(
        seat.integer(15),
        number.integer(MAX_NUMBER, 1),
        epoch.integer(MAX_EPOCH),
        step.integer(MAX_STEP, 1),
        on.octets(32),
        signature.octets(64),
    )
