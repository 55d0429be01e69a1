"""Signed notices that stand in no chain and no file: leaves, returns and end notices.

SPEC: [E-24], [E-28], [E-29], [E-30], [L-23].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Final, TypeVar

from ..bounds import Quota
from ..crypto import identities
from ..crypto.hashing import Label
from ..errors import Invalid
from ..fault_codes import FAULTS
from . import codec
from .codec import Int, Octets64, Text
from .signed_messages import Digest, StartEpoch, Step
from .table_header import Seat

MAX_NUMBER: Final[Quota] = 254
"""The highest number: so often others pass on what one seat says of leaving at one table."""


@dataclass(frozen=True)
class Departure:
    """A signed notice of a seat that it leaves for now or, by an even number, that it is back.

    No message refers to it, and no two of them contradict each other.

    Attributes:
        seat: The seat.
        number: How many such notices the seat has signed at this table, this one included.
        epoch: The epoch in which it leaves.
        step: The first step to which it gives no input: the one behind `on`, or the next if the
            seat has given its input there.
        on: A digest of the chain on which it leaves.
        signature: The signature of the seat, 64 bytes; none before it is signed.

    SPEC: [E-24], [E-28].
    """

    seat: Seat
    number: Annotated[int, Int(MAX_NUMBER, 1)]
    epoch: StartEpoch
    step: Step
    on: Digest
    signature: Octets64 = field(default=b"", repr=False)

    @property
    def is_return(self) -> bool:
        """Whether it ends the leave before it ([E-28])."""
        return self.number % 2 == 0


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
        signature: The signature of `seat`, 64 bytes; none before it is signed.

    SPEC: [E-29], [E-30].
    """

    seat: Seat
    reason: Annotated[str, Text(REASONS.__contains__)]
    about: Seat | None = None
    signature: Octets64 = field(default=b"", repr=False)

    @property
    def is_over(self) -> bool:
        """Whether the signer holds a final end."""
        return self.reason == OVER


N = TypeVar("N", Departure, EndNotice)
LABELS: Final = {Departure: Label.DEPARTURE, EndNotice: Label.END}
"""The label under which a notice of each kind is signed."""


def sign_notice(who: identities.Identity, table: bytes, bare: N) -> N:
    """Sign a notice.

    Args:
        who: The identity of its seat.
        table: The table id, 32 bytes.
        bare: The notice without a signature.
    """
    return replace(bare, signature=who.sign(LABELS[type(bare)], _payload(table, bare)))


def check_notice(notice: Departure | EndNotice, table: bytes, ids: Sequence[bytes]) -> None:
    """Check that a notice is of this table and signed by its seat.

    Args:
        notice: The notice as it was read.
        table: The table id, 32 bytes.
        ids: The ids of the seats, 32 bytes each.

    Raises:
        Invalid: If no such seats are at the table, or if OVER is about a seat ('bad-frame'). If
            the signature does not hold ('bad-signature'). Neither says anything of that seat.

    SPEC: [L-23], [L-27].
    """
    about = notice.about if isinstance(notice, EndNotice) else None
    if max(notice.seat, about or 0) >= len(ids):
        raise Invalid("bad-frame", "a notice is of no seat of this table")
    if isinstance(notice, EndNotice) and notice.is_over and about is not None:
        raise Invalid("bad-frame", "a final end is about no seat")
    label, data = LABELS[type(notice)], _payload(table, notice)
    identities.verify_signature(ids[notice.seat], label, data, notice.signature)


def _payload(table: bytes, notice: Departure | EndNotice) -> bytes:
    """Return the bytes that are signed: all fields but the signature, which is the last."""
    return codec.encode((table, *codec.form_of(type(notice)).write(notice)[:-1]))
