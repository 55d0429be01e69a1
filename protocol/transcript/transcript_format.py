"""The form of a transcript file: its parts as values, to bytes and strictly back.

    [magic, version, [header, entries], [signatures, messages, new_epochs, commits, final]]

The second pair of brackets is the content, the same for every honest seat. The third is the
evidence. An entry is [0, slots] for a step, where a slot is a body or the number of a `Missing`,
or [1, present, banned, absences] for a reconfiguration.

The value is decoded from a stream, item by item, in the profile of `codec`. Every item is checked
as it is read. No more is held at any time than what the value has come to, one piece of the stream,
and one string.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Annotated, Any, Final

from ..chain.chain_state import Missing, Slot
from ..wire import codec
from ..wire.codec import ANY, Either, Fields, Int, Kinds, Octets64, Rows, Struct, WrongForm
from ..wire.signed_messages import MAX_EPOCH, MAX_MESSAGE
from ..wire.table_header import Seat
from .verification_report import Unsound

PIECE: Final = 1 << 16
"""Bytes that are read at a time."""


class Reader:
    """Reads values from a file, one after the other, within bounds that hold for all of them.

    Attributes:
        offset: How many bytes have been taken.
    """

    def __init__(self, file: IO[bytes], depth: int = 0, used: int = 0) -> None:
        """Begin inside so many arrays, when so many items have been read."""
        self._file, self._depth, self.offset = file, depth, 0
        self._room = MAX_TOTAL - used

    def take_up_to(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` only at the end of the file."""
        found = self._file.read(size)
        while len(found) < size and (more := self._file.read(size - len(found))):
            found += more
        self.offset += len(found)
        return found

    def _take(self, size: int) -> bytes:
        """Return the next bytes, exactly so many; EOFError, with all taken, if there are fewer."""
        found = self._file.read(size)
        self.offset += len(found)
        if len(found) < size:
            found += self.take_up_to(size - len(found))
            if len(found) < size:
                raise EOFError
        return found

    def count(self, most: int) -> int:
        """Take what is left, and return how many bytes there were in all; more than `most` are
        not counted on."""
        while self.offset <= most and self.take_up_to(PIECE):
            pass
        return self.offset

    def value(self) -> Any:
        """Return the next value, arrays as tuples.

        Raises Unsound at the first item that is none: 'torn' if nothing is wrong but that the file
        ends, else 'bad-encoding' ([V-1]).

        SPEC: [C-1], [C-2], [C-3], [C-4].
        """
        open_arrays: list[tuple[list[Any], int]] = []
        while True:
            found, size = self._next(self._depth + len(open_arrays) < codec.MAX_DEPTH)
            if size:
                open_arrays.append(([], size))
                continue
            while open_arrays:
                items, size = open_arrays[-1]
                items.append(found)
                if len(items) < size:
                    break
                found = tuple(items)
                open_arrays.pop()
            if not open_arrays:
                return found

    def _next(self, may_nest: bool) -> tuple[Any, int]:
        """Return the next item and 0, or of an array that is not empty its number of items."""
        begin = self.offset
        if self._room <= 0:
            raise Unsound("bad-encoding" if self.take_up_to(1) else "torn", offset=begin)
        self._room -= 1
        try:
            return self._item(may_nest)
        except EOFError:
            raise Unsound("torn", offset=self.offset) from None
        except ValueError:
            raise Unsound("bad-encoding", offset=begin) from None

    def _item(self, may_nest: bool) -> tuple[Any, int]:
        """Read an item: EOFError if it is cut, ValueError if it is wrong."""
        first = self._take(1)[0]
        if first < _FIX_MAP:
            return first, 0
        if first in _SINGLE:
            return _SINGLE[first], 0
        if first in _SIZED:
            width, least = _SIZED[first]
            number = int.from_bytes(self._take(width), "big")
            if number < least:
                raise ValueError("not the shortest form")
        elif _FIX_ARRAY <= first < _FIX_TEXT:
            number = first - _FIX_ARRAY
        elif _FIX_TEXT <= first < _NIL:
            number = first - _FIX_TEXT
        else:
            raise ValueError("a value of a kind that is not in the profile")
        if first in _NUMBERS:
            return number, 0
        is_array = first < _FIX_TEXT or first in _ARRAYS
        most = MAX_STRING if not is_array else MAX_ITEMS if may_nest else -1
        if number > most:
            raise ValueError("too long, or too deep")
        if is_array:
            return (), number
        data = self._take(number)
        return (data if first in _BINS else data.decode()), 0


_FIX_MAP, _FIX_ARRAY, _FIX_TEXT, _NIL = 0x80, 0x90, 0xA0, 0xC0
"""Where the ranges of first bytes begin; small numbers are below."""
_SINGLE: Final[dict[int, codec.Value]] = {_NIL: None, 0xC2: False, 0xC3: True}
_NUMBERS: Final = {0xCC: (1, 128), 0xCD: (2, 2**8), 0xCE: (4, 2**16), 0xCF: (8, 2**32)}
_BINS: Final = {0xC4: (1, 0), 0xC5: (2, 2**8), 0xC6: (4, 2**16)}
_TEXTS: Final = {0xD9: (1, 32), 0xDA: (2, 2**8), 0xDB: (4, 2**16)}
_ARRAYS: Final = {0xDC: (2, 16), 0xDD: (4, 2**16)}
_SIZED: Final = _NUMBERS | _BINS | _TEXTS | _ARRAYS
"""First byte to the bytes of the number behind it, and the least that needs so many."""


