"""The epoch changes as one seat knows them: epoch promises, new-epoch messages and votes.

A *base* is the node with which an epoch begins. It follows from the epoch promises that a new-epoch
message names. t is the size of a quorum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from ..chain.chain_state import Node, Table
from ..units import Quota
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
"""How many more inputs of each seat an epoch promise may name than are stored here.

That is two conflicting inputs for each step by which this seat may be behind.
"""
MAX_TRIED: Final[Quota] = 16
"""The most new-epoch messages of an epoch that are checked although there is no room for them.

The bound is lifted once t seats have voted for a proposal that is not known ([M-13]).
"""


class Votes(References):
    """The epochs that a seat knows of, with their epoch promises, new-epoch messages and votes.

    Attributes:
        new_epochs: For each epoch and base digest, a valid new-epoch message and its base.
        bad: The hashes of malformed epoch promises and new-epoch messages, in the order in which
            they were judged.
        void: Whether two different bases of one epoch each have a quorum of commit votes. The table
            then ends without a result.
        far: For each seat, the message with its highest requested epoch, if that is too far ahead
            to be stored.
    """

    def __init__(self, table: Table, store: MessageStore, start: Node | None = None) -> None:
        """Create the record of a seat that has seen no change of epoch yet."""
        super().__init__(start)
        self.table, self.store = table, store
        self.new_epochs: dict[int, dict[bytes, tuple[Message, Base]]] = {}
        self.bad: dict[bytes, None] = {}
        self.void = False
        self.far: dict[int, Message] = {}
        self._tried: dict[int, set[bytes]] = {}
        self._without_base: tuple[bytes, ...] = ()

    def begin(self, start: Node) -> None:
        """Set the node with which epoch 0 begins."""
        self.start = start

    # References

    def find(self, digest: bytes) -> Message | None:
        """Return the stored message with a given hash, None if it is not stored."""
        return self.store.find(digest)

    def find_base(self, key: BaseKey) -> Node | None:
        """Return the base, None if no stored and valid new-epoch message proposes it."""
        epoch, digest = key
        found = self.new_epochs.get(epoch, {}).get(digest)
        return None if found is None else found[1].node

    def new_epoch_of(self, epoch: int, base: bytes) -> Message:
        """Return the new-epoch message that proposed a known base."""
        return self.new_epochs[epoch][base][0]

    def ask(self, lack: Lack) -> None:
        """Note what to ask other seats for: a message, or the new-epoch messages of an epoch."""
        if isinstance(lack, bytes):
            self.store.want(lack, self._claim())
        else:
            self.store.want_new_epoch(lack[0])

    def _claim(self) -> Claim:
        """Return who names what the readings under way look up, (None, False) without a promise."""
        claim: Claim | None = None
        for digest, named in (reading.key for reading in self.open):
            if claim is not None and (named or claim[1]):
                claim = claim[0], True
            else:
                found = self.find(digest)
                claim = None if found is None else found.seat, named
        return claim or (None, False)

    # Requested epochs

    def requests(self) -> dict[int, int]:
        """Return the highest epoch of each seat's epoch requests, epoch promises and votes."""
        # A copy, because the store's own record is of stored messages only.
        found = dict(self.store.requests)
        for seat, message in self.far.items():
            found[seat] = max(found.get(seat, 0), MessageStore.epoch_of(message))
        return found

    def note_far(self, message: Message) -> None:
        """Keep an epoch request or vote whose epoch is too far ahead for the store ([M-14]).

        It is sent to peers that ask for missing messages. So a faulty seat cannot drive some seats
        ahead of the others by sending its epoch requests to these seats only.
        """
        known = self.far.setdefault(message.seat, message)
        if MessageStore.epoch_of(message) > MessageStore.epoch_of(known):
            self.far[message.seat] = message

    def quorum_request(self) -> int:
        """Return the t-th highest of the epochs that the seats request, 0 if fewer request any."""
        ranked = sorted(self.requests().values(), reverse=True)
        quorum = self.table.quorum
        # Faulty seats are fewer than t, so that they alone move nobody to another epoch.
        return ranked[quorum - 1] if len(ranked) >= quorum else 0

    # New-epoch messages and votes

    def read_new_epochs(self) -> None:
        """Check each stored new-epoch message, if everything that the message names is stored, too.

        Put it into `new_epochs`, or its hash into `bad` if it is malformed.
        """
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
                # Only now: `epoch_change` takes the first base of each epoch that has an entry.
                bases = self.new_epochs.setdefault(epoch, {})
                bases.setdefault(base.node.base_digest(), (message, base))
                self.store.wanted_new_epochs.discard(epoch)

    def is_sound(self, message: Message) -> bool:
        """Return whether a message is a valid new-epoch message with a base that is not known.

        A message that is not checked because of `MAX_TRIED` gives False.

        SPEC: [M-12], [M-13].
        """
        if not isinstance(message.statement, NewEpoch):
            return False
        epoch = message.statement.epoch
        tried = self._tried.setdefault(epoch, set())
        # A faulty seat may sign new-epoch messages without end, and each check is costly.
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
        """Return whether a quorum has voted in an epoch for a proposal that is not known here."""
        for kind in (PrepareVote, CommitVote):
            votes = (m.statement for m in self.store.of_epoch(kind, epoch))
            counts = Counter(v.base for v in votes if isinstance(v, kind))
            for base, count in counts.items():
                if count >= self.table.quorum and base not in self.new_epochs.get(epoch, {}):
                    return True
        return False

    def _base(self, message: Message) -> Base:
        """Return the base that a new-epoch message proposes. Each base is computed only once.

        A base is a chain node with which an epoch is to begin.
        """
        key = (message.hash, False)
        return self.once(key, lambda: new_epoch.base_of_new_epoch(self.table, message, self))

    def votes_for(
        self, kind: type[PrepareVote | CommitVote], epoch: int, base: bytes
    ) -> tuple[tuple[int, bytes], ...]:
        """Return the seat and the signature of each stored vote for a base, by rising seat."""
        found = {
            m.seat: m.signature
            # Reversed, so that the first vote of a seat counts.
            for m in reversed(self.store.of_epoch(kind, epoch))
            if isinstance(m.statement, kind) and m.statement.base == base
        }
        return tuple(sorted(found.items()))

    def base_with_votes(self, kind: type[PrepareVote | CommitVote], epoch: int) -> bytes | None:
        """Return the digest of the known base with a quorum of votes of one kind in an epoch."""
        for digest in self.new_epochs.get(epoch, {}):
            if len(self.votes_for(kind, epoch, digest)) >= self.table.quorum:
                return digest
        return None

    def highest_committed(self, least: int) -> tuple[int, Base] | None:
        """Return the highest committed epoch that is not below `least` (at least 1), and its base.

        An epoch is committed if a valid new-epoch message, and a quorum of commit votes for its
        base, are stored.
        """
        for epoch in sorted(self.new_epochs, reverse=True):
            if epoch < least:
                return None
            digest = self.base_with_votes(CommitVote, epoch)
            if digest is not None:
                return epoch, self.new_epochs[epoch][digest][1]
        return None

    def highest_certificate(self, below: int) -> QuorumCertificate | None:
        """Return the quorum certificate of the highest epoch below a bound, None without one."""
        # Strictly below: a promise with a certificate of its own epoch is malformed ([E-20]).
        for epoch in sorted((e for e in self.new_epochs if e < below), reverse=True):
            # If there are both, [E-4] asks for the commit votes.
            for kind in (CommitVote, PrepareVote):
                digest = self.base_with_votes(kind, epoch)
                if digest is not None:
                    # No more than a quorum: each reader would have to verify every further
                    # signature.
                    votes = self.votes_for(kind, epoch, digest)[: self.table.quorum]
                    return QuorumCertificate(epoch, digest, kind is CommitVote, votes)
        return None

    # Epoch promises

    def is_too_long(self, promise: EpochPromise) -> bool:
        """Return whether an epoch promise names too many messages to be passed on ([M-10]).

        Inputs and rejoins are counted separately. An honest promise names only messages that its
        seat stores. A faulty seat could otherwise fill the links of the others with long promises
        that name messages that nobody has.
        """
        seats, under = (
            self.table.seats,
            0 if promise.certificate is None else promise.certificate.epoch,
        )
        most = self.store.count_inputs(under) + MORE_INPUTS * seats
        rejoins = len(self.store.rejoins()) + seats
        return len(promise.inputs) > most or len(promise.rejoins) > rejoins

    def promises(self, epoch: int) -> list[ReadPromise]:
        """Return the well-formed epoch promises of an epoch, one for each seat, by rising seat.

        Promises that are too long, or name a message that is not stored, are left out. The votes of
        the quorum certificates of the returned promises are put into the store.
        """
        found: dict[int, ReadPromise] = {}
        for message in self.store.of_epoch(EpochPromise, epoch):
            read = self._read_promise(message)
            if read is not None:
                # A quorum counts seats: a second promise of a faulty seat must not count again.
                found.setdefault(message.seat, read)
                # With these votes this seat can itself report the certificate in its next promise.
                for vote in read.votes:
                    self.store.add(vote)
        return [found[seat] for seat in sorted(found)]

    def judge_promises(self) -> None:
        """Check the form of each stored epoch promise, and put the malformed in `bad` ([E-21]).

        A promise is skipped if it names messages that are not stored.
        """
        # What is missing only to judge a form need not be asked for.
        with self.quiet():
            for epoch in self.store.epochs_of(EpochPromise):
                for message in self.store.of_epoch(EpochPromise, epoch):
                    if not self.is_read((message.hash, False)):
                        self._read_promise(message)

    def _read_promise(self, message: Message) -> ReadPromise | None:
        """Return a stored epoch promise with all messages that it names.

        Return None if the promise is malformed or too long, or if something that it names is
        missing.
        """
        promise = message.statement
        if (
            # The length is looked at before the look-up, which asks others for all that is missing.
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
        """Return the quorum of epoch promises that a new-epoch message should name ([E-5]).

        Its base has the highest next step, and then the most present seats. Return None if no
        quorum of the well-formed promises determines a valid base.
        """
        hashes = tuple(read.message.hash for read in promises)
        # All quorums of these promises were tried before, which is costly.
        if hashes == self._without_base:
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
        self._without_base = () if best else hashes
        return best[1] if best else None


def stored_inputs(base: Node, store: MessageStore, epoch: int) -> list[Message]:
    """Return the inputs of an epoch that an epoch promise has to list ([E-4]), by rising step.

    They are the legal inputs for which all inputs on which they build are stored.
    """
    inputs = store.epoch_inputs(epoch, base.step)
    tree = Tree(base, inputs, epoch)
    return [m for m in inputs if tree.has_legal(m)]
