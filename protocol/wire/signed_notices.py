"""Signed notices that stand in no chain and no file: leaves, returns and end notices.

SPEC: [E-24], [E-28], [E-29], [E-30], [L-23].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..bounds import Quota
from ..crypto import identities
from ..crypto.hashing import Label
from ..errors import Invalid
from ..fault_codes import FAULTS
from . import codec
from .codec import Raw
from .signed_messages import MAX_EPOCH, MAX_STEP
from .table_header import MAX_SEATS

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


def _leave_payload(table: bytes, said: tuple[Any, ...]) -> bytes:
    return codec.encode((table, *said))


def sign_leave(
    who: identities.Identity,
    table: bytes,
    seat: int,
    number: int,
    epoch: int,
    step: int,
    on: bytes,
) -> Leave:
    """A leave of one's own."""
    data = _leave_payload(table, (seat, number, epoch, step, on))
    return Leave(seat, number, epoch, step, on, who.sign(Label.LEAVE, data))


def check_leave(leave: Leave, table: bytes, ids: Sequence[bytes]) -> None:
    """Invalid unless its seat sits at this table ('bad-frame') and has signed it
    ('bad-signature'); neither says anything of that seat.

    SPEC: [L-23].
    """
    if leave.seat >= len(ids):
        raise Invalid("bad-frame", "a leave is of no seat of this table")
    data = _leave_payload(table, _said(leave))
    identities.verify_signature(ids[leave.seat], Label.LEAVE, data, leave.signature)


def read_leave(raw: Raw) -> Leave:
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


OVER: Final = "over"
"""The reason of a seat that holds a final end."""
SILENT_SEAT: Final = "silent-seat"
SEAT_LEFT: Final = "seat-left"
DEAD_KEYS: Final = "dead-keys"
REASONS: Final = frozenset({OVER, SILENT_SEAT, SEAT_LEFT, DEAD_KEYS, *FAULTS})
"""The reasons that a notice may give ([L-27])."""


@dataclass(frozen=True)
class EndNotice:
    """A seat's signed statement that it holds a final end, or that it ended the table in setup.

    Attributes:
        seat: The seat that signs.
        reason: OVER for a final end. Otherwise the code by which the seat ended the table.
        about: The seat that the code is about, as the signer has it. None if there is none.
        signature: The signature of `seat`, 64 bytes.

    SPEC: [E-29], [E-30].
    """

    seat: int
    reason: str
    about: int | None
    signature: bytes = field(repr=False)

    @property
    def is_over(self) -> bool:
        """Whether the signer holds a final end."""
        return self.reason == OVER

    @property
    def fields(self) -> tuple[Any, ...]:
        """The fields behind the kind in its frame."""
        return self.seat, self.reason, self.about, self.signature


def _end_notice_payload(table: bytes, seat: int, reason: str, about: int | None) -> bytes:
    return codec.encode((table, seat, reason, about))


def sign_end_notice(
    who: identities.Identity, table: bytes, seat: int, reason: str, about: int | None = None
) -> EndNotice:
    """Sign an end notice.

    Args:
        who: The identity of the seat.
        table: The table id, 32 bytes.
        seat: The number of the seat.
        reason: OVER, or the code by which the table ended.
        about: The seat that the code is about, if any.

    Returns:
        The signed notice.
    """
    signature = who.sign(Label.END, _end_notice_payload(table, seat, reason, about))
    return EndNotice(seat, reason, about, signature)


def check_end_notice(notice: EndNotice, table: bytes, ids: Sequence[bytes]) -> None:
    """Check that a notice is of this table and signed by its seat.

    Args:
        notice: The notice as it was read.
        table: The table id, 32 bytes.
        ids: The ids of the seats, 32 bytes each.

    Raises:
        Invalid: If no such seats are at the table, or if OVER is about a seat ('bad-frame'). If
            the signature does not hold ('bad-signature'). Neither says anything of that seat.

    SPEC: [L-27].
    """
    if max(notice.seat, notice.about or 0) >= len(ids):
        raise Invalid("bad-frame", "an end notice is of no seat of this table")
    if notice.is_over and notice.about is not None:
        raise Invalid("bad-frame", "a final end is about no seat")
    data = _end_notice_payload(table, notice.seat, notice.reason, notice.about)
    identities.verify_signature(ids[notice.seat], Label.END, data, notice.signature)


def read_end_notice(raw: Raw) -> EndNotice:
    """Read the notice in a frame's fields.

    Raises:
        Invalid: If a field has another form ('bad-frame').
    """
    _, seat, reason, about, signature = raw.row(
        "its kind", "the seat", "the reason", "the seat it is about", "the signature"
    )
    text = reason.text()
    raw.need(text in REASONS, "has a reason of no known kind")
    return EndNotice(
        seat.integer(MAX_SEATS - 1),
        text,
        None if about.value is None else about.integer(MAX_SEATS - 1),
        signature.octets(64),
    )
