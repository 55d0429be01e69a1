"""The form of a transcript file, and its reader.

A file is the encoding of this array:
|
    [magic, version, [header, entries], [signatures, messages, new_epochs, commits, final]]

The third item is the content, which is the same for every honest seat. The fourth item is the
evidence. An entry of a step is [0, slots], where the slot of each seat is its body, or the number
of the reason (`Missing`) why there is none. An entry [1, present, banned, absences] records a
change of who is present or banned.

The value is decoded from a stream, item by item, with the restrictions of `codec`. Every item is
checked when it is read. So the memory in use never exceeds that of the value so far, one piece of
the stream, and one string.
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
"""The number of bytes that are read at a time to find the length of a file."""


class Reader:
    """A reader of the values of a file, one after the other. `offset` counts the bytes read."""

    def __init__(self, file: IO[bytes], depth: int = 0, used: int = 0) -> None:
        """Start reading a file.

        Args:
            depth: How many arrays of the file enclose the values that will be read.
            used: How many items of the file were read already. They count towards `MAX_TOTAL`.
        """
        self._file, self._depth, self.offset = file, depth, 0
        self._room = MAX_TOTAL - used

    def take_up_to(self, size: int) -> bytes:
        """Read `size` bytes. They are fewer only at the end of the file."""
        found = self._file.read(size)
        while len(found) < size and (more := self._file.read(size - len(found))):
            found += more
        self.offset += len(found)
        return found

    def _take(self, size: int) -> bytes:
        """Return exactly the next `size` bytes. Raise EOFError if the file ends before."""
        found = self.take_up_to(size)
        if len(found) < size:
            raise EOFError
        return found

    def count(self, most: int) -> int:
        """Read the rest of the file, and return the length of the whole file in bytes.

        Reading stops when the length exceeds `most`.
        """
        while self.offset <= most and self.take_up_to(PIECE):
            pass
        return self.offset

    def value(self) -> Any:
        """Return the next value, with arrays as tuples ([C-1], [C-2], [C-3], [C-4]).

        Raises:
            Unsound: At the first malformed item: with code `torn` if the file ends too early,
                otherwise with code `bad-encoding` ([V-1]).
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
        """Read an item as `_item` does. Raise Unsound if it is malformed, or if the file ends."""
        begin = self.offset
        if self._room <= 0:
            raise Unsound("bad-encoding" if self.take_up_to(1) else "torn", offset=begin)
        # Counted over the whole file, since arrays within arrays could hold too many items in all.
        self._room -= 1
        try:
            return self._item(may_nest)
        except EOFError:
            raise Unsound("torn", offset=self.offset) from None
        except ValueError:
            raise Unsound("bad-encoding", offset=begin) from None

    def _item(self, may_nest: bool) -> tuple[Any, int]:
        """Read an item, and return its value and the number of items to read within it.

        Of an array only the header is read, and the value is (). For any other item the number is
        0. Raise EOFError if the file ends, and ValueError if the item is malformed or an array
        without `may_nest`.
        """
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
        # Before anything is read, so that a length in the file takes no memory by itself.
        if number > most:
            raise ValueError("too long, or too deep")
        if is_array:
            return (), number
        data = self._take(number)
        return (data if first in _BINS else data.decode()), 0


_FIX_MAP, _FIX_ARRAY, _FIX_TEXT, _NIL = 0x80, 0x90, 0xA0, 0xC0
"""Where the ranges of an item's first byte begin. Bytes below them are small numbers."""
_SINGLE: Final[dict[int, codec.Value]] = {_NIL: None, 0xC2: False, 0xC3: True}
"""The values that are encoded by their first byte alone, by that byte."""
_NUMBERS: Final = {0xCC: (1, 128), 0xCD: (2, 2**8), 0xCE: (4, 2**16), 0xCF: (8, 2**32)}
"""By first byte of a number: how many bytes follow, and the least number that needs so many."""
_BINS: Final = {0xC4: (1, 0), 0xC5: (2, 2**8), 0xC6: (4, 2**16)}
_TEXTS: Final = {0xD9: (1, 32), 0xDA: (2, 2**8), 0xDB: (4, 2**16)}
_ARRAYS: Final = {0xDC: (2, 16), 0xDD: (4, 2**16)}
_SIZED: Final = _NUMBERS | _BINS | _TEXTS | _ARRAYS
"""By first byte, for a number or length that follows: its bytes, and the least that needs them."""


MAGIC: Final = "hoity-transcript"
"""The first item of every transcript."""
VERSION: Final = 3
"""The version of the format, which is the second item of every transcript."""
MAX_FILE: Final = 64 * 1024 * 1024
"""The most bytes of a file."""
MAX_ITEMS: Final = 16384
"""The most items of an array of a file."""
MAX_TOTAL: Final = 1 << 20
"""The most items of a file in all. The longest game of 16 seats has fewer."""
MAX_STRING: Final = MAX_MESSAGE
"""The most bytes of a string in a file, as many as a message may have."""
OUTSIDE: Final = 3
"""How many items count before the content: the outermost array, magic word and version."""
_PREFIX: Final = b"\x94" + codec.encode(MAGIC)
"""The bytes with which every transcript begins."""

