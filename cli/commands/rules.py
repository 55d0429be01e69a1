"""The command `rules`, which prints the rules of an edition."""

from __future__ import annotations

from p2p_hoity.editions.load_edition import load

from ..exit_codes import OK
from ..printing import say, width
from ..words.rules_text import lines


def show(edition: str) -> int:
    """Print the rules of an edition, which is given by its name or the path of its file."""
    say(*lines(load(edition), width()))
    return OK
