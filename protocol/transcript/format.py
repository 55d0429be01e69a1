"""The form of a transcript file: its parts as values, to bytes and strictly back.

    [magic, version, [header, entries], [signatures, messages, closes, seals, final]]

The second pair of brackets is the content, the same for every honest seat; the third is the
evidence. An entry is [0, slots] for a step, a slot being a body or the number of a `Missing`,
or [1, present, banned, absences] for a link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ..chain.state import Missing, Slot
from ..crypto.hashing import digest
from ..crypto.labels import Label
from ..errors import Invalid
from ..wire import encoding
from ..wire.messages import MAX_EPOCH
from .problem import Unsound

MAGIC: Final = "hoity-transcript"
VERSION: Final = 2
MAX_FILE: Final = 64 * 1024 * 1024
MAX_ITEMS: Final = 16384
MAX_TOTAL: Final = 1 << 20
"""Items in a whole file: the longest game of 16 seats has fewer; more cost a reader too much."""
_PREFIX: Final = b"\x94" + encoding.encode(MAGIC)

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
        """The content as a plain value."""
        return (self.header, tuple(_entry_value(entry) for entry in self.entries))

    def digest(self) -> bytes:
        """The game's id: by it files are compared."""
        return digest(Label.CONTENT, encoding.encode(self.value()))


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
        """The evidence as a plain value."""
        return (self.signatures, self.messages, self.closes, self.seals, self.final)


@dataclass(frozen=True)
class Transcript:
    """A whole file."""

    content: Content
    evidence: Evidence

    def encode(self) -> bytes:
        """The canonical bytes."""
        return encoding.encode((MAGIC, VERSION, self.content.value(), self.evidence.value()))


def _entry_value(entry: Entry) -> Any:
    match entry:
        case Step(slots):
            return (0, tuple(s if isinstance(s, bytes) else int(s) for s in slots))
        case Link(present, banned, absences):
            return (1, present, banned, absences)


# Bytes to value.


def open_file(data: bytes) -> tuple[Any, ...]:
    """The four outer items; Unsound with a code of UNREADABLE, or 'bad-encoding'."""
    if not data:
        raise Unsound("empty", offset=0)
    if len(data) > MAX_FILE:
        raise Unsound("too-large", offset=MAX_FILE)
    if not data.startswith(_PREFIX):
        code = "torn" if _PREFIX.startswith(data) else "wrong-magic"
        raise Unsound(code, offset=len(data) if code == "torn" else 0)
    _check_version(data)
    if len(data) > MAX_TOTAL:  # fewer bytes hold no more items
        _check_total(data)
    try:
        value: tuple[Any, ...] = encoding.decode(data, MAX_FILE, MAX_ITEMS)
    except Invalid as error:
        raise _undecodable(data, error) from error
    return value


def _check_total(data: bytes) -> None:
    broken = encoding.first_break(data, MAX_ITEMS, MAX_TOTAL)
    if broken is not None:
        offset, cut = broken
        raise Unsound("torn" if cut else "bad-encoding", offset=offset)


def _check_version(data: bytes) -> None:
    at = len(_PREFIX)
    if len(data) == at:
        raise Unsound("torn", offset=at)
    if data[at] != VERSION:
        words = f"the file is not of version {VERSION}, the one that is read here"
        raise Unsound("other-version", words, offset=at)


def _undecodable(data: bytes, error: Invalid) -> Unsound:
    """Torn, if only its end is missing; else not the encoding of one value, and where."""
    offset, cut = encoding.first_break(data, MAX_ITEMS) or (0, False)
    return Unsound("torn" if cut else "bad-encoding", "" if cut else error.reason, offset=offset)


def offset_of(value: Any, path: tuple[int, ...]) -> int:
    """The byte at which the item at `path` begins in the encoding of `value`."""
    at = 0
    for index in path:
        if not isinstance(value, tuple) or index >= len(value):
            break
        at += 1 if len(value) < 16 else 3 if len(value) < 65536 else 5
        at += sum(len(encoding.encode(item)) for item in value[:index])
        value = value[index]
    return at


