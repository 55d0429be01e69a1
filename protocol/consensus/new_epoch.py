"""The base of a close: one pure function from t halts to the state an epoch begins with.

It is the view change of Castro and Liskov (Practical Byzantine Fault Tolerance, 1999) over a
chain of lockstep steps. Whoever holds the messages a close contains computes the same base.
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
from ..wire.signed_messages import Accept, Back, Close, Halt, Lock, Message, Say, SealVote, rebuilt
from . import absence, fault_evidence
from .fork_tree import Bodies, Tree
from .message_lookup import Malformed, References, Unknown, Void

MAX_VERSIONS: Final[Quota] = 2
"""Versions of one statement that a halt may list: two prove the fault, more add nothing."""


# Form of a halt.


def lock_votes(table: Table, lock: Lock) -> list[Message]:
    """Return a lock's votes as messages. Raises Malformed if a signature or seat is wrong."""
    if len(lock.votes) < table.quorum:
        raise Malformed("a lock has fewer votes than the quorum")
    found = []
    statement = (SealVote if lock.sealed else Accept)(lock.epoch, lock.base)
    for seat, signature in lock.votes:
        if seat >= table.seats:
            raise Malformed("a lock has a vote of no seat")
        try:
            found.append(rebuilt(seat, statement, signature, table.id, table.ids))
        except Invalid as error:
            raise Malformed("a lock has a vote with a wrong signature") from error
    return found


@dataclass(frozen=True)
class ReadHalt:
    """A well-formed halt with all it contains.

    `bad` holds the (seat, code) of halts and closes that it proves to be of a bad form, each by
    a proof that names this one message.
    """

    message: Message
    halt: Halt
    says: tuple[Message, ...]
    backs: tuple[Message, ...]
    proofs: tuple[Message, ...]
    votes: tuple[Message, ...]
    base: Node
    bad: tuple[tuple[int, str], ...]

    @property
    def contents(self) -> tuple[Message, ...]:
        """The halt itself and everything in it, each once."""
        return (self.message, *self.says, *self.backs, *self.proofs, *self.votes)


def read_halt(table: Table, message: Message, source: References, named: bool = False) -> ReadHalt:
    """Return a halt with its contents; Malformed or Unknown ([E-12]).

    `named`: it is itself named in a proof, and its own proofs of one message count for nothing;
    a faulty seat could otherwise nest them without end.
    """
    return source.once((message.hash, named), lambda: _read_halt(table, message, source, named))


