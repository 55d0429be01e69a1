"""The form of a transcript file, and its reader.

A file is the encoding of this array:
|
    [magic, version, [header, entries], [signatures, messages, new_epochs, commits, final]]

The third item is the content, which is the same for every honest seat. The fourth is the evidence.
An entry is [0, slots] for a step, where a slot is a body or the number of a `Missing`. It is [1,
present, banned, absences] for a reconfiguration.

The value is decoded from a stream, item by item, in the profile of `codec`. Every item is checked
when it is read. So the memory in use is never more than that of the value so far, one piece of the
stream, and one string.
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
"""The bytes that are read at a time."""


class Reader:
    """A reader of values from a file, one after the other, within bounds that hold for all of them.

    Attributes:
        offset: How many bytes have been read.
    """

    def __init__(self, file: IO[bytes], depth: int = 0, used: int = 0) -> None:
        """Start reading a file.

        Args:
            file: The file.
            depth: How many arrays there are around the values.
            used: How many items of these arrays count for the bound of items.
        """
        self._file, self._depth, self.offset = file, depth, 0
        self._room = MAX_TOTAL - used

    def take_up_to(self, size: int) -> bytes:
        """Read bytes.

        Args:
            size: The number of bytes.

        Returns:
            The bytes, which are fewer only at the end of the file.
        """
        found = self._file.read(size)
        while len(found) < size and (more := self._file.read(size - len(found))):
            found += more
        self.offset += len(found)
        return found

    def _take(self, size: int) -> bytes:
        """Return the next bytes, exactly so many. Raise EOFError if the file ends before."""
        found = self.take_up_to(size)
        if len(found) < size:
            raise EOFError
        return found

    def count(self, most: int) -> int:
        """Read the rest of the file, and return how many bytes it has in all.

        Args:
            most: After more bytes than this nothing more is read.

        Returns:
            The number of bytes, which is above `most` if there are more.
        """
        while self.offset <= most and self.take_up_to(PIECE):
            pass
        return self.offset

    def value(self) -> Any:
        """Return the next value, with arrays as tuples.

        Returns:
            The value.

        Raises:
            Unsound: At the first item that is malformed, with code `torn` if only the file ends too
                early, else `bad-encoding` ([V-1]).

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
        """Return the next item and 0, or for an array that is not empty its number of items."""
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
        """Read an item. Raise EOFError if the file ends in it, ValueError if it is malformed."""
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
"""The first bytes that stand for a value without anything after them."""
_NUMBERS: Final = {0xCC: (1, 128), 0xCD: (2, 2**8), 0xCE: (4, 2**16), 0xCF: (8, 2**32)}
"""The first bytes of numbers: how many bytes follow, and the least number that needs them."""
_BINS: Final = {0xC4: (1, 0), 0xC5: (2, 2**8), 0xC6: (4, 2**16)}
_TEXTS: Final = {0xD9: (1, 32), 0xDA: (2, 2**8), 0xDB: (4, 2**16)}
_ARRAYS: Final = {0xDC: (2, 16), 0xDD: (4, 2**16)}
_SIZED: Final = _NUMBERS | _BINS | _TEXTS | _ARRAYS
"""The first bytes after which a number or a length follows: its bytes, and its least value."""


MAGIC: Final = "hoity-transcript"
"""The first item of every transcript."""
VERSION: Final = 3
"""The version of the format, which is the second item."""
MAX_FILE: Final = 64 * 1024 * 1024
"""The most bytes of a file."""
MAX_ITEMS: Final = 16384
"""The most items of an array of a file."""
MAX_TOTAL: Final = 1 << 20
"""The most items of a file in all. The longest game of 16 seats has fewer."""
MAX_STRING: Final = MAX_MESSAGE
"""The most bytes of a string in a file, which are those of a message."""
OUTSIDE: Final = 3
"""The number of items before the content: the outermost array, the magic word and the version."""
_PREFIX: Final = b"\x94" + codec.encode(MAGIC)
"""The bytes with which every transcript begins."""

File = bytes | IO[bytes]
"""The bytes of a file, or a stream from which they are read once."""
Signed = tuple[int, bytes]
"""A number and a signature: the epoch of a body, or the seat of a vote or a last input."""
Envelope = tuple[bytes, bytes]
"""The payload and the signature of a message."""


