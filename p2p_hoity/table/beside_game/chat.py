"""Chat at a table: signed messages that are not part of the game, for all peers of the table.

A seat sends its own messages, and passes on those of its onlookers, signed once more: `via` is the
number of this seat. Each peer passes on every new message once. The words are plain text, or the
number of a phrase. The count of a message rises with every message of its author, and another one
with every message that a seat passes on. A seat that sends messages too fast is muted for a while.
If a link carries too many frames of chat, nothing is read from that link for a second. Times are
seconds of any monotonic clock.

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
from protocol.units import Pace, PeerId, Quota, TableId

from ...coded_errors import Code, Reason, because
from ...confusable_names import thinned
from ...net.link_limits import Buckets
from ...presentation import screen_updates as updates

MAX_WORDS: Final = 200
"""The most characters of a message."""
PHRASES: Final = 12
"""The number of phrases that every language has. A message names one by its number, from 0."""
MAX_COUNT: Final = 2**64 - 1
_Count = Annotated[int, codec.Int(MAX_COUNT)]
_WORDS: Final = codec.Text(lambda words: words != "" and is_plain(words), MAX_WORDS)


@dataclass(frozen=True)
class Spoken:
    """A chat message, signed by its author."""

    table: codec.Octets32
    author: codec.Octets32
    via: table_header.Seat
    count: _Count
    words: Annotated[str | int, codec.Either(str, _WORDS, codec.Int(PHRASES - 1))]
    signature: codec.Octets64 = b""

    def statement(self) -> bytes:
        """Return the bytes that the author signs: the encoded fields, without the signature."""
        return codec.encode((self.table, self.author, self.via, self.count, self.words))

    def encode(self) -> bytes:
        """Return the frame `talk`."""
        return codec.encode(FRAMES.write(self))

    def check(self) -> None:
        """Check the author's signature ([W-2]).

        Raises:
            Invalid: If it is invalid.
        """
        verify_signature(self.author, Label.TALK, self.statement(), self.signature)


_SPOKEN: Final = codec.Kinds({"talk": (Spoken, 2_048)})


class _PassedOn(codec.FieldForm[Spoken]):
    """The form of a field that contains the whole frame `talk` of another author, as bytes."""

    def read(self, value: Any) -> Spoken:
        """Parse the message in a decoded field. Its signature is not checked.

        Raises:
            WrongForm: If the field is no byte string.
            Invalid: If the bytes are no frame `talk`.
        """
        return _SPOKEN.parse(codec.Octets().read(value), "what is passed on")

    def write(self, value: Spoken) -> bytes:
        """Encode a message as the bytes of its frame `talk`."""
        return codec.encode(_SPOKEN.write(value))


@dataclass(frozen=True)
class PassedWords:
    """An onlooker's chat message, signed once more by the seat that passes it on."""

    spoken: Annotated[Spoken, _PassedOn()]
    count: _Count
    signature: codec.Octets64 = b""

    def statement(self) -> bytes:
        """Return the bytes that the seat signs: an array of the frame `talk` and the count."""
        return codec.encode((self.spoken.encode(), self.count))

    def encode(self) -> bytes:
        """Return the frame `passed`."""
        return codec.encode(FRAMES.write(self))

    def check(self, via: bytes) -> None:
        """Check the signatures of the author and of the seat with the key `via` ([W-3]).

        Raises:
            Invalid: If one of the signatures is invalid.
        """
        verify_signature(via, Label.TALK_PASSED, self.statement(), self.signature)
        self.spoken.check()


FRAMES: Final[codec.Kinds[Spoken | PassedWords]] = codec.Kinds(
    {"talk": (Spoken, 2_048), "passed": (PassedWords, 2_048)}
)


def speak(table: TableId, who: Identity, via: int, count: int, words: str | int) -> Spoken:
    """Make a chat message and sign it with its author's key."""
    bare = Spoken(table, who.public, via, count, words)
    signature = who.sign(Label.TALK, bare.statement())
    return Spoken(table, who.public, via, count, words, signature)


def pass_on(spoken: Spoken, who: Identity, count: int) -> PassedWords:
    """Sign an onlooker's message with the key of the seat that passes it on."""
    bare = PassedWords(spoken, count)
    return PassedWords(spoken, count, who.sign(Label.TALK_PASSED, bare.statement()))


