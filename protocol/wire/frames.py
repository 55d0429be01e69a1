"""What two linked nodes say to each other: messages, and requests for what one lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import Invalid
from . import encoding
from .messages import MAX_EPOCH, MAX_MESSAGE, MAX_STEP

MAX_FRAME = MAX_MESSAGE + 64
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
    """I stand here and hold these (first 16 bytes of each hash): send what I lack."""

    epoch: int
    step: int
    have: tuple[bytes, ...]


@dataclass(frozen=True)
class Own:
    """Send me every statement of mine that you hold whose hash is above this one, then `Told`."""

    after: bytes = bytes(32)


@dataclass(frozen=True)
class Told:
    """That was every statement of yours that I hold, or (`more`) those up to this hash."""

    last: bytes = bytes(32)
    more: bool = False


FrameBody = Carry | Fetch | Sync | Own | Told


def encode_frame(frame: FrameBody) -> bytes:
    """The bytes that travel on a link."""
    match frame:
        case Carry(message):
            return encoding.encode((0, message))
        case Fetch(hashes, closes):
            return encoding.encode((1, hashes, closes))
        case Sync(epoch, step, have):
            return encoding.encode((2, epoch, step, have))
        case Own(after):
            return encoding.encode((3, after))
        case Told(last, more):
            return encoding.encode((4, last, more))


def _need(condition: bool) -> None:
    if not condition:
        raise Invalid("bad-frame", "a frame is not of a known form")


def _hashes(value: Any, size: int) -> tuple[bytes, ...]:
    _need(isinstance(value, tuple) and all(isinstance(h, bytes) for h in value))
    _need(all(len(h) == size for h in value))
    return tuple(value)


def _number(value: Any, high: int) -> int:
    _need(type(value) is int and 0 <= value <= high)
    return int(value)


def parse_frame(data: bytes) -> FrameBody:
    """A frame from its bytes; Invalid('bad-frame') or ('bad-encoding')."""
    value = encoding.decode(data, MAX_FRAME)
    _need(isinstance(value, tuple) and len(value) > 0 and type(value[0]) is int)
    match value:
        case (0, bytes() as message):
            return Carry(message)
        case (1, hashes, tuple() as closes):
            return Fetch(_hashes(hashes, HASH), tuple(_number(c, MAX_EPOCH) for c in closes))
        case (2, epoch, step, have):
            return Sync(_number(epoch, MAX_EPOCH), _number(step, MAX_STEP), _hashes(have, SHORT))
        case (3, bytes() as after) if len(after) == HASH:
            return Own(after)
        case (4, bytes() as last, bool() as more) if len(last) == HASH:
            return Told(last, more)
    raise Invalid("bad-frame", "a frame is not of a known form")
