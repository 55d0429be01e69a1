"""Find the ticket in a text that a person has pasted: a command, a line of a mail, a link.

A ticket begins with `hoity` and its version, tells its length, and has a checksum. So it is found
in any text, and nothing else can be taken for it.
"""

from __future__ import annotations

import re
from typing import Final

from protocol.units import Quota

from ..pasted_text import after_command, bare, one_line
from .network_errors import TicketError
from .ticket import PREFIX, Ticket, TicketCode, decode_ticket, letters_of, spelled

# A ticket's own letters may contain the prefix and a digit, so it begins a word.
_BEGINS: Final = re.compile(rf"(?<![a-z0-9]){PREFIX}[0-9]", re.IGNORECASE)
MOST_TICKETS: Final[Quota] = 16
"""The most places of a text at which a ticket is looked for."""


def is_like_a_ticket(text: str) -> bool:
    """Return whether a text contains the beginning of a ticket, valid or not."""
    return _BEGINS.search(one_line(text)) is not None


def read_ticket(text: str) -> Ticket:
    """Decode the ticket that a person has typed or pasted, perhaps with other text around it.

    Raises:
        TicketError: If the text contains no valid ticket, or several. The error says what is wrong.
    """
    try:
        return decode_ticket(text)
    except TicketError:
        words = _words_in(text)
        # There is nothing else in the text, and a second decoding would raise the same error.
        if words == [spelled(text)]:
            raise
    valid = [word for word in words if _is_valid(word)]
    if len(valid) > 1:
        raise TicketError(TicketCode.SEVERAL)
    return decode_ticket((valid or words)[0])


def _is_valid(word: str) -> bool:
    """Return whether a word is a ticket."""
    try:
        decode_ticket(word)
    except TicketError:
        return False
    return True


def _words_in(text: str) -> list[str]:
    """Return what may be a ticket in a text, the longest first, or else the whole text."""
    plain = one_line(text)
    starts = [found.start() for found in _BEGINS.finditer(plain)][:MOST_TICKETS]
    if not starts:
        return [bare(after_command(plain))]
    ends = [*starts[1:], len(plain)]
    words = (_word(plain[start:end]) for start, end in zip(starts, ends, strict=True))
    # A ticket pasted twice is one. If none is valid, the error is that of the longest.
    return sorted(dict.fromkeys(words), key=len, reverse=True)


def _word(text: str) -> str:
    """Return the ticket with which a text begins, without what follows it."""
    pieces = text.lower().split()
    needed = letters_of(bare("".join(pieces)))
    word = ""
    for piece in pieces:
        word += piece
        if needed is not None and len(bare(word)) == needed:
            break
    return bare(word)