def parse_talk(data: bytes) -> Spoken | PassedWords:
    """Parse a frame of chat, without checking signatures ([W-1], [X-2]).

    Raises:
        Invalid: If the bytes are not such a frame.
    """
    return FRAMES.parse(data, "a frame of talk")


def tidied(words: str) -> str:
    """Return a typed text as it is sent: in NFC, without surplus marks and outer spaces.

    It may be empty or too long.
    """
    return thinned(unicodedata.normalize("NFC", words.strip()))


SEAT: Final[Pace] = (5.0, 1 / 3)
"""The rate of messages of one seat: how many at once, and how many a second after that."""
ONLOOKER: Final[Pace] = (3.0, 1 / 9)
"""The rate of messages of one onlooker. The seat that passes them on applies this rate."""
FORWARDED: Final[Pace] = (9.0, 1 / 3)
"""The rate of messages of all onlookers of one seat together, which every peer applies."""
DEBT: Final[Quota] = 10
"""The most messages by which an author may exceed its rate.

The author is muted until it has waited as long as the rate requires for these messages.
"""
MOST_ONLOOKERS: Final[Quota] = 40
"""The most onlookers that one seat lets in. Further ones have to look on at another seat.

A peer stores the counts of so many onlookers of each seat. Of more, which only a seat that lies can
name, it forgets the one that has been silent for longest.
"""
SHORT: Final = 9
"""How many characters of an onlooker's key fingerprint are shown instead of a name."""


class TalkCode(Code):
    """The reasons for which a player's words are not sent."""

    OFF = "talk-off", "talk is switched off here (--no-talk)"
    EMPTY = "talk-empty", "there is nothing to say"
    LONG = "talk-too-long", "that is too long: {most} characters at most"
    NOT_PLAIN = "talk-not-plain", "that has characters that are not allowed in talk"
    NO_PHRASE = "talk-no-phrase", "there is no such phrase: their numbers end with {last}"
    FAST = "talk-too-fast", "too much at once: wait a few seconds"
    ALONE = "talk-heard-by-nobody", "there is no link to a seat, so nobody would hear it"


@dataclass(frozen=True)
class Heard:
    """A new chat message: the update for the screen, and the frame to send or pass on."""

    said: updates.Said
    frame: bytes


