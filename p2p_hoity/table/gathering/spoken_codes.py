"""Spoken codes, by which a guest gets a ticket: a number, some words, and perhaps a relay.

A code has two words. It has three or four after many wrong tries at the table. The words are in
lower case, and those of the word list are sorted.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from protocol.units import Seconds

from ...coded_errors import NETWORK, NOT_OK, CodedError
from ...coded_errors import Code as ErrorCode
from ...net.mailbox_numbers import MOST_NUMBER
from ...net.network_errors import AddressError
from ...net.typed_addresses import typed_relay
from ...pasted_text import bare, hyphenated, unwrapped
from .number_words import number_words, plain

WORDS: Final = 2
MOST_WORDS: Final = 4
LEAST_LETTERS: Final = 3
"""The number of first letters by which every word of the list differs from all others."""
USUAL_PORT: Final = 4646
"""The port at which a relay listens by default."""
LIFE: Final[Seconds] = 600.0
"""Seconds for which a code is valid."""
MAX_CODE_TEXT: Final = 400
"""The most characters that are read of a typed code with its relay."""
MOST_NUMBER_WORDS: Final = 3
"""The most words of a number, such as `treinta y uno`."""
_GAPS: Final = re.compile(r"[\s\-_.,~]+")
_FORM: Final = re.compile(rf"([0-9]+)((?:-[a-z]+){{{WORDS},{MOST_WORDS}}})")


class CodeCode(ErrorCode):
    """The reasons for which a spoken code, as a guest has typed it, does not lead to a ticket."""

    NO_CODE = (
        "no-code",
        "{text} is not a code. A code is a number and at least two words, as in 7-lantern-walrus",
    )
    NO_WORD = (
        "code-of-no-word",
        ("{text} is not a word of a code; ask the host to say the code again"),
    )
    MEANT = (
        "code-misspelt",
        ("{text} is not a word of a code; did you mean {meant}? The code was not used"),
    )
    BAD_RELAY = "code-with-bad-relay", "the part after the @ is not a relay: {why}"
    NOBODY = (
        "code-unknown-there",
        "nobody waits under the number {number} at {relay}: a code works for one attempt and "
        "ten minutes. Ask the host for the code that it shows now",
        NETWORK,
    )
    BUSY = (
        "code-relay-busy",
        "{relay} accepts no more attempts from your address for now; wait a minute, and ask the "
        "host for the code that it shows then",
        NETWORK,
    )
    UNREACHED = (
        "code-relay-unreached",
        "the relay {relay} cannot be asked ({why}); a ticket from the host works without it",
        NETWORK,
    )
    UNANSWERED = (
        "code-unanswered",
        "the host under the number {number} at {relay} did not answer: ask it for the code that "
        "it shows now",
        NETWORK,
    )
    WRONG = (
        "code-wrong",
        "these are not the words of the host, and the code is used up: ask the host for the "
        "code that it shows now. If you typed the words correctly, the relay may have tried to "
        "intercept the ticket: use another relay, or the ticket itself",
        NOT_OK,
    )
    NO_TICKET = "code-without-ticket", "the host gave no ticket for the code: {why}", NOT_OK
    NOT_OURS = (
        "code-message-malformed",
        "no host of this program answers under this number: ask the host for the code that it "
        "shows now, or for the ticket",
        NOT_OK,
    )


class CodeError(CodedError):
    """An error that says why a spoken code is wrong, or why a guest gets no ticket by it."""


@dataclass(frozen=True)
class SpokenCode:
    """A spoken code: the number under which a host waits at a relay, and some secret words.

    Attributes:
        relay: The 'host:port' of the relay. Empty if it was not typed.
    """

    number: int
    words: tuple[str, ...] = field(repr=False)
    relay: str = ""

    def __str__(self) -> str:
        return "-".join((str(self.number), *self.words))

    @property
    def password(self) -> bytes:
        """The secret for the key exchange: the words without the number, joined by '-' ([K-2])."""
        return "-".join(self.words).encode("ascii")


@cache
def word_list() -> tuple[str, ...]:
    """Return all words from which spoken codes are made, sorted."""
    text = files(__package__).joinpath("words.txt").read_text("ascii")
    # Sorted, because `beginning_with` finds words by bisection.
    return tuple(sorted(line for line in text.splitlines() if line and not line.startswith("#")))


def fresh_words(number: int = WORDS) -> tuple[str, ...]:
    """Draw the words of a new spoken code, each evenly from the whole list ([K-1])."""
    # By the system's randomness: who can predict the words gets the ticket.
    return tuple(secrets.choice(word_list()) for _ in range(number))


def is_code(text: str) -> bool:
    """Return whether a typed text is meant as a spoken code, and not as a ticket or a nickname.

    It has the form of a number and words, joined by dashes, and also names a relay or contains a
    word of the word list. It may stand in a command or in the marks of a mail or chat.
    """
    plain, at, *_ = _plain(text)
    found = _FORM.fullmatch(plain)
    return found is not None and (bool(at) or any(map(_completed, _words_of(found))))


def parse_code(text: str) -> SpokenCode:
    """Return the spoken code that a player means by a typed text.

    Capitals, spaces and any dashes between the parts are accepted. A word may be shortened to its
    first three letters. The number may be a word, if the others are whole. What a mail, a chat or a
    command has put around a code is left out. Nothing is sent, so a mistyped code is not used up.

    Raises:
        CodeError: If the text is not a code.
    """
    plain, at, relay, is_mixed = _plain(text)
    found = _FORM.fullmatch(plain)
    # Python refuses to convert a number of thousands of digits.
    number = found[1].lstrip("0")[:10] if found is not None else ""
    if found is None or int(number or "0") > MOST_NUMBER:
        raise CodeError(CodeCode.NO_CODE, text=text[:40])
    typed = _words_of(found)
    if is_mixed and len(typed) > WORDS:
        raise CodeError(CodeCode.NO_CODE, text=text[:40])
    # Only whole words count beside a sentence: a word of it may begin like one of the list.
    words = tuple(map(_whole_word if is_mixed else _word, typed))
    return SpokenCode(int(number or "0"), words, parse_relay(relay) if at else "")


def _words_of(found: re.Match[str]) -> list[str]:
    return found[2].strip("-").split("-")


def parse_relay(text: str) -> str:
    """Return the place of a relay that was typed, with the usual port if there is none.

    It is 'host:port' or 'wss://host:port'.

    Raises:
        CodeError: If the text is not an address.
    """
    try:
        return typed_relay(text, USUAL_PORT).place
    except AddressError as error:
        raise CodeError(CodeCode.BAD_RELAY, why=error.reason) from error


class _Typed(NamedTuple):
    """A typed code.

    Attributes:
        code: The code in lower case, with single dashes between its parts.
        at: The '@' before the relay, or "".
        relay: The relay as typed, or "".
        is_mixed: Whether different gaps are between the parts. Then the last parts may be words of
            a sentence that follows the code: `7-lantern-walrus. See you`.
    """

    code: str
    at: str
    relay: str
    is_mixed: bool


def _plain(text: str) -> _Typed:
    """Split a typed text into the code, the '@' and the relay."""
    as_typed = _split(text[:MAX_CODE_TEXT].strip().strip("'\"`<>"))
    # As typed first, because cleaning must not turn one valid code into another.
    if _FORM.fullmatch(as_typed.code):
        return as_typed
    cleaned = _split(unwrapped(text)[:MAX_CODE_TEXT])
    return cleaned._replace(code=_with_digits(cleaned.code))


def _split(text: str) -> _Typed:
    """Split a text at the first '@', and write the part before it in lower case with dashes."""
    code, at, relay = text.partition("@")
    letters = unicodedata.normalize("NFKC", hyphenated(bare(code))).casefold().strip("-_ ")
    gaps = {gap.strip() for gap in _GAPS.findall(letters)}
    return _Typed(_GAPS.sub("-", letters).strip("-"), at, relay, len(gaps) > 1)


def _with_digits(code: str) -> str:
    """Return a code with its number in digits, if it is in words and all else is whole.

    A word that is shortened may be a part of the number too: `twenty-six…` is 26, or 20 and a word
    that begins with `six`. So only whole words count.
    """
    parts = plain(code).split("-")
    # The longest first: `treinta y uno` begins with the number `treinta`.
    for size in range(min(MOST_NUMBER_WORDS, len(parts) - WORDS), 0, -1):
        number = number_words().get("-".join(parts[:size]))
        if number is not None and set(parts[size:]) <= set(word_list()):
            return "-".join((str(number), *parts[size:]))
    return code


def beginning_with(letters: str) -> tuple[str, ...]:
    """Return the words of the word list that begin with some letters in lower case."""
    words = word_list()
    first = bisect_left(words, letters)
    last = bisect_left(words, letters + "{")  # "{" follows "z" in ASCII.
    return words[first:last]


def _completed(word: str) -> str | None:
    """Return the only word that a typed word, or a long enough beginning of it, can mean."""
    those = beginning_with(word)
    if word in those:
        return word
    return those[0] if len(word) >= LEAST_LETTERS and len(those) == 1 else None


def _whole_word(word: str) -> str:
    """Return a word of the word list that is typed in full. Otherwise raise a CodeError."""
    if word in word_list():
        return word
    raise CodeError(CodeCode.NO_WORD, text=word[:40])


def _word(word: str) -> str:
    """Return the word that a typed word means, or raise a CodeError with a similar one."""
    found = _completed(word)
    if found is not None:
        return found
    meant = get_close_matches(word, word_list(), 1) if len(word) >= LEAST_LETTERS else []
    if meant:
        raise CodeError(CodeCode.MEANT, text=word[:40], meant=meant[0])
    raise CodeError(CodeCode.NO_WORD, text=word[:40])
