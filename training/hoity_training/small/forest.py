"""All games of the cut-down as arrays: who chooses at each node, what it has seen, how it ends.

Above the roots is chance: one of the deals, all equally likely. Nodes with one thing to choose are
left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from p2p_hoity.rules import Choice
from p2p_hoity.rules.choices import Kind

from ..rows import Rows
from ..sim import Floats, Ints
from .deals import SEATS, decks
from .tree import Log, Play, chosen, owed, settled

NOBODY = -1
Option = tuple[Kind, Choice]


@dataclass
class Nodes:
    """The nodes while they are found, each before those below it."""

    seats: list[int] = field(default_factory=list)
    infos: list[int] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    numbers: dict[tuple[int, Log], int] = field(default_factory=dict)
    """Of a seat and what it has seen, the number of this information."""
    options: list[tuple[Option, ...]] = field(default_factory=list)

    def grow(self, play: Play) -> int:
        """The number of the node that this play leads to; all below it are found too."""
        play = settled(play)
        due = owed(play)
        if due is None:
            return self._add(NOBODY, NOBODY, play.state.shares[0])
        seat, kind = due
        menu = play.menu(seat, kind)
        if len(menu) == 1:
            return self.grow(chosen(play, menu[0]))
        info = self.numbers.setdefault((seat, play.logs[seat]), len(self.numbers))
        if info == len(self.options):
            self.options.append(tuple((kind, choice) for choice in menu))
        node = self._add(seat, info, 0.5)
        self.below[node] = [self.grow(chosen(play, choice)) for choice in menu]
        return node

    def _add(self, seat: int, info: int, share: float) -> int:
        self.seats.append(seat)
        self.infos.append(info)
        self.shares.append(share)
        self.below.append([])
        return len(self.seats) - 1


@dataclass(frozen=True)
class Forest:
    """N nodes: whose choice it is (`seats`, NOBODY at an end) with which information (`infos`), the
    node that each choice leads to (`below`, N times the most choices), and seat 0's share of
    victory (`shares`). `rows` are the informations as the policy is asked, each with its `options`.
    """

    roots: Ints
    seats: Ints
    infos: Ints
    below: Ints
    shares: Floats
    rows: Rows
    options: tuple[tuple[Option, ...], ...]

    @property
    def width(self) -> int:
        """The most choices that there are at once."""
        return int(self.below.shape[1])


@cache
def forest() -> Forest:
    """All games there are."""
    nodes = Nodes()
    roots = [nodes.grow(Play.dealt(deck)) for deck in decks()]
    width = max(map(len, nodes.options))
    below = [[*row, *[NOBODY] * (width - len(row))] for row in nodes.below]
    return Forest(
        np.array(roots),
        np.array(nodes.seats),
        np.array(nodes.infos),
        np.array(below),
        np.array(nodes.shares),
        _rows(np.array([len(options) for options in nodes.options])),
        tuple(nodes.options),
    )


def _rows(count: Ints) -> Rows:
    """Each information is told apart by its number alone."""
    own = np.arange(len(count), dtype=np.float32)[:, None]
    others = np.zeros((len(count), SEATS - 1, 0), np.float32)
    return Rows(own, others, np.zeros((int(count.sum()), 0), np.float32), count)
