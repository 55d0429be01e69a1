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
        votes: The known epochs, with their epoch promises, new-epoch messages and votes.
        followed: The epoch in which the seat stands, and the chain that it follows.
        fresh: The messages that were stored and have not been judged yet.
    """

    def __init__(self, table: Table, outbox: Outbox) -> None:
        """Create a log without messages, in epoch 0 and at the beginning of the chain.

        Args:
            outbox: The queue of effects for the driver.
        """
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
        """True if this node still has to ask others for messages."""
        return bool(self.store.wants or self.store.wanted_new_epochs)

    def has_input(self, seat: int | None, step: int) -> bool:
        """Return whether an input of a seat to a step of the current epoch is stored.

        Args:
            seat: The seat. If None, the input may be of any seat.

        Returns:
            Whether such an input is stored, be it legal or not.
        """
        seats = range(self.table.seats) if seat is None else (seat,)
        number, epoch = signed_messages.NUMBER[StepInput], self.followed.epoch
        return any(self.store.versions((number, one, epoch, step)) for one in seats)

    def has_signed(self, seat: int, kind: type[Any], epoch: int) -> bool:
        """Return whether a seat's message of a given kind and epoch is stored.

        Args:
            kind: The class of the message's content, which is not `StepInput` or `Rejoin`.

        Returns:
            Whether such a message is stored.
        """
        return bool(self.store.versions((signed_messages.NUMBER[kind], seat, epoch)))

    def awaited(self) -> frozenset[int]:
        """Return the seats whose input to the first incomplete step is missing.

        While a long computation runs in the background, an input that has not been checked yet
        counts as missing.

        Returns:
            The seats that owe an input to the step and have given no legal one.
        """
        only_known = self.outbox.job is not None
        said = followed_chain.chosen_inputs(self.store, self.followed, only_known)
        return self.tip.want.speakers - set(said)

    def final_step(self, is_standing: bool) -> int:
        """Return the number of the last step that nothing can replace any more.

        New inputs no longer make steps final once the seat has promised an epoch above its current
        epoch.

        Args:
            is_standing: Whether the seat's promised epoch is its current epoch.

        Returns:
            The number, which never falls.
        """
        if is_standing:
            self._final = max(self._final, finality.final_step(self.store, self.followed))
        return max(self._final, self.followed.base.step - 1)

    # Transitions

    def start(self, now: DriverTime) -> None:
        """Set the time at which this seat entered the current epoch."""
        self.followed.enter(now)

    def keep(self, message: Message) -> bool:
        """Store a message, and queue it to be searched for faults.

        A faulty seat may have used up the room for its new-epoch messages with invalid ones. So a
        valid new-epoch message is stored in any case if its proposal (the chain node with which the
        epoch begins) is new. So are the legal input to `deck.ok` and the first input to the first
        `deal`: a seat that lacked them could not play with the others.

        Args:
            message: The message, whose signature is valid.

        Returns:
            False if the message was stored already, or is not to be stored.
        """
        if not self.store.add(message):
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
        """Remove and return the messages that have not been judged yet.

        Returns:
            The messages, which count as judged from now on.
        """
        fresh, self.fresh = self.fresh, []
        return fresh

    def begin_epochs(self, now: DriverTime) -> None:
        """Begin epoch 0 at the chain node at which setup is complete."""
        node = self.tip
        while node.parent is not None and node.parent.want.kind not in SETUP:
            node = node.parent
        self.votes.begin(node)
        self.followed.begin(node, now)

    def enter(self, epoch: int, base: Node, now: DriverTime) -> None:
        """Enter an epoch, and follow the chain that grows from its first node.

        Args:
            base: The chain node with which the epoch begins.
        """
        self.followed = followed_chain.new_followed_chain(epoch, base, now)

    def grow(self, seat: int | None) -> tuple[Node, Node] | None:
        """Append the next step to the followed chain, if the step is complete.

        The step is complete once every seat that owes an input to the step has given a legal input.
        If a seat gave several legal inputs, the first one counts, unless the own seat has already
        built on another one.

        Args:
            seat: The own seat, None for an onlooker.

        Returns:
            The chain nodes before and after the step, None if the step is not complete.
        """
        return followed_chain.grow(self.store, self.followed, seat)

    def forget_inputs(self, seat: int | None, named: Set[bytes]) -> None:
        """Remove the inputs of earlier epochs that nothing needs any more.

        Three kinds of inputs are kept: own inputs, inputs that build on the followed chain, and
        inputs that a stored epoch promise names.

        Args:
            seat: The own seat, None for an onlooker.
            named: The hashes of further inputs to keep, because proofs of faults name them.
        """
        promises = [m.statement for m in self.store if isinstance(m.statement, EpochPromise)]
        proofs = (pair for promise in promises for pair in promise.proofs)
        kept = {*named, *chain(*(promise.inputs for promise in promises), *proofs)}
        on_chain = fault_evidence.ancestry(self.followed.base)

        def keep(message: Message, step_input: StepInput) -> bool:
            return message.seat == seat or step_input.on in on_chain or message.hash in kept

        self.store.forget_inputs(self.followed.epoch, keep)
