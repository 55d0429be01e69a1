r"""The only code that prints: lines for people and JSON objects for programs.

Lines are broken between words on narrow terminals. Because names, paths and errors may come from
other people, a character on which a terminal would act is printed as its escape, such as \x1b.
Combining marks that would cover other lines are left out.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, Final, TextIO

NARROWEST: Final = 20
HANGING: Final = "  "
"""The additional indent of all lines but the first, if a line is broken into several."""
GLUE: Final = "\0"
"""The character for a space that must not be broken, as in Thief 6 or inside a command."""
COMMAND: Final = re.compile(
    r"(?:\S*python\S* \S*tasks\.py )?(?:hoity |(?<=\.py ))[a-z]+"
    r"(?: --[a-z-]+| [0-9a-f]{16}| [A-Z]{4,}| \S*(?:/|\.hoity)\S*"
    r"| [^\s'\"]*(?:'[^']*'|\"[^\"]*\")\S*)*"
    r"|\S+ -m pip install(?: [\w-]+){1,2}"
)
"""The pattern of a command that a player is told to type."""


COLUMNS: Final = 80
ROWS: Final = 24
"""The number of lines of the smallest terminal for the full screen. `COLUMNS` is its width."""


def is_small(columns: int, rows: int) -> bool:
    """Return whether a terminal of so many columns and lines is too small for the full screen."""
    return columns < COLUMNS or rows < ROWS


def is_full(plain: bool) -> bool:
    """Return whether the full screen is used instead of the line prompt (`plain`).

    The standard input, output and error have to be a terminal that is large enough.
    """
    return _can_be_full(plain) and not is_small(*terminal_size())


def size_if_too_small(plain: bool) -> tuple[int, int] | None:
    """Return the columns and lines of the terminal if they alone rule the full screen out."""
    size = terminal_size()
    return (size.columns, size.lines) if _can_be_full(plain) and is_small(*size) else None


def _can_be_full(plain: bool) -> bool:
    """Return whether a terminal that is large enough would show the full screen."""
    if plain or os.environ.get("TERM", "") in ("", "dumb"):
        return False
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def terminal_size() -> os.terminal_size:
    """Return the columns and lines of the terminal of the standard output, or else 80 and 24."""
    try:
        # The environment is not asked: COLUMNS and LINES that are exported may be those of another
        # window, and do not follow this one.
        found = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        found = os.terminal_size((0, 0))
    return found if all(found) else os.terminal_size((COLUMNS, ROWS))


def width() -> int | None:
    """Return the width of printed lines: the terminal's, or COLUMNS if that is fewer.

    It is None, for lines of any length, if there is no terminal and no COLUMNS.
    """
    word = os.environ.get("COLUMNS", "")
    # Python refuses to convert thousands of digits, so only the first ones are taken.
    asked = int(word[:6]) if word.isascii() and word.isdigit() else 0
    known = [terminal_size().columns] if sys.stdout.isatty() else []
    return max(NARROWEST, min([*known, *filter(None, [asked])])) if known or asked else None


def cells(words: str, wide: str = "WF") -> int:
    """Return the columns that words take, two for a letter whose East Asian width is in `wide`."""
    return len(words) + sum(unicodedata.east_asian_width(letter) in wide for letter in words)


def broken(
    words: str, columns: int, hanging: str, taken: Callable[[str], int] = cells, chops: bool = True
) -> list[str]:
    """Break words at spaces into lines of at most so many columns, as `taken` counts them.

    Args:
        hanging: The text before each further line.
        chops: Whether a word that is too long for a line is broken as well.
    """
    bare = words.lstrip(" ")
    lines = [words[: len(words) - len(bare)]]
    for number, word in enumerate(bare.split(" ")):
        longer = f"{lines[-1]} {word}" if number else lines[-1] + word
        if number and taken(longer) > columns:
            lines.append(hanging + word)
        else:
            lines[-1] = longer
        if chops and taken(lines[-1]) > columns:
            lines += _chopped(lines.pop(), columns, taken)
    return [line.rstrip(" ") for line in lines]


def _chopped(word: str, columns: int, taken: Callable[[str], int]) -> list[str]:
    """Cut a text into parts of at most `columns` columns (counted by `taken`), or of one letter."""
    parts = [""]
    for letter in word:
        if parts[-1] and taken(parts[-1] + letter) > columns:
            parts.append("")
        parts[-1] += letter
    return parts


def wrapped(words: str, columns: int | None) -> list[str]:
    """Break a line, but no word, so that a ticket or a path can be copied. None is no limit."""
    if columns is None or cells(words) <= columns:
        return [words]
    glued = COMMAND.sub(lambda found: found[0].replace(" ", GLUE), words)
    glued = re.sub(r"(?<=\S) (?=\d)", GLUE, glued)
    indent = words[: len(words) - len(words.lstrip())]
    lines = broken(glued, columns, indent + HANGING, chops=False)
    return [line.replace(GLUE, " ") for line in lines]


# Control and format characters, surrogates, private use, and ends of lines and paragraphs.
HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""The Unicode categories that are escaped besides what the protocol keeps out of plain text."""


CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def _acts(letter: str) -> bool:
    """Return whether a terminal might act on a character or leave it out."""
    from protocol import NOT_PLAIN  # Imported here, so that help does not load it.

    return NOT_PLAIN.match(letter) is not None or unicodedata.category(letter) in HIDDEN


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def shown(text: str) -> str:
    """Return a text as one line, safe to print. A letter keeps at most two combining marks."""
    if text.isascii():
        return CONTROL.sub(lambda found: _escaped(found[0]), text)
    from p2p_hoity.confusable_names import thinned

    return thinned("".join(_escaped(letter) if _acts(letter) else letter for letter in text))


def shown_object(text: str) -> str:
    """Escape what is unsafe in a JSON text by JSON's own escapes. It is read back unchanged."""

    def unit(letter: str) -> str:
        units = letter.encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

    if text.isascii():
        return CONTROL.sub(lambda found: unit(found[0]), text)
    from p2p_hoity.confusable_names import surplus

    parts = zip(text, surplus(text), strict=True)
    return "".join(unit(one) if is_surplus or _acts(one) else one for one, is_surplus in parts)


def say(*lines: str) -> None:
    """Print lines on the standard output at once."""
    for words in lines:
        _print(wrapped(shown(words), width()), sys.stdout)


def complain(words: str) -> None:
    """Print a line on the standard error."""
    _print(wrapped(shown(words), width()), sys.stderr)


def complain_as_set(lines: Iterable[str]) -> None:
    """Print lines on the standard error without breaking them."""
    _print(map(shown, lines), sys.stderr)


def write_line(value: dict[str, Any]) -> None:
    """Print an object as one line of JSON on the standard output at once."""
    _print([shown_object(json.dumps(value, ensure_ascii=False))], sys.stdout)


def ask(words: str) -> None:
    """Print a question on the standard output without a line break, before the answer."""
    _print([shown(words)], sys.stdout, end="")


def say_as_set(lines: Iterable[str]) -> None:
    """Print lines on the standard output without breaking them."""
    _print(map(shown, lines), sys.stdout)


def room() -> tuple[int, int] | None:
    """Return the columns and lines of the terminal of the standard output, None without one."""
    if not sys.stdout.isatty():
        return None
    return terminal_size()


def picture(lines: Iterable[str]) -> None:
    """Print lines of block characters. On a terminal they are printed in white ink on black."""
    # A theme may give the 16 colours another look. Of the 256 colours, 231 is white and 16 black
    # in every theme. A terminal that has only 16 ignores the second sequence.
    begin, end = (
        ("\x1b[97;40m\x1b[38;5;231;48;5;16m", "\x1b[0m") if sys.stdout.isatty() else ("", "")
    )
    _print((f"{begin}{shown(line)}{end}" for line in lines), sys.stdout)


def copy(text: str) -> bool:
    """Ask the terminal, if there is one, to copy a text (OSC 52). Not every one obeys."""
    if not sys.stdout.isatty():
        return False
    coded = base64.b64encode(text.encode()).decode("ascii")
    _print([f"\x1b]52;c;{coded}\x07"], sys.stdout, end="")
    return True


def is_watched() -> bool:
    """Return whether a person sees the progress of a command: the standard error is a terminal."""
    return sys.stderr.isatty()


def standing(words: str) -> None:
    """Print a line of progress on the standard error in place of the last. "" removes it."""
    _print([f"\r{shown(words)}\x1b[K"], sys.stderr, end="")


def _print(lines: Iterable[str], where: TextIO, end: str = "\n") -> None:
    for line in lines:
        print(line, file=where, end=end, flush=True)
