"""Files on either side of a bound on their lists, items, strings and bytes ([C-4], [V-1], [H-1]).

As files many of them would be large. So `bounds.json` says of which bytes each of them consists.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from vectors.making.broken import TWO, table_of, whole_of
from vectors.making.judged import Judged, fails, unread

from protocol.transcript.transcript_format import (
    MAX_FILE,
    MAX_ITEMS,
    MAX_STRING,
    MAX_TOTAL,
    Content,
    Evidence,
    Transcript,
)
from protocol.wire import codec, table_header
from protocol.wire.table_header import MAX_HEADER, Header

Parts = Sequence[tuple[bytes, int]]
"""Bytes, and how often they stand one behind the other."""
OTHER: Final = codec.MAX_ITEMS
"""The most items of an array outside the value of a file: no bound of a list in a file."""


@dataclass(frozen=True)
class Bounded:
    """A file in parts, and its verdict.

    Attributes:
        judged: What happens in the file, which rule decides, and the verdict.
        parts: Makes the parts.
    """

    judged: Judged
    parts: Callable[[], Parts]

    def label(self) -> dict[str, Any]:
        """Return what `bounds.json` says of the file."""
        return {**self.judged.label(), "parts": [[p.hex(), times] for p, times in self.parts()]}

    def check(self) -> None:
        """Raise ValueError unless the verifier finds what the maker states."""
        self.judged.check(joined(self.parts()))


def joined(parts: Parts) -> bytes:
    """Return the bytes that parts consist of."""
    return b"".join(part * times for part, times in parts)


def _of(parts: Callable[[], Parts], code: str, what: str, step: int | None = None) -> Bounded:
    def file() -> bytes:
        return joined(parts())

    if code in ("torn", "too-large"):
        return Bounded(unread(file, code, what), parts)
    return Bounded(fails(file, code, step, what=what), parts)


# Lists.

_HEAD: Final = b"\x94\xb0hoity-transcript\x03"
_SIGNED: Final = b"\x92\x00\xc4\x40" + bytes(64)
"""A number and a signature."""
_ENVELOPE: Final = b"\x92\xc4\x00\xc4\x40" + bytes(64)
"""An empty payload and a signature."""
_STEP: Final = b"\x92\x00\x92\x00\x00"
"""The entry of a step of two seats in which nobody has given a body."""
_BODY: Final = b"\x91\x92\x00\x92\xc4\x00\x00"
"""The entries of one step, in which seat 0 has given an empty body."""
PLACES: Final = ("entries", "signatures", "messages", "new_epochs", "commits", "final")


def _array(number: int) -> bytes:
    """Return the head of an array of at least 16 items."""
    return b"\xdc" + number.to_bytes(2, "big")


def with_list(place: str, item: bytes, number: int) -> Parts:
    """Return the file of two seats who have signed, with so many equal items in one of its lists.

    `place` is a name of `PLACES`, or `slots` or `row`: the slots of the first step and the
    signatures of the first step.
    """
    entries = _BODY if place == "row" else b"\x90"
    header = codec.encode(whole_of(TWO).content.header)
    those = [(_array(number), 1), (item, number)]
    parts: list[tuple[bytes, int]] = [(_HEAD + b"\x92" + header, 1)]
    if place == "slots":
        return [*parts, (b"\x91\x92\x00", 1), *those, (b"\x95" + b"\x90" * 5, 1)]
    parts += those if place == "entries" else [(entries, 1)]
    parts.append((b"\x95", 1))
    for name in PLACES[1:]:
        if place == "row" and name == "signatures":
            parts += [(b"\x91", 1), *those]
        else:
            parts += those if place == name else [(b"\x90", 1)]
    return parts


LISTS: Final = {
    "entries": (_STEP, "missing-signature", 1, "steps without any signatures ([V-4], 5)"),
    "slots": (b"\x00", "bad-form", None, "slots in a step of two seats ([V-4], 1)"),
    "signatures": (b"\x90", "left-over", None, "empty arrays of signatures, and no step ([V-4])"),
    "row": (_SIGNED, "left-over", 1, "signatures of a step with one body ([V-4], 7)"),
    "messages": (_ENVELOPE, "bad-message", None, "messages that are none ([V-5], 1)"),
    "new_epochs": (_ENVELOPE, "bad-message", None, "new-epoch messages that are none ([V-5], 1)"),
    "commits": (_SIGNED, "left-over", None, "commit votes without a change of epoch ([V-9], 1)"),
    "final": (_SIGNED, "left-over", None, "last inputs without an end ([V-10], 1)"),
}
"""By place, an item, the verdict on a list of such items within the bound, and what they are."""


def _lists() -> Iterator[tuple[str, Bounded]]:
    for place, (item, code, step, words) in LISTS.items():
        for number in (OTHER + 1, MAX_ITEMS, MAX_ITEMS + 1):
            parts = partial(with_list, place, item, number)
            found = _of(parts, code, f"The file has {number:,} {words}.", step)
            if number > MAX_ITEMS:
                what = f"The file has {number:,} {words.split(' (')[0]}: one too many ([C-4], 2)."
                found = _of(parts, "bad-encoding", what)
            yield f"{place.replace('_', '-')}-{number}", found


# Items, depth, strings and bytes.


def _of_items(number: int) -> Parts:
    """Return a file of so many items in all, about a million, most of them in long lists."""
    lists, more = divmod(number - 6, MAX_ITEMS + 1)
    full = [(_array(MAX_ITEMS), 1), (b"\xc0", MAX_ITEMS)] * lists
    rest = [(_array(more), 1), (b"\xc0", more), (b"\xc0", 1)]
    return [(_HEAD + _array(lists + 1), 1), *full, *rest]


def _with_string(value: bytes | str) -> Parts:
    """Return a file whose header is this string, and nothing else."""
    data = codec.encode(value)
    size = len(value)
    return [(_HEAD + b"\x92" + data[:-size], 1), (data[-1:], size), (b"\x90\x95" + b"\x90" * 5, 1)]


def _of_bytes(size: int) -> Parts:
    """Return a file of so many bytes, of which two are its content and evidence."""
    return [(_HEAD, 1), (b"\x00", size - len(_HEAD))]


def _of_header(size: int) -> Parts:
    """Return a header alone of so many bytes, filled up by an option that no seat knows."""
    played = table_of(TWO)
    old = played.table.header
    over = size - 600

    def header() -> bytes:
        terms = replace(old.terms, options=((3, bytes(over)),))
        entries = zip(played.who, old.roster, strict=True)
        roster = (table_header.sit(terms, who, one.nickname, one.nonce) for who, one in entries)
        return Header(terms, tuple(roster)).encode()

    over += size - len(header())
    data = Transcript(Content(header(), ()), Evidence()).encode()
    before, _, after = data.partition(bytes(over))
    return [(before, 1), (b"\x00", over), (after, 1)]


def _nested(depth: int) -> Parts:
    """Return a file whose content is a number in so many arrays, the outermost one counted."""
    return [(_HEAD, 1), (b"\x91", depth - 1), (b"\x05\x00", 1)]


def _others() -> Iterator[tuple[str, Bounded]]:
    for more in (0, 1):
        over = bool(more)
        depth, number = codec.MAX_DEPTH + more, MAX_TOTAL + more
        what = f"Arrays nest {depth} deep and hold a number ([C-4], 1)."
        code = "bad-encoding" if over else "bad-form"
        yield f"depth-{depth}", _of(partial(_nested, depth), code, what)
        what = f"The file has {number:,} items in all ([C-4], 4)."
        yield f"items-{number}", _of(partial(_of_items, number), code, what)
        size = MAX_STRING + more
        what = f"The header is a text of {size:,} bytes ([C-4], 5)."
        yield f"text-{size}", _of(partial(_with_string, "a" * size), code, what)
        what = f"The header has {size:,} bytes ([C-4], 5, and [H-1])."
        code = "bad-encoding" if over else "bad-header"
        yield f"bytes-{size}", _of(partial(_with_string, bytes(size)), code, what)
        size = MAX_HEADER + more
        what = f"The header has {size:,} bytes, most of them in an odd option ([H-1], [H-14])."
        code, step = ("bad-header", None) if over else ("not-final", 1)
        yield f"header-{size}", _of(partial(_of_header, size), code, what, step)
        size = MAX_FILE + more
        what = f"The file has {size:,} bytes, and its value ends before them ([V-1], 2 and 6)."
        code = "too-large" if over else "bad-encoding"
        yield f"file-{size}", _of(partial(_of_bytes, size), code, what)


BOUNDED: Final[dict[str, Bounded]] = {**dict(_lists()), **dict(_others())}
"""Name to file."""
