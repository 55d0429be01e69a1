"""The base of a new-epoch message: one pure function from t epoch promises to the state an epoch
begins with.

It is the view change of Castro and Liskov (Practical Byzantine Fault Tolerance, 1999) over a
chain of lockstep steps. Whoever holds the messages a new-epoch message contains computes the same
base.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..bounds import Quota
from ..chain import transition
from ..chain.chain_state import Kind, Missing, Node, Slot, Table
from ..errors import FieldPlace, Invalid
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
"""Versions of one statement that an epoch promise may list: two prove the fault, more add
nothing."""


# Form of an epoch promise.


def certificate_votes(table: Table, certificate: QuorumCertificate) -> list[Message]:
    """Return a quorum certificate's votes as messages. Raises Malformed if a signature or seat is
    wrong."""
    if len(certificate.votes) < table.quorum:
        raise Malformed("a quorum certificate has fewer votes than the quorum")
    found = []
    statement = (CommitVote if certificate.sealed else PrepareVote)(
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
    """A well-formed epoch promise with all it contains.

    `bad` holds the (seat, code) of epoch promises and new-epoch messages that it proves to be of a
    bad form, each by a proof that names this one message.
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
        """The epoch promise itself and everything in it, each once."""
        return (self.message, *self.inputs, *self.rejoins, *self.proofs, *self.votes)


def read_promise(
    table: Table, message: Message, source: References, named: bool = False
) -> ReadPromise:
    """Return an epoch promise with its contents; Malformed or Unknown ([E-12]).

    `named`: it is itself named in a proof, and its own proofs of one message count for nothing;
    a faulty seat could otherwise nest them without end.
    """
    return source.once((message.hash, named), lambda: _read_promise(table, message, source, named))


def _read_promise(table: Table, message: Message, source: References, named: bool) -> ReadPromise:
    """Check an epoch promise in this order: number of proofs, certificate, look-ups, form
    ([E-20])."""
    promise = message.statement
    if not isinstance(promise, EpochPromise):
        raise Malformed("a new-epoch message names what is no epoch promise")
    if len(promise.proofs) > table.seats:
        raise Malformed("an epoch promise has more proofs than the table has seats")
    epoch, votes = fault_evidence.certificate_epoch(promise), []
    if promise.certificate is not None:
        if epoch >= promise.epoch:
            raise Malformed("a quorum certificate is not below its epoch promise")
        votes = certificate_votes(table, promise.certificate)
    base = source.base(epoch, promise.certificate.base if promise.certificate else None)
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
    """Return these messages. Raises Unknown for the first one lacking, once all are asked for."""
    found, lacking = list[Message](), list[Unknown]()
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
    """Return whom proofs of one message prove at fault of form; a pair proves by being two."""
    found = set()
    for proof in proofs:
        if len(proof) == 1:
            message = source.message(proof[0])
            code = bad_form(table, message, source)
            found |= {(message.seat, code)} if code is not None else set()
    return found


def _check_form(read: ReadPromise, epoch: int) -> None:
    """Refuse what is not of its kind, does not resolve, or has a third version ([E-11])."""
    for message in read.inputs:
        if not isinstance(message.statement, StepInput) or message.statement.epoch != epoch:
            raise Malformed(
                "an epoch promise lists what is no input of its quorum certificate's epoch"
            )
    if any(not isinstance(m.statement, Rejoin) for m in read.rejoins):
        raise Malformed("an epoch promise lists what is no rejoin")
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


# The base.


@dataclass(frozen=True)
class Base:
    """What a new-epoch message proposes: the node, whom it finds at fault, and with which code.

    `places` says where in a body of a seat its fault is, of those that are in a field of one.
    """

    node: Node
    faults: tuple[tuple[int, str], ...]
    places: Mapping[int, FieldPlace] = field(default_factory=dict, compare=False)


def base_of_new_epoch(
    table: Table, message: Message, source: References, named: bool = False
) -> Base:
    """Return the base that a new-epoch message proposes.

    Args:
        table: The table.
        message: The new-epoch message.
        source: Where the messages and bases are that it names.
        named: Whether it is itself named in a proof.

    Raises:
        Malformed: If its seat may not propose a base for its epoch, or if its epoch promises are
            not those
            of a quorum, of its epoch, and of different seats in rising order.
        Unknown: If something is not stored that it rests on.
    """
    new_epoch = message.statement
    if not isinstance(new_epoch, NewEpoch) or message.seat != new_epoch.epoch % table.seats:
        raise Malformed("a new-epoch message by a seat whose turn it is not")
    if len(new_epoch.promises) != table.quorum:
        raise Malformed("a new-epoch message has another number of epoch promises than the quorum")
    messages = [source.message(h) for h in new_epoch.promises]
    seats = [m.seat for m in messages]
    if seats != sorted(set(seats)):
        raise Malformed("a new-epoch message's epoch promises are not by rising seat")
    if any(
        not isinstance(m.statement, EpochPromise) or m.statement.epoch != new_epoch.epoch
        for m in messages
    ):
        raise Malformed("a new-epoch message's epoch promises are not of its epoch")
    return base_of_promises([read_promise(table, m, source, named) for m in messages])


