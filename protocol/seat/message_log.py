"""The message log of one node: what it stores, the epochs it knows and the chain it follows."""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import chain
from typing import Any

from ..chain import transition
from ..chain.chain_state import SETUP, Node, Table
from ..consensus import fault_evidence, finality, followed_chain
from ..consensus.epoch_votes import Votes
from ..consensus.message_store import MessageStore
from ..wire import signed_messages
from ..wire.signed_messages import EpochPromise, Message, StepInput
from .effects import Outbox


class MessageLog:
    """The messages of one node, and what follows from them alone.

    Attributes:
        store: All messages that are stored.
        votes: The epochs that are known, with their epoch promises, new-epoch messages and votes.
        view: The epoch that the node stands in, and its chain as far as it is followed.
        fresh: Messages that were stored and not judged yet.
    """

    def __init__(self, table: Table, outbox: Outbox) -> None:
        """Begin before the first step."""
        self.table, self.outbox = table, outbox
        self.store = MessageStore()
        self.votes = Votes(table, self.store)
        self.view = followed_chain.new_view(0, transition.begin(table), 0.0)
        self.fresh: list[Message] = []
        self._final = 0

    # Queries

    @property
    def tip(self) -> Node:
        """The node at which the followed chain stands."""
        return self.view.tip

    @property
    def has_begun(self) -> bool:
        """Whether epoch 0 has begun."""
        return self.votes.start is not None

    @property
    def lacks_messages(self) -> bool:
        """Whether the others were asked for messages that are not stored here."""
        return bool(self.store.wants or self.store.wanted_new_epochs)

    def has_input(self, seat: int | None, step: int) -> bool:
        """Return whether a seat has spoken in this step of the epoch."""
        identity = (signed_messages.NUMBER[StepInput], seat or 0, self.view.epoch, step)
        return bool(self.store.versions(identity))

    def has_signed(self, seat: int | None, kind: type[Any], epoch: int) -> bool:
        """Return whether a seat has signed a message of this epoch that is no input."""
        return bool(self.store.versions((signed_messages.NUMBER[kind], seat or 0, epoch)))

    def awaited(self) -> frozenset[int]:
        """Return the seats that still have to speak in the first incomplete step.

        While a job is under way, an input that was not checked yet counts as not there.
        """
        only_known = self.outbox.job is not None
        said = followed_chain.chosen_inputs(self.store, self.view, only_known)
        return self.tip.want.speakers - set(said)

    def final_step(self, is_standing: bool) -> int:
        """Return the last step that nothing can replace any more; it never falls.

        What comes after an epoch promise proves nothing: it counts only while the node stands in
            its epoch.
        """
        if is_standing:
            self._final = max(self._final, finality.final_step(self.store, self.view))
        return max(self._final, self.view.base.step - 1)

    # Transitions

    def start(self, now: float) -> None:
        """Count the time in this epoch from now on."""
        self.view.enter(now)

    def keep(self, message: Message) -> bool:
        """Store a message; return False if it was known.

        A faulty seat may have filled the room for its new-epoch messages with bad ones. Others
        follow this one.
        """
        if not self.store.add(message):
            is_new = message.hash not in self.store and self.votes.is_sound(message)
            if not is_new or not self.store.add(message, sound=True):
                return False
        self.fresh.append(message)
        return True

    def renew(self, messages: Iterable[Message]) -> None:
        """Have stored messages judged again."""
        self.fresh.extend(messages)

    def take_fresh(self) -> list[Message]:
        """Return the messages that are not judged yet, and count them as judged."""
        fresh, self.fresh = self.fresh, []
        return fresh

    def begin_epochs(self, now: float) -> None:
        """Begin epoch 0 at the last node of the chain that setup leads to."""
        node = self.tip
        while node.parent is not None and node.parent.want.kind not in SETUP:
            node = node.parent
        self.votes.begin(node)
        self.view.begin(node, now)

    def enter(self, epoch: int, base: Node, now: float) -> None:
        """Stand in an epoch, at its base."""
        self.view = followed_chain.new_view(epoch, base, now)

    def grow(self, seat: int | None) -> tuple[Node, Node] | None:
        """Append the first incomplete step, once complete; return the nodes before and after it.

        Args:
            seat: The own seat. A version that it has spoken on goes before the one seen first.
        """
        return followed_chain.grow(self.store, self.view, seat)

    def forget_inputs(self, seat: int | None, named: Set[bytes]) -> None:
        """Drop inputs of earlier epochs, but for those on the chain, those named and one's own.

        Args:
            seat: The own seat, None for a watcher.
            named: Hashes that proofs name. What stored epoch promises name is kept as well.
        """
        promises = [m.statement for m in self.store if isinstance(m.statement, EpochPromise)]
        proofs = (pair for promise in promises for pair in promise.proofs)
        kept = {*named, *chain(*(promise.inputs for promise in promises), *proofs)}
        on_chain = fault_evidence.ancestry(self.view.base)

        def keep(message: Message, step_input: StepInput) -> bool:
            return message.seat == seat or step_input.on in on_chain or message.hash in kept

        self.store.forget_inputs(self.view.epoch, keep)
