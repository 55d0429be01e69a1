"""The base of a new epoch (the node with which it begins), from a quorum of epoch promises.

It is the view change of Castro and Liskov ("Practical Byzantine Fault Tolerance", 1999) on a chain
of lockstep steps. Whoever stores the messages that a new-epoch message names computes the same
base. A promise or new-epoch message is read as `named` if a proof of a fault accuses it of being
malformed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..chain import transition
from ..chain.chain_state import Kind, Missing, Node, Slot, Table
from ..errors import FieldPlace, Invalid
from ..units import Quota
from ..wire.signed_messages import (
    CommitVote,
    EpochPromise,
    Message,
    NewEpoch,
    PrepareVote,
    QuorumCertificate,
    Rejoin,
    StepInput,
    rebuilt,
)
from . import absence, fault_evidence
from .fork_tree import Bodies, Tree
from .message_lookup import Malformed, References, Unknown, Void

MAX_INPUTS_PER_IDENTITY: Final[Quota] = 2
"""How many inputs of one seat to one step an epoch promise may list ([E-11])."""


# Form of an epoch promise


def certificate_votes(table: Table, certificate: QuorumCertificate) -> list[Message]:
    """Return the votes of a quorum certificate as messages, in order, after checking them.

    Raises:
        Malformed: If the votes are fewer than a quorum, or if a vote has a seat that does not
            exist, or an invalid signature.
    """
    # By its form the seats are rising, so no seat counts twice.
    if len(certificate.votes) < table.quorum:
        raise Malformed("a quorum certificate has fewer votes than the quorum")
    found = []
    statement = (CommitVote if certificate.committed else PrepareVote)(
        certificate.epoch, certificate.base
    )
    for seat, signature in certificate.votes:
        if seat >= table.seats:
            raise Malformed("a quorum certificate has a vote of no seat")
        try:
            found.append(rebuilt(seat, statement, signature, table.id, table.ids))
        except Invalid as error:
            raise Malformed("a quorum certificate has a vote with a wrong signature") from error
    return found


@dataclass(frozen=True)
class ReadPromise:
    """A checked, well-formed epoch promise with all messages that it names.

    Attributes:
        proofs: The messages with which the promise proves faults.
        votes: The votes of the promise's quorum certificate.
        base: The node that the certificate certifies. Without a certificate, the node with which
            epoch 0 begins.
        bad: The malformed messages that the promise accuses: the seat and the fault code of each.
    """

    message: Message
    promise: EpochPromise
    inputs: tuple[Message, ...]
    rejoins: tuple[Message, ...]
    proofs: tuple[Message, ...]
    votes: tuple[Message, ...]
    base: Node
    bad: tuple[tuple[int, str], ...]

    @property
    def contents(self) -> tuple[Message, ...]:
        """The promise, then the inputs, rejoins, proofs of faults and votes that it names."""
        return (self.message, *self.inputs, *self.rejoins, *self.proofs, *self.votes)


def read_promise(
    table: Table, message: Message, source: References, named: bool = False
) -> ReadPromise:
    """Return an epoch promise with its contents, after checking its form ([E-12]).

    Raises:
        Malformed: If the promise is malformed, which is a fault of its signer.
        Unknown: If something that the promise names is not stored.
    """
    return source.once((message.hash, named), lambda: _read_promise(table, message, source, named))


def _read_promise(table: Table, message: Message, source: References, named: bool) -> ReadPromise:
    """Check an epoch promise, in the order of [E-20], and find the messages that it names."""
    promise = message.statement
    if not isinstance(promise, EpochPromise):
        raise Malformed("a new-epoch message names what is no epoch promise")
    # Before the look-up, so that nobody asks for what only a malformed promise names (10.2).
    if len(promise.proofs) > table.seats:
        raise Malformed("an epoch promise has more proofs than the table has seats")
    epoch, votes = fault_evidence.certificate_epoch(promise), []
    if promise.certificate is not None:
        # Strictly below, so that readings that go from certificate to certificate come to an end.
        if epoch >= promise.epoch:
            raise Malformed("a quorum certificate is not below its epoch promise")
        votes = certificate_votes(table, promise.certificate)
    base = source.base(epoch, promise.certificate.base if promise.certificate else None)
    # A faulty seat could otherwise nest accusations without end ([E-12]).
    proofs = [proof for proof in promise.proofs if len(proof) > 1 or not named]
    accusing = [h for proof in proofs for h in proof]
    found = _look_up(source, (*promise.inputs, *promise.rejoins, *accusing))
    told, asked = len(promise.inputs), len(promise.inputs) + len(promise.rejoins)
    read = ReadPromise(
        message,
        promise,
        found[:told],
        found[told:asked],
        found[asked:],
        tuple(votes),
        base,
        tuple(sorted(_bad_forms(table, proofs, source))),
    )
    _check_form(read, epoch)
    return read


def _look_up(source: References, hashes: Sequence[bytes]) -> tuple[Message, ...]:
    """Return the messages with these hashes; raise Unknown after asking for all missing ones."""
    found, lacking = list[Message](), list[Unknown]()
    # All of them, and not only up to the first missing one: each round of asking takes a second.
    for digest in hashes:
        try:
            found.append(source.message(digest))
        except Unknown as error:
            lacking.append(error)
    if lacking:
        raise lacking[0]
    return tuple(found)


def _bad_forms(
    table: Table, proofs: Iterable[tuple[bytes, ...]], source: References
) -> set[tuple[int, str]]:
    """Return the signer and the fault code of each malformed message among proofs of faults."""
    found = set()
    for proof in proofs:
        # A proof of one hash accuses that message of being malformed.
        if len(proof) == 1:
            message = source.message(proof[0])
            code = bad_form(table, message, source)
            found |= {(message.seat, code)} if code is not None else set()
    return found


def _check_form(read: ReadPromise, epoch: int) -> None:
    """Raise Malformed if an epoch promise lists messages that it may not list ([E-11])."""
    for message in read.inputs:
        if not isinstance(message.statement, StepInput) or message.statement.epoch != epoch:
            raise Malformed(
                "an epoch promise lists what is no input of its quorum certificate's epoch"
            )
    if any(not isinstance(m.statement, Rejoin) for m in read.rejoins):
        raise Malformed("an epoch promise lists what is no rejoin")
    # More could make more combinations of bodies than all readers try for a step ([E-18]).
    if max(Counter(m.identity for m in read.inputs).values(), default=0) > MAX_INPUTS_PER_IDENTITY:
        raise Malformed("an epoch promise lists more than two inputs of one identity")
    timeout = read.promise.timeout
    if timeout is not None and timeout.epoch != epoch:
        raise Malformed(
            "an epoch promise's step timed out in another epoch than its quorum certificate's"
        )
    tree = Tree(read.base, read.inputs, epoch)
    if not all(tree.resolves(step_input) for _, step_input in tree.inputs):
        raise Malformed("an epoch promise lists an input and not what it builds on")


# Bases


@dataclass(frozen=True)
class Base:
    """The base that a new-epoch message proposes.

    Attributes:
        faults: The fault code of each seat that the promises prove at fault, by rising seat.
        places: The faulty fields of inputs' bodies. A fault that lies elsewhere has no entry.
    """

    node: Node
    faults: tuple[tuple[int, str], ...]
    places: Mapping[int, FieldPlace] = field(default_factory=dict, compare=False)


def base_of_new_epoch(
    table: Table, message: Message, source: References, named: bool = False
) -> Base:
    """Return the base that a message proposes.

    Raises:
        Malformed: If the signer is not the proposer of the epoch, or if the message does not name a
            quorum of well-formed epoch promises of that epoch, by rising seat.
        Unknown: If a message that is needed to compute the base is not stored.
        Void: If the promises show that two different bases of one epoch are committed.
    """
    new_epoch = message.statement
    if not isinstance(new_epoch, NewEpoch) or message.seat != new_epoch.epoch % table.seats:
        raise Malformed("a new-epoch message by a seat whose turn it is not")
    # No more either: t promises keep the combinations of bodies within the bound of [E-18].
    if len(new_epoch.promises) != table.quorum:
        raise Malformed("a new-epoch message has another number of epoch promises than the quorum")
    messages = [source.message(h) for h in new_epoch.promises]
    seats = [m.seat for m in messages]
    # Each seat once: a proposer could else make a quorum of several promises of one faulty seat.
    if seats != sorted(set(seats)):
        raise Malformed("a new-epoch message's epoch promises are not by rising seat")
    if any(
        not isinstance(m.statement, EpochPromise) or m.statement.epoch != new_epoch.epoch
        for m in messages
    ):
        raise Malformed("a new-epoch message's epoch promises are not of its epoch")
    return base_of_promises([read_promise(table, m, source, named) for m in messages])


def base_of_promises(promises: Sequence[ReadPromise]) -> Base:
    """Compute the base, and proven faults, from a quorum of well-formed promises by rising seat.

    The chain starts at the highest base that has a certificate, and grows by the inputs that the
    promises list ([E-13]).

    Raises:
        Malformed: If the promises prove one of their own signers at fault.
        Void: If the promises show that two different bases of one epoch are committed.
    """
    start, epoch = highest_certificate(promises)
    contents = _once(m for read in promises for m in read.contents)
    tree = Tree(start, _once(m for read in promises for m in read.inputs), epoch)
    signers = {read.message.seat for read in promises}
    # Sorted, so that `bad-promise` goes before `bad-new-epoch`.
    faults = dict(sorted({bad for read in promises for bad in read.bad}))
    codes, places = fault_evidence.proven(contents, tree, fault_evidence.ancestry(start))
    # These replace the codes above, since lines 1 to 4 of 10.4 go before the forms of line 5.
    faults |= codes
    # A seat at fault may have left out of its promise what it has signed, and hide a final step.
    if signers & set(faults):
        raise Malformed(
            "a new-epoch message names an epoch promise of a seat that it proves at fault"
        )
    node, culprits, missing = walk(start, tree, promises, epoch)
    # A fault that was proven before keeps its code.
    faults = {**dict.fromkeys(culprits, "equivocation"), **faults}
    node = _seat_changes(start, node, faults, missing, promises)
    return Base(node, tuple(sorted(faults.items())), places)


def bad_form(table: Table, message: Message, source: References) -> str | None:
    """Return `bad-promise` or `bad-new-epoch` if an accused message of this kind is malformed."""
    if isinstance(message.statement, NewEpoch):
        return source.once((message.hash, True), lambda: _bad_form(table, message, source))
    return _bad_form(table, message, source)


def is_bad_form(table: Table, message: Message, source: References) -> bool:
    """Return whether an accused message is malformed, False if what it names is not stored."""
    try:
        return bad_form(table, message, source) is not None
    except Unknown:
        return False


def _bad_form(table: Table, message: Message, source: References) -> str | None:
    """Return why a message is malformed, or None, as `bad_form` does but without caching."""
    try:
        if isinstance(message.statement, EpochPromise):
            read_promise(table, message, source, named=True)
        elif isinstance(message.statement, NewEpoch):
            base_of_new_epoch(table, message, source, named=True)
    except Malformed:
        return "bad-promise" if isinstance(message.statement, EpochPromise) else "bad-new-epoch"
    # The table ends by it, and the signer has done nothing wrong.
    except Void:
        return None
    return None


def _once(messages: Iterable[Message]) -> list[Message]:
    """Return the messages, each one once, in the order in which they occur first."""
    return list({m.hash: m for m in messages}.values())


def highest_certificate(promises: Sequence[ReadPromise]) -> tuple[Node, int]:
    """Return the node and the epoch of the highest quorum certificate among epoch promises.

    In one epoch, a node with commit votes comes first, then one with a longer chain, then one with
    a lower digest. Without a certificate it is the node with which epoch 0 begins, and 0.

    Raises:
        Void: If two different nodes have certificates with commit votes of the highest epoch.
    """
    epoch = max(fault_evidence.certificate_epoch(read.promise) for read in promises)
    top = [read for read in promises if fault_evidence.certificate_epoch(read.promise) == epoch]
    sealed = {
        r.base.base_digest()
        for r in top
        if r.promise.certificate is not None and r.promise.certificate.committed
    }
    if len(sealed) > 1:
        raise Void("two bases of one epoch are committed")

    def rank(read: ReadPromise) -> tuple[bool, int, bytes]:
        digest = read.base.base_digest()
        # Commit votes first: only such a base can have been entered, and hold final steps.
        return (digest not in sealed, -read.base.step, digest)

    return min(top, key=rank).base, epoch


def walk(
    node: Node, tree: Tree, promises: Sequence[ReadPromise], epoch: int
) -> tuple[Node, set[int], set[int]]:
    """Extend the chain from the highest certified node by the inputs that epoch promises list.

    Return the last node, the seats that gave several bodies to one step, and the seats that become
    absent. The walk ends with the first step that records no body of a seat, or that cannot be
    completed.
    """
    culprits: set[int] = set()
    claims = [(read.message.seat, read.promise.timeout) for read in promises]
    while transition.may_go_on(node):
        bodies = tree.bodies(node)
        several = {seat for seat, versions in bodies.items() if len(versions) > 1}
        missing = node.want.speakers - set(bodies)
        single = {seat: versions[0] for seat, versions in bodies.items() if seat not in several}
        culprits |= several
        if not several and not missing:
            node = transition.append(node, transition.slots_of(node, single))
        elif several and missing:
            return node, culprits, set()
        elif several:
            kept = _kept_version(node, tree, bodies, culprits, promises)
            if kept is None:
                slots = transition.slots_of(node, single, Missing.FAULT)
                return transition.append(node, slots), culprits, set()
            node = kept
        elif absence.is_timed_out(node, missing, epoch, claims):
            slots = transition.slots_of(node, single, Missing.ABSENT)
            return transition.append(node, slots), culprits, set(missing)
        else:
            return node, culprits, set()
    return node, culprits, set()


def _kept_version(
    node: Node, tree: Tree, bodies: Bodies, culprits: set[int], promises: Sequence[ReadPromise]
) -> Node | None:
    """Choose one of the conflicting versions of a step, and return its node, None if none fits.

    A version takes one body from each seat. It is kept if each present seat that signed one of
    `promises` has an input that builds on it, and if no present seat outside `culprits` has an
    input that builds on another version.
    """
    choices: list[tuple[Node, tuple[Slot, ...]]] = list(tree.versions(node, bodies))
    signers = {read.message.seat for read in promises} & node.present
    for child, _ in choices:
        against = {s for o, _ in choices if o is not child for s in tree.builders(o)}
        # Else no version is final: on a final one each honest seat has built, and on no other.
        if signers <= tree.builders(child) and not (against & node.present) - culprits:
            return child
    return None


def _seat_changes(
    start: Node,
    node: Node,
    faults: dict[int, str],
    missing: set[int],
    promises: Sequence[ReadPromise],
) -> Node:
    """Return `node` after banning seats, making seats absent, and letting seats rejoin ([E-14]).

    Whether a request to rejoin is granted depends on the state at `start`, the earlier certified
    node.
    """
    if node.want.kind is Kind.RESULT:
        return node  # No step follows in which a seat could be absent.
    banned = node.banned | set(faults)
    counts = list(node.absences)
    for seat in missing:
        counts[seat] += 1
    # By `start`: a seat that only this walk makes absent cannot have asked to return from that.
    rejoined = absence.rejoining(start, [m for read in promises for m in read.rejoins]) - banned
    present = ((node.present - missing) | rejoined) - banned
    if (present, banned, tuple(counts)) == (node.present, node.banned, node.absences):
        return node
    return transition.reconfigure(node, present, frozenset(banned), tuple(counts))
