"""End notices: a signed notice of a seat that the table has ended for it. No file holds any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..crypto import identities
from ..crypto.hashing import Label
from ..errors import Invalid
from . import encoding
from .faults import FAULTS
from .fields import Raw
from .header import MAX_SEATS

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


def _payload(table: bytes, seat: int, reason: str, about: int | None) -> bytes:
    return encoding.encode((table, seat, reason, about))


def sign(
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
    signature = who.sign(Label.END, _payload(table, seat, reason, about))
    return EndNotice(seat, reason, about, signature)


def check(notice: EndNotice, table: bytes, ids: Sequence[bytes]) -> None:
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
    data = _payload(table, notice.seat, notice.reason, notice.about)
    identities.verify_signature(ids[notice.seat], Label.END, data, notice.signature)


def read(raw: Raw) -> EndNotice:
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
