"""What two linked nodes say to each other: messages, and requests for what one lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from . import codec, signed_notices
from .codec import Raw
from .signed_messages import MAX_EPOCH, MAX_MESSAGE, MAX_STEP
from .signed_notices import EndNotice, Leave
from .table_header import MAX_SEATS

MAX_FRAME: Final = MAX_MESSAGE + 64
FRAME_SIZES: Final[Mapping[int, int]] = {
    0: MAX_FRAME,
    1: 163_840,
    2: 76_800,
    3: 64,
    4: 64,
    5: 256,
    6: 256,
}
"""The most bytes of a frame, by its kind."""
HASH = 32
SHORT = 16
"""Bytes of a hash that name a message one holds: too many for anyone to find two alike."""


@dataclass(frozen=True)
class Carry:
    """One signed message."""

    message: bytes


@dataclass(frozen=True)
class Fetch:
    """Send me the messages with these hashes and the closes of these epochs."""

    hashes: tuple[bytes, ...]
    closes: tuple[int, ...]


@dataclass(frozen=True)
class Sync:
    """I stand here and hold these (first 16 bytes of each hash): send what I lack. `near`: the
    seats whose words I hear from themselves; nobody need pass them on to me."""

    epoch: int
    step: int
    have: tuple[bytes, ...]
    near: tuple[int, ...] = ()


@dataclass(frozen=True)
class Own:
    """Send me every statement of mine that you hold whose hash is above this one, then `Told`."""

    after: bytes = bytes(32)


@dataclass(frozen=True)
class Told:
    """That was every statement of yours that I hold, or (`more`) those up to this hash."""

    last: bytes = bytes(32)
    more: bool = False


FrameBody = Carry | Fetch | Sync | Own | Told | Leave | EndNotice


def encode_frame(frame: FrameBody) -> bytes:
    """The bytes that travel on a link."""
    match frame:
        case Carry(message):
            return codec.encode((0, message))
        case Fetch(hashes, closes):
            return codec.encode((1, hashes, closes))
        case Sync(epoch, step, have, near):
            return codec.encode((2, epoch, step, have, near))
        case Own(after):
            return codec.encode((3, after))
        case Told(last, more):
            return codec.encode((4, last, more))
        case Leave():
            return codec.encode((5, *frame.fields))
        case EndNotice():
            return codec.encode((6, *frame.fields))


def parse_frame(data: bytes) -> FrameBody:
    """A frame from its bytes; Invalid('bad-frame') or ('bad-encoding') ([L-5], [X-2])."""
    most = FRAME_SIZES.get(data[1], MAX_FRAME) if len(data) > 1 else MAX_FRAME
    raw = Raw(codec.decode(data, most), "bad-frame", "a frame")
    return READERS[raw.head("its kind").integer(max(READERS))](raw)


def _read_carry(raw: Raw) -> Carry:
    _, message = raw.row("its kind", "the message")
    return Carry(message.octets())


def _read_fetch(raw: Raw) -> Fetch:
    _, hashes, closes = raw.row("its kind", "the hashes", "the closes")
    wanted = tuple(one.integer(MAX_EPOCH) for one in closes.items("an epoch"))
    return Fetch(hashes.hashes(HASH), wanted)


def _read_sync(raw: Raw) -> Sync:
    _, epoch, step, have, near = raw.row(
        "its kind", "the epoch", "the step", "what it holds", "whom it hears"
    )
    seats = tuple(one.integer(MAX_SEATS - 1) for one in near.items("a seat", MAX_SEATS))
    return Sync(epoch.integer(MAX_EPOCH), step.integer(MAX_STEP), have.hashes(SHORT), seats)


def _read_own(raw: Raw) -> Own:
    _, after = raw.row("its kind", "the hash")
    return Own(after.octets(HASH))


def _read_told(raw: Raw) -> Told:
    _, last, more = raw.row("its kind", "the hash", "whether there is more")
    return Told(last.octets(HASH), more.flag())


READERS: Final[dict[int, Callable[[Raw], FrameBody]]] = {
    0: _read_carry,
    1: _read_fetch,
    2: _read_sync,
    3: _read_own,
    4: _read_told,
    5: signed_notices.read_leave,
    6: signed_notices.read_end_notice,
}
