"""Signed notices outside of the chain: a seat leaves, a seat is back, or the table has ended.

No message refers to a notice, and no two notices prove a fault. A signature is empty until the
notice is signed. SPEC: [E-24], [E-28], [E-29], [E-30], [L-23].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Final, TypeVar

from ..crypto import identities
from ..crypto.hashing import Label
from ..errors import Invalid
from ..fault_codes import FAULTS
from ..units import Quota, TableId
from . import codec
from .codec import Int, Octets64, Text
from .signed_messages import Digest, StartEpoch, Step
from .table_header import Seat

MAX_NUMBER: Final[Quota] = 254
"""The highest number of a departure or return, so that a seat's notices are bounded."""


@dataclass(frozen=True)
class Departure:
    """A notice that a seat leaves for now, or is back ([E-24], [E-28]).

    Attributes:
        number: The number of the notice, which rises with each notice of the seat. It is odd for a
            departure and even for a return.
        epoch: The epoch in which the seat stands.
        step: The number of the first step to which the seat has not given its input. This is the
            next step after `on`, or one more if the seat has already given its input to that step.
        on: The digest of the last chain node that the seat follows.
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
"""The reason in an end notice that says that the game's end is final for the signer."""
SILENT_SEAT: Final = "silent-seat"
"""The reason in an end notice that a seat gave no input to a step of setup in time."""
SEAT_LEFT: Final = "seat-left"
"""The reason in an end notice that a seat left in setup, or refused the table."""
DEAD_KEYS: Final = "dead-keys"
"""The reason in an end notice that the keys of all seats add up to an unusable key."""
REASONS: Final = frozenset({OVER, SILENT_SEAT, SEAT_LEFT, DEAD_KEYS, *FAULTS})
"""The reasons that an end notice may give ([L-27])."""


@dataclass(frozen=True)
class EndNotice:
    """A notice of a final end of the game, or of the end of a table in setup ([E-29], [E-30]).

    Attributes:
        reason: `OVER` if the game's end is final. Otherwise the code of the reason for which the
            seat ended the table.
        about: The seat that the code is about, according to the signer. None if it is about no
            seat.
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


def sign_notice(who: identities.Identity, table: TableId, bare: N) -> N:
    """Return a notice with the signature of its seat."""
    return replace(bare, signature=who.sign(LABELS[type(bare)], _payload(table, bare)))


def check_notice(notice: Departure | EndNotice, table: TableId, ids: Sequence[bytes]) -> None:
    """Check that a notice is of this table and signed by its seat ([L-23], [L-27]).

    Neither error proves a fault of that seat.

    Raises:
        Invalid: With code `bad-frame` if the notice names a seat that is not at the table, or if
            its reason is `OVER` and it has an `about` seat. With code `bad-signature` if the
            signature is invalid.
    """
    about = notice.about if isinstance(notice, EndNotice) else None
    # Before the signature, because a seat that the table does not have has no key.
    if max(notice.seat, about or 0) >= len(ids):
        raise Invalid("bad-frame", "a notice is of no seat of this table")
    if isinstance(notice, EndNotice) and notice.is_over and about is not None:
        raise Invalid("bad-frame", "a final end is about no seat")
    label, data = LABELS[type(notice)], _payload(table, notice)
    identities.verify_signature(ids[notice.seat], label, data, notice.signature)


def _payload(table: TableId, notice: Departure | EndNotice) -> bytes:
    """Return the signed bytes of a notice: the table id and all fields but the signature."""
    return codec.encode((table, *codec.form_of(type(notice)).write(notice)[:-1]))
