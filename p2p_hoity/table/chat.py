"""Chat at a table: signed frames outside the chain, flooded once to every node that is let in.

Each node passes on what is new to it, once. A seat that talks too fast is muted for a while. A link
that carries too many frames of chat is read no further for a second.

SPEC: section 13.6.
"""

from __future__ import annotations

import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from protocol import (
    Identity,
    Invalid,
    Label,
    Table,
    codec,
    fingerprint,
    is_plain,
    table_header,
    verify_signature,
)
from protocol.bounds import Pace, Quota

from ..coded_errors import Code, Reason, because
from ..confusable_names import thinned
from ..net.link_limits import Buckets
from ..presentation import screen_updates as updates

MAX_WORDS: Final = 200
"""Characters of what is said at once."""
PHRASES: Final = 12
"""Phrases that every language has; they are said by their number, from 0."""
MAX_COUNT: Final = 2**64 - 1
_Count = Annotated[int, codec.Int(MAX_COUNT)]
_WORDS: Final = codec.Text(lambda words: words != "" and is_plain(words), MAX_WORDS)


@dataclass(frozen=True)
class Spoken:
    """What its author says at one table: plain text, or the number of a phrase.

    `via` is the seat through which it is said: a seat's own number, or that of the seat which an
    onlooker says it to. `count` rises with everything that an author says.
    """

    table: codec.Octets32
    author: codec.Octets32
    via: table_header.Seat
    count: _Count
    words: Annotated[str | int, codec.Either(str, _WORDS, codec.Int(PHRASES - 1))]
    signature: codec.Octets64 = b""

    def statement(self) -> bytes:
        """The bytes that the author signs."""
        return codec.encode((self.table, self.author, self.via, self.count, self.words))

    def encode(self) -> bytes:
        """The frame."""
        return codec.encode(FRAMES.write(self))

    def check(self) -> None:
        """Invalid unless its author has signed it ([W-2])."""
        verify_signature(self.author, Label.TALK, self.statement(), self.signature)


_SPOKEN: Final = codec.Kinds({"talk": (Spoken, 2_048)})


class _PassedOn(codec.FieldForm[Spoken]):
    """The whole frame of what somebody else has said, as bytes."""

    def read(self, value: Any) -> Spoken:
        """Return what was said. Raises WrongForm for what is not of this form."""
        return _SPOKEN.parse(codec.Octets().read(value), "what is passed on")

    def write(self, value: Spoken) -> bytes:
        """Return the frame."""
        return codec.encode(_SPOKEN.write(value))


@dataclass(frozen=True)
class PassedWords:
    """An onlooker's words, signed once more by the seat that they were said to; `count` rises with
    everything that this seat passes on."""

    spoken: Annotated[Spoken, _PassedOn()]
    count: _Count
    signature: codec.Octets64 = b""

    def statement(self) -> bytes:
        """The bytes that the seat signs."""
        return codec.encode((self.spoken.encode(), self.count))

    def encode(self) -> bytes:
        """The frame."""
        return codec.encode(FRAMES.write(self))

    def check(self, via: bytes) -> None:
        """Invalid unless this seat has passed on what its author has signed ([W-3])."""
        verify_signature(via, Label.TALK_PASSED, self.statement(), self.signature)
        self.spoken.check()


FRAMES: Final[codec.Kinds[Spoken | PassedWords]] = codec.Kinds(
    {"talk": (Spoken, 2_048), "passed": (PassedWords, 2_048)}
)


def speak(table: bytes, who: Identity, via: int, count: int, words: str | int) -> Spoken:
    """Words signed by their author."""
    bare = Spoken(table, who.public, via, count, words)
    signature = who.sign(Label.TALK, bare.statement())
    return Spoken(table, who.public, via, count, words, signature)


