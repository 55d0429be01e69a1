"""The learned bot: one network that sees what its seat may know and mixes its choices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import cast

from ...rules import Choice, Expected, View
from ..rule_bots import NothingToChoose, kind_of
from .move_candidates import Pick, picks
from .observation import Sight, other_blocks, own_block
from .policy_network import BadWeights, PolicyNetwork, read

WEIGHTS = "weights.bin"


@dataclass(frozen=True, slots=True)
class Mixture:
    """The candidates of one pick, each with how likely it is chosen."""

    choices: tuple[Choice, ...]
    chances: tuple[float, ...]

    def draw(self, rng: Random) -> Choice:
        """One of them."""
        return rng.choices(self.choices, self.chances)[0]


@dataclass(frozen=True, slots=True)
class Learned:
    """A network that chooses for a seat."""

    network: PolicyNetwork

    def choose(self, view: View, decision: Expected, rng: Random) -> Choice:
        """A legal choice for the view's seat. NothingToChoose if it has none."""
        drawn = [mixture.draw(rng) for mixture in self.mixtures(view, decision)]
        return cast("tuple[int, ...]", tuple(drawn)) if kind_of(decision) == "theft" else drawn[0]

    def mixtures(self, view: View, decision: Expected) -> tuple[Mixture, ...]:
        """What it would do: one mixture, or of a theft one for each exhibit.

        NothingToChoose if the view's seat has no legal choice.
        """
        sight = sight_of(view, decision)
        found = picks(sight)
        if not all(found):
            raise NothingToChoose(f"seat {view.seat} has no legal {sight.kind}")
        base = self.network.base(own_block(sight), other_blocks(sight))
        return tuple(self._mixture(base, pick) for pick in found)

    def _mixture(self, base: list[float], pick: Pick) -> Mixture:
        chances = self.network.mixture(base, [candidate.numbers for candidate in pick])
        return Mixture(tuple(candidate.choice for candidate in pick), tuple(chances))


def sight_of(view: View, decision: Expected) -> Sight:
    """What the seat of a decision sees. NothingToChoose if it asks this view for no choice."""
    kind = kind_of(decision)
    if view.seat is None:
        raise NothingToChoose("an onlooker has nothing to choose")
    return Sight(view, view.seat, kind)


@cache
def shipped() -> Learned:
    """With the network that comes with the game. BadWeights if it is damaged."""
    return Learned(read(files(__package__).joinpath(WEIGHTS).read_bytes()))


__all__ = ["BadWeights", "Learned", "Mixture", "PolicyNetwork", "read", "shipped", "sight_of"]
