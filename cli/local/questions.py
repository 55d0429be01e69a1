"""Questions at a terminal before there is a table: one line asked, one line typed."""

from __future__ import annotations

import os
import sys
from typing import Final

from ..printing import ask, say
from ..trouble import INTERRUPTED, USAGE, Trouble
from ..words.answers import yes_or_no
from ..words.lingo import _

STDIN: Final = 0
MOST: Final = 8192
"""Bytes of one answer: more is no line that anyone typed."""


def at_terminal() -> bool:
    """Whether a person can be asked: what is typed and what is said both go to a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def typed_line() -> str:
    """One line from standard input; Trouble at its end. Byte by byte: what is typed behind it is
    for the table."""
    line = b""
    while len(line) < MOST and (letter := os.read(STDIN, 1)) != b"\n":
        if not letter:
            raise Trouble(_("The input has ended before the answer."), INTERRUPTED)
        line += letter
    return line.decode("utf-8", "replace").strip()


def answer(question: str) -> str:
    """What a person types to a question."""
    ask(question)
    try:
        return typed_line()
    except KeyboardInterrupt:
        say("")  # the terminal has written ^C behind the question
        raise


def ask_yes(question: str) -> bool:
    """Whether a person says yes, which has to be typed; Trouble if there is nobody to ask."""
    if not at_terminal():
        raise Trouble(_("This needs a yes typed at a terminal, or --yes."), USAGE)
    while (said := yes_or_no(answer(question), silent=None)) is None:
        say(_("y or n, please."))
    return said