def pass_on(spoken: Spoken, who: Identity, count: int) -> PassedWords:
    """An onlooker's words with the signature of the seat that they were said to."""
    bare = PassedWords(spoken, count)
    return PassedWords(spoken, count, who.sign(Label.TALK_PASSED, bare.statement()))


def parse_talk(data: bytes) -> Spoken | PassedWords:
    """Talk from its bytes, no signature checked; Invalid otherwise ([W-1], [X-2])."""
    return FRAMES.parse(data, "a frame of talk")


def tidied(words: str) -> str:
    """What a player has typed as it is sent: composed (NFC), with no space at its ends and no more
    marks on a character than are shown."""
    return thinned(unicodedata.normalize("NFC", words.strip()))


SEAT: Final[Pace] = (5.0, 1 / 3)
"""Words that a seat may say at once, and a second after that."""
ONLOOKER: Final[Pace] = (3.0, 1 / 9)
"""The same of one onlooker, at the seat that it speaks to."""
FORWARDED: Final[Pace] = (9.0, 1 / 3)
"""The same of all onlookers of one seat, at every node."""
DEBT: Final[Quota] = 10
"""So many words more than it may keep a voice silent until they are made up for."""
MOST_ONLOOKERS: Final[Quota] = 32
"""Onlookers of one seat whose last words are remembered; the oldest is forgotten."""
SHORT: Final = 9
"""Letters of an onlooker's fingerprint, in two groups, that stand for its name."""


class TalkCode(Code):
    """Why a player's words are not said."""

    OFF = "talk-off", "talk is switched off here (--no-talk)"
    EMPTY = "talk-empty", "there is nothing to say"
    LONG = "talk-too-long", "that is too long: {most} characters at most"
    NOT_PLAIN = "talk-not-plain", "that has characters that are not allowed in talk"
    NO_PHRASE = "talk-no-phrase", "there is no such phrase: their numbers end with {last}"
    FAST = "talk-too-fast", "too much at once: wait a few seconds"
    ALONE = "talk-heard-by-nobody", "there is no link to a seat, so nobody would hear it"


@dataclass(frozen=True)
class Heard:
    """New words: what the screen is told, and the frame that goes on to others."""

    said: updates.Said
    frame: bytes


