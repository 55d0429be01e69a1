"""Frames of talk: what seats and onlookers say at a running table, signed, outside the chain."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from protocol import (
    SIGNATURE_SIZE,
    Identity,
    Label,
    Raw,
    codec,
    is_plain,
    table_header,
    verify_signature,
)

from ..stacking import thinned
from .frame_sizes import MOST_BYTES

MAX_WORDS: Final = 200
"""Characters of what is said at once."""
PHRASES: Final = 12
"""Phrases that every language has; they are said by their number, from 0."""
MAX_COUNT: Final = 2**64 - 1
_TALK, _PASSED = "talk", "passed"
MAX_TALK: Final = MOST_BYTES[_TALK]
"""Bytes of a frame of talk; the longest words take 800 of them."""
_STARTS: Final = tuple(codec.encode(kind) for kind in (_TALK, _PASSED))


@dataclass(frozen=True)
class Spoken:
    """What its author says at one table: plain text, or the number of a phrase.

    `door` is the seat at which it is said: a seat's own number, or that of the seat which an
    onlooker says it to. `count` rises with everything that an author says.
    """

    table: bytes
    author: bytes
    door: int
    count: int
    words: str | int
    signature: bytes = b""

    def statement(self) -> bytes:
        """The bytes that the author signs."""
        return codec.encode((self.table, self.author, self.door, self.count, self.words))

    def encode(self) -> bytes:
        """The frame."""
        said = (self.table, self.author, self.door, self.count, self.words)
        return codec.encode((_TALK, *said, self.signature))

    def check(self) -> None:
        """Invalid unless its author has signed it ([W-2])."""
        verify_signature(self.author, Label.TALK, self.statement(), self.signature)


@dataclass(frozen=True)
class Passed:
    """An onlooker's words, signed once more by the seat that they were said to; `count` rises with
    everything that this seat passes on."""

    spoken: Spoken
    count: int
    signature: bytes = b""

    def statement(self) -> bytes:
        """The bytes that the seat signs."""
        return codec.encode((self.spoken.encode(), self.count))

    def encode(self) -> bytes:
        """The frame."""
        return codec.encode((_PASSED, self.spoken.encode(), self.count, self.signature))

    def check(self, door: bytes) -> None:
        """Invalid unless this seat has passed on what its author has signed ([W-3])."""
        verify_signature(door, Label.TALK_PASSED, self.statement(), self.signature)
        self.spoken.check()


def speak(table: bytes, who: Identity, door: int, count: int, words: str | int) -> Spoken:
    """Words signed by their author."""
    bare = Spoken(table, who.public, door, count, words)
    signature = who.sign(Label.TALK, bare.statement())
    return Spoken(table, who.public, door, count, words, signature)


def pass_on(spoken: Spoken, who: Identity, count: int) -> Passed:
    """An onlooker's words with the signature of the seat that they were said to."""
    bare = Passed(spoken, count)
    return Passed(spoken, count, who.sign(Label.TALK_PASSED, bare.statement()))


def is_talk(data: bytes) -> bool:
    """Whether a frame begins as talk does."""
    return data[1:].startswith(_STARTS)


def parse_talk(data: bytes) -> Spoken | Passed:
    """Talk from its bytes, no signature checked; Invalid otherwise ([W-1], [X-2])."""
    raw = Raw(codec.decode(data, MAX_TALK), "bad-frame", "a frame of talk")
    kind = raw.head("its kind").text()
    if kind == _TALK:
        return _read_spoken(raw)
    raw.need(kind == _PASSED, "is of no known kind")
    _, inner, count, signature = raw.row("its kind", "the words", "the count", "the signature")
    spoken = Raw(codec.decode(inner.octets(), MAX_TALK), "bad-frame", "the words passed on")
    spoken.need(spoken.head("their kind").value == _TALK, "are no talk")
    read = _read_spoken(spoken)
    return Passed(read, count.integer(MAX_COUNT), signature.octets(SIGNATURE_SIZE))


def _read_spoken(raw: Raw) -> Spoken:
    _, table, author, door, count, words, signature = raw.row(
        "its kind", "the table", "the author", "the door", "the count", "the words", "the signature"
    )
    return Spoken(
        table.octets(32),
        author.octets(32),
        door.integer(table_header.MAX_SEATS - 1),
        count.integer(MAX_COUNT),
        _read_words(words),
        signature.octets(SIGNATURE_SIZE),
    )


def _read_words(raw: Raw) -> str | int:
    if isinstance(raw.value, str):
        text = raw.text(MAX_WORDS)
        raw.need(text != "", "is empty")
        raw.need(is_plain(text), "is not plain")
        return text
    return raw.integer(PHRASES - 1)


def tidied(words: str) -> str:
    """What a player has typed as it is sent: composed (NFC), with no space at its ends and no more
    marks on a character than are shown."""
    return thinned(unicodedata.normalize("NFC", words.strip()))
