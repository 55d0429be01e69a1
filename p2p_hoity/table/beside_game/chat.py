"""Chat at a table: signed messages that are not part of the game, for all nodes of the table.

Each node passes on every new message once. A seat that sends messages too fast is muted for a
while. If a link carries too many frames of chat, nothing is read from that link for a second.

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
    """A chat message: plain text, or the number of a phrase, signed by its author.

    Attributes:
        author: The public key of the author, 32 bytes.
        via: The number of the seat that sends the message to the table: the author's own seat, or
            the seat to which an onlooker has sent the message.
        count: A number that rises with every message of the author.
        signature: The author's signature of `statement`, 64 bytes.
    """

    table: codec.Octets32
    author: codec.Octets32
    via: table_header.Seat
    count: _Count
    words: Annotated[str | int, codec.Either(str, _WORDS, codec.Int(PHRASES - 1))]
    signature: codec.Octets64 = b""

    def statement(self) -> bytes:
        """Return the bytes that the author signs.

        Returns:
            The encoded fields, without the signature.
        """
        return codec.encode((self.table, self.author, self.via, self.count, self.words))

    def encode(self) -> bytes:
        """Return the message as a frame.

        Returns:
            The bytes of the frame `talk`.
        """
        return codec.encode(FRAMES.write(self))

    def check(self) -> None:
        """Check the author's signature ([W-2]).

        Raises:
            Invalid: If the signature is invalid.
        """
        verify_signature(self.author, Label.TALK, self.statement(), self.signature)


_SPOKEN: Final = codec.Kinds({"talk": (Spoken, 2_048)})


class _PassedOn(codec.FieldForm[Spoken]):
    """The form of a field that contains the whole frame `talk` of another author, as bytes."""

    def read(self, value: Any) -> Spoken:
        """Parse the message in a field.

        Args:
            value: The decoded field.

        Returns:
            The message. Its signature is not checked.

        Raises:
            WrongForm: If the field is not a byte string.
            Invalid: If the bytes are not a frame `talk`.
        """
        return _SPOKEN.parse(codec.Octets().read(value), "what is passed on")

    def write(self, value: Spoken) -> bytes:
        """Encode a message as the bytes of its frame.

        Returns:
            The bytes of the frame `talk`.
        """
        return codec.encode(_SPOKEN.write(value))


@dataclass(frozen=True)
class PassedWords:
    """An onlooker's chat message, signed once more by the seat that passes it on.

    Attributes:
        count: A number that rises with every message that this seat passes on.
        signature: The seat's signature over the message and the count, 64 bytes.
    """

    spoken: Annotated[Spoken, _PassedOn()]
    count: _Count
    signature: codec.Octets64 = b""

    def statement(self) -> bytes:
        """Return the bytes that are signed by the seat that passes the message on.

        Returns:
            The encoding of an array of two items: the onlooker's message as a frame `talk` (bytes),
            and the number `count`.
        """
        return codec.encode((self.spoken.encode(), self.count))

    def encode(self) -> bytes:
        """Return the message as a frame.

        Returns:
            The bytes of the frame `passed`.
        """
        return codec.encode(FRAMES.write(self))

    def check(self, via: bytes) -> None:
        """Check the signatures of the author and of the seat that passed the message on ([W-3]).

        Args:
            via: The public key of that seat, 32 bytes.

        Raises:
            Invalid: If one of the signatures is invalid.
        """
        verify_signature(via, Label.TALK_PASSED, self.statement(), self.signature)
        self.spoken.check()


FRAMES: Final[codec.Kinds[Spoken | PassedWords]] = codec.Kinds(
    {"talk": (Spoken, 2_048), "passed": (PassedWords, 2_048)}
)


def speak(table: TableId, who: Identity, via: int, count: int, words: str | int) -> Spoken:
    """Make a chat message and sign it as its author.

    Args:
        who: The author's key.
        via: The number of the seat that sends the message to the table.
        count: A number above those of all earlier messages of the author.
        words: The text, or the number of a phrase.
    """
    bare = Spoken(table, who.public, via, count, words)
    signature = who.sign(Label.TALK, bare.statement())
    return Spoken(table, who.public, via, count, words, signature)


def pass_on(spoken: Spoken, who: Identity, count: int) -> PassedWords:
    """Sign an onlooker's message as the seat that passes it on.

    Args:
        who: The seat's key.
        count: A number above those of all messages that the seat has passed on.

    Returns:
        The message with both signatures.
    """
    bare = PassedWords(spoken, count)
    return PassedWords(spoken, count, who.sign(Label.TALK_PASSED, bare.statement()))


def parse_talk(data: bytes) -> Spoken | PassedWords:
    """Parse a frame of chat, without checking signatures ([W-1], [X-2]).

    Returns:
        The message of a seat or onlooker, or an onlooker's message that a seat has signed and
        passed on.

    Raises:
        Invalid: If the bytes are not such a frame.
    """
    return FRAMES.parse(data, "a frame of talk")


def tidied(words: str) -> str:
    """Return a typed text in the form in which it is sent.

    The text to send is composed (NFC) and has no space at its ends. Surplus combining marks on a
    character, which the screen does not show, are removed.

    Returns:
        The text to send. It may be empty or too long.
    """
    return thinned(unicodedata.normalize("NFC", words.strip()))


SEAT: Final[Pace] = (5.0, 1 / 3)
"""The rate of messages of one seat: how many at once, and how many a second after that."""
ONLOOKER: Final[Pace] = (3.0, 1 / 9)
"""The rate of messages of one onlooker. The seat that passes them on applies this rate."""
FORWARDED: Final[Pace] = (9.0, 1 / 3)
"""The rate of messages of all onlookers of one seat together, which every node applies."""
DEBT: Final[Quota] = 10
"""The most messages by which an author may exceed its rate.

