"""One bot against others by the real rules, a game by its number: on whichever machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

from p2p_hoity.bots import BOTS, Bot
from p2p_hoity.bots.hard_bot import choice_of
from p2p_hoity.bots.learned import Learned, read
from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.rules import Variant

from .referee import Referee

VARIANTS: tuple[Variant, ...] = ("surprise", "confrontation")


@dataclass(frozen=True)
class Duel:
    """One seat of this bot against all others of that bot; `hard` is the bot of these weights."""

    one: str
    others: str
    seats: int
    weights: bytes

    def share(self, seed: int) -> float:
        """What share of victory the one seat has in the game of this number."""
        place = seed % self.seats
        bots = [self._bot(self.one if seat == place else self.others) for seat in range(self.seats)]
        turn = seed // self.seats
        variant = VARIANTS[turn // 2 % 2] if self.seats == 2 else None
        edition = load(NAMES[turn % 2])
        return Referee(edition, self.seats, variant, bots, seed).play().shares[place]

    def _bot(self, name: str) -> Bot:
        return partial(choice_of, _hard(self.weights)) if name == "hard" else BOTS[name]


@cache
def _hard(weights: bytes) -> Learned:
    return Learned(read(weights))
