"""The message log of one seat: its stored messages, the epochs, and the chain that it follows."""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import chain
from typing import Any

from ..chain import transition
from ..chain.chain_state import SETUP, Node, Table
from ..consensus import fault_evidence, finality, followed_chain
from ..consensus.epoch_votes import Votes
from ..consensus.message_store import MessageStore
from ..units import DriverTime
from ..wire import signed_messages
from ..wire.signed_messages import EpochPromise, Message, StepInput
from .effects import Outbox


class MessageLog:
    """The messages that a seat or onlooker stores, and what follows from them alone.

    Attributes:
        followed: The epoch in which the seat stands, and the chain that it follows.
        fresh: The messages that were stored and have not been judged yet.
    """

    def __init__(self, table: Table, outbox: Outbox) -> None:
        """Create a log without messages, in epoch 0 and at the beginning of the chain."""
        self.table, self.outbox = table, outbox
        self.store = MessageStore()
        self.votes = Votes(table, self.store)
        self.followed = followed_chain.new_followed_chain(0, transition.begin(table), 0.0)
        self.fresh: list[Message] = []
        self._final = 0

    # Queries

    @property
    def tip(self) -> Node:
        """The last node of the followed chain."""
        return self.followed.tip

    @property
    def has_begun(self) -> bool:
        """True if epoch 0 has begun."""
        return self.votes.start is not None

    @property
    def lacks_messages(self) -> bool:
        """True if this program still has to ask others for messages."""
        return bool(self.store.wants or self.store.wanted_new_epochs)

    def has_input(self, seat: int | None, step: int) -> bool:
        """Return whether an input of a seat to a step of the current epoch is stored, legal or not.

        Args:
            seat: None for any seat.
        """
        seats = range(self.table.seats) if seat is None else (seat,)
        number, epoch = signed_messages.NUMBER[StepInput], self.followed.epoch
        return any(self.store.versions((number, one, epoch, step)) for one in seats)

    def has_signed(self, seat: int, kind: type[Any], epoch: int) -> bool:
        """Return whether a seat's message of an epoch, no input or rejoin, is stored."""
        return bool(self.store.versions((signed_messages.NUMBER[kind], seat, epoch)))

    def awaited(self) -> frozenset[int]:
        """Return the seats that owe an input to the first incomplete step and gave no legal one.

        During a job, an input that has not been checked yet counts as missing.
        """
        only_known = self.outbox.job is not None
        said = followed_chain.chosen_inputs(self.store, self.followed, only_known)
        return self.tip.want.speakers - set(said)

    def final_step(self, is_standing: bool) -> int:
        """Return the last step that nothing can replace any more. It never falls.

        Args:
            is_standing: Whether the seat's promised epoch is its current epoch. If not, new inputs
                make no step final.
        """
        if is_standing:
            self._final = max(self._final, finality.final_step(self.store, self.followed))
        return max(self._final, self.followed.base.step - 1)

    # Transitions

    def start(self, now: DriverTime) -> None:
        """Set the time at which this seat entered the current epoch."""
        self.followed.enter(now)

    def keep(self, message: Message) -> bool:
        """Store a message with a valid signature, and queue it to be searched for faults.

        Return False if it was stored already, or is not to be stored.
        """
        if not self.store.add(message):
            # A faulty seat may have used up the room for new-epoch messages with invalid ones. A
            # seat that lacked one of the inputs to `deck.ok` or the first `deal` could not play
            # with the others.
            is_needed = (
                self.votes.is_sound(message)
                or followed_chain.confirms_deck(self.tip, message)
                or followed_chain.first_on(self.store, self.tip, message)
            )
            if (
                message.hash in self.store
                or not is_needed
                or not self.store.add(message, sound=True)
            ):
                return False
        self.fresh.append(message)
        return True

    def renew(self, messages: Iterable[Message]) -> None:
        """Queue stored messages to be judged again."""
        self.fresh.extend(messages)

    def take_fresh(self) -> list[Message]:
        """Remove and return the messages that have not been judged yet."""
        fresh, self.fresh = self.fresh, []
        return fresh

    def begin_epochs(self, now: DriverTime) -> None:
        """Begin epoch 0 at the node at which setup is complete."""
        # The chain may have grown beyond it, but all seats must begin epoch 0 at the same node.
        node = self.tip
        while node.parent is not None and node.parent.want.kind not in SETUP:
            node = node.parent
        self.votes.begin(node)
        self.followed.begin(node, now)

    def enter(self, epoch: int, base: Node, now: DriverTime) -> None:
        """Enter an epoch, and follow the chain that grows from its base."""
        self.followed = followed_chain.new_followed_chain(epoch, base, now)

    def grow(self, seat: int | None) -> tuple[Node, Node] | None:
        """Append the next step to the followed chain, as `followed_chain.grow` does."""
        return followed_chain.grow(self.store, self.followed, seat)

    def forget_inputs(self, seat: int | None, named: Set[bytes]) -> None:
        """Remove the inputs of earlier epochs that nothing needs any more.

        Kept are own inputs, inputs on the followed chain, inputs that a stored epoch promise names,
        and those that proofs of faults name (`named`, by hash).
        """
        promises = [m.statement for m in self.store if isinstance(m.statement, EpochPromise)]
        proofs = (pair for promise in promises for pair in promise.proofs)
        kept = {*named, *chain(*(promise.inputs for promise in promises), *proofs)}
        on_chain = fault_evidence.ancestry(self.followed.base)

        def keep(message: Message, step_input: StepInput) -> bool:
            # Own ones bind this seat, those on the chain are its file, and bases need the rest.
            return message.seat == seat or step_input.on in on_chain or message.hash in kept

        self.store.forget_inputs(self.followed.epoch, keep)
