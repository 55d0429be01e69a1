"""Effects and jobs, by which the state machine of a seat gives work to its driver.

The driver is the program that runs the state machine. An effect is an order or news for it. A job
is a long computation for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from ..chain.chain_state import Node
from ..units import PeerId
from ..wire import peer_frames
from ..wire.signed_messages import Message
from ..wire.signed_notices import DEAD_KEYS as DEAD_KEYS
from ..wire.signed_notices import SEAT_LEFT as SEAT_LEFT
from ..wire.signed_notices import SILENT_SEAT as SILENT_SEAT


@dataclass(frozen=True, eq=False)
class Job:
    """A long computation that the driver runs for the state machine of the seat.

    It may run in another thread, but not in another process, because it may use secrets. It touches
    nothing that the state machine changes meanwhile.

    Attributes:
        run: The computation, which the driver calls.
        take: Applies the result of `run`. The state machine calls it.
    """

    run: Callable[[], Any] = field(repr=False)
    take: Callable[[Any], object] = field(repr=False)


TOO_MANY_FAULTS: Final = "too-many-faults"
"""The code of a table on which more than n - t seats are at fault."""
UNCONFIRMED: Final = "deck-unconfirmed"
"""The code of a seat that has left because not all seats had confirmed the deck.

The game may have begun without it.
"""
VOID_TABLE: Final = "void-table"
"""The code of a table on which two proposals for one epoch have a quorum of commit votes each."""

ENDS: Final[dict[str, str]] = {
    SILENT_SEAT: "a seat fell silent before the game began",
    SEAT_LEFT: "a seat left before the game began",
    DEAD_KEYS: "the keys of all seats add up to an invalid key: sit down at a new table",
    TOO_MANY_FAULTS: "too many seats are at fault",
    UNCONFIRMED: "not all seats have confirmed the deck, so the game may begin without you",
    VOID_TABLE: "two bases of one epoch are committed: the table is void, with proof",
}
"""The codes with which a table ends without a result, apart from those of `fault_codes.FAULTS`."""


@dataclass(frozen=True)
class Record:
    """The order to append a record to the journal.

    It must be on disk before the frame of any later `Send` is sent ([M-6]).

    Attributes:
        data: The bytes of the record.
    """

    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Send:
    """The order to send a frame.

    Attributes:
        frame: The bytes of the frame.
        peer: The peer to which the frame goes. None for all peers.
        but: The ids of peers to which the frame does not go.
        asks: Whether the frame is a request. Requests do not go to onlookers ([L-6]).
        once: Whether to skip each link on which the same frame is queued already ([L-24]).
    """

    frame: bytes = field(repr=False)
    peer: PeerId | None = None
    but: frozenset[bytes] = frozenset()
    asks: bool = False
    once: bool = False


@dataclass(frozen=True)
class StepAppended:
    """The news that the followed chain grew by one step.

    Attributes:
        before: The node before the step.
        after: The node after it.
    """

    before: Node
    after: Node


@dataclass(frozen=True)
class Entered:
    """The news that a new epoch began. Later steps of the old chain than its base are dropped.

    Attributes:
        epoch: The epoch.
        base: The node with which the epoch begins.
        faults: The seat and the fault code of each seat that this change of epoch found at fault.
    """

    epoch: int
    base: Node
    faults: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class ChoiceAsked:
    """The request to ask the player of this seat for a choice.

    Attributes:
        node: The node at which the choice is due.
        kind: The kind of choice, as the game calls it.
        again: Whether the player has to choose again: an earlier choice for this step cannot be
            used any more, and other seats may have seen it.
    """

    node: Node
    kind: str
    again: bool = False


@dataclass(frozen=True)
class StepTimedOut:
    """The news that the first incomplete step has timed out here.

    Attributes:
        seats: The seats whose input is missing.
        step: The number of the step.
    """

    seats: frozenset[int]
    step: int


@dataclass(frozen=True)
class SeatLeft:
    """The news that a seat has signed a departure: it leaves for now.

    Attributes:
        seat: Its number, from 0.
        gave_up: Whether it had confirmed the deck. It may then only have stopped waiting.
    """

    seat: int
    gave_up: bool = False


@dataclass(frozen=True)
class EndAnnounced:
    """The news that another seat says that it has ended the table, which may yet begin here.

    Attributes:
        by: The seat that says so.
        code: The reason that it gives, as in `Broken`.
        seat: The seat that this reason is about, None if it is about none.
    """

    by: int
    code: str
    seat: int | None


@dataclass(frozen=True)
class Guilty:
    """The news that a seat is proven at fault.

    Attributes:
        seat: Its number, from 0.
        code: The code of the fault, from `fault_codes.FAULTS`.
    """

    seat: int
    code: str


@dataclass(frozen=True)
class JournalDoubted:
    """The news that the journal may lack messages that this seat has signed.

    The seat signs nothing until others have answered which of its messages they store.
    """


@dataclass(frozen=True)
class SigningEnded:
    """The news that this seat can never sign again, because its journal lacks messages of its own.

    This happens only on a strict table (whose quorum is all seats). The unfinished game can still
    be saved.
    """


@dataclass(frozen=True)
class ResultFinal:
    """The news that the game is over and its result is final.

    Attributes:
        node: The last node, which has the standings.
    """

    node: Node


@dataclass(frozen=True)
class Broken:
    """The news that the table has ended without a result.

    Attributes:
        code: One of `ENDS`, or the code of the fault that ended it, from `fault_codes.FAULTS`.
        seat: The seat that the code is about, None if it is about none.
        by: The seat whose end notice announced this code. None if this seat found the reason
            itself, also if it has since been told of it.
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
    | EndAnnounced
    | Guilty
    | JournalDoubted
    | SigningEnded
    | ResultFinal
    | Broken
)


