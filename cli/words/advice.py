"""Hints in words: what the hard bot would do at an open choice, and how often."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from p2p_hoity import rules
from p2p_hoity.rules import Choice, View

from .cards import Names, code
from .choices import in_words
from .lingo import N_, _

MOST: Final = 8
"""Answers that a hint lists."""
LEAST: Final = 0.005
"""What is chosen less often is not worth a line."""
NOT_HERE: Final = N_("Hints are for games against your own bots only.")
NOT_NOW: Final = N_("A hint is about a choice, and none is open now.")
HEADING: Final = N_("What the hard bot would do here, of a hundred times:")


def advice(view: View, kind: str, names: Names) -> list[str]:
    """The mixture of the learned bot on this view, likeliest first; of a theft one for each
    exhibit."""
    from p2p_hoity.bots.learned import shipped

    lines = [_(HEADING)]
    for mixture in shipped().mixtures(view, rules.expected(view.state)):
        pairs = zip(mixture.chances, mixture.choices, strict=True)
        ranked = sorted(pairs, key=lambda pair: -pair[0])
        lines += _lines(ranked, view, kind, names)
    return lines


def _lines(
    ranked: Iterable[tuple[float, Choice]], view: View, kind: str, names: Names
) -> list[str]:
    likely = [(chance, choice) for chance, choice in ranked if chance >= LEAST][:MOST]
    return [
        f"  {100 * chance:3.0f}  {_words(view, kind, choice, names)}" for chance, choice in likely
    ]


def _words(view: View, kind: str, choice: Choice, names: Names) -> str:
    if kind == "theft" and isinstance(choice, int):
        return code(view.piece(choice))
    return in_words(view, kind, choice, names)