def base_of_promises(promises: Sequence[ReadPromise]) -> Base:
    """Return the base that t well-formed epoch promises give ([E-13]).

    The tree grows from what epoch promises list as inputs, two versions of each at most; what only
    a proof names counts against its signer and builds nothing.

    Malformed if one of their signers is at fault by them, Void as in `highest_lock`.
    """
    start, epoch = highest_certificate(promises)
    contents = _once(m for read in promises for m in read.contents)
    tree = Tree(start, _once(m for read in promises for m in read.inputs), epoch)
    signers = {read.message.seat for read in promises}
    faults = dict(
        sorted({bad for read in promises for bad in read.bad})
    )  # 'bad-promise' goes first
    codes, places = fault_evidence.proven(contents, tree, fault_evidence.ancestry(start))
    faults |= codes
    if signers & set(faults):
        raise Malformed("a new-epoch message holds an epoch promise of a seat it proves at fault")
    node, culprits, missing = walk(start, tree, promises, epoch)
    faults = {**dict.fromkeys(culprits, "equivocation"), **faults}
    node = _seat_changes(start, node, faults, missing, promises)
    return Base(node, tuple(sorted(faults.items())), places)


def bad_form(table: Table, message: Message, source: References) -> str | None:
    """Return 'bad-promise' or 'bad-new-epoch' if the message breaks its form."""
    if isinstance(message.statement, NewEpoch):
        return source.once((message.hash, True), lambda: _bad_form(table, message, source))
    return _bad_form(table, message, source)


def is_bad_form(table: Table, message: Message, source: References) -> bool:
    """Return whether the message is known to break its form when a proof names it."""
    try:
        return bad_form(table, message, source) is not None
    except Unknown:
        return False


def _bad_form(table: Table, message: Message, source: References) -> str | None:
    try:
        if isinstance(message.statement, EpochPromise):
            read_promise(table, message, source, named=True)
        elif isinstance(message.statement, NewEpoch):
            base_of_new_epoch(table, message, source, named=True)
    except Malformed:
        return "bad-promise" if isinstance(message.statement, EpochPromise) else "bad-new-epoch"
    except Void:
        return None
    return None


def _once(messages: Iterable[Message]) -> list[Message]:
    return list({m.hash: m for m in messages}.values())


def highest_certificate(promises: Sequence[ReadPromise]) -> tuple[Node, int]:
    """Return the base and epoch of the highest quorum certificate.

    Ties are broken in this order: a committed base, the longer chain, the lower digest.

    Void if two bases of this epoch are committed.
    """
    epoch = max(fault_evidence.certificate_epoch(read.promise) for read in promises)
    top = [read for read in promises if fault_evidence.certificate_epoch(read.promise) == epoch]
    sealed = {
        r.base.base_digest()
        for r in top
        if r.promise.certificate is not None and r.promise.certificate.sealed
    }
    if len(sealed) > 1:
        raise Void("two bases of one epoch are committed")

    def rank(read: ReadPromise) -> tuple[bool, int, bytes]:
        digest = read.base.base_digest()
        return (digest not in sealed, -read.base.step, digest)

    return min(top, key=rank).base, epoch


def walk(
    node: Node, tree: Tree, promises: Sequence[ReadPromise], epoch: int
) -> tuple[Node, set[int], set[int]]:
    """Follow the chain as far as the epoch promises carry it.

    Returns:
        The last node, the seats with several versions of an input, and those that become absent.
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
    """Return the one version that every present signer builds on, and no honest seat leaves."""
    choices: list[tuple[Node, tuple[Slot, ...]]] = list(tree.versions(node, bodies))
    signers = {read.message.seat for read in promises} & node.present
    for child, _ in choices:
        against = {s for o, _ in choices if o is not child for s in tree.builders(o)}
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
    """Return who is banned, absent or back; nothing behind `result` ([E-14])."""
    if node.want.kind is Kind.RESULT:
        return node  # nothing follows in which anyone could be absent
    banned = node.banned | set(faults)
    counts = list(node.absences)
    for seat in missing:
        counts[seat] += 1
    rejoined = absence.rejoining(start, [m for read in promises for m in read.rejoins]) - banned
    present = ((node.present - missing) | rejoined) - banned
    if (present, banned, tuple(counts)) == (node.present, node.banned, node.absences):
        return node
    return transition.reconfigure(node, present, frozenset(banned), tuple(counts))
