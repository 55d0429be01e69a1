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
from typing import Any, Final

from ..chain.chain_state import Missing, Slot
from ..crypto.hashing import Label, digest_of_pieces
from ..wire import codec
from ..wire.codec import Raw, WrongForm
from ..wire.signed_messages import MAX_EPOCH, MAX_MESSAGE
from ..wire.streamed_decoding import Bounds, Broken, Readable, Reader, Stream
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

    slots: tuple[Slot, ...]


@dataclass(frozen=True)
class Link:
    """Who is present and banned from here on, and how often each seat was absent."""

    present: tuple[int, ...]
    banned: tuple[int, ...]
    absences: tuple[int, ...]


Entry = Step | Link


@dataclass(frozen=True)
class Content:
    """What happened: the header's bytes and the chain."""

    header: bytes
    entries: tuple[Entry, ...]

    def value(self) -> Any:
        """Return the content as a plain value."""
        return (self.header, tuple(_entry_value(entry) for entry in self.entries))

    def digest(self) -> bytes:
        """Return the game's id: by it files are compared."""
        value = self.value()
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

    signatures: tuple[tuple[Signed, ...], ...] = ()
    messages: tuple[Envelope, ...] = ()
    closes: tuple[Envelope, ...] = ()
    seals: tuple[Signed, ...] = ()
    final: tuple[Signed, ...] = ()

    def value(self) -> Any:
        """Return the evidence as a plain value."""
        return (self.signatures, self.messages, self.closes, self.seals, self.final)


@dataclass(frozen=True)
class Transcript:
    """A whole file."""

    content: Content
    evidence: Evidence

    def encode(self) -> bytes:
        """Return the canonical bytes."""
        return codec.encode((MAGIC, VERSION, self.content.value(), self.evidence.value()))


def _entry_value(entry: Entry) -> Any:
    match entry:
        case Step(slots):
            return (0, slots)  # a Missing is a number
        case Link(present, banned, absences):
            return (1, present, banned, absences)


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
        content, evidence = (Raw(value[i], "bad-form", "a part of the file", (i,)) for i in (2, 3))
        return Transcript(_content(content), _evidence(evidence))
    except WrongForm as error:
        raise Unsound(error.code, error.reason, error.path) from error


def _content(raw: Raw) -> Content:
    header, entries = raw.row("the header", "the chain")
    return Content(header.octets(), tuple(_entry(one) for one in entries.items("an entry")))


def _evidence(raw: Raw) -> Evidence:
    signatures, messages, closes, seals, final = raw.row(
        "the signatures", "the messages", "the closes", "the seals", "the last"
    )
    steps = signatures.items("the signatures of a step")
    return Evidence(
        tuple(_pairs(step, MAX_EPOCH) for step in steps),
        _envelopes(messages),
        _envelopes(closes),
        _pairs(seals, 15),
        _pairs(final, 15),
    )


def _entry(raw: Raw) -> Entry:
    kind = raw.head("its kind").value
    raw.need(type(kind) is int and kind in (0, 1), "is no step and no link")
    if not kind:
        return Step(_slots(raw.row("its kind", "the slots")[1]))
    _, present, banned, absences = raw.row("its kind", "the present", "the banned", "the absences")
    counts = absences.items("a number of absences")
    return Link(_seats(present), _seats(banned), tuple(one.integer(2**16) for one in counts))


def _slots(raw: Raw) -> tuple[Slot, ...]:
    """Return the slots of a step; where all are bodies, the very tuple that was read."""
    found = tuple(_slot(one) for one in raw.items("a slot"))
    as_read: tuple[Slot, ...] = raw.value
    return as_read if all(isinstance(slot, bytes) for slot in found) else found


def _slot(raw: Raw) -> Slot:
    return raw.value if isinstance(raw.value, bytes) else Missing(raw.integer(max(Missing)))


def _seats(raw: Raw) -> tuple[int, ...]:
    return raw.rising([seat.integer(15) for seat in raw.items("a seat")])


def _pair(raw: Raw, high: int) -> Signed:
    number, signature = raw.row("its number", "a signature")
    number.integer(high)
    signature.octets(64)
    as_read: Signed = raw.value
    return as_read


def _pairs(raw: Raw, high: int) -> tuple[Signed, ...]:
    return tuple(_pair(one, high) for one in raw.items("a signature"))


def _envelope(raw: Raw) -> Envelope:
    payload, signature = raw.row("a payload", "a signature")
    payload.octets()
    signature.octets(64)
    as_read: Envelope = raw.value
    return as_read


def _envelopes(raw: Raw) -> tuple[Envelope, ...]:
    return tuple(_envelope(one) for one in raw.items("a message"))
