"""The one-round player, by which the levels of bots are checked.

It always makes the choice that brings most in the present round, if the others draw their cards.
"""

from random import Random
from typing import Any

from p2p_hoity.bots.one_round import thefts, values
from p2p_hoity.bots.rule_bots import owed
from p2p_hoity.rules import Choice, Expected, View
from p2p_hoity.rules.happenings import Happening
from support.rules_driver import Referee

BRINGING = {"FigureMoved", "Sale", "Stolen", "Imprisoned", "CashStolen"}
"""What happens in a round in which something happens."""


def one_round_choice(view: View, decision: Expected, rng: Random) -> Choice:
    """Return the choice of the one-round player, drawn among those that bring equally much."""
    kind = owed(view, decision)

    def best(worths: Any) -> Any:
        return max(worths, key=lambda choice: (worths[choice], rng.random()))

    return tuple(map(best, thefts(view))) if kind == "theft" else best(values(view, kind))


def idle_runs(referee: Referee) -> list[int]:
    """Return for each round of a game that was played in how many up to it nothing happened."""
    runs, run, happened = list[int](), 0, False
    item: Happening
    for item in referee.record:
        name = type(item).__name__
        if name == "RoundBegan":
            happened = False
        elif name in BRINGING:
            happened = True
        elif name == "RoundEnded":
            run = 0 if happened else run + 1
            runs.append(run)
    return runs
