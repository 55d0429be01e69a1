"""State of one node at one table: five owners, each the only writer of its attributes.

The rules of a seat read the owners and call their methods. Beside the five stands the `Outbox`, in
which each of them puts what the driver is to do.
"""

from __future__ import annotations

from ..chain.chain_state import Node, Table
from ..crypto.hashing import Random
from ..crypto.identities import Identity
from .effects import Broken, Job, Outbox
from .fault_judge import FaultJudge
from .message_log import MessageLog
from .peers import Peers
from .signer import Signer
from .timeouts import Timers


class SeatState:
    """The owners of what one node stores, has promised and waits for.

    Attributes:
        table: The table.
        seat: The own seat, None for a watcher.
        outbox: What waits for the driver.
        timers: Step timeouts, the back-off and the waits after the end.
        log: The messages, the epochs and the followed chain.
        judge: Faults, and the end of the table.
        peers: Links and departures.
        signer: The keys, the promise and all that is signed.
    """

    def __init__(
        self,
        table: Table,
        rng: Random,
        seat: int | None = None,
        who: Identity | None = None,
        seed: bytes | None = None,
    ) -> None:
        """Begin before the first step.

        Args:
            table: The table.
            rng: Where randomness comes from.
            seat: The own seat, None for a watcher.
            who: The key of the seat.
            seed: 32 bytes that give the seat's secrets. They must be on disk before `start`.
        """
        self.table, self.seat = table, seat
        self.outbox = Outbox()
        self.timers = Timers(table.header.terms.timeouts)
        self.log = MessageLog(table, self.outbox)
        self.judge = FaultJudge(self.log, self.timers, self.outbox, seat)
        self.peers = Peers(self.log, self.timers, seat)
        self.signer = Signer(self.peers, self.judge, rng, who, seed)

    @property
    def tip(self) -> Node:
        """The last node of the chain that is followed."""
        return self.log.view.tip

    @property
    def has_begun(self) -> bool:
        """Whether the cards are dealt: from then on an absence ends no table."""
        return self.log.has_begun

    @property
    def finished(self) -> bool:
        """Whether the game is over and its result final."""
        return self.judge.finished

    @property
    def broken(self) -> Broken | None:
        """How the table ended without a result, if it did."""
        return self.judge.broken

    @property
    def job(self) -> Job | None:
        """What is to be run, wherever the driver likes, before anything is decided."""
        return self.outbox.job

    def awaited(self) -> frozenset[int]:
        """Return the seats that still have to speak in the first incomplete step."""
        return self.log.awaited()

    def final_step(self) -> int:
        """Return the last step that nothing can replace any more; it never falls."""
        return self.log.final_step(self.signer.is_standing)
