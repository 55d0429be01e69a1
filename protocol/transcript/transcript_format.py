"""The form of a transcript file: its parts as values, to bytes and strictly back.

    [magic, version, [header, entries], [signatures, messages, closes, seals, final]]

The second pair of brackets is the content, the same for every honest seat; the third is the
evidence. An entry is [0, slots] for a step, a slot being a body or the number of a `Missing`,
or [1, present, banned, absences] for a link.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from ..chain.chain_state import Missing, Slot
from ..crypto.hashing import Label, digest_of_pieces
from ..wire import codec
from ..wire.codec import ANY, Either, Fields, Int, Kinds, Octets64, Rows, Struct, WrongForm
from ..wire.signed_messages import MAX_EPOCH, MAX_MESSAGE
from ..wire.streamed_decoding import Bounds, Broken, Readable, Reader, Stream
from ..wire.table_header import Seat
from .verification_report import Unsound

MAGIC: Final = "hoity-transcript"
VERSION: Final = 2
MAX_FILE: Final = 64 * 1024 * 1024
MAX_ITEMS: Final = 16384
MAX_TOTAL: Final = 1 << 20
"""Items in a whole file: the longest game of 16 seats has fewer; more cost a reader too much."""
MAX_STRING: Final = MAX_MESSAGE
"""Bytes of a string in a file: none that belongs there is longer."""
OUTSIDE: Final = 3
"""The items before the content: the outermost array, the magic word and the version."""
_PREFIX: Final = b"\x94" + codec.encode(MAGIC)

File = bytes | Readable
"""The bytes of a file, or what they are read from, once."""
Signed = tuple[int, bytes]
"""(epoch, signature) of a body, or (seat, signature) of a vote or a last say."""
Envelope = tuple[bytes, bytes]
"""(payload, signature) of a message."""


@dataclass(frozen=True)
class Step:
    """n slots."""

    slots: Annotated[tuple[Slot, ...], Rows(Either(bytes, bytes, Missing))]


@dataclass(frozen=True)
class Link:
    """Who is present and banned from here on, and how often each seat was absent."""

    present: Annotated[tuple[int, ...], Rows(Seat, key=int)]
    banned: Annotated[tuple[int, ...], Rows(Seat, key=int)]
    absences: Annotated[tuple[int, ...], Rows(Int(2**16))]


Entry = Step | Link
_ENTRY: Final[Kinds[Entry]] = Kinds({0: (Step, MAX_FILE), 1: (Link, MAX_FILE)})
_OF_EPOCH: Final = Fields(Int(MAX_EPOCH), Octets64)
_OF_SEAT: Final = Fields(Seat, Octets64)
_ENVELOPE: Final = Fields(bytes, Octets64)


@dataclass(frozen=True)
class Content:
    """What happened: the header's bytes and the chain."""

    header: bytes
    entries: Annotated[tuple[Entry, ...], Rows(_ENTRY)]

    def digest(self) -> bytes:
        """Return the game's id: by it files are compared."""
        value = _CONTENT.write(self)
        size, pieces = codec.size(value), codec.pieces(value)
        return digest_of_pieces(Label.CONTENT, size, pieces)


@dataclass(frozen=True)
class Evidence:
    """Why it is so.

    `signatures`: of each step, for each body by rising seat; `messages`: all that the closes
    contain and the content does not, by rising hash; `closes`: those whose base the chain of
    locks needs, by rising epoch and base digest; `seals`: of the last close, a quorum, lowest
    seats; `final`: the says of the last step that make the end final, none if a base does.
    """

    signatures: Annotated[tuple[tuple[Signed, ...], ...], Rows(Rows(_OF_EPOCH))] = ()
    messages: Annotated[tuple[Envelope, ...], Rows(_ENVELOPE)] = ()
    closes: Annotated[tuple[Envelope, ...], Rows(_ENVELOPE)] = ()
    seals: Annotated[tuple[Signed, ...], Rows(_OF_SEAT)] = ()
    final: Annotated[tuple[Signed, ...], Rows(_OF_SEAT)] = ()