class ChatHistory:
    """The chat state of one peer at one table: who may still send, and which messages are new.

    A message that exceeds its author's rate is dropped, and costs a token nevertheless ([W-4]).
    """

    def __init__(
        self, table: Table, seat: int | None, me: Identity | None, clock: Callable[[], int]
    ) -> None:
        self._table, self._seat, self._me, self._clock = table, seat, me, clock
        seats = table.seats
        self._seats, self._forwarded = Buckets(SEAT, seats), Buckets(FORWARDED, seats)
        self._onlookers = Buckets(ONLOOKER, MOST_ONLOOKERS)
        self._last: dict[bytes | int, int] = {}
        # For each seat by itself: onlookers that one seat makes up push out no others.
        self._guests: list[OrderedDict[bytes, int]] = [OrderedDict() for _ in range(seats)]

    # Messages received

    def receive(self, peer: PeerId, data: bytes, now: float) -> Heard | None:
        """Return the message in a frame if it is new and may be shown, or None ([W-2], [W-3])."""
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
        """Return a seat's message if it is new, signed and within the seat's rate."""
        seat = self._table.ids.index(word.author)
        # Before the signature is checked: each message comes over many links, once from each seat.
        if not self._is_here(word, seat) or word.count <= self._last.get(word.author, -1):
            return None
        word.check()
        # Before the rate is looked at: a message above it must not be sent again later ([W-4]).
        self._last[word.author] = word.count
        if not self._seats.take_if_any(seat, now, DEBT):
            return None
        return Heard(updates.Said(seat, self._nickname(seat), _readable(word)), word.encode())

    def _is_here(self, word: Spoken, via: int) -> bool:
        return word.table == self._table.id and word.via == via

    def _of_onlooker(self, peer: PeerId, word: Spoken, now: float) -> Heard | None:
        """Sign an onlooker's message as this seat, and return it, if it may be passed on ([W-3]).

        It must have come over the onlooker's own link and must name this seat.
        """
        here, me = self._seat, self._me
        # Over its own link only: a seat vouches for the onlookers that it let in, and no others.
        if here is None or me is None or word.author != peer or not self._is_here(word, here):
            return None
        if self._knows(here, word):
            return None
        # Checked before it is stored: a forged count would silence the onlooker.
        word.check()
        self._remember(here, word)
        # First its own rate: above it, it must take nothing of what all onlookers share.
        may_speak = self._onlookers.take_if_any(peer, now, DEBT)
        if not may_speak or not self._forwarded.take_if_any(here, now, DEBT):
            return None
        passed = pass_on(word, me, self._next(here))
        return Heard(_said(word), passed.encode())

    def _passed(self, frame: PassedWords, now: float) -> Heard | None:
        """Return an onlooker's message that a seat passed on, if it is new and within the rate."""
        word, via = frame.spoken, frame.spoken.via
        # A seat speaks for itself within its own rate, and not through another seat.
        is_foreign = via >= self._table.seats or word.author in self._table.ids
        if is_foreign or word.table != self._table.id or frame.count <= self._last.get(via, -1):
            return None
        # Checked before it is stored: a forged count would silence the seat.
        frame.check(self._table.ids[via])
        self._last[via] = frame.count
        # An old message takes a token of the seat, too, so that it does not pass on the same one
        # for ever.
        is_old = self._knows(via, word)
        self._remember(via, word)
        if not self._forwarded.take_if_any(via, now, DEBT) or is_old:
            return None
        return Heard(_said(word), frame.encode())

    def _knows(self, via: int, word: Spoken) -> bool:
        return word.count <= self._guests[via].get(word.author, -1)

    def _remember(self, via: int, word: Spoken) -> None:
        """Store the count of an onlooker's message if it is the highest one so far."""
        guests = self._guests[via]
        guests[word.author] = max(word.count, guests.get(word.author, -1))
        guests.move_to_end(word.author)
        # A seat can make up as many onlookers as it likes.
        if len(guests) > MOST_ONLOOKERS:
            guests.popitem(last=False)

    def _nickname(self, seat: int) -> str:
        return self._table.header.roster[seat].nickname

    # Messages of this peer

    def why_not(self, words: str | int) -> Reason | None:
        """Return why a player's words cannot be sent as they were typed, or None ([W-1])."""
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
        """Sign a message of this peer's player, or return the reason why it may not be sent.

        Args:
            linked: The numbers of the seats that are linked and let in.
        """
        if (reason := self.why_not(words)) is not None:
            return reason
        if self._me is None:
            return because(TalkCode.OFF)
        via = min(linked, default=None) if self._seat is None else self._seat
        if via is None:
            return because(TalkCode.ALONE)
        is_seat = self._seat is not None
        voices, who = (self._seats, via) if is_seat else (self._onlookers, self._me.public)
        # Without debt: the player is told at once, and need not be muted for trying.
        if not voices.take_if_any(who, now):
            return because(TalkCode.FAST)
        text = words if isinstance(words, int) else tidied(words)
        word = speak(self._table.id, self._me, via, self._next(self._me.public), text)
        # An onlooker's own words come back in frames `passed`, and are not shown to it again.
        self._remember(via, word)
        said = _said(word)
        if self._seat is not None:
            said = updates.Said(self._seat, self._nickname(self._seat), text)
        return Heard(replace(said, is_own=True), word.encode())

    def _next(self, who: bytes | int) -> int:
        """Return a count above all earlier ones of an author, or of a seat that passes messages on.

        It is at least the clock's milliseconds, so that it also rises after a restart ([W-2]).
        """
        # Stored, so that own messages that come back over other links are not new.
        self._last[who] = max(self._clock(), self._last.get(who, -1) + 1)
        return self._last[who]


def _said(word: Spoken) -> updates.Said:
    """Return the update that shows an onlooker's message, by its key instead of a name."""
    return updates.Said(None, fingerprint(word.author)[:SHORT], _readable(word))


def _readable(word: Spoken) -> str | int:
    """Return the words to show, without surplus combining marks."""
    return thinned(word.words) if isinstance(word.words, str) else word.words
