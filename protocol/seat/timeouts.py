"""Timers of one node: step timeouts, the back-off of epochs, and the waits after the end.

All times are seconds of the caller's clock, which may be any monotonic one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ..bounds import Quota, Seconds
from ..chain.chain_state import Kind, Node
from ..consensus.followed_chain import FollowedChain
from ..wire.table_header import Timeouts

RETRY: Final[Seconds] = 1.0
"""Seconds between two requests for what is lacking."""
HUMAN = frozenset({Kind.SEAL, Kind.SHOW, Kind.CHOOSE})
"""Steps in which people decide; the others wait for machines only."""
MAX_DOUBLINGS: Final[Quota] = 40

Position = tuple[int, int, bytes]
"""Epoch, step and digest: where the followed chain stands."""


@dataclass(frozen=True)
class Wait:
    """How long a step has been waited for, and how much of its timeout is left, in seconds.

    `since` is when this timeout began, by the driver's clock. A player's wish to wait longer begins
    it anew.
    """

    waited: float
    left: float
    timeout: float
    since: float


@dataclass
class Timers:
    """When things began at one node. `times` are those of the table, in milliseconds.

    Attributes:
        times: The step timeouts and the back-off that the table's terms name.
        now: The time of the last event.
        promised_at: When this node last made a promise.
        proposing: When this node had a quorum of epoch promises as proposer, None for not yet.
        asked: When this node last asked for what it lacks.
        over: When the end became final here, None for not yet.
        first_links: When the first new link with a seat came up after that, by seat.
        began: When each step became the first incomplete one, by step and digest.
        granted: When a player last wished to wait longer, by step and digest.
        reached: When this node came to its step in this epoch.
    """

    times: Timeouts
    now: float = 0.0
    promised_at: float = 0.0
    proposing: float | None = None
    asked: float = -RETRY
    over: float | None = None
    first_links: dict[int, float] = field(default_factory=dict)
    began: dict[tuple[int, bytes], float] = field(default_factory=dict)
    granted: dict[tuple[int, bytes], float] = field(default_factory=dict)
    reached: float = 0.0
    _position: Position | None = None
    _told: set[tuple[int, bytes]] = field(default_factory=set)
    _grown_step: int = 0
    _grown_promise: int = 0

    # Events

    def set(self, now: float) -> None:
        """Note the time of an event."""
        self.now = now

    def restart(self, now: float) -> None:
        """Begin every wait anew: nothing was waited for while the node was not running."""
        self.now = self.asked = self.promised_at = now
        self.began.clear()
        self.granted.clear()
        self._position = self.proposing = None
        self.over = None if self.over is None else now

    def mark(self, view: FollowedChain) -> None:
        """Note when the first incomplete step came up, and when in this epoch."""
        self.began.setdefault((view.tip.step, view.tip.digest), self.now)
        position = (view.epoch, view.tip.step, view.tip.digest)
        if position != self._position:
            self._position, self.reached = position, self.now

    def begin_anew(self, node: Node) -> None:
        """Begin the wait for a step anew that was complete and is open again."""
        self.began.pop((node.step, node.digest), None)
        self.granted.pop((node.step, node.digest), None)

    def grant(self, node: Node) -> None:
        """Begin the timeout of this step anew, at a player's wish to wait longer."""
        self.granted[node.step, node.digest] = self.now
        self._told.discard((node.step, node.digest))

    def tell_timeout(self, node: Node) -> bool:
        """Return whether the driver has not been told yet that this step is waited for."""
        is_news = (node.step, node.digest) not in self._told
        self._told.add((node.step, node.digest))
        return is_news

    def promise(self) -> None:
        """Note that this node makes a promise now."""
        self.promised_at, self.proposing = self.now, None

    def note_growth(self, step: int, promise: int) -> None:
        """Note which promise holds when the followed chain is longer than ever before."""
        if step > self._grown_step:
            self._grown_step, self._grown_promise = step, promise

    def finish(self) -> None:
        """Note that the end is final here from now on."""
        self.over = self.now

    def note_link(self, seat: int) -> None:
        """Note the first new link with a seat after the end."""
        if self.over is not None:
            self.first_links.setdefault(seat, self.now)

    def is_asking_due(self) -> bool:
        """Return whether to ask again for what is lacking, and note that it is done."""
        is_due = self.now - self.asked >= RETRY
        if is_due:
            self.asked = self.now
        return is_due

    def waits_as_proposer(self, promise: int) -> bool:
        """Return whether a proposer still waits for more epoch promises than a quorum ([E-5])."""
        if self.proposing is None:
            self.proposing = self.now
        return self.now - self.proposing < self.back_off(self.failed_epochs(promise)) / 2

    # Step timeouts

    def timeout(self, node: Node) -> float:
        """Return how long the step that `node` stands before may take."""
        return (self.times.choice if node.want.kind in HUMAN else self.times.step) / 1000

    def counts_from(self, node: Node) -> float:
        """Return when the timeout of the step that `node` stands before began to run.

        A change of epoch does not restart it. SPEC: [E-32].
        """
        position = (node.step, node.digest)
        return self.granted.get(position, self.began.get(position, self.now))

    def granted_at(self, node: Node) -> float | None:
        """Return when a player last wished to wait longer at this step; None for never."""
        return self.granted.get((node.step, node.digest))

    def left(self, node: Node) -> float:
        """Return the seconds until the step that `node` stands before times out."""
        return self.timeout(node) - (self.now - self.counts_from(node))

    def wait(self, node: Node, now: float) -> Wait:
        """Return how long a step has been waited for, and may be yet."""
        waited = now - self.began.get((node.step, node.digest), now)
        return Wait(waited, self.left(node), self.timeout(node), self.counts_from(node))

    def is_out(self, node: Node) -> bool:
        """Return whether the step that `node` stands before has timed out."""
        return self.now - self.counts_from(node) >= self.timeout(node)

    # Back-off of epochs

    def failed_epochs(self, promise: int) -> int:
        """Return how many epochs were promised since the chain last grew beyond its length."""
        return promise - self._grown_promise

    def back_off(self, failed_epochs: int = 0) -> float:
        """Return g, doubled per epoch that brought nothing up to its cap."""
        doublings = max(0, min(failed_epochs, MAX_DOUBLINGS))
        return float(min(self.times.back_off * 2**doublings, self.times.cap)) / 1000

    def has_stood(self) -> bool:
        """Return whether the node has stood at this step for a back-off in this epoch."""
        return self.now - self.reached >= self.back_off()
