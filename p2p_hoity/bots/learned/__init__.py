"""The learned bot: networks that see what their seat may know and mix their choices.

It is several, of different moments of the training, and plays each game by one of them, drawn with
the seat's own randomness: who has found out how one of them plays does not know which it meets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from random import Random
from statistics import fmean
from typing import cast

from ...rules import Choice, Expected, View
from ..random_bot import NothingToChoose, kind_of
from .menu import Pick, picks
from .network import BadWeights, Network, parts, read, read_all
from .scene import Scene
from .sight import other_blocks, own_block

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
    """Networks that choose for a seat, each of them as often as another."""

    networks: tuple[Network, ...]

    def choose(self, view: View, decision: Expected, rng: Random) -> Choice:
        """A legal choice for the view's seat. NothingToChoose if it has none."""
        chosen = [mixture.draw(rng) for mixture in self.mixtures(view, decision)]
        return cast("tuple[int, ...]", tuple(chosen)) if kind_of(decision) == "theft" else chosen[0]

    def mixtures(self, view: View, decision: Expected) -> tuple[Mixture, ...]:
        """What it would do: one mixture, or of a theft one for each exhibit.

        NothingToChoose if the view's seat has no legal choice.
        """
        scene = scene_of(view, decision)
        found = picks(scene)
        if not all(found):
            raise NothingToChoose(f"seat {view.seat} has no legal {scene.kind}")
        own, others = own_block(scene), other_blocks(scene)
        bases = [network.base(own, others) for network in self.networks]
        return tuple(self._mixture(bases, pick) for pick in found)

    def _mixture(self, bases: list[list[float]], pick: Pick) -> Mixture:
        numbers = [candidate.numbers for candidate in pick]
        each = map(partial(Network.mixture, candidates=numbers), self.networks, bases)
        chances = tuple(map(fmean, zip(*each, strict=True)))
        return Mixture(tuple(candidate.choice for candidate in pick), chances)


def scene_of(view: View, decision: Expected) -> Scene:
    """The scene of a decision. NothingToChoose if it asks this view for no choice."""
    kind = kind_of(decision)
    if view.seat is None:
        raise NothingToChoose("an onlooker has nothing to choose")
    return Scene(view, view.seat, kind)


def shipped() -> Learned:
    """With all networks that come with the game, each as often as another. BadWeights if they are
    damaged."""
    return Learned(tuple(map(_network, range(len(_parts())))))


def drawn(rng: Random) -> Learned:
    """With one of them, for a whole game."""
    return Learned((_network(rng.randrange(len(_parts()))),))


@cache
def _parts() -> tuple[bytes, ...]:
    return parts(files(__package__).joinpath(WEIGHTS).read_bytes())


@cache
def _network(number: int) -> Network:
    """Read when it first plays: on the way to a choice nobody waits for those that do not."""
    return read(_parts()[number])


__all__ = [
    "BadWeights",
    "Learned",
    "Mixture",
    "Network",
    "drawn",
    "parts",
    "read",
    "read_all",
    "scene_of",
    "shipped",
]
