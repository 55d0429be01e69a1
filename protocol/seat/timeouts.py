"""Timeouts of one node: when things began, and whether patience or grace has run out.

All times are the caller's seconds of any monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ..bounds import Quota, Seconds
from ..chain.chain_state import Kind, Node
from ..consensus.followed_chain import View
from ..wire.table_header import Patience

RETRY: Final[Seconds] = 1.0
"""Seconds between two requests for what is lacking."""
HUMAN = frozenset({Kind.SEAL, Kind.SHOW, Kind.CHOOSE})
"""Steps in which people decide; the others wait for machines only."""
MAX_DOUBLINGS: Final[Quota] = 40

Position = tuple[int, int, bytes]
"""Epoch, step and digest: where the followed chain stands."""


@dataclass(frozen=True)
class Wait:
    """How long a step has been waited for, and how much of its patience is left, in seconds.

    `since` is when this patience began, by the driver's clock: it is granted anew by a wish to
    wait longer.
    """

    waited: float
    left: float
    patience: float
    since: float


@dataclass
class Clocks:
    """When things began; `times` are the table's, in milliseconds."""

    times: Patience
    now: float = 0.0
    halted: float = 0.0
    proposing: float | None = None
    asked: float = -RETRY
    over: float | None = None
    began: dict[tuple[int, bytes], float] = field(default_factory=dict)
    granted: dict[tuple[int, bytes], float] = field(default_factory=dict)
    reached: float = 0.0
    _position: Position | None = None

    def restart(self, now: float) -> None:
        """Nothing was waited for while the node was not running."""
        self.now = self.asked = self.halted = now
        self.began.clear()
        self.granted.clear()
        self._position = self.proposing = None
        self.over = None if self.over is None else now

    def mark(self, view: View) -> None:
        """Note when the first incomplete step came up, and when in this epoch."""
        self.began.setdefault((view.tip.step, view.tip.digest), self.now)
        position = (view.epoch, view.tip.step, view.tip.digest)
        if position != self._position:
            self._position, self.reached = position, self.now

    def begin_anew(self, node: Node) -> None:
        """A step that was complete and is open again takes its whole time once more."""
        self.began.pop((node.step, node.digest), None)
        self.granted.pop((node.step, node.digest), None)

    def patience(self, node: Node) -> float:
        """How long the next step may take."""
        times = self.times
        return (times.choice if node.want.kind in HUMAN else times.step) / 1000

    def counts_from(self, node: Node) -> float:
        """When the patience for the step that `node` stands before began to run ([E-3]).

        It is not set back by a change of epoch.
        """
        position = (node.step, node.digest)
        return self.granted.get(position, self.began.get(position, self.now))

    def grant(self, node: Node) -> None:
        """Have the patience for this step run anew from now on, so that it is out later."""
        self.granted[node.step, node.digest] = self.now

    def granted_at(self, node: Node) -> float | None:
        """When a player last wished to wait longer at this step; None for never."""
        return self.granted.get((node.step, node.digest))

    def left(self, node: Node) -> float:
        """Seconds until the patience for the step that `node` stands before runs out."""
        return self.patience(node) - (self.now - self.counts_from(node))

    def wait(self, node: Node, now: float) -> Wait:
        """How long the step that `node` stands before has been waited for, and may be yet."""
        waited = now - self.began.get((node.step, node.digest), now)
        return Wait(waited, self.left(node), self.patience(node), self.counts_from(node))

    def is_out(self, node: Node) -> bool:
        """Whether the patience for the step that `node` stands before has run out."""
        return self.now - self.counts_from(node) >= self.patience(node)

    def grace(self, fruitless: int = 0) -> float:
        """g, doubled per fruitless epoch up to its cap."""
        doublings = max(0, min(fruitless, MAX_DOUBLINGS))
        return float(min(self.times.grace * 2**doublings, self.times.cap)) / 1000

    def stood(self, view: View) -> float:
        """How long the node has stood in the view's epoch."""
        return self.now - view.entered

    def has_stood(self) -> bool:
        """Whether the node has stood at this step for a grace in this epoch."""
        return self.now - self.reached >= self.grace()
