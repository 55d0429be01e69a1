"""The frames of the game between two linked nodes: messages, notices, and requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from . import codec
from .codec import Digests, Int, Kinds, Rows
from .signed_messages import MAX_EPOCH, MAX_MESSAGE, MAX_STEP, Digest, StartEpoch
from .signed_notices import Departure, EndNotice
from .table_header import SEAT_NUMBERS, Seat

MAX_FRAME: Final = MAX_MESSAGE + 64
SHORT = 16
"""Bytes of a hash that name a message one holds: too many for anyone to find two alike."""


@dataclass(frozen=True)
class Carry:
    """One signed message."""

    message: bytes


@dataclass(frozen=True)
class Fetch:
    """A request for the messages with these hashes, and for the new-epoch messages of these
    epochs."""

    hashes: Annotated[tuple[bytes, ...], Digests()]
    new_epochs: Annotated[tuple[int, ...], Rows(Int(MAX_EPOCH))]


@dataclass(frozen=True)
class Sync:
    """A request for all messages that the sender lacks.

    Attributes:
        epoch: The epoch in which it stands.
        step: The step at which it stands.
        have: The first 16 bytes of the hash of each message that it stores.
        direct: The seats with which it has a direct link. Nobody needs to pass on their messages.
    """

    epoch: StartEpoch
    step: Annotated[int, Int(MAX_STEP)]
    have: Annotated[tuple[bytes, ...], Digests(size=SHORT)]
    direct: Annotated[tuple[int, ...], Rows(Seat, SEAT_NUMBERS)] = ()


@dataclass(frozen=True)
class Own:
    """A request of a seat for its own messages whose hash is above `after`, and then `Told`."""

    after: Digest = bytes(32)


@dataclass(frozen=True)
class Told:
    """The end of the answer to `Own`: all were sent or, if there are `more`, those up to `last`."""

    last: Digest = bytes(32)
    more: bool = False


FrameBody = Carry | Fetch | Sync | Own | Told | Departure | EndNotice
FRAMES: Final[Kinds[FrameBody]] = Kinds(
    {
        0: (Carry, MAX_FRAME),
        1: (Fetch, 163_840),
        2: (Sync, 76_800),
        3: (Own, 64),
        4: (Told, 64),
        5: (Departure, 256),
        6: (EndNotice, 256),
    }
)
"""The frames between the nodes of a table, by their number, and the most bytes of each."""
REQUESTS: Final = (Fetch, Sync, Own)
"""What asks for something. Only seats are asked ([L-6])."""
SPREAD: Final = (Carry, Departure)
"""What is told to all nodes, and stored: it need not be under way twice on one link ([L-24])."""


def encode_frame(frame: FrameBody) -> bytes:
    """The bytes that travel on a link."""
    return codec.encode(FRAMES.write(frame))


def parse_frame(data: bytes) -> FrameBody:
    """A frame from its bytes; Invalid('bad-frame') or ('bad-encoding') ([L-5], [X-2])."""
    return FRAMES.parse(data, "a frame")
