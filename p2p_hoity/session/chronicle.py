"""Updates of a screen from the chain, as it grows or is replaced."""

from __future__ import annotations

from collections.abc import Sequence

from protocol import Machine, Node

from .. import rules
from ..game_adapter import Play, happenings, shared_length
from . import updates
from .updates import Screen


def play_of(node: Node) -> Play:
    """The game at a node of the chain; before the cards are dealt, its start."""
    return node.state if isinstance(node.state, Play) else node.table.game.start()


class Chronicle:
    """What a screen was told of one table: each happening and each fault once."""

    def __init__(self, machine: Machine, screen: Screen) -> None:
        """All up to the machine's tip counts as told: a resumed game does not begin anew."""
        self._machine, self._screen = machine, screen
        self._told = play_of(machine.tip)
        self._accused: dict[int, str] = {}

    def view(self) -> rules.View:
        """The game as this seat may see it now."""
        return self._view_of(play_of(self._machine.tip))

    def _view_of(self, play: Play) -> rules.View:
        return rules.view(play.state, self._machine.seat, self._machine.hand())

    def final(self) -> int:
        """Return how many of the happenings told so far, from the first on, nothing can replace.

        A step is final only once every present seat has spoken beyond it, so its own happenings are
        told before that.
        """
        tip = self._machine.tip
        node = tip.before(min(tip.step, self._machine.final_step() + 1))
        return 0 if node is None else shared_length(self._told, play_of(node))

    def accuse(self, seat: int, code: str) -> None:
        """Once a seat and code: by own proof, by the chain, or by a base that others proposed."""
        if self._accused.get(seat) != code:
            self._accused[seat] = code
            self._screen(updates.Accused(seat, code))

    def tell(self, node: Node, kept: int | None = None) -> None:
        """What has happened up to a node; `kept`: how much of what was told still holds."""
        for guilty in node.convictions:
            if guilty.seat not in self._accused:
                self.accuse(guilty.seat, guilty.code)
        play = play_of(node)
        items = tuple(happenings(play, self._told.length if kept is None else kept))
        self._told = play
        if items:
            self._screen(updates.Happened(items, self._view_of(play)))

    def entered(self, epoch: int, base: Node, faults: Sequence[tuple[int, str]]) -> None:
        """A new epoch has begun: what its base takes back, adds, and finds at fault."""
        for seat, code in faults:
            self.accuse(seat, code)
        kept = shared_length(self._told, play_of(base))
        if kept < self._told.length:
            self._screen(updates.Rewound(epoch, kept, self.view()))
        self.tell(base, kept)
