"""Signed notices that stand in no chain and no file: departures, returns and end notices.

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
"""The highest number of a departure or return, which bounds how often others pass one on."""


@dataclass(frozen=True)
class Departure:
    """A signed notice that a seat leaves for now or, if its number is even, that it is back.

    No message refers to it, and no two notices contradict each other.

    Attributes:
        seat: The seat that signs.
        number: The number of the notice. It is odd for a departure and even for a return, and
            rises.
        epoch: The epoch in which the seat stands.
        step: The first step to which it gives no input. It is the next step after `on`, or the one
            after that if the seat has given its input already.
        on: The digest of the last chain node that the seat follows, 32 bytes.
        signature: The signature of the seat, 64 bytes. It is empty before it is signed.

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
        """True if the notice says that the seat is back ([E-28])."""
        return self.number % 2 == 0


OVER: Final = "over"
"""The reason of an end notice whose signer has a final end."""
SILENT_SEAT: Final = "silent-seat"
"""The reason that a seat gave no input to a step of setup in time."""
SEAT_LEFT: Final = "seat-left"
"""The reason that a seat left in setup, or refused the table."""
DEAD_KEYS: Final = "dead-keys"
"""The reason that the keys of all seats together cannot be used."""
REASONS: Final = frozenset({OVER, SILENT_SEAT, SEAT_LEFT, DEAD_KEYS, *FAULTS})
"""The reasons that an end notice may give ([L-27])."""


@dataclass(frozen=True)
class EndNotice:
    """A signed notice that a seat has a final end, or that it has ended the table in setup.

    Attributes:
        seat: The seat that signs.
        reason: `OVER` for a final end. Otherwise the code with which the seat ended the table.
        about: The seat that the code is about, according to the signer. None if it is about none.
        signature: The signature of `seat`, 64 bytes. It is empty before it is signed.

    SPEC: [E-29], [E-30].
    """

    seat: Seat
    reason: Annotated[str, Text(REASONS.__contains__)]
    about: Seat | None = None
    signature: Octets64 = field(default=b"", repr=False)

    @property
    def is_over(self) -> bool:
        """True if the end of the game is final for the signer."""
        return self.reason == OVER


N = TypeVar("N", Departure, EndNotice)
"""The type of a notice."""
LABELS: Final = {Departure: Label.DEPARTURE, EndNotice: Label.END}
"""The label under which a notice of each class is signed."""


def sign_notice(who: identities.Identity, table: bytes, bare: N) -> N:
    """Return a notice with a signature.

    Args:
        who: The signing key of its seat.
        table: The table id, 32 bytes.
        bare: The notice without a signature.

    Returns:
        The notice with the signature.
    """
    return replace(bare, signature=who.sign(LABELS[type(bare)], _payload(table, bare)))


def check_notice(notice: Departure | EndNotice, table: bytes, ids: Sequence[bytes]) -> None:
    """Check that a notice is of this table and signed by its seat.

    Args:
        notice: The notice as it was read.
        table: The table id, 32 bytes.
        ids: The ids of the seats, 32 bytes each.

    Raises:
        Invalid: With code `bad-frame` if it names a seat that is not at the table, or if `OVER` is
            about a seat. With code `bad-signature` if the signature is invalid. Neither proves
            anything of that seat.

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
    """Return the signed bytes of a notice: the table id and all fields but the signature."""
    return codec.encode((table, *codec.form_of(type(notice)).write(notice)[:-1]))