class ChatHistory:
    """What one node of a table has heard; `clock` gives milliseconds since 1970.

    Each voice has a bucket of words. A word above what is in it is not heard, and is owed ([W-4]).
    """

    def __init__(
        self, table: Table, seat: int | None, me: Identity | None, clock: Callable[[], int]
    ) -> None:
        self._table, self._seat, self._me, self._clock = table, seat, me, clock
        seats = table.seats
        self._seats, self._forwarded = Buckets(SEAT, seats), Buckets(FORWARDED, seats)
        self._onlookers = Buckets(ONLOOKER, MOST_ONLOOKERS)
        self._last: dict[bytes | int, int] = {}
        self._guests: list[OrderedDict[bytes, int]] = [OrderedDict() for _ in range(seats)]

    # What comes in.

    def receive(self, peer: bytes, data: bytes, now: float) -> Heard | None:
        """New words of this table that were signed and may be said, else nothing ([W-2], [W-3])."""
        try:
            frame = parse_talk(data)
            if isinstance(frame, PassedWords):
                return self._passed(frame, now)
            if frame.author in self._table.ids:
                return self._of_seat(frame, now)
            return self._of_onlooker(peer, frame, now)
        except Invalid:
            return None

    def _of_seat(self, word: Spoken, now: float) -> Heard | None:
        seat = self._table.ids.index(word.author)
        if not self._is_here(word, seat) or word.count <= self._last.get(word.author, -1):
            return None
        word.check()
        self._last[word.author] = word.count
        if not self._seats.take_if_any(seat, now, DEBT):
            return None
        return Heard(updates.Said(seat, self._nickname(seat), _readable(word)), word.encode())

    def _is_here(self, word: Spoken, via: int) -> bool:
        return word.table == self._table.id and word.via == via

    def _of_onlooker(self, peer: bytes, word: Spoken, now: float) -> Heard | None:
        """Only on its own link, to this very seat, which passes it on in its name ([W-3])."""
        here, me = self._seat, self._me
        if here is None or me is None or word.author != peer or not self._is_here(word, here):
            return None
        if self._knows(here, word):
            return None
        word.check()
        self._remember(here, word)
        may_speak = self._onlookers.take_if_any(peer, now, DEBT)
        if not may_speak or not self._forwarded.take_if_any(here, now, DEBT):
            return None
        passed = pass_on(word, me, self._next(here))
        return Heard(_said(word), passed.encode())

    def _passed(self, frame: PassedWords, now: float) -> Heard | None:
        word, via = frame.spoken, frame.spoken.via
        is_foreign = via >= self._table.seats or word.author in self._table.ids
        if is_foreign or word.table != self._table.id or frame.count <= self._last.get(via, -1):
            return None
        frame.check(self._table.ids[via])
        self._last[via] = frame.count
        is_old = self._knows(via, word)
        self._remember(via, word)
        if not self._forwarded.take_if_any(via, now, DEBT) or is_old:
            return None
        return Heard(_said(word), frame.encode())

    def _knows(self, via: int, word: Spoken) -> bool:
        return word.count <= self._guests[via].get(word.author, -1)

    def _remember(self, via: int, word: Spoken) -> None:
        guests = self._guests[via]
        guests[word.author] = max(word.count, guests.get(word.author, -1))
        guests.move_to_end(word.author)
        if len(guests) > MOST_ONLOOKERS:
            guests.popitem(last=False)

    def _nickname(self, seat: int) -> str:
        return self._table.header.roster[seat].nickname

    # What this node says.

    def why_not(self, words: str | int) -> Reason | None:
        """Why words of a player cannot be said as they are ([W-1])."""
        if isinstance(words, int):
            fits = 0 <= words < PHRASES
            return None if fits else because(TalkCode.NO_PHRASE, last=PHRASES - 1)
        text = tidied(words)
        if not text:
            return because(TalkCode.EMPTY)
        if len(text) > MAX_WORDS:
            return because(TalkCode.LONG, most=MAX_WORDS)
        return None if is_plain(text) else because(TalkCode.NOT_PLAIN)

    def say(self, words: str | int, linked: Collection[int], now: float) -> Heard | Reason:
        """Sign words of one's own, or why they are not said; `linked`: the seats with a link."""
        if (reason := self.why_not(words)) is not None:
            return reason
        if self._me is None:
            return because(TalkCode.OFF)
        via = min(linked, default=None) if self._seat is None else self._seat
        if via is None:
            return because(TalkCode.ALONE)
        is_seat = self._seat is not None
        voices, who = (self._seats, via) if is_seat else (self._onlookers, self._me.public)
        if not voices.take_if_any(who, now):
            return because(TalkCode.FAST)
        text = words if isinstance(words, int) else tidied(words)
        word = speak(self._table.id, self._me, via, self._next(self._me.public), text)
        self._remember(via, word)
        said = _said(word)
        if self._seat is not None:
            said = updates.Said(self._seat, self._nickname(self._seat), text)
        return Heard(replace(said, is_own=True), word.encode())

    def _next(self, who: bytes | int) -> int:
        """A count above all before it, also after this process has ended ([W-2])."""
        self._last[who] = max(self._clock(), self._last.get(who, -1) + 1)
        return self._last[who]


def _said(word: Spoken) -> updates.Said:
    """An onlooker has no name: the first letters of its key's fingerprint tell it from others."""
    return updates.Said(None, fingerprint(word.author)[:SHORT], _readable(word))


def _readable(word: Spoken) -> str | int:
    """Words as they are shown here; they are passed on as their author has signed them."""
    return thinned(word.words) if isinstance(word.words, str) else word.words