MAGIC: Final = "hoity-transcript"
VERSION: Final = 3
MAX_FILE: Final = 64 * 1024 * 1024
MAX_ITEMS: Final = 16384
MAX_TOTAL: Final = 1 << 20
"""Items in a whole file: the longest game of 16 seats has fewer; more cost a reader too much."""
MAX_STRING: Final = MAX_MESSAGE
"""Bytes of a string in a file: none that belongs there is longer."""
OUTSIDE: Final = 3
"""The items before the content: the outermost array, the magic word and the version."""
_PREFIX: Final = b"\x94" + codec.encode(MAGIC)

File = bytes | IO[bytes]
"""The bytes of a file, or what they are read from, once."""
Signed = tuple[int, bytes]
"""(epoch, signature) of a body, or (seat, signature) of a vote or a last input."""
Envelope = tuple[bytes, bytes]
"""(payload, signature) of a message."""


@dataclass(frozen=True)
class StepEntry:
    """n slots."""

    slots: Annotated[tuple[Slot, ...], Rows(Either(bytes, bytes, Missing))]


@dataclass(frozen=True)
class ReconfigurationEntry:
    """Who is present and banned from here on, and how often each seat was absent."""

    present: Annotated[tuple[int, ...], Rows(Seat, key=int)]
    banned: Annotated[tuple[int, ...], Rows(Seat, key=int)]
    absences: Annotated[tuple[int, ...], Rows(Int(2**16))]


Entry = StepEntry | ReconfigurationEntry
_ENTRY: Final[Kinds[Entry]] = Kinds({0: (StepEntry, MAX_FILE), 1: (ReconfigurationEntry, MAX_FILE)})
_OF_EPOCH: Final = Fields(Int(MAX_EPOCH), Octets64)
_OF_SEAT: Final = Fields(Seat, Octets64)
_ENVELOPE: Final = Fields(bytes, Octets64)


@dataclass(frozen=True)
class Content:
    """What happened: the header's bytes and the chain."""

    header: bytes
    entries: Annotated[tuple[Entry, ...], Rows(_ENTRY)]


@dataclass(frozen=True)
class Evidence:
    """Why it is so.

    `signatures`: of each step, for each body by rising seat; `messages`: all that the new-epoch
    messages contain and the content does not, by rising hash; `new_epochs`: those whose base the
    chain of quorum certificates needs, by rising epoch and base digest; `commits`: of the last
    new-epoch message, a quorum, lowest seats; `final`: the inputs of the last step that make the
    end final, none if a base does.
    """

    signatures: Annotated[tuple[tuple[Signed, ...], ...], Rows(Rows(_OF_EPOCH))] = ()
    messages: Annotated[tuple[Envelope, ...], Rows(_ENVELOPE)] = ()
    new_epochs: Annotated[tuple[Envelope, ...], Rows(_ENVELOPE)] = ()
    commits: Annotated[tuple[Signed, ...], Rows(_OF_SEAT)] = ()
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
class OpenedFile:
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


def opened(file: File | OpenedFile, clock: Callable[[], float] | None = None) -> OpenedFile:
    """Read a file once, unless it was read already ([V-1], [V-2])."""
    if isinstance(file, OpenedFile):
        return file
    began = clock() if clock is not None else 0.0
    value, parts, error = tuple[Any, ...](), None, None
    try:
        value = open_file(file)
        parts = read(value)
    except Unsound as found:
        error = found
    return OpenedFile(value, parts, error, clock() - began if clock is not None else 0.0)


def open_file(file: File) -> tuple[Any, ...]:
    """Return the four outer items; Unsound with a code of UNREADABLE, or 'bad-encoding' ([V-1])."""
    source = io.BytesIO(file) if isinstance(file, bytes) else file
    reader = Reader(source, depth=1, used=OUTSIDE)
    try:
        return _read_outer(reader)
    finally:  # it is refused for its size whatever else is wrong with it
        if reader.count(MAX_FILE) > MAX_FILE:
            raise Unsound("too-large", offset=MAX_FILE)


def _read_outer(reader: Reader) -> tuple[Any, ...]:
    """Return the four outer items; a file of another version is refused ([X-1])."""
    head = reader.take_up_to(len(_PREFIX))
    if not head:
        raise Unsound("empty", offset=0)
    if head != _PREFIX:
        code = "torn" if _PREFIX.startswith(head) else "wrong-magic"
        raise Unsound(code, offset=len(head) if code == "torn" else 0)
    at, version = reader.offset, reader.take_up_to(1)
    if not version:
        raise Unsound("torn", offset=at)
    if version[0] != VERSION:
        words = (
            "version 2: read it with hoity 0.1"
            if version == b"\x02"
            else f"the file is not of version {VERSION}, the one that is read here"
        )
        raise Unsound("other-version", words, offset=at)
    content, evidence = reader.value(), reader.value()
    end = reader.offset
    if reader.take_up_to(1):
        raise Unsound("bad-encoding", "there are bytes behind the value", offset=end)
    return MAGIC, VERSION, content, evidence


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
