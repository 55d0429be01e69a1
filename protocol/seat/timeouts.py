"""Timers of one seat: step timeouts, back-offs of epoch changes, and waits after the game's end.

Times and durations are in seconds of the driver's clock. The *back-off* is how long a seat waits
before it may give up an epoch as too slow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ..chain.chain_state import Kind, Node
from ..consensus.followed_chain import FollowedChain
from ..units import DriverTime, Quota, Seconds
from ..wire.table_header import Timeouts

RETRY: Final[Seconds] = 1.0
"""Seconds between two requests for missing messages."""
HUMAN = frozenset({Kind.SEAL, Kind.SHOW, Kind.CHOOSE})
"""The kinds of steps in which players decide. The other steps wait for programs only."""
MAX_DOUBLINGS: Final[Quota] = 40
"""The most doublings of the back-off that are computed. Its cap is reached long before."""

Position = tuple[int, int, bytes]
"""The place where the followed chain stands: epoch, step number and digest."""


@dataclass(frozen=True)
class Wait:
    """How long a seat has waited for the current step, and how long until it times out.

    Attributes:
        waited: The seconds since the seat came to the step.
        left: The seconds until the step times out. Negative after the timeout.
        timeout: The length of the timeout, in seconds.
        since: When the timeout began, as driver time. It begins anew when the player asks to wait
            longer.
    """

    waited: float
    left: float
    timeout: float
    since: float


@dataclass
class Timers:
    """The times at which the waits of one seat began.

    Attributes:
        times: In milliseconds, from the terms.
        now: The time of the last event.
        promised_at: When the promised epoch of the seat last rose.
        proposing: When the seat first had enough epoch promises to propose, None before.
        asked: When the seat last asked for missing messages.
        over: When the end of the game became final here, None before.
        first_links: For each seat, when the first new link with it came up after `over`.
        began: When this seat first came to each step, by its number and the digest before it.
        granted: When the player last asked to wait longer for a step, with the same keys.
        reached: When the followed chain came to its current step in this epoch.
    """

    times: Timeouts
    now: DriverTime = 0.0
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

    def set(self, now: DriverTime) -> None:
        """Set the time of the current event."""
        self.now = now

    def restart(self, now: DriverTime) -> None:
        """Restart every wait, because nothing was waited for while the program was not running."""
        self.now = self.asked = self.promised_at = now
        self.began.clear()
        self.granted.clear()
        self._position = self.proposing = None
        self.over = None if self.over is None else now

    def mark(self, followed: FollowedChain) -> None:
        """Record when this seat came to the current step, for the first time and in this epoch."""
        # The first time stays: a change of epoch does not restart the timeout ([E-32]).
        self.began.setdefault((followed.tip.step, followed.tip.digest), self.now)
        position = (followed.epoch, followed.tip.step, followed.tip.digest)
        if position != self._position:
            self._position, self.reached = position, self.now

    def begin_anew(self, node: Node) -> None:
        """Restart the timeout of a step that was complete, and that a change of epoch reopened."""
        self.began.pop((node.step, node.digest), None)
        self.granted.pop((node.step, node.digest), None)

    def grant(self, node: Node) -> None:
        """Restart the timeout of a step because the player asked to wait longer."""
        self.granted[node.step, node.digest] = self.now
        # The longer wait can run out, too, and the player has to hear of that.
        self._told.discard((node.step, node.digest))

    def tell_timeout(self, node: Node) -> bool:
        """Return whether to tell the driver that a step has timed out, which is True once."""
        is_news = (node.step, node.digest) not in self._told
        self._told.add((node.step, node.digest))
        return is_news

    def promise(self) -> None:
        """Note that the promised epoch of the seat has risen."""
        self.promised_at, self.proposing = self.now, None

    def note_growth(self, step: int, promise: int) -> None:
        """Note the step and the promise if the chain is longer than ever, for `failed_epochs`."""
        # Longer than ever: a chain that only grows again after a change of epoch must not set the
        # back-off back, or a slow table would never settle.
        if step > self._grown_step:
            self._grown_step, self._grown_promise = step, promise

    def finish(self) -> None:
        """Note that the end of the game is final from now on."""
        self.over = self.now

    def note_link(self, seat: int) -> None:
        """Note the first new link with a seat after the game's end."""
        if self.over is not None:
            self.first_links.setdefault(seat, self.now)

    def is_asking_due(self) -> bool:
        """Return whether to ask again for missing messages, at most once in `RETRY` seconds."""
        is_due = self.now - self.asked >= RETRY
        if is_due:
            self.asked = self.now
        return is_due

    def waits_as_proposer(self, promise: int) -> bool:
        """Return whether a proposer still waits for more epoch promises than a quorum ([E-5]).

        The wait begins with the first call after the promise rose, and takes half a back-off.
        """
        if self.proposing is None:
            self.proposing = self.now
        return self.now - self.proposing < self.back_off(self.failed_epochs(promise)) / 2

    # Step timeouts

    def timeout(self, node: Node) -> float:
        """Return the step timeout in seconds. It is longer for steps in which players decide."""
        return (self.times.choice if node.want.kind in HUMAN else self.times.step) / 1000

    def counts_from(self, node: Node) -> float:
        """Return when the timeout of a step began to run ([E-32])."""
        position = (node.step, node.digest)
        # What the player asked for comes first, since it is always later.
        return self.granted.get(position, self.began.get(position, self.now))

    def granted_at(self, node: Node) -> float | None:
        """Return when the player last asked to wait longer for a step, None if never."""
        return self.granted.get((node.step, node.digest))

    def left(self, node: Node) -> float:
        """Return how long until a step times out. It is negative after the timeout."""
        return self.timeout(node) - (self.now - self.counts_from(node))

    def wait(self, node: Node, now: DriverTime) -> Wait:
        """Return how long a step has been waited for, and how much time is left."""
        waited = now - self.began.get((node.step, node.digest), now)
        return Wait(waited, self.left(node), self.timeout(node), self.counts_from(node))

    def is_out(self, node: Node) -> bool:
        """Return whether a step has timed out."""
        return self.now - self.counts_from(node) >= self.timeout(node)

    # Back-off of epochs

    def failed_epochs(self, promise: int) -> int:
        """Return by how much the promised epoch rose since the chain last reached a new step."""
        return promise - self._grown_promise

    def back_off(self, failed_epochs: int = 0) -> float:
        """Return the back-off in seconds: that of the terms, doubled for each failed epoch.

        It has a cap.
        """
        # An epoch may be 2^32 - 1, and 2 to this power would fill the memory.
        doublings = max(0, min(failed_epochs, MAX_DOUBLINGS))
        return float(min(self.times.back_off * 2**doublings, self.times.cap)) / 1000

    def has_stood(self) -> bool:
        """Return whether the current step has lasted for at least one back-off in this epoch."""
        return self.now - self.reached >= self.back_off()
