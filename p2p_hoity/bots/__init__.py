"""Opponents that choose from one seat's view alone."""

from collections.abc import Callable, Mapping
from random import Random

from ..rules import Choice, Expected, View
from . import random_bot, steady
from .random_bot import NothingToChoose

Bot = Callable[[View, Expected, Random], Choice]

BOTS: Mapping[str, Bot] = {"random": random_bot.choose, "steady": steady.choose}
DEFAULT_BOT = "steady"

__all__ = ["BOTS", "DEFAULT_BOT", "Bot", "NothingToChoose"]