The author is muted until it has waited as long as the rate requires for these messages.
"""
MOST_ONLOOKERS: Final[Quota] = 32
"""The most onlookers of one seat of which the last message number is stored.

The onlooker that has been silent for longest is forgotten.
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
    """A new chat message, received or sent by this node.

    Attributes:
        said: The update for the screen.
        frame: The bytes of the frame to send or pass on to other nodes.
    """

    said: updates.Said
    frame: bytes


class ChatHistory:
    """The chat state of one node at one table: who may still send, and which messages are new.

    For each author it stores the number (`count`) of the last message, and a token bucket that
    limits the author's rate. A message that exceeds the rate is dropped, and leaves the bucket with
    a debt of one token ([W-4]).
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

    # Messages received

    def receive(self, peer: PeerId, data: bytes, now: float) -> Heard | None:
        """Return the message in a frame of chat if it is new and may be shown ([W-2], [W-3]).

        Returns:
            The message and the frame to pass on, or None if the frame is to be dropped.
        """
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
        if not self._is_here(word, seat) or word.count <= self._last.get(word.author, -1):
            return None
        word.check()
        self._last[word.author] = word.count
        if not self._seats.take_if_any(seat, now, DEBT):
            return None
        return Heard(updates.Said(seat, self._nickname(seat), _readable(word)), word.encode())

    def _is_here(self, word: Spoken, via: int) -> bool:
        """Return whether a message belongs to this table and names the seat `via` as its sender."""
        return word.table == self._table.id and word.via == via

    def _of_onlooker(self, peer: PeerId, word: Spoken, now: float) -> Heard | None:
        """Sign an onlooker's message as this seat, and return it, if it may be passed on ([W-3]).

        The message must have come over the onlooker's own link and must name this seat. Otherwise,
        or if the message exceeds the rate, None is returned.
        """
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
        """Return an onlooker's message that a seat passed on, if it is new and within the rate."""
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
        """Return whether an onlooker's message is old: its count is not above the last one stored.

        Counts are stored for each onlooker, and separately for each seat `via` that passes messages
        on.
        """
        return word.count <= self._guests[via].get(word.author, -1)

    def _remember(self, via: int, word: Spoken) -> None:
        """Store the number of an onlooker's message if it is the onlooker's highest number so far.

        The seat `via` has passed the message on. At most MOST_ONLOOKERS onlookers are stored for
        each such seat. If there are more, the onlooker that has been silent for longest is removed.
        """
        guests = self._guests[via]
        guests[word.author] = max(word.count, guests.get(word.author, -1))
        guests.move_to_end(word.author)
        if len(guests) > MOST_ONLOOKERS:
            guests.popitem(last=False)

    def _nickname(self, seat: int) -> str:
        """Return the nickname of a seat."""
        return self._table.header.roster[seat].nickname

    # Messages of this node

    def why_not(self, words: str | int) -> Reason | None:
        """Return why a player's words cannot be sent as they are ([W-1]).

        Args:
            words: The text as typed, or the number of a phrase.

        Returns:
            The reason, or None if the words can be sent.
        """
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
        """Sign a message of this node's player, unless it may not be sent.

        Args:
            words: The text as typed, or the number of a phrase.
            linked: The numbers of the seats that are linked and let in.

        Returns:
            The message and the frame to send, or the reason why the message is not sent.
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
        """Return a count for an author's next message, higher than all the author's earlier counts.

        The count is at least the time of the clock in milliseconds ([W-2]), so that it also rises
        after a restart. `who` is the public key of the author, or the number of a seat that passes
        messages on.
        """
        self._last[who] = max(self._clock(), self._last.get(who, -1) + 1)
        return self._last[who]


def _said(word: Spoken) -> updates.Said:
    """Return the screen update that shows an onlooker's message.

    An onlooker has no nickname. The first characters of its key's fingerprint stand for it.
    """
    return updates.Said(None, fingerprint(word.author)[:SHORT], _readable(word))


def _readable(word: Spoken) -> str | int:
    """Return the words to show: text without surplus combining marks, or the number of a phrase."""
    return thinned(word.words) if isinstance(word.words, str) else word.words
