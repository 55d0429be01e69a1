"""The single checks of the verifier: signatures, steps, new-epoch messages, and the end.

To save memory, only those parts of messages are kept that are needed to compute the bases, the
nodes with which the epochs begin. Bytes of the file are not copied. A `path` leads to the checked
item, for the error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from ..chain import transition
from ..chain.chain_state import Kind, Missing, Node, SealedChoice, Table
from ..chain.openings import Given
from ..chain.play_steps import Showing
from ..consensus import new_epoch
from ..consensus.message_lookup import BaseKey, Malformed, References, Unknown, Void
from ..consensus.new_epoch import Base
from ..errors import Invalid
from ..fault_codes import Fault
from ..units import Quota
from ..wire import signed_messages
from ..wire.signed_messages import EpochPromise, Message, NewEpoch, Statement, StepInput
from ..wire.step_bodies import Complaint, KeyReveal
from .transcript_format import Entry, Envelope, ReconfigurationEntry, StepEntry, Transcript
from .transcript_format import Signed as Vote
from .transcript_writer import entry_of
from .verification_report import Statistics, Unsound

Path = tuple[int, ...]
"""The indices that lead to an item of the file, from the outermost array in."""
CODES = {
    Missing.NONE: "incomplete-step",
    Missing.ABSENT: "unjustified-absence",
    Missing.FAULT: "unjustified-fault",
}
"""By the reason why a step lacks a body: the code if no change of epoch justifies that."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A checked message, kept as bytes: a long epoch promise, decoded, takes twice the memory."""

    payload: bytes
    hash: bytes


@dataclass
class Signed:
    """The signed messages of a file, after a check of their signatures.

    Attributes:
        inputs: The step inputs of the chain, without payload and signature. Empty if the file has
            no new-epoch messages.
        messages: The messages that the new-epoch messages name.
        votes: How many votes the quorum certificates in the messages contain.
    """

    inputs: list[Message] = field(default_factory=list)
    messages: list[Unread] = field(default_factory=list)
    new_epochs: list[Message] = field(default_factory=list)
    epochs: list[int] = field(default_factory=list)
    votes: int = 0


PARTS: Mapping[Kind, str] = {
    Kind.KEY_COMMIT: "keys",
    Kind.KEY_REVEAL: "keys",
    Kind.KEY_OK: "keys",
    Kind.SHUFFLE: "shuffles",
    Kind.SEAL: "choices",
    Kind.CHOOSE: "choices",
    Kind.SHOW: "choices",
}
"""The name under which the time for a kind of step is counted, `openings` for others."""

Justified = Mapping[bytes, Node]
"""The chain up to the node with which the last epoch begins ([V-6]).

The key of each node is the digest of the node before it.
"""


MAX_LOOKUPS: Final[Quota] = 20_000_000
"""The most look-ups of messages for the new-epoch messages of one file."""


class TooMuch(Exception):
    """The error that more messages would be looked up than `MAX_LOOKUPS` allows ([V-12])."""


class FileReferences(References):
    """The look-up of a file's messages, each decoded when it is first needed, and of its bases."""

    def __init__(self, start: Node, stored: dict[bytes, Message | Unread]) -> None:
        """Create the look-up. Epoch 0 begins with the node `start`."""
        super().__init__(start)
        self._table, self.stored = start.table, stored
        self.bases: dict[BaseKey, Node] = {}
        self.lookups = 0

    def find(self, digest: bytes) -> Message | None:
        """Return the message with a given hash, None if the file lacks it."""
        found = self.stored.get(digest)
        if isinstance(found, Unread):
            found = self.stored[digest] = self._read_payload(found)
        return found

    def _read_payload(self, unread: Unread) -> Message:
        """Decode a message from its signed bytes."""
        table = self._table
        seat, said = signed_messages.read_payload(unread.payload, table.id, table.seats)
        if isinstance(said, EpochPromise):
            proofs = tuple(map(self._named, said.proofs))
            inputs, rejoins = self._named(said.inputs), self._named(said.rejoins)
            said = replace(said, inputs=inputs, rejoins=rejoins, proofs=proofs)
        return Message(seat, said, unread.payload, b"").bare()

    def _named(self, hashes: tuple[bytes, ...]) -> tuple[bytes, ...]:
        # The very objects of the stored hashes, so that the copies in the promise are freed.
        return tuple(self.stored[h].hash if h in self.stored else h for h in hashes)

    def find_base(self, key: BaseKey) -> Node | None:
        """Return the base of a key, None if it was not computed before."""
        return self.bases.get(key)

    def count(self, lookups: int) -> None:
        """Add to the number of messages that were looked up for this file.

        Raises:
            TooMuch: If the number exceeds `MAX_LOOKUPS`.
        """
        # A stored result that is used again counts again, so that the bound is one on the whole
        # work.
        self.lookups += lookups
        if self.lookups > MAX_LOOKUPS:
            raise TooMuch


