"""The frames of a running game between two peers: messages, notices and requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from . import codec
from .codec import Digests, Int, Kinds, Rows
from .signed_messages import MAX_EPOCH, MAX_MESSAGE, MAX_STEP, Digest, StartEpoch
from .signed_notices import Departure, EndNotice
from .table_header import SEAT_NUMBERS, Seat

MAX_FRAME: Final = MAX_MESSAGE + 64
"""The length in bytes of the longest frame."""
SHORT = 16
"""How many bytes of a message hash `Sync` names: enough to tell stored messages apart."""


@dataclass(frozen=True)
class Carry:
    """A frame with one signed message.

    Attributes:
        message: The bytes of the message.
    """

    message: bytes


@dataclass(frozen=True)
class Fetch:
    """A request for messages by their hash, and for the new-epoch messages of epochs.

    Attributes:
        hashes: The message hashes, 32 bytes each.
        new_epochs: The epochs whose new-epoch messages are asked for.
    """

    hashes: Annotated[tuple[bytes, ...], Digests()]
    new_epochs: Annotated[tuple[int, ...], Rows(Int(MAX_EPOCH))]


@dataclass(frozen=True)
class Sync:
    """A request for all messages that the sender lacks.

    Attributes:
        epoch: The epoch in which the sender stands.
        step: The number of the first step whose inputs the sender wants.
        have: The first 16 bytes of the hash of each message that the sender stores.
        direct: The seats from which the sender receives over direct links. Nobody needs to pass on
            their inputs to it.
    """

    epoch: StartEpoch
    step: Annotated[int, Int(MAX_STEP)]
    have: Annotated[tuple[bytes, ...], Digests(size=SHORT)]
    direct: Annotated[tuple[int, ...], Rows(Seat, SEAT_NUMBERS)] = ()


@dataclass(frozen=True)
class Own:
    """A request of a resumed seat for the messages that it has signed itself.

    The answer is these messages, by rising hash, and then a `Told` frame.

    Attributes:
        after: Only messages with a hash above this one are wanted.
    """

    after: Digest = bytes(32)


@dataclass(frozen=True)
class Told:
    """The frame that ends the answer to an `Own` frame.

    Attributes:
        last: The hash of the last message of the answer. Without any message, that of the `Own`
            frame.
        more: Whether there are further messages, with hashes above `last`.
    """

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
"""The frames between peers of a running game, by number, and the most bytes of each."""
REQUESTS: Final = (Fetch, Sync, Own)
"""The frames that ask a peer for something. They go only to seats, not to onlookers ([L-6])."""
SPREAD: Final = (Carry, Departure)
"""The frames that go to all peers and are stored there.

Such a frame need not be queued twice on one link ([L-24]).
"""


def encode_frame(frame: FrameBody) -> bytes:
    """Return the bytes of a frame.

    Args:
        frame: The frame.

    Returns:
        The bytes to send over a link.
    """
    return codec.encode(FRAMES.write(frame))


def parse_frame(data: bytes) -> FrameBody:
    """Return a frame from its bytes ([L-5], [X-2]).

    Args:
        data: The bytes.

    Returns:
        The frame. The message or the signature in it is not checked.

    Raises:
        Invalid: With code `bad-encoding` if the bytes do not decode or are too long, and
            `bad-frame` if a field has the wrong form.
    """
    return FRAMES.parse(data, "a frame")
