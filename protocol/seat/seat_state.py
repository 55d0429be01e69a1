"""The state of one seat at one table, divided into parts.

The attributes of a part are changed only by its own methods. The rules of a seat read the parts and
call their methods. All parts put the orders for the driver into one shared `Outbox`.
"""

from __future__ import annotations

from ..chain.chain_state import Node, Table
from ..crypto.hashing import Random
from ..crypto.identities import Identity
from .deck_wait import DeckWait
from .effects import Broken, Job, Outbox
from .fault_judge import FaultJudge
from .message_log import MessageLog
from .peers import Peers
from .signer import Signer
from .timeouts import Timers


class SeatState:
    """The parts that hold what one seat stores, has promised and waits for.

    An onlooker has the same parts, but no seat and no keys.

    Attributes:
        outbox: The effects that the driver is to carry out.
        timers: The step timeouts, the back-off and the waits after the end.
        log: The messages, the epochs and the followed chain.
        judge: The faults that can be proven, and the end of the table.
        signer: The keys, the promise, and the only code that signs.
    """

    def __init__(
        self,
        table: Table,
        rng: Random,
        seat: int | None = None,
        who: Identity | None = None,
        seed: bytes | None = None,
    ) -> None:
        """Create the state before the first step. An onlooker has no seat, key or seed.

        Args:
            seed: 32 bytes from which the secrets of the seat are derived. They must be on disk
                before `start`.
        """
        self.table, self.seat = table, seat
        self.outbox = Outbox()
        self.timers = Timers(table.header.terms.timeouts)
        self.log = MessageLog(table, self.outbox)
        self.judge = FaultJudge(self.log, self.timers, self.outbox, seat)
        self.peers = Peers(self.log, self.timers, seat)
        self.signer = Signer(self.peers, self.judge, rng, who, seed)
        self.deck_wait = DeckWait(table)

    @property
    def tip(self) -> Node:
        """The last node of the followed chain."""
        return self.log.followed.tip

    @property
    def has_begun(self) -> bool:
        """True if setup is over and epoch 0 has begun."""
        return self.log.has_begun

    @property
    def finished(self) -> bool:
        """True if the game is over and its result is final here."""
        return self.judge.finished

    @property
    def broken(self) -> Broken | None:
        """Why the table has ended without a result, None if it has not."""
        return self.judge.broken

    @property
    def job(self) -> Job | None:
        """The long computation that the driver has to run now, None if there is none."""
        return self.outbox.job

    def awaited(self) -> frozenset[int]:
        """Return the seats whose input to the first incomplete step is missing."""
        return self.log.awaited()

    def final_step(self) -> int:
        """Return the last step that nothing can replace any more. It never falls."""
        return self.log.final_step(self.signer.is_standing)