def _compare(node: Node, entry: Entry, after: Node, path: Path) -> None:
    """Raise Unsound unless an entry is the change from `node` to `after`, a computed node."""
    other = entry_of(after)
    if entry == other:
        return
    if isinstance(entry, ReconfigurationEntry):
        raise Unsound("unjustified-reconfiguration", path=path, step=node.step)
    theirs = other.slots if isinstance(other, StepEntry) else ()
    for seat, slot in enumerate(entry.slots):
        if not theirs or slot != theirs[seat]:
            code = CODES.get(slot, "bad-base") if isinstance(slot, Missing) else "bad-base"
            raise Unsound(code, path=(*path, 1, seat), step=node.step, seat=seat)


def _digest_after(before: bytes, entry: Entry) -> bytes:
    """Return the digest of the chain after an entry, from the digest before it."""
    if isinstance(entry, StepEntry):
        return transition.digest_after_step(before, entry.slots)
    sets = frozenset(entry.present), frozenset(entry.banned)
    return transition.digest_after_reconfiguration(before, *sets, entry.absences)


@dataclass
class FileChecks:
    """The checks of one transcript file whose header is valid."""

    table: Table
    transcript: Transcript
    stats: Statistics

    def digest(self) -> bytes:
        """Return the digest of the chain in the file, whether its steps are valid or not ([N-1]).

        If the game is finished, it is the same in the files of all honest seats.
        """
        found = self.table.id
        for entry in self.transcript.content.entries:
            found = _digest_after(found, entry)
        return found

    # Signatures

    def signatures(self) -> Signed:
        """Check the signatures of inputs, then messages, then new-epoch messages ([V-4], [V-5]).

        Raises:
            Unsound: With the code of the first check that fails.
        """
        evidence, found = self.transcript.evidence, Signed()
        for message in self._inputs():
            # Without new epochs nothing looks an input up, so none is kept.
            if evidence.new_epochs:
                found.inputs.append(message.bare())
        for message in self._messages(evidence.messages, (3, 1)):
            found.messages.append(Unread(message.payload, message.hash))
            certificate = (
                message.statement.certificate
                if isinstance(message.statement, EpochPromise)
                else None
            )
            found.votes += 0 if certificate is None else len(certificate.votes)
        found.new_epochs += self._messages(evidence.new_epochs, (3, 2))
        hashes = [m.hash for m in found.messages]
        if hashes != sorted(set(hashes)):
            raise Unsound("bad-order", "the messages are not by rising hash", (3, 1))
        for i, message in enumerate(found.new_epochs):
            if not isinstance(message.statement, NewEpoch):
                raise Unsound(
                    "bad-message", "there is no new-epoch message where one belongs", (3, 2, i)
                )
            found.epochs.append(message.statement.epoch)
        self._check_epochs(found.epochs[-1] if found.epochs else 0)
        return found

    def _check_epochs(self, last: int) -> None:
        """Raise Unsound if an input is signed for an epoch above the last one of the file."""
        steps = (e for e in self.transcript.content.entries if isinstance(e, StepEntry))
        rows = zip(steps, self.transcript.evidence.signatures, strict=True)
        for step, (entry, row) in enumerate(rows, 1):
            said = (seat for seat, slot in enumerate(entry.slots) if isinstance(slot, bytes))
            for index, (seat, (epoch, _)) in enumerate(zip(said, row, strict=True)):
                # Setup is of epoch 0 alone, because no epoch can change before it is complete.
                if epoch > (last if step >= self.table.first_step else 0):
                    raise Unsound("bad-epoch", path=(3, 0, step - 1, index), step=step, seat=seat)

    def _inputs(self) -> Iterator[Message]:
        """Yield the step input of each body in the transcript, after checking its signature.

        Raise Unsound if a signature is missing or wrong, and if a step that no change of epoch can
        have shaped lacks a body because its seat was absent or at fault.
        """
        table, rows = self.table, self.transcript.evidence.signatures
        digest, step = table.id, 1
        for index, entry in enumerate(self.transcript.content.entries):
            path = (2, 1, index)
            self._check_size(index)
            # No new epoch begins in setup, and without new-epoch messages there was none.
            early = step < table.first_step or not self.transcript.evidence.new_epochs
            if isinstance(entry, ReconfigurationEntry):
                if early:
                    raise Unsound("unjustified-reconfiguration", path=path, step=step)
                digest = _digest_after(digest, entry)
                continue
            for seat, slot in enumerate(entry.slots) if early else ():
                if isinstance(slot, Missing) and slot is not Missing.NONE:
                    raise Unsound(CODES[slot], path=(*path, 1, seat), step=step, seat=seat)
            if step > len(rows):
                raise Unsound("missing-signature", path=(3, 0), step=step)
            said = [
                (seat, slot) for seat, slot in enumerate(entry.slots) if isinstance(slot, bytes)
            ]
            row, at = rows[step - 1], (3, 0, step - 1)
            if len(row) < len(said):
                raise Unsound("missing-signature", path=at, step=step, seat=said[len(row)][0])
            if len(row) > len(said):
                raise Unsound("left-over", "there is a signature of no body", at, step=step)
            for (seat, body), (epoch, signature) in zip(said, row, strict=True):
                step_input = StepInput(epoch, step, digest, body)
                yield self._verified(seat, step_input, signature, (*path, 1, seat))
            digest, step = _digest_after(digest, entry), step + 1
        if step <= len(rows):
            raise Unsound("left-over", "there are signatures of no step", (3, 0, step - 1))

    def _verified(self, seat: int, statement: Statement, signature: bytes, path: Path) -> Message:
        """Return a message with this content, or raise Unsound if the signature is invalid."""
        table, step = self.table, statement.step if isinstance(statement, StepInput) else None
        self.stats.counts.signatures += 1
        try:
            return signed_messages.rebuilt(
                seat, statement, signature, table.id, table.ids, table.check_proof
            )
        except Invalid as error:
            words = (
                f"seat {seat + 1}'s signature does not hold: this, or what comes before, is changed"
            )
            raise Unsound("bad-signature", words, path, step=step, seat=seat) from error

    def _messages(self, envelopes: tuple[Envelope, ...], path: Path) -> Iterator[Message]:
        """Check the signatures of messages that are no step inputs, and yield the messages."""
        for i, envelope in enumerate(envelopes):
            self.stats.counts.signatures += 1
            try:
                yield signed_messages.parse_parts(*envelope, self.table.id, self.table.ids)
            except Invalid as error:
                code = "bad-signature" if error.code == "bad-signature" else "bad-message"
                raise Unsound(code, error.reason, (*path, i)) from error

    # The chain

    def follow(self, node: Node, index: int, justified: Justified) -> Node:
        """Check an entry of the file, and return the chain node after it ([V-6]).

        Up to the start of the last epoch, the entry must agree with the chain that the new-epoch
        messages give. After that, it must be a complete step of legal bodies.

        Raises:
            Unsound: If the entry is not allowed at this node.
        """
        path, entry = (2, 1, index), self.transcript.content.entries[index]
        self._check_size(index)
        if node.want.kind in (Kind.RESULT, Kind.ENDED):
            raise Unsound("left-over", "the chain goes on after its end", path, step=node.step)
        after = justified.get(node.digest)
        if after is not None:
            _compare(node, entry, after, path)
        elif isinstance(entry, ReconfigurationEntry):
            raise Unsound("unjustified-reconfiguration", path=path, step=node.step)
        elif not transition.may_go_on(node):
            words = "the chain goes on with fewer than a quorum present"
            raise Unsound("left-over", words, path, step=node.step)
        if isinstance(entry, ReconfigurationEntry):
            return after or node
        for seat, slot in enumerate(entry.slots):
            # First the bodies. A file that ends with a faulty body lacks the other ones ([F-2]).
            if isinstance(slot, bytes):
                self._check_body(node, seat, slot, (*path, 1, seat))
        if after is None:
            for seat, slot in enumerate(entry.slots):
                asked = seat in node.want.speakers
                if isinstance(slot, Missing) and (asked or slot is not Missing.NONE):
                    raise Unsound(CODES[slot], path=(*path, 1, seat), step=node.step, seat=seat)
            after = transition.append(node, entry.slots)
        node.derived.clear()  # A checked step is not looked at again.
        self.stats.lap(PARTS.get(node.want.kind, "openings"))
        return after

    def _check_size(self, index: int) -> None:
        """Check that an entry is of as many seats as the table. Raise Unsound if it is not."""
        entry = self.transcript.content.entries[index]
        if self.table.seats != len(entry.slots if isinstance(entry, StepEntry) else entry.absences):
            words = "an entry is not of as many seats as the table"
            raise Unsound("bad-form", words, (2, 1, index))

    def _check_body(self, node: Node, seat: int, body: bytes, path: Path) -> None:
        """Check the body that a seat gave to a step, and count the proofs in it."""
        try:
            given = transition.check(node, seat, body)
        except Fault as fault:
            at = {"step": node.step, "seat": seat}
            raise Unsound(fault.code, fault.reason, path, **at, place=fault.place) from fault
        counts = self.stats.counts
        match given:
            case KeyReveal():
                counts.keys += 1
            case SealedChoice() | Complaint():
                counts.commitments += 1
                counts.escrows += not node.table.strict
            case Showing():
                counts.shares += len(given.shares)
            case Given():
                counts.shares += len(given.shares) + len(given.helps)
                counts.openings += given.opened is not None
                counts.escrow_shares += len(given.escrows)
            case _ if node.want.kind is Kind.SHUFFLE:
                counts.shuffles += 1

    # Bases

    def bases(self, start: Node, signed: Signed) -> list[Base]:
        """Compute the base that each new-epoch message proposes, in their order ([V-7]).

        Every message of the file must be needed for the last base ([F-1]).

        Raises:
            Unsound: If a new-epoch message is invalid, or if a message is missing, not needed, or
                out of order.
        """
        everything: list[Message | Unread] = [*signed.inputs, *signed.messages, *signed.new_epochs]
        references = FileReferences(start, {m.hash: m for m in everything})
        found, new_epochs, highest = list[Base](), dict[BaseKey, bytes](), (0, b"")
        for index, (message, epoch) in enumerate(
            zip(signed.new_epochs, signed.epochs, strict=True)
        ):
            base = self._base_of(message, references, (3, 2, index))
            self.stats.counts.bases += 1
            key = (epoch, base.node.base_digest())
            # Strictly rising: a second new-epoch message of one base would be unnecessary ([F-1]).
            if key <= highest:
                raise Unsound(
                    "bad-order", "the new-epoch messages are not by epoch and base", (3, 2, index)
                )
            found.append(base)
            new_epochs[key], references.bases[key], highest = message.hash, base.node, key
        self.stats.counts.signatures += signed.votes
        needed, used = references.needed(highest, new_epochs.__getitem__)
        for index, key in enumerate(new_epochs):
            if key not in needed:
                raise Unsound(
                    "left-over",
                    "a new-epoch message that no quorum certificate needs",
                    (3, 2, index),
                )
        used -= {m.hash for m in [*signed.inputs, *signed.new_epochs]}
        for index, one in enumerate(signed.messages):
            if one.hash not in used:
                raise Unsound(
                    "left-over", "a message that no new-epoch message needs", (3, 1, index)
                )
        return found

    def _base_of(self, message: Message, references: FileReferences, path: Path) -> Base:
        """Return the base that a new-epoch message proposes, or raise Unsound."""
        make = partial(new_epoch.base_of_new_epoch, self.table, message, references)
        try:
            return references.once((message.hash, False), make)
        # An attacker can chain promises and new epochs as deep as the file has room.
        except (Malformed, TooMuch, RecursionError) as error:
            words = (
                str(error)
                if isinstance(error, Malformed)
                else "the new-epoch messages rest on too much"
            )
            raise Unsound("bad-base", words, path, seat=message.seat) from error
        except Unknown as error:
            raise Unsound("missing-evidence", f"not in the file: {error}", path) from error
        except Void as error:
            raise Unsound("void", path=path) from error

    # The end

    def votes(self, votes: tuple[Vote, ...], statement: Statement, part: int) -> list[int]:
        """Check the signatures of seats on equal content, and return the seats, rising.

        Args:
            part: The index of these votes in the evidence of the file.

        Raises:
            Unsound: With code `bad-order` if the seats are not rising or a seat does not exist, and
                `bad-signature` if a signature is invalid.
        """
        # Before the signatures: a seat that does not exist has no key, and twice would count twice.
        seats = [seat for seat, _ in votes]
        if seats != sorted(set(seats)) or any(seat >= self.table.seats for seat in seats):
            raise Unsound("bad-order", "the signatures are not by rising seat", (3, part))
        for i, (seat, signature) in enumerate(votes):
            self._verified(seat, statement, signature, (3, part, i))
        return seats
