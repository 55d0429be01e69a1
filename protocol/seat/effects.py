"""What a seat machine leaves for its driver: effects in their order, and jobs that take long."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from ..chain.chain_state import Node
from ..wire import peer_frames
from ..wire.signed_messages import Message
from ..wire.signed_notices import DEAD_KEYS as DEAD_KEYS
from ..wire.signed_notices import SEAT_LEFT as SEAT_LEFT
from ..wire.signed_notices import SILENT_SEAT as SILENT_SEAT


@dataclass(frozen=True, eq=False)
class Job:
    """One piece of work. `run` may go on in another thread, never in another process: it may know
    secrets. It touches nothing that the machine changes meanwhile; `take` is called with what it
    gave by the machine itself.
    """

    run: Callable[[], Any] = field(repr=False)
    take: Callable[[Any], object] = field(repr=False)


TOO_MANY_FAULTS: Final = "too-many-faults"
VOID_TABLE: Final = "void-table"

ENDS: Final[dict[str, str]] = {
    SILENT_SEAT: "a seat fell silent before the game began",
    SEAT_LEFT: "a seat left before the game began",
    DEAD_KEYS: "the keys of all seats add up to an invalid key: sit down at a new table",
    TOO_MANY_FAULTS: "too many seats are at fault",
    VOID_TABLE: "two bases of one epoch are committed: the table is void, with proof",
}
"""Why a table ends without a result, where it is not one of `wire.faults.FAULTS`."""


@dataclass(frozen=True)
class Record:
    """Put this on disk; everything recorded must be there before a later Send leaves ([M-6])."""

    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Send:
    """Send a frame.

    Attributes:
        frame: The frame.
        peer: The id of the node it is for. None: all linked nodes.
        but: The ids of nodes that it is not for.
        asks: Whether it is a request. Onlookers are asked nothing ([L-6]).
        once: Whether it is left out on a link on which the same one is under way ([L-24]).
    """

    frame: bytes = field(repr=False)
    peer: bytes | None = None
    but: frozenset[bytes] = frozenset()
    asks: bool = False
    once: bool = False


@dataclass(frozen=True)
class StepAppended:
    """The followed chain grew by one step."""

    before: Node
    after: Node


@dataclass(frozen=True)
class Entered:
    """A new epoch began on this base; what stood after it on the old chain is replaced.

    `faults`: (seat, code) of whom the base finds at fault.
    """

    epoch: int
    base: Node
    faults: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class ChoiceAsked:
    """This seat's player must choose; `again` if the earlier choice was shown and is void."""

    node: Node
    kind: str
    again: bool = False


@dataclass(frozen=True)
class StepTimedOut:
    """The step timeout for these seats is over."""

    seats: frozenset[int]
    step: int


@dataclass(frozen=True)
class SeatLeft:
    """A seat has said, signed, that it leaves for now."""

    seat: int


@dataclass(frozen=True)
class Guilty:
    """A provable fault was found: `code` is one of `wire.faults.FAULTS`."""

    seat: int
    code: str


@dataclass(frozen=True)
class JournalDoubted:
    """This seat's journal may be older than what it has signed: it is silent until others told."""


@dataclass(frozen=True)
class SigningEnded:
    """This seat's journal is older than what it has signed, and at a strict table nothing can be
    signed safely any more: the game can be claimed as far as it came."""


@dataclass(frozen=True)
class ResultFinal:
    """The game is over and its result final."""

    node: Node


@dataclass(frozen=True)
class Broken:
    """The table ended before the game began, or is void.

    Attributes:
        code: One of `ENDS`, or the fault in `wire.faults.FAULTS` that ended it.
        seat: The seat that the code is about, if any.
        by: The seat that ended the table and announced this code. None if this node found it.
    """

    code: str
    seat: int | None = None
    by: int | None = None


Effect = (
    Record
    | Send
    | StepAppended
    | Entered
    | ChoiceAsked
    | StepTimedOut
    | SeatLeft
    | Guilty
    | JournalDoubted
    | SigningEnded
    | ResultFinal
    | Broken
)


class Outbox:
    """What waits for the driver: effects in their order, and at most one job.

    Attributes:
        job: What the driver is to run before anything else is decided, if anything.
        hands_out: Whether the driver runs jobs; else all is computed where it is needed.
        is_replaying: Whether the journal is being read. Nothing is signed meanwhile, and the
            effects are dropped at the end.
    """

    def __init__(self) -> None:
        """Begin without effects and without a job."""
        self._effects: list[Effect] = []
        self.job: Job | None = None
        self.hands_out = False
        self.is_replaying = False

    def emit(self, effect: Effect) -> None:
        """Hand an effect to the driver."""
        self._effects.append(effect)

    def take(self) -> list[Effect]:
        """Return the effects since the last call, in order."""
        effects, self._effects = self._effects, []
        return effects

    def send(
        self,
        frame: peer_frames.FrameBody | Message,
        peer: bytes | None = None,
        but: Iterable[bytes] = (),
    ) -> None:
        """Send a frame, or the one that carries a message.

        Args:
            frame: The frame or the message.
            peer: The id of the node it is for, 32 bytes. None: all linked nodes.
            but: The ids of nodes that it is not for.
        """
        body = peer_frames.Carry(frame.encode()) if isinstance(frame, Message) else frame
        encoded = peer_frames.encode_frame(body)
        asks, once = isinstance(body, peer_frames.REQUESTS), isinstance(body, peer_frames.SPREAD)
        self._effects.append(Send(encoded, peer, frozenset(but), asks, once))

    def begin_replay(self) -> None:
        """Note that what follows comes from the journal."""
        self.is_replaying = True

    def end_replay(self) -> None:
        """Note that the journal is read, and drop the effects of its replay."""
        self.is_replaying = False
        self.take()

    def hand_out(self) -> None:
        """Leave long computations to the driver from now on."""
        self.hands_out = True

    def put(self, job: Job) -> None:
        """Ask the driver to run a job."""
        self.job = job

    def finish(self, job: Job, given: Any) -> None:
        """Take in what a job gave, if it is the one under way."""
        if job is self.job:
            self.job = None
            job.take(given)
