"""Clean text that people paste of what mails, chats, telephones and terminals have put around it.

The readers of tickets, codes, addresses and ids first take a text as it is. They clean it only if
it is not valid so. So cleaning never turns one valid text into another one. Nothing here guesses at
letters: it takes away what no such text can contain, and writes the wide forms of East Asian
keyboards as the usual ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from html import unescape
from typing import Final

from protocol.units import Quota

MOST_PASTED: Final[Quota] = 8192
"""The most characters of a text that are read."""
FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u20e3\u3164\uffa0\ufe0e\ufe0f")
"""Characters that are drawn as nothing, or as a frame, and do not have the category Cf."""
WIDE: Final = range(0xFF01, 0xFF5F)
"""The wide forms of the characters of ASCII from `!` to `~`, which begin at 0x21."""
BEFORE_WIDE: Final = 0xFF01 - 0x21
MARKS: Final = frozenset("`´_~|<>¦")
"""Marks of quotations, lists and Markdown that are no punctuation for Unicode."""
PUNCTUATION: Final = frozenset({"Po", "Ps", "Pe", "Pi", "Pf"})
"""The categories of the marks of sentences, of brackets and of quotation marks."""
PARTS: Final = frozenset("/\\@&%")
"""Characters of category Po that may be parts of what is meant."""
_PASTE: Final = re.compile(r"\x1b\[20[01]~")
"""What a terminal may write around a text that is pasted."""
_COMMAND: Final = re.compile(
    r"(?:^|[\s\"'`*(/\\$>#%])(?:hoity(?:\.exe)?|-m\s+cli)[\"'`]?\s+(?:--?\w\S*\s+(?:\w+\s+)?)*?"
    r"(?:join|watch|resume|replay|verify|forget)\s+",
    re.IGNORECASE,
)
"""The command of this program before what it is about, after whatever starts the program."""
DASHES: Final = re.compile(r"[\u2010-\u2015\u2212\u2043\u02d7\u30fc\ufe58\ufe63]")
"""The dashes that are typed or put in the place of a hyphen."""
SHELL: Final = frozenset("#&;|>")
"""What begins something else in a command line."""
_LINK: Final = re.compile(r"(?:(?:web\+)?hoity:|mailto:)(?://)?", re.IGNORECASE)
_MARKDOWN_LINK: Final = re.compile(r"\[([^\[\]]+)\]\([^()]*\)")
_LABEL: Final = re.compile(r"[^\W\d_]{2,20}\s*:\s+")
"""A word that says what follows, such as `Code: `."""


def visible(text: str, keeps: str = "") -> str:
    """Return a text without what nobody sees, and with the usual forms of wide characters.

    What nobody sees are characters of width zero, soft hyphens, the mark at the start of a file,
    and marks of the direction of writing. A space of any kind becomes a plain one, and what HTML
    writes as `&lt;` the character itself. Line breaks stay. What is beyond MOST_PASTED is cut off.

    Args:
        keeps: Characters that stay although nobody sees them.
    """
    # Cut off first, so that no pattern runs over a text of any length.
    shown = unescape(_PASTE.sub("", text[:MOST_PASTED]))
    return "".join(_usual(c) for c in shown if c in keeps or not _is_invisible(c))


def is_unseen(letter: str) -> bool:
    """Return whether a character is drawn as nothing, or is white space."""
    return _is_invisible(letter) or letter.isspace()


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) == "Cf" or letter in FILLERS


def _usual(letter: str) -> str:
    """Return a character, or its usual form if it is a wide one or a space."""
    if ord(letter) in WIDE:
        return chr(ord(letter) - BEFORE_WIDE)
    return " " if letter.isspace() and letter not in "\r\n\t" else letter


def is_mark(letter: str) -> bool:
    """Return whether a character may stand around a pasted text and belong to what is around it.

    White space, brackets, quotation marks, and the marks of sentences and lists may. A dash, plus
    or slash may not.
    """
    is_sign = unicodedata.category(letter) in PUNCTUATION and letter not in PARTS
    return is_sign or letter in MARKS or letter.isspace()


def bare(text: str) -> str:
    """Return a text, possibly empty, without the marks at its ends."""
    return stripped(text, is_mark)


def stripped(text: str, is_around: Callable[[str], bool]) -> str:
    """Return a text, possibly empty, without the characters at its ends that are around it."""
    first, last = 0, len(text)
    while first < last and is_around(text[first]):
        first += 1
    while last > first and is_around(text[last - 1]):
        last -= 1
    return text[first:last]


def hyphenated(text: str) -> str:
    """Return a text with plain hyphens for all dashes."""
    return DASHES.sub("-", text)


def after_command(text: str) -> str:
    """Return what follows `hoity join` or another such command in a visible text, without options.

    A text without such a command is returned as it is.
    """
    found = _COMMAND.search(text)
    if found is None:
        return text
    words = text[found.end() :].split()
    named: list[str] = []
    for word in words:
        is_option = _is_option(word)
        if named and (is_option or word[0] in SHELL):
            break
        if not is_option:
            named.append(word)
    return " ".join(named)


def _is_option(word: str) -> bool:
    """Return whether a word is an option, whose hyphens may have become a dash."""
    begins = hyphenated(bare(word))
    return begins.startswith("-") and begins.lstrip("-")[:1].isalpha()


def unwrapped(text: str) -> str:
    """Return the one thing that a pasted text names, such as a code.

    What may be around it is a command, a link `hoity:`, a link of Markdown, a word such as
    `Code: `, quotation marks, brackets, and marks of sentences, lists and Markdown.
    """
    left = visible(text)
    while True:
        inner = bare(_MARKDOWN_LINK.sub(r"\1", after_command(left)))
        for prefix in (_LINK, _LABEL):
            inner = prefix.sub("", inner, count=1) if prefix.match(inner) else inner
        if inner == left:
            return left
        left = inner


_QUOTED: Final = re.compile(r"^[ \t]*(?:[>|][ \t]*)+", re.MULTILINE)
"""The marks with which mails and chats begin the lines that they quote."""
_BROKEN: Final = re.compile(r"[-=\u2010\u2011]\s*[\r\n]\s*")
"""The mark with which a word is broken at the end of a line."""


def one_line(text: str) -> str:
    """Return a visible text, line by line, without the marks of quoted and of broken lines."""
    return _BROKEN.sub("", _QUOTED.sub("", visible(text)))
