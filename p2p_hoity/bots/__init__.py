"""The bots and their levels. A bot makes a choice from what one seat may know of the game."""

from collections.abc import Callable, Mapping
from random import Random

from ..rules import Choice, Expected, View
from . import one_round, rule_bots
from .rule_bots import NothingToChoose

Bot = Callable[[View, Expected, Random], Choice]


def _hard(view: View, decision: Expected, rng: Random) -> Choice:
    # The network is loaded when it makes its first choice.
    from .hard_bot import hard_choice

    return hard_choice(view, decision, rng)


LEVELS = ("easy", "fair", "normal", "hard")
"""The levels of bots that are offered to players, from the weakest on."""
BOTS: Mapping[str, Bot] = {
    "random": rule_bots.random_choice,
    "easy": rule_bots.easy_choice,
    "fair": one_round.fair_choice,
    "normal": rule_bots.normal_choice,
    "hard": _hard,
}
DEFAULT_LEVEL = "normal"
STAND_IN = LEVELS[-1]
"""The level of the bot that plays for a person who is away or wants to look on."""

__all__ = ["BOTS", "DEFAULT_LEVEL", "LEVELS", "STAND_IN", "Bot", "NothingToChoose"]