@dataclass(frozen=True)
class StepEntry:
    """An entry of the chain for a step.

    Attributes:
        slots: The slot of each seat.
    """

    slots: Annotated[tuple[Slot, ...], Rows(Either(bytes, bytes, Missing))]


@dataclass(frozen=True)
class ReconfigurationEntry:
    """An entry of the chain for a reconfiguration.

    Attributes:
        present: The seats present from then on, rising.
        banned: The seats banned from then on, rising.
        absences: For each seat how often it was made absent.
    """

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
    """The content of a transcript: what happened.

    Attributes:
        header: The bytes of the header.
        entries: The steps and reconfigurations of the chain, in order.
    """

    header: bytes
    entries: Annotated[tuple[Entry, ...], Rows(_ENTRY)]


@dataclass(frozen=True)
class Evidence:
    """The evidence of a transcript: the signatures and messages that prove its content.

    Attributes:
        signatures: For each step the epoch and the signature of each body, by rising seat.
        messages: The messages that the new-epoch messages need and the content does not have, by
            rising hash.
        new_epochs: The new-epoch message of the last epoch, and those that it needs, by rising
            epoch and base digest.
        commits: The commit votes of t seats for the base of the last epoch, by rising seat.
        final: The inputs to `result` of all present seats. It is empty if a base makes the end
            final.
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
    """The parts of a transcript file.

    Attributes:
        content: What happened.
        evidence: The signatures and messages that prove it.
    """

    content: Content
    evidence: Evidence

    def encode(self) -> bytes:
        """Return the bytes of the file.

        Returns:
            Its one encoding.
        """
        parts = _CONTENT.write(self.content), _EVIDENCE.write(self.evidence)
        return codec.encode((MAGIC, VERSION, *parts))


# Reading of files


@dataclass(frozen=True)
class OpenedFile:
    """A file that was read, and of which only the form was checked.

    Attributes:
        value: The four outer items. It is empty if they cannot be read.
        transcript: The parts of the file, None if they are malformed.
        error: The reason for which one of the two is missing.
        seconds: How long it took to read, by the clock that was given.
    """

    value: tuple[Any, ...] = ()
    transcript: Transcript | None = None
    error: Unsound | None = None
    seconds: float = 0.0


def opened(file: File | OpenedFile, clock: Callable[[], float] | None = None) -> OpenedFile:
    """Read a file, unless it was read already ([V-1], [V-2]).

    Args:
        file: The file.
        clock: A clock in seconds that measures how long reading takes. None: it is not measured.

    Returns:
        What was read, with the error if there was one.
    """
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
    """Return the four outer items of a file ([V-1]).

    Args:
        file: The file.

    Returns:
        The magic word, the version, the content and the evidence.

    Raises:
        Unsound: With a code of `UNREADABLE`, or with `bad-encoding`.
    """
    source = io.BytesIO(file) if isinstance(file, bytes) else file
    reader = Reader(source, depth=1, used=OUTSIDE)
    try:
        return _read_outer(reader)
    finally:  # A file that is too large is refused for that, whatever else is wrong.
        if reader.count(MAX_FILE) > MAX_FILE:
            raise Unsound("too-large", offset=MAX_FILE)


def _read_outer(reader: Reader) -> tuple[Any, ...]:
    """Return the four outer items. Raise Unsound for a file of another version ([X-1])."""
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
            "it has version 2: read it with hoity 0.1"
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
    """Return where an item begins in the encoding of a value.

    Args:
        value: The value.
        path: The indices that lead to the item, from the outermost array in.

    Returns:
        The number of bytes before it.
    """
    at = 0
    for index in path:
        if not isinstance(value, tuple) or index >= len(value):
            break
        at += 1 if len(value) < 16 else 3 if len(value) < 65536 else 5
        at += sum(map(codec.size, value[:index]))
        value = value[index]
    return at


# Forms


def read(value: tuple[Any, ...]) -> Transcript:
    """Return the parts of a file from its four outer items ([V-2]).

    Args:
        value: The items.

    Returns:
        The parts.

    Raises:
        Unsound: With code `bad-form` if a part is malformed.
    """
    try:
        return Transcript(*codec.read(_FILE, value, "bad-form", "the file")[2:])
    except WrongForm as error:
        raise Unsound(error.code, error.reason, error.path) from error