# Value to transcript. Every field is read by one of these small readers.


def read(value: tuple[Any, ...]) -> Transcript:
    """The parts of an opened file; Unsound('bad-form') says which is not of its form."""
    _, _, content, evidence = value
    header, entries = _row(content, 2, (2,))
    signatures, messages, closes, seals, final = _row(evidence, 5, (3,))
    return Transcript(
        Content(
            _bytes(header, (2, 0)),
            tuple(_entry(e, (2, 1, i)) for i, e in enumerate(_list(entries, (2, 1)))),
        ),
        Evidence(
            tuple(_pairs(r, MAX_EPOCH, (3, 0, i)) for i, r in enumerate(_list(signatures, (3, 0)))),
            _envelopes(messages, (3, 1)),
            _envelopes(closes, (3, 2)),
            _pairs(seals, 15, (3, 3)),
            _pairs(final, 15, (3, 4)),
        ),
    )


def _need(condition: bool, words: str, path: tuple[int, ...]) -> None:
    if not condition:
        raise Unsound("bad-form", words, path)


def _list(value: Any, path: tuple[int, ...]) -> tuple[Any, ...]:
    _need(isinstance(value, tuple), "a field is no list", path)
    return tuple(value)


def _row(value: Any, size: int, path: tuple[int, ...]) -> tuple[Any, ...]:
    row = _list(value, path)
    _need(len(row) == size, f"a record has not {size} fields", path)
    return row


def _bytes(value: Any, path: tuple[int, ...], size: int | None = None) -> bytes:
    _need(isinstance(value, bytes), "a field is not bytes", path)
    _need(size is None or len(value) == size, f"a field has not {size} bytes", path)
    return bytes(value)


def _int(value: Any, high: int, path: tuple[int, ...]) -> int:
    _need(type(value) is int and 0 <= value <= high, "a number is out of range", path)
    return int(value)


def _entry(value: Any, path: tuple[int, ...]) -> Entry:
    fields = _list(value, path)
    _need(bool(fields) and type(fields[0]) is int, "an entry is no step and no link", path)
    if fields[0] == 0:
        slots = _list(_row(fields, 2, path)[1], (*path, 1))
        return Step(tuple(_slot(s, (*path, 1, i)) for i, s in enumerate(slots)))
    _need(fields[0] == 1, "an entry is no step and no link", path)
    _, present, banned, absences = _row(fields, 4, path)
    counts = _list(absences, (*path, 3))
    return Link(
        _seats(present, (*path, 1)),
        _seats(banned, (*path, 2)),
        tuple(_int(c, 2**16, (*path, 3, i)) for i, c in enumerate(counts)),
    )


def _slot(value: Any, path: tuple[int, ...]) -> Slot:
    if isinstance(value, bytes):
        return value
    return Missing(_int(value, max(Missing), path))


def _seats(value: Any, path: tuple[int, ...]) -> tuple[int, ...]:
    seats = tuple(_int(s, 15, (*path, i)) for i, s in enumerate(_list(value, path)))
    _need(list(seats) == sorted(set(seats)), "seats are not by rising number", path)
    return seats


def _pairs(value: Any, high: int, path: tuple[int, ...]) -> tuple[Signed, ...]:
    found = []
    for i, item in enumerate(_list(value, path)):
        number, signature = _row(item, 2, (*path, i))
        where = (*path, i, 1)
        found.append((_int(number, high, (*path, i, 0)), _bytes(signature, where, 64)))
    return tuple(found)


def _envelopes(value: Any, path: tuple[int, ...]) -> tuple[Envelope, ...]:
    found = []
    for i, item in enumerate(_list(value, path)):
        payload, signature = _row(item, 2, (*path, i))
        found.append((_bytes(payload, (*path, i, 0)), _bytes(signature, (*path, i, 1), 64)))
    return tuple(found)
