"""The bench on screen: what each part of a game costs on this machine."""

from __future__ import annotations

import time
from typing import Any

from p2p_hoity.bench.report import report

from ..printing import say
from ..trouble import OK
from ..ui.json_screen import write_line
from ..words.lingo import N_, _

PARTS = {
    "shuffle": N_("shuffle the deck"),
    "prove": N_("prove a shuffle"),
    "verify": N_("verify a shuffle"),
    "verify_first": N_("verify the first shuffle"),
    "prove_shares": N_("prove the shares of a deck"),
    "verify_shares": N_("verify the shares of a deck"),
    "seal_escrow": N_("seal a choice in escrow"),
    "verify_escrow": N_("verify an escrow"),
    "deal_six": N_("deal to six seats, all in one"),
    "verify_game": N_("verify a whole game of six"),
}


def bench(cards: int, rounds: int, as_json: bool) -> int:
    """Measure and show; the exit code."""
    if not as_json:
        say(_("Measuring; this takes some seconds …"))
    found = report(cards, rounds, time.process_time)
    if as_json:
        write_line(found)
        return OK
    say(_("{cards} Collectibles; times in ms: part, whole, raw operations, ratio").format(**found))
    for part, words in PARTS.items():
        say(_line(_(words), found[part]))
    one = found["operation_us"]["multiply"]
    say(_("One multiplication of a point: {one} µs.").format(one=one))
    return OK


def _line(words: str, figures: dict[str, Any]) -> str:
    return f"  {words:<34} {figures['ms']:>9} {figures['raw_ms']:>9} {figures['ratio']:>7}"