_CONTENT: Final = Struct(Content)
_EVIDENCE: Final = Struct(Evidence)
_FILE: Final = Fields(ANY, ANY, _CONTENT, _EVIDENCE)


@dataclass(frozen=True)
class Transcript:
    """A whole file."""

    content: Content
    evidence: Evidence

    def encode(self) -> bytes:
        """Return the canonical bytes."""
        parts = _CONTENT.write(self.content), _EVIDENCE.write(self.evidence)
        return codec.encode((MAGIC, VERSION, *parts))


# Bytes to value.


@dataclass(frozen=True)
class Opened:
    """A file that was read, and of which nothing but the form is checked.

    Attributes:
        value: the four outer items; empty if they cannot be read.
        transcript: its parts; None if they are not of their form.
        error: why one of the two is lacking.
        seconds: how long it took to read, by the clock that was given.
    """

    value: tuple[Any, ...] = ()
    transcript: Transcript | None = None
    error: Unsound | None = None
    seconds: float = 0.0


def opened(file: File | Opened, clock: Callable[[], float] | None = None) -> Opened:
    """Read a file once, unless it was read already ([V-1], [V-2])."""
    if isinstance(file, Opened):
        return file
    began = clock() if clock is not None else 0.0
    value, parts, error = tuple[Any, ...](), None, None
    try:
        value = open_file(file)
        parts = read(value)
    except Unsound as found:
        error = found
    return Opened(value, parts, error, clock() - began if clock is not None else 0.0)


def open_file(file: File) -> tuple[Any, ...]:
    """Return the four outer items; Unsound with a code of UNREADABLE, or 'bad-encoding' ([V-1])."""
    stream = Stream(io.BytesIO(file) if isinstance(file, bytes) else file)
    try:
        found = _read_outer(stream)
    except Unsound:
        _check_size(stream)
        raise
    _check_size(stream)
    return found


def _check_size(stream: Stream) -> None:
    """Refuse a file that is too large, whatever else is wrong with it."""
    if stream.count(MAX_FILE) > MAX_FILE:
        raise Unsound("too-large", offset=MAX_FILE)


def _read_outer(stream: Stream) -> tuple[Any, ...]:
    head = stream.take_up_to(len(_PREFIX))
    if not head:
        raise Unsound("empty", offset=0)
    if head != _PREFIX:
        code = "torn" if _PREFIX.startswith(head) else "wrong-magic"
        raise Unsound(code, offset=len(head) if code == "torn" else 0)
    _check_version(stream)
    bounds = Bounds(MAX_ITEMS, MAX_TOTAL, MAX_STRING)
    reader = Reader(stream, bounds, depth=1, used=OUTSIDE)
    try:
        content, evidence = reader.value(), reader.value()
    except Broken as error:
        raise Unsound("torn" if error.is_cut else "bad-encoding", offset=error.offset) from error
    end = stream.offset
    if stream.take_up_to(1):
        raise Unsound("bad-encoding", "there are bytes behind the value", offset=end)
    return MAGIC, VERSION, content, evidence


def _check_version(stream: Stream) -> None:
    """Refuse a file of another version ([X-1])."""
    at, version = stream.offset, stream.take_up_to(1)
    if not version:
        raise Unsound("torn", offset=at)
    if version[0] != VERSION:
        words = f"the file is not of version {VERSION}, the one that is read here"
        raise Unsound("other-version", words, offset=at)


def offset_of(value: Any, path: tuple[int, ...]) -> int:
    """Return the byte at which the item at `path` begins in the encoding of `value`."""
    at = 0
    for index in path:
        if not isinstance(value, tuple) or index >= len(value):
            break
        at += 1 if len(value) < 16 else 3 if len(value) < 65536 else 5
        at += sum(map(codec.size, value[:index]))
        value = value[index]
    return at


# Value to transcript.


def read(value: tuple[Any, ...]) -> Transcript:
    """Return the parts of an opened file. Raises Unsound('bad-form') for one of none ([V-2])."""
    try:
        return Transcript(*codec.read(_FILE, value, "bad-form", "the file")[2:])
    except WrongForm as error:
        raise Unsound(error.code, error.reason, error.path) from error