File = bytes | IO[bytes]
"""The bytes of a file, or a stream from which they are read once."""
Signed = tuple[int, bytes]
"""A number and a signature. For a step's body the number is its epoch, otherwise the signer."""
Envelope = tuple[bytes, bytes]
"""The payload and the signature of a message."""


def _rows(inner: object, key: Callable[[Any], Any] | None = None) -> Rows:
    """Return the form of a list in a file, with the bound of a file ([C-4], 2).

    Every list of a file is made by this function, because `Rows` alone has the lower bound of all
    other values. Tighter bounds are left to the verifier ([V-2]).
    """
    return Rows(inner, MAX_ITEMS, key=key)


@dataclass(frozen=True)
class StepEntry:
    """The entry for one step: the body of each seat, or the reason why there is none."""

    slots: Annotated[tuple[Slot, ...], _rows(Either(bytes, bytes, Missing))]


@dataclass(frozen=True)
class ReconfigurationEntry:
    """The entry for a change: who is present and banned, rising, and each seat's absences."""

    present: Annotated[tuple[int, ...], _rows(Seat, key=int)]
    banned: Annotated[tuple[int, ...], _rows(Seat, key=int)]
    absences: Annotated[tuple[int, ...], _rows(Int(2**16))]


Entry = StepEntry | ReconfigurationEntry
_ENTRY: Final[Kinds[Entry]] = Kinds({0: (StepEntry, MAX_FILE), 1: (ReconfigurationEntry, MAX_FILE)})
_OF_EPOCH: Final = Fields(Int(MAX_EPOCH), Octets64)
_OF_SEAT: Final = Fields(Seat, Octets64)
_ENVELOPE: Final = Fields(bytes, Octets64)


@dataclass(frozen=True)
class Content:
    """The content of a transcript: the bytes of the header, and the entries in order."""

    header: bytes
    entries: Annotated[tuple[Entry, ...], _rows(_ENTRY)]


@dataclass(frozen=True)
class Evidence:
    """The evidence of a transcript: the signatures and messages that prove its content.

    Attributes:
        signatures: For each step, one pair (epoch, signature) for each body, by rising seat.
        messages: The signed messages that justify the new epochs, by rising hash. Step inputs that
            the content already has are left out.
        new_epochs: The new-epoch message of the last epoch, and the earlier ones on which it
            depends, by rising epoch. Those of one epoch are ordered by the digest of the chain node
            with which the epoch begins.
        commits: The commit votes of a quorum for the last epoch, as pairs (seat, signature) by
            rising seat.
        final: The inputs of all present seats to the step `result`, as pairs (seat, signature).
            Empty if the last epoch begins at `result`, because the commit votes then prove the end.
    """

    signatures: Annotated[tuple[tuple[Signed, ...], ...], _rows(_rows(_OF_EPOCH))] = ()
    messages: Annotated[tuple[Envelope, ...], _rows(_ENVELOPE)] = ()
    new_epochs: Annotated[tuple[Envelope, ...], _rows(_ENVELOPE)] = ()
    commits: Annotated[tuple[Signed, ...], _rows(_OF_SEAT)] = ()
    final: Annotated[tuple[Signed, ...], _rows(_OF_SEAT)] = ()


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
            The one encoding of the transcript.
        """
        parts = _CONTENT.write(self.content), _EVIDENCE.write(self.evidence)
        return codec.encode((MAGIC, VERSION, *parts))


# Reading of files


@dataclass(frozen=True)
class OpenedFile:
    """A transcript file that was read, and whose form was checked, but nothing else.

    Attributes:
        value: The four items of the file's outermost array. Empty if they cannot be read.
        transcript: The parts of the file. None if it cannot be read or is malformed.
        error: Why the file cannot be read or is malformed. None if it is well-formed.
        seconds: How long reading took, by the clock that was given.
    """

    value: tuple[Any, ...] = ()
    transcript: Transcript | None = None
    error: Unsound | None = None
    seconds: float = 0.0


def opened(file: File | OpenedFile, clock: Callable[[], float] | None = None) -> OpenedFile:
    """Read a transcript file and check its form, unless it was read already ([V-1], [V-2]).

    Args:
        file: The file.
        clock: A function that returns seconds, to measure how long reading takes. None measures
            nothing.

    Returns:
        What was read, with the error if the file is malformed.
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
    """Return the outer items of a file: magic word, version, content and evidence ([V-1]).

    Raises:
        Unsound: With a code of `verification_report.UNREADABLE`, or with `bad-encoding`.
    """
    source = io.BytesIO(file) if isinstance(file, bytes) else file
    reader = Reader(source, depth=1, used=OUTSIDE)
    try:
        return _read_outer(reader)
    finally:  # A file that is too large is refused for that, whatever else is wrong.
        if reader.count(MAX_FILE) > MAX_FILE:
            raise Unsound("too-large", offset=MAX_FILE)


def _read_outer(reader: Reader) -> tuple[Any, ...]:
    """Return the outer items ([X-1]). Raise Unsound if the file is no transcript."""
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
    """Return how many bytes precede an item, given by its path, in the encoding of a value."""
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

    Raises:
        Unsound: With code `bad-form` if a part is malformed.
    """
    try:
        return Transcript(*codec.read(_FILE, value, "bad-form", "the file")[2:])
    except WrongForm as error:
        raise Unsound(error.code, error.reason, error.path) from error