class Outbox:
    """The queue of effects that a seat's state machine has for its driver.

    Attributes:
        job: The job that the driver has to run now, None if there is none. Until it is finished,
            the state machine applies no rule of the protocol.
        hands_out: Whether the driver runs jobs. If not, everything is computed at once.
        is_replaying: Whether the journal is being replayed. Nothing is signed meanwhile, and the
            effects are dropped at the end.
    """

    def __init__(self) -> None:
        """Create an empty queue without a job."""
        self._effects: list[Effect] = []
        self.job: Job | None = None
        self.hands_out = False
        self.is_replaying = False

    def emit(self, effect: Effect) -> None:
        """Append an effect to the queue.

        Args:
            effect: The effect.
        """
        self._effects.append(effect)

    def take(self) -> list[Effect]:
        """Remove and return all effects of the queue.

        Returns:
            The effects, in order.
        """
        effects, self._effects = self._effects, []
        return effects

    def send(
        self,
        frame: peer_frames.FrameBody | Message,
        peer: PeerId | None = None,
        but: Iterable[bytes] = (),
    ) -> None:
        """Append the order to send a frame.

        Args:
            frame: The frame. A message is sent in a `Carry` frame.
            peer: The peer to which the frame goes. None for all peers.
            but: The ids of peers to which the frame does not go.
        """
        body = peer_frames.Carry(frame.encode()) if isinstance(frame, Message) else frame
        encoded = peer_frames.encode_frame(body)
        asks, once = isinstance(body, peer_frames.REQUESTS), isinstance(body, peer_frames.SPREAD)
        self._effects.append(Send(encoded, peer, frozenset(but), asks, once))

    def begin_replay(self) -> None:
        """Note that until `end_replay` all events come from the journal."""
        self.is_replaying = True

    def end_replay(self) -> None:
        """Note that the replay of the journal has ended, and drop the effects that it queued."""
        self.is_replaying = False
        # What the journal has is sent again only when a peer asks for it.
        self.take()

    def hand_out(self) -> None:
        """Leave long computations to the driver from now on."""
        self.hands_out = True

    def put(self, job: Job) -> None:
        """Set the job that the driver must run next.

        Args:
            job: The job.
        """
        self.job = job

    def finish(self, job: Job, given: Any) -> None:
        """Apply the result of a job. It is ignored if another job was set by `put` since.

        Args:
            job: The job.
            given: What `job.run` returned.
        """
        if job is self.job:
            # First, because what `take` calls asks whether a job is under way.
            self.job = None
            job.take(given)
