"""What a node holds of a change of epoch: epoch promises, new-epoch messages, votes, and the bases
they give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from ..bounds import Quota
from ..chain.chain_state import Node, Table
from ..wire.signed_messages import (
    CommitVote,
    EpochPromise,
    Message,
    NewEpoch,
    PrepareVote,
    QuorumCertificate,
)
from . import new_epoch
from .fork_tree import Tree
from .message_lookup import BaseKey, Lack, Malformed, References, Unknown, Void
from .message_store import Claim, MessageStore
from .new_epoch import Base, ReadPromise

MORE_INPUTS: Final[Quota] = 16
"""Inputs of each seat that an epoch promise may name beyond those held here: two versions of the
inputs of as many steps as this node may be behind."""
MAX_TRIED: Final[Quota] = 16
"""New-epoch messages of one epoch, beyond those kept, whose bases are computed before any of them
has votes."""


class Votes(References):
    """The epochs that a node knows of: their epoch promises, new-epoch messages and votes, and the
    bases they give.

    Attributes:
        table: The table.
        store: The messages that the node stores.
        start: The node with which epoch 0 began, None before.
        new_epochs: By epoch and base digest a new-epoch message and its base.
        bad: Epoch promises and new-epoch messages of a bad form, in the order in which they were
            judged.
        void: Whether two bases of one epoch are committed.
        far: By seat the highest requested epoch that is too far ahead to be kept.
    """

    def __init__(self, table: Table, store: MessageStore, start: Node | None = None) -> None:
        """Begin without an epoch."""
        super().__init__(start)
        self.table, self.store = table, store
        self.new_epochs: dict[int, dict[bytes, tuple[Message, Base]]] = {}
        self.bad: dict[bytes, None] = {}
        self.void = False
        self.far: dict[int, Message] = {}
        self._tried: dict[int, set[bytes]] = {}
        self._without_base: tuple[bytes, ...] = ()

    def begin(self, start: Node) -> None:
        """Begin epoch 0 at this node."""
        self.start = start

    # References

    def find(self, digest: bytes) -> Message | None:
        """Return the message with this hash, None if it is not stored."""
        return self.store.find(digest)

    def find_base(self, key: BaseKey) -> Node | None:
        """Return the base of an epoch, None if its close is not known."""
        epoch, digest = key
        found = self.new_epochs.get(epoch, {}).get(digest)
        return None if found is None else found[1].node

    def new_epoch_of(self, epoch: int, base: bytes) -> Message:
        """Return the new-epoch message that proposed a base which is known."""
        return self.new_epochs[epoch][base][0]

    def ask(self, lack: Lack) -> None:
        """Have a message or close asked for that is not stored."""
        if isinstance(lack, bytes):
            self.store.want(lack, self._claim())
        else:
            self.store.want_new_epoch(lack[0])

    def _claim(self) -> Claim:
        """Return whose epoch promise is read now, or an epoch promise of whom names it as a proof
        of its fault."""
        claim: Claim | None = None
        for digest, named in (reading.key for reading in self.open):
            if claim is not None and (named or claim[1]):
                claim = claim[0], True
            else:
                found = self.find(digest)
                claim = None if found is None else found.seat, named
        return claim or (None, False)

    # Wishes

    def requests(self) -> dict[int, int]:
        """Return for each seat the highest epoch named in any epoch request, epoch promise or vote
        of it."""
        found = dict(self.store.requests)
        for seat, message in self.far.items():
            found[seat] = max(found.get(seat, 0), MessageStore.epoch_of(message))
        return found

    def note_far(self, message: Message) -> None:
        """Note of each seat the highest requested epoch too far ahead to be kept, for whoever asks.

        A faulty seat that requests it of some only would else drive them ahead of the others for
        ever.

        SPEC: [M-14].
        """
        known = self.far.setdefault(message.seat, message)
        if MessageStore.epoch_of(message) > MessageStore.epoch_of(known):
            self.far[message.seat] = message

    def quorum_request(self) -> int:
        """Return the t-th highest requested epoch; 0 if fewer than t seats request anything."""
        ranked = sorted(self.requests().values(), reverse=True)
        quorum = self.table.quorum
        return ranked[quorum - 1] if len(ranked) >= quorum else 0

    # New-epoch messages and votes

    def read_new_epochs(self) -> None:
        """Compute the base of every new-epoch message whose contents are held by now."""
        for epoch in self.store.epochs_of(NewEpoch):
            known = {m.hash for m, _ in self.new_epochs.get(epoch, {}).values()}
            for message in self.store.of_epoch(NewEpoch, epoch):
                if message.hash in known or message.hash in self.bad:
                    continue
                try:
                    base = self._base(message)
                except Unknown:
                    continue
                except Malformed:
                    self.bad[message.hash] = None
                    continue
                except Void:
                    self.void = True
                    continue
                held = self.new_epochs.setdefault(epoch, {})
                held.setdefault(base.node.base_digest(), (message, base))
                self.store.wanted_new_epochs.discard(epoch)

    def is_sound(self, message: Message) -> bool:
        """Return whether this is a valid new-epoch message that proposes a base which is not known
        yet.

        A faulty seat may sign new-epoch messages without end. Beyond the first few only one for
        which a quorum has voted can matter.

        SPEC: [M-12], [M-13].
        """
        if not isinstance(message.statement, NewEpoch):
            return False
        epoch = message.statement.epoch
        tried = self._tried.setdefault(epoch, set())
        if len(tried) < MAX_TRIED:
            tried.add(message.hash)
        if message.hash not in tried and not self._misses_base(epoch):
            return False
        try:
            base = self._base(message)
        except (Unknown, Malformed, Void):
            return False
        return base.node.base_digest() not in self.new_epochs.get(epoch, {})

    def _misses_base(self, epoch: int) -> bool:
        """Return whether a quorum has voted for a base of this epoch that is not held."""
        for kind in (PrepareVote, CommitVote):
            votes = (m.statement for m in self.store.of_epoch(kind, epoch))
            counts = Counter(v.base for v in votes if isinstance(v, kind))
            for base, count in counts.items():
                if count >= self.table.quorum and base not in self.new_epochs.get(epoch, {}):
                    return True
        return False

    def _base(self, message: Message) -> Base:
        key = (message.hash, False)
        return self.once(key, lambda: new_epoch.base_of_new_epoch(self.table, message, self))

    def votes_for(
        self, kind: type[PrepareVote | CommitVote], epoch: int, base: bytes
    ) -> tuple[tuple[int, bytes], ...]:
        """Return (seat, signature) of the votes for one base, by rising seat."""
        found = {
            m.seat: m.signature
            for m in reversed(self.store.of_epoch(kind, epoch))
            if isinstance(m.statement, kind) and m.statement.base == base
        }
        return tuple(sorted(found.items()))

    def carried(self, kind: type[PrepareVote | CommitVote], epoch: int) -> bytes | None:
        """Return the base of a held valid new-epoch message of this epoch that has t votes of this
        kind."""
        for digest in self.new_epochs.get(epoch, {}):
            if len(self.votes_for(kind, epoch, digest)) >= self.table.quorum:
                return digest
        return None

    def highest_committed(self, least: int) -> tuple[int, Base] | None:
        """Return the highest epoch >= least with a valid new-epoch message and t commit votes, and
        its base."""
        for epoch in sorted(self.new_epochs, reverse=True):
            if epoch < least:
                return None
            digest = self.carried(CommitVote, epoch)
            if digest is not None:
                return epoch, self.new_epochs[epoch][digest][1]
        return None

    def highest_certificate(self, below: int) -> QuorumCertificate | None:
        """Return the quorum certificate on the highest epoch below `below` whose base has t votes
        of a kind."""
        for epoch in sorted((e for e in self.new_epochs if e < below), reverse=True):
            for kind in (CommitVote, PrepareVote):
                digest = self.carried(kind, epoch)
                if digest is not None:
                    votes = self.votes_for(kind, epoch, digest)[: self.table.quorum]
                    return QuorumCertificate(epoch, digest, kind is CommitVote, votes)
        return None

    # Epoch promises

    def is_too_long(self, promise: EpochPromise) -> bool:
        """Return whether an epoch promise names far more inputs or rejoins than are held here.

        An honest one names what its seat holds. A faulty seat could fill the links of the others
        with epoch promises of any length, and name in them what nobody has.

        SPEC: [M-10].
        """
        seats, under = (
            self.table.seats,
            0 if promise.certificate is None else promise.certificate.epoch,
        )
        most = self.store.count_inputs(under) + MORE_INPUTS * seats
        rejoins = len(self.store.rejoins()) + seats
        return len(promise.inputs) > most or len(promise.rejoins) > rejoins

    def promises(self, epoch: int) -> list[ReadPromise]:
        """Return the well-formed epoch promises of an epoch of which all is stored, one a seat."""
        found: dict[int, ReadPromise] = {}
        for message in self.store.of_epoch(EpochPromise, epoch):
            read = self._read_promise(message)
            if read is not None:
                found.setdefault(message.seat, read)
                for vote in read.votes:
                    self.store.add(vote)
        return [found[seat] for seat in sorted(found)]

    def judge_promises(self) -> None:
        """Read every epoch promise of which all is stored; ask for nothing only to judge a form.

        SPEC: [E-21].
        """
        with self.quiet():
            for epoch in self.store.epochs_of(EpochPromise):
                for message in self.store.of_epoch(EpochPromise, epoch):
                    if not self.is_read((message.hash, False)):
                        self._read_promise(message)

    def _read_promise(self, message: Message) -> ReadPromise | None:
        """Return a well-formed epoch promise that is not too long, and of which all is stored."""
        promise = message.statement
        if (
            message.hash in self.bad
            or not isinstance(promise, EpochPromise)
            or self.is_too_long(promise)
        ):
            return None
        try:
            return new_epoch.read_promise(self.table, message, self)
        except Unknown:
            return None
        except Malformed:
            self.bad[message.hash] = None
            return None

    def best_promises(self, promises: Sequence[ReadPromise]) -> tuple[Message, ...] | None:
        """Return the t epoch promises whose base reaches furthest, then has most present seats
        ([E-5])."""
        held = tuple(read.message.hash for read in promises)
        if held == self._without_base:
            return None
        best: tuple[tuple[int, int], tuple[Message, ...]] | None = None
        for some in combinations(promises, self.table.quorum):
            try:
                base = new_epoch.base_of_promises(some)
            except (Malformed, Void):
                continue
            rank = (base.node.step, len(base.node.present))
            if best is None or rank > best[0]:
                best = rank, tuple(read.message for read in some)
        self._without_base = () if best else held
        return best[1] if best else None


def stored_inputs(base: Node, store: MessageStore, epoch: int) -> list[Message]:
    """Return the legal inputs of an epoch that build on stored ones, as an epoch promise reports
    ([E-4]).

    It reports no illegal ones: a proof names one of them. A faulty seat may have told each seat
    others, as long as can be, and nobody could fetch all that honest epoch promises would name.
    """
    inputs = store.epoch_inputs(epoch, base.step)
    tree = Tree(base, inputs, epoch)
    return [m for m in inputs if tree.holds(m)]
