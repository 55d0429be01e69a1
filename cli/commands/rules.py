"""The command `rules`: the rules in one screen."""

from __future__ import annotations

from p2p_hoity.editions import load

from ..printing import say, width
from ..trouble import OK
from ..words.rules_text import lines


def show(edition: str) -> int:
    """Print them; the exit code."""
    for line in lines(load(edition), width()):
        say(line)
    return OK