def _read_halt(table: Table, message: Message, source: References, named: bool) -> ReadHalt:
    """Check a halt in this order: number of proofs, lock, look-ups, form ([E-20])."""
    halt = message.statement
    if not isinstance(halt, Halt):
        raise Malformed("a close names what is no halt")
    if len(halt.proofs) > table.seats:
        raise Malformed("a halt has more proofs than the table has seats")
    epoch, votes = fault_evidence.lock_epoch(halt), []
    if halt.lock is not None:
        if epoch >= halt.epoch:
            raise Malformed("a lock is not below its halt")
        votes = lock_votes(table, halt.lock)
    base = source.base(epoch, halt.lock.base if halt.lock else None)
    proofs = [proof for proof in halt.proofs if len(proof) > 1 or not named]
    accusing = [h for proof in proofs for h in proof]
    found = _look_up(source, (*halt.says, *halt.backs, *accusing))
    told, asked = len(halt.says), len(halt.says) + len(halt.backs)
    read = ReadHalt(
        message,
        halt,
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


def _check_form(read: ReadHalt, epoch: int) -> None:
    """Refuse what is not of its kind, does not resolve, or has a third version ([E-11])."""
    for message in read.says:
        if not isinstance(message.statement, Say) or message.statement.epoch != epoch:
            raise Malformed("a halt lists what is no say of its lock's epoch")
    if any(not isinstance(m.statement, Back) for m in read.backs):
        raise Malformed("a halt lists what is no back")
    if max(Counter(m.identity for m in read.says).values(), default=0) > MAX_VERSIONS:
        raise Malformed("a halt lists more than two says of one identity")
    expired = read.halt.expired
    if expired is not None and expired.epoch != epoch:
        raise Malformed("a halt's patience ran out in another epoch than its lock's")
    tree = Tree(read.base, read.says, epoch)
    if not all(tree.resolves(say) for _, say in tree.says):
        raise Malformed("a halt lists a say and not what it builds on")


# The base.


@dataclass(frozen=True)
class Base:
    """What a close proposes: the node, whom it finds at fault, and with which code.

    `places` says where in a body of a seat its fault is, of those that are in a field of one.
    """

    node: Node
    faults: tuple[tuple[int, str], ...]
    places: Mapping[int, FieldPlace] = field(default_factory=dict, compare=False)


def base_of_close(table: Table, message: Message, source: References, named: bool = False) -> Base:
    """Return the base that a close proposes.

    Args:
        table: The table.
        message: The close.
        source: Where the messages and bases are that it names.
        named: Whether it is itself named in a proof.

    Raises:
        Malformed: If its seat may not propose a base for its epoch, or if its halts are not those
            of a quorum, of its epoch, and of different seats in rising order.
        Unknown: If something is not stored that it rests on.
    """
    close = message.statement
    if not isinstance(close, Close) or message.seat != close.epoch % table.seats:
        raise Malformed("a close by a seat whose turn it is not")
    if len(close.halts) != table.quorum:
        raise Malformed("a close has another number of halts than the quorum")
    messages = [source.message(h) for h in close.halts]
    seats = [m.seat for m in messages]
    if seats != sorted(set(seats)):
        raise Malformed("a close's halts are not by rising seat")
    if any(not isinstance(m.statement, Halt) or m.statement.epoch != close.epoch for m in messages):
        raise Malformed("a close's halts are not of its epoch")
    return base_of_halts([read_halt(table, m, source, named) for m in messages])


def base_of_halts(halts: Sequence[ReadHalt]) -> Base:
    """Return the base that t well-formed halts give ([E-13]).

    The tree grows from what halts list as says, two versions of each at most; what only a proof
    names counts against its signer and builds nothing.

    Malformed if one of their signers is at fault by them, Void as in `highest_lock`.
    """
    start, epoch = highest_lock(halts)
    contents = _once(m for read in halts for m in read.contents)
    tree = Tree(start, _once(m for read in halts for m in read.says), epoch)
    signers = {read.message.seat for read in halts}
    faults = dict(sorted({bad for read in halts for bad in read.bad}))  # 'bad-halt' goes first
    codes, places = fault_evidence.proven(contents, tree, fault_evidence.ancestry(start))
    faults |= codes
    if signers & set(faults):
        raise Malformed("a close holds a halt of a seat it proves at fault")
    node, culprits, missing = walk(start, tree, halts, epoch)
    faults = {**dict.fromkeys(culprits, "two-statements"), **faults}
    node = _seat_changes(start, node, faults, missing, halts)
    return Base(node, tuple(sorted(faults.items())), places)


def bad_form(table: Table, message: Message, source: References) -> str | None:
    """Return 'bad-halt' or 'bad-close' if the message breaks its form."""
    if isinstance(message.statement, Close):
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
        if isinstance(message.statement, Halt):
            read_halt(table, message, source, named=True)
        elif isinstance(message.statement, Close):
            base_of_close(table, message, source, named=True)
    except Malformed:
        return "bad-halt" if isinstance(message.statement, Halt) else "bad-close"
    except Void:
        return None
    return None


def _once(messages: Iterable[Message]) -> list[Message]:
    return list({m.hash: m for m in messages}.values())


def highest_lock(halts: Sequence[ReadHalt]) -> tuple[Node, int]:
    """Return the base and epoch of the highest lock.

    Ties are broken in this order: a sealed base, the longer chain, the lower digest.

    Void if two bases of this epoch are sealed.
    """
    epoch = max(fault_evidence.lock_epoch(read.halt) for read in halts)
    top = [read for read in halts if fault_evidence.lock_epoch(read.halt) == epoch]
    sealed = {r.base.base_digest() for r in top if r.halt.lock is not None and r.halt.lock.sealed}
    if len(sealed) > 1:
        raise Void("two bases of one epoch are sealed")

    def rank(read: ReadHalt) -> tuple[bool, int, bytes]:
        digest = read.base.base_digest()
        return (digest not in sealed, -read.base.step, digest)

    return min(top, key=rank).base, epoch


def walk(
    node: Node, tree: Tree, halts: Sequence[ReadHalt], epoch: int
) -> tuple[Node, set[int], set[int]]:
    """Follow the chain as far as the halts carry it.

    Returns:
        The last node, the seats with several versions of an input, and those that become absent.
    """
    culprits: set[int] = set()
    claims = [(read.message.seat, read.halt.expired) for read in halts]
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
            kept = _kept_version(node, tree, bodies, culprits, halts)
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
    node: Node, tree: Tree, bodies: Bodies, culprits: set[int], halts: Sequence[ReadHalt]
) -> Node | None:
    """Return the one version that every present signer builds on, and no honest seat leaves."""
    choices: list[tuple[Node, tuple[Slot, ...]]] = list(tree.versions(node, bodies))
    signers = {read.message.seat for read in halts} & node.present
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
    halts: Sequence[ReadHalt],
) -> Node:
    """Return who is banned, absent or back; nothing behind `result` ([E-14])."""
    if node.want.kind is Kind.RESULT:
        return node  # nothing follows in which anyone could be absent
    banned = node.banned | set(faults)
    counts = list(node.absences)
    for seat in missing:
        counts[seat] += 1
    returned = absence.returning(start, [m for read in halts for m in read.backs]) - banned
    present = ((node.present - missing) | returned) - banned
    if (present, banned, tuple(counts)) == (node.present, node.banned, node.absences):
        return node
    return transition.link(node, present, frozenset(banned), tuple(counts))
