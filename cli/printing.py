"""Standard output and error: the one place that prints, lines for people, objects for programs.

Lines are broken between words where it is narrow. Names, paths and errors come from anywhere: what
a terminal would act on or leave out is printed as its escape, as in \\x1b, marks that would climb
over other lines are left out, and nothing else in the command line may print.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, Final, TextIO

NARROWEST: Final = 20
HANGING: Final = "  "
"""What the rest of a broken line is indented by, beyond the line itself."""
GLUE: Final = "\0"
"""Stands for a space that keeps a number on the line of its word, as in Thief 6 or B 1926, and a
command whole, so that it can be copied."""
COMMAND: Final = re.compile(
    r"(?:python3? tasks\.py )?(?:hoity |(?<=\.py ))[a-z]+"
    r"(?: --[a-z]+| [0-9a-f]{16}| [A-Z]{4,}| \S*/\S+)*"
    r"|\S+ -m pip install(?: [\w-]+){1,2}"
)
"""A command as it is given to be typed."""


COLUMNS: Final = 80
ROWS: Final = 24
"""The smallest terminal that has room for the full screen."""


def is_small(columns: int, rows: int) -> bool:
    """Return whether a terminal is too small for the full screen."""
    return columns < COLUMNS or rows < ROWS


def is_full(plain: bool) -> bool:
    """Return whether the full screen is shown.

    It is where standard input, output and error are a terminal that has room for it.

    Args:
        plain: Whether lines are wanted all the same.
    """
    if plain or os.environ.get("TERM", "") in ("", "dumb"):
        return False
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return False
    return not is_small(*shutil.get_terminal_size())


def width() -> int | None:
    """Columns to print in: COLUMNS, else the terminal's; None if nothing bounds a line."""
    asked = os.environ.get("COLUMNS", "")
    if not (asked.isascii() and asked.isdigit() and int(asked[:6])) and not sys.stdout.isatty():
        return None
    return max(NARROWEST, shutil.get_terminal_size().columns)


def cells(words: str, wide: str = "WF") -> int:
    """Return the columns of words: two for a letter whose East Asian width is among these."""
    return len(words) + sum(unicodedata.east_asian_width(letter) in wide for letter in words)


def broken(
    words: str, columns: int, hanging: str, taken: Callable[[str], int] = cells, chops: bool = True
) -> list[str]:
    """Return words in lines of so many columns, broken at spaces.

    Args:
        words: One line.
        columns: The most that a line takes.
        hanging: Stands before each line but the first.
        taken: Gives the columns that words take.
        chops: Whether a word without room is broken too.
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
    """Return a text in parts of at most so many columns; a part has one letter at least."""
    parts = [""]
    for letter in word:
        if parts[-1] and taken(parts[-1] + letter) > columns:
            parts.append("")
        parts[-1] += letter
    return parts


def wrapped(words: str, columns: int | None) -> list[str]:
    """Return the lines a line takes in so many columns; a word is never broken, so that a ticket or
    a path can be copied."""
    if columns is None or cells(words) <= columns:
        return [words]
    glued = COMMAND.sub(lambda found: found[0].replace(" ", GLUE), words)
    glued = re.sub(r"(?<=\S) (?=\d)", GLUE, glued)
    indent = words[: len(words) - len(words.lstrip())]
    lines = broken(glued, columns, indent + HANGING, chops=False)
    return [line.replace(GLUE, " ") for line in lines]


HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories of controls, format characters, surrogates, private use and line ends: what this
Python's Unicode has beyond the fixed list of plain text is not printed either."""


CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def _acts(letter: str) -> bool:
    from protocol import NOT_PLAIN  # here, so that help needs nothing of it

    return NOT_PLAIN.match(letter) is not None or unicodedata.category(letter) in HIDDEN


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def shown(text: str) -> str:
    """Return the text as one line that can be printed: what a terminal would act on is escaped, and
    of many marks on one letter the first two are kept."""
    if text.isascii():
        return CONTROL.sub(lambda found: _escaped(found[0]), text)
    from p2p_hoity.confusable_names import thinned

    return thinned("".join(_escaped(letter) if _acts(letter) else letter for letter in text))


def shown_object(text: str) -> str:
    """Return an object in JSON with the same escaped as JSON has it, and surplus marks too, so that
    it reads back the same."""

    def unit(letter: str) -> str:
        units = letter.encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

    if text.isascii():
        return CONTROL.sub(lambda found: unit(found[0]), text)
    from p2p_hoity.confusable_names import surplus

    parts = zip(text, surplus(text), strict=True)
    return "".join(unit(one) if is_surplus or _acts(one) else one for one, is_surplus in parts)


def say(*lines: str) -> None:
    """Print lines on standard output, at once."""
    for words in lines:
        _print(wrapped(shown(words), width()), sys.stdout)


def complain(words: str) -> None:
    """One line on standard error."""
    _print(wrapped(shown(words), width()), sys.stderr)


def complain_as_set(lines: Iterable[str]) -> None:
    """Lines on standard error that are already broken as they should be."""
    _print(map(shown, lines), sys.stderr)


def write_line(value: dict[str, Any]) -> None:
    """One object in JSON on standard output, on a line of its own, at once."""
    _print([shown_object(json.dumps(value, ensure_ascii=False))], sys.stdout)


def ask(words: str) -> None:
    """Words on standard output behind which the answer is typed."""
    _print([shown(words)], sys.stdout, end="")


def say_as_set(lines: Iterable[str]) -> None:
    """Lines on standard output that are already broken as they should be."""
    _print(map(shown, lines), sys.stdout)


def room() -> tuple[int, int] | None:
    """Columns and lines of the terminal that standard output is; None if it is none."""
    if not sys.stdout.isatty():
        return None
    size = shutil.get_terminal_size()
    return size.columns, size.lines


def picture(lines: Iterable[str]) -> None:
    """Lines of block characters on standard output; on a terminal light on dark, whatever its own
    colours are."""
    begin, end = ("\x1b[97;40m", "\x1b[0m") if sys.stdout.isatty() else ("", "")
    _print((f"{begin}{shown(line)}{end}" for line in lines), sys.stdout)


def copy(text: str) -> bool:
    """Ask the terminal to put a text into its clipboard (OSC 52); whether there is a terminal."""
    if not sys.stdout.isatty():
        return False
    coded = base64.b64encode(text.encode()).decode("ascii")
    _print([f"\x1b]52;c;{coded}\x07"], sys.stdout, end="")
    return True


def is_watched() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr.isatty()


def standing(words: str) -> None:
    """A line on standard error that replaces the one before it; an empty one takes it away."""
    _print([f"\r{shown(words)}\x1b[K"], sys.stderr, end="")


def _print(lines: Iterable[str], where: TextIO, end: str = "\n") -> None:
    for line in lines:
        print(line, file=where, end=end, flush=True)
