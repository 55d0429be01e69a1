"""Hints in words: what the hard bot would do at an open choice, and how often."""

from __future__ import annotations

from typing import Final

from p2p_hoity import rules
from p2p_hoity.rules import Choice, View

from .card_names import Names, code
from .choice_names import in_words, ordered
from .translation import N_, _

MOST: Final = 8
"""Answers that a hint lists."""
LEAST: Final = 0.005
"""What is chosen less often is not worth a line."""
NOT_HERE: Final = N_("Hints are for games against your own bots only.")
NOT_LEARNING: Final = N_("There are no hints in the lesson.")
NOT_NOW: Final = N_("A hint is about a choice, and none is open now.")
HEADING: Final = N_("What the hard bot would do, of a hundred times ([number] picks it):")
OF_A_THEFT: Final = N_("What the hard bot would do here, of a hundred times:")


def advice(view: View, kind: str, names: Names, exhibits: int) -> list[str]:
    """The mixture of the learned bot on this view, likeliest first; of a theft one for each
    exhibit. So many `exhibits` have a number where the question is asked."""
    from p2p_hoity.bots.learned import shipped

    lines = [_(OF_A_THEFT if kind == "theft" else HEADING)]
    numbers = {} if kind == "theft" else _numbers(view, kind, exhibits)
    for mixture in shipped().mixtures(view, rules.expected(view.state)):
        pairs = zip(mixture.chances, mixture.choices, strict=True)
        ranked = sorted(pairs, key=lambda pair: -pair[0])
        for chance, choice in [one for one in ranked if one[0] >= LEAST][:MOST]:
            number = f"[{numbers[choice]}] " if choice in numbers else ""
            lines.append(f"  {100 * chance:3.0f}  {number}{_words(view, kind, choice, names)}")
    return lines


def _numbers(view: View, kind: str, exhibits: int) -> dict[Choice, int]:
    """By answer the number that picks it."""
    found = ordered(view, kind)
    listed = found[:exhibits] if kind == "exhibit" else found
    return {choice: number for number, choice in enumerate(listed, 1)}


def _words(view: View, kind: str, choice: Choice, names: Names) -> str:
    if kind == "theft" and isinstance(choice, int):
        return code(view.piece(choice))
    return in_words(view, kind, choice, names)
