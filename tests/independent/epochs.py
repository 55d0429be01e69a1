"""The bases to which changes of epoch lead, and the faults that they prove (10)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from . import constants as c
from .chain import Node
from .faults import equivocations, omissions, two_chains, unfit_inputs
from .messages import Message, QuorumCertificate, is_signed, payload_of, read_payload
from .table import Table
from .tree import Tree, slots_of


class MissingEvidence(Exception):
    """A message or base that a change of epoch rests on is not in the file."""


class Malformed(Exception):
    """An epoch promise that does not have its form (`bad-promise`)."""


class Invalid(Exception):
    """A new-epoch message that does not follow from its epoch promises (`bad-new-epoch`)."""


class VoidTable(Exception):
    """Two committed bases of one epoch (10.5)."""


@dataclass
class Needs:
    """The messages (by hash) and bases (by epoch and digest) looked up for an epoch message."""

    messages: set[bytes] = field(default_factory=set)
    bases: set[tuple[int, bytes]] = field(default_factory=set)

    def add(self, other: "Needs") -> None:
        """Add the needs of another message, which this one names."""
        self.messages |= other.messages
        self.bases |= other.bases


@dataclass
class PromiseReading:
    """The result of reading an epoch promise (10.2)."""

    is_sound: bool
    needs: Needs
    base: Node | None = None


@dataclass
class NewEpochReading:
    """The result of judging a new-epoch message (10.5).

    Attributes:
        base: the base to which it leads.
        faults: F of 10.5, by seat.
        needs: the messages and bases that were looked up for it.
    """

    base: Node
    faults: dict[int, str]
    needs: Needs


class Evidence:
    """The messages and bases of a file, by which its epoch messages are judged."""

    def __init__(self, table: Table, start: Node, messages: dict[bytes, Message]) -> None:
        """Begin with the messages of a file and no base but that of epoch 0.

        Args:
            table: the table.
            start: the node before step n+5.
            messages: the step inputs of the chain and all other messages of the file, by hash.
        """
        self.table, self.start, self.messages = table, start, messages
        self.bases: dict[tuple[int, bytes], Node] = {}
        self.read_promises: dict[tuple[bytes, bool], PromiseReading] = {}
        self.alone: dict[bytes, tuple[str | None, Needs]] = {}

    def look_up(self, name: bytes, needs: Needs) -> Message:
        """Return a message by its hash."""
        if name not in self.messages:
            raise MissingEvidence
        needs.messages.add(name)
        return self.messages[name]

    # Epoch promises (10.2).

    def read_promise(self, promise: Message, inside: bool) -> PromiseReading:
        """Return the reading of an epoch promise, which is made once.

        Args:
            promise: the epoch promise.
            inside: whether a proof names it alone, or names alone the new-epoch message that
                rests on it ([E-12]).
        """
        key = (promise.hash, inside)
        if key not in self.read_promises:
            needs = Needs()
            try:
                base = self.check_promise(promise, inside, needs)
                self.read_promises[key] = PromiseReading(True, needs, base)
            except Malformed:
                self.read_promises[key] = PromiseReading(False, needs)
        return self.read_promises[key]

    def check_promise(self, promise: Message, inside: bool, needs: Needs) -> Node:
        """Check the form of an epoch promise in the order of 10.2, and return its base."""
        if len(promise.proofs) > self.table.seats:
            raise Malformed
        if promise.certificate is not None:
            self.check_quorum_certificate(promise.certificate, promise.epoch)
        base = self.start
        if promise.certificate is not None:
            name = (promise.certificate.epoch, promise.certificate.base)
            if name not in self.bases:
                raise MissingEvidence
            needs.bases.add(name)
            base = self.bases[name]
        inputs = [self.look_up(name, needs) for name in promise.inputs]
        rejoins = [self.look_up(name, needs) for name in promise.rejoins]
        for proof in counted_proofs(promise, inside):
            for name in proof:
                self.look_up(name, needs)
        for proof in counted_proofs(promise, inside):
            if len(proof) == 1:
                needs.add(self.judge_alone(self.messages[proof[0]])[1])
        if any(m.kind != c.STEP_INPUT or m.epoch != promise.certificate_epoch for m in inputs):
            raise Malformed
        if any(versions > 2 for versions in Counter(m.identity for m in inputs).values()):
            raise Malformed
        if any(rejoin.kind != c.REJOIN for rejoin in rejoins):
            raise Malformed
        if promise.timeout is not None and promise.timeout[0] != promise.certificate_epoch:
            raise Malformed
        tree = Tree(base, inputs, promise.certificate_epoch)
        if not all(tree.resolves(step_input) for step_input in inputs):
            raise Malformed
        return base

    def check_quorum_certificate(self, certificate: QuorumCertificate, epoch: int) -> None:
        """Check epoch and votes of a quorum certificate (10.2, 1)."""
        header = self.table.header
        if certificate.epoch >= epoch or len(certificate.votes) < self.table.quorum:
            raise Malformed
        kind = c.COMMIT if certificate.is_committed else c.PREPARE
        for seat, signature in certificate.votes:
            if seat >= self.table.seats:
                raise Malformed
            payload = payload_of(header, kind, seat, certificate.epoch, certificate.base)
            if not is_signed(header, seat, payload, signature):
                raise Malformed

    def judge_alone(self, message: Message) -> tuple[str | None, Needs]:
        """Return the code that a proof of one message proves, and what it needs (10.4, 5)."""
        if message.hash not in self.alone:
            code, needs = None, Needs()
            if message.kind == c.EPOCH_PROMISE:
                reading = self.read_promise(message, inside=True)
                code, needs = None if reading.is_sound else "bad-promise", reading.needs
            elif message.kind == c.NEW_EPOCH:
                try:
                    self.judge_new_epoch(message, needs, inside=True)
                except Invalid:
                    code = "bad-new-epoch"
                except VoidTable:
                    code = None
            self.alone[message.hash] = (code, needs)
        return self.alone[message.hash]

    # New-epoch messages (10.5).

    def judge_new_epoch(
        self, new_epoch: Message, needs: Needs, inside: bool = False
    ) -> NewEpochReading:
        """Return the base of a new-epoch message and the faults that it finds.

        Args:
            new_epoch: the new-epoch message.
            needs: takes note of all that is looked up.
            inside: whether a proof names it alone ([E-12]).

        Raises:
            Invalid: its base does not follow.
            MissingEvidence: a message or base that it rests on is not in the file.
            VoidTable: its epoch promises show two committed bases of one epoch.
        """
        table = self.table
        if new_epoch.seat != new_epoch.epoch % table.seats:
            raise Invalid
        if len(new_epoch.promises) != table.quorum:
            raise Invalid
        promises = [self.look_up(name, needs) for name in new_epoch.promises]
        signers = [promise.seat for promise in promises]
        if any(a >= b for a, b in pairwise(signers)):
            raise Invalid
        if any(m.kind != c.EPOCH_PROMISE or m.epoch != new_epoch.epoch for m in promises):
            raise Invalid
        for promise in promises:
            reading = self.read_promise(promise, inside)
            needs.add(reading.needs)
            if not reading.is_sound:
                raise Invalid
        base, tree = self.begin_tree(promises)
        contents = self.contents(promises, inside)
        faults = self.proven(contents, tree, promises, inside)
        if any(seat in faults for seat in signers):
            raise Invalid
        end, culprits, absent = self.follow(tree, promises)
        new_base = self.reconfigure(end, base, promises, faults, culprits, absent)
        return NewEpochReading(new_base, faults, needs)

    def begin_tree(self, promises: list[Message]) -> tuple[Node, Tree]:
        """Return the base that epoch promises build on, and the tree on it (10.5, 1 and 2)."""
        epoch = max(promise.certificate_epoch for promise in promises)
        every = [promise.certificate for promise in promises if promise.certificate]
        certificates = [one for one in every if one.epoch == epoch]
        base = self.start
        if certificates:
            committed = {one.base for one in certificates if one.is_committed}
            if len(committed) > 1:
                raise VoidTable
            candidates = committed or {one.base for one in certificates}
            chosen = min(candidates, key=lambda name: (-self.bases[epoch, name].step, name))
            base = self.bases[epoch, chosen]
        listed = {name: self.messages[name] for promise in promises for name in promise.inputs}
        inputs = [message for message in listed.values() if message.epoch == epoch]
        return base, Tree(base, inputs, epoch)

    def contents(self, promises: list[Message], inside: bool) -> list[Message]:
        """Return the contents of epoch promises (10.4)."""
        found: dict[bytes, Message] = {}
        for promise in promises:
            named = [*promise.inputs, *promise.rejoins]
            named += [name for proof in counted_proofs(promise, inside) for name in proof]
            votes = list(self.votes(promise.certificate)) if promise.certificate else []
            for message in [promise, *(self.messages[name] for name in named), *votes]:
                found.setdefault(message.hash, message)
        return list(found.values())

    def votes(self, certificate: QuorumCertificate) -> Iterator[Message]:
        """Return the votes of a quorum certificate as messages."""
        for seat, _ in certificate.votes:
            kind = c.COMMIT if certificate.is_committed else c.PREPARE
            payload = payload_of(self.table.header, kind, seat, certificate.epoch, certificate.base)
            yield read_payload(payload, self.table.id, self.table.seats)

    def follow(self, tree: Tree, promises: list[Message]) -> tuple[Node, set[int], set[int]]:
        """Return the node to which the tree leads, its culprits and the absent seats (10.5, 3)."""
        table, node, culprits = self.table, tree.base, set()
        while node.may_grow:
            bodies = tree.bodies[node.digest]
            several = {seat for seat, versions in bodies.items() if len(versions) > 1}
            missing = {seat for seat, versions in bodies.items() if not versions}
            single = {seat: versions[0] for seat, versions in bodies.items() if len(versions) == 1}
            culprits |= several
            if not several and not missing:
                node = node.after_step(slots_of(node, single))
                continue
            if several and not missing:
                kept = self.kept_child(tree, node, promises, culprits)
                if kept is not None:
                    node = kept
                    continue
                node = node.after_step(slots_of(node, single, dict.fromkeys(several, c.FAULT)))
            elif not several and not table.strict:
                timeout = (tree.epoch, node.step, node.digest)
                claims = [p for p in promises if p.timeout == timeout and p.seat not in missing]
                if len(claims) >= table.seats - table.quorum + 1:
                    absent = dict.fromkeys(missing, c.ABSENT)
                    return node.after_step(slots_of(node, single, absent)), culprits, missing
            break
        return node, culprits, set()

    def kept_child(
        self, tree: Tree, node: Node, promises: list[Message], culprits: set[int]
    ) -> Node | None:
        """Return the child of a forked node that no honest seat contradicts, if there is one."""
        signers = {promise.seat for promise in promises} & set(node.present)
        children = tree.children[node.digest]
        through = {
            child.digest: {m.seat for m in tree.inputs if tree.passes(m, child)}
            for child in children
        }
        for child in children:
            others = set().union(*(through[x.digest] for x in children if x is not child))
            if signers <= through[child.digest] and others & set(node.present) <= culprits:
                return child
        return None

    def reconfigure(
        self,
        end: Node,
        base: Node,
        promises: list[Message],
        faults: dict[int, str],
        culprits: set[int],
        absent: set[int],
    ) -> Node:
        """Return the base that stands behind the last node (10.5, 4 and 5)."""
        if end.wants.step == "result":
            return end
        banned = {*end.banned, *faults, *culprits}
        absences = tuple(n + (seat in absent) for seat, n in enumerate(end.absences))
        rejoins = [self.messages[name] for promise in promises for name in promise.rejoins]
        rejoined = {
            rejoin.seat
            for rejoin in rejoins
            if base.may_rejoin(rejoin.seat) and rejoin.count == base.absences[rejoin.seat]
        }
        present = (set(end.present) - absent | rejoined) - banned
        lists = tuple(sorted(present)), tuple(sorted(banned)), absences
        if lists == (end.present, end.banned, end.absences):
            return end
        return end.after_reconfiguration(*lists)

    # Proven faults (10.4).

    def proven(
        self, contents: list[Message], tree: Tree, promises: list[Message], inside: bool
    ) -> dict[int, str]:
        """Return the seats that contents prove at fault, each with its first code."""
        found: dict[int, str] = {}
        for seat, code in [
            *equivocations(contents),
            *two_chains(contents, tree),
            *omissions(contents, self.table.setup_steps),
            *unfit_inputs(contents, tree),
            *self.unfit_alone(promises, inside),
        ]:
            found.setdefault(seat, code)
        return found

    def unfit_alone(self, promises: list[Message], inside: bool) -> Iterator[tuple[int, str]]:
        """Find malformed epoch promises, then invalid new-epoch messages, in proofs of one message.

        This is line 5 of 10.4.
        """
        proofs = [proof for promise in promises for proof in counted_proofs(promise, inside)]
        names = [proof[0] for proof in proofs if len(proof) == 1]
        for wanted in ("bad-promise", "bad-new-epoch"):
            for name in names:
                if self.judge_alone(self.messages[name])[0] == wanted:
                    yield self.messages[name].seat, wanted


def counted_proofs(promise: Message, inside: bool) -> list[tuple[bytes, ...]]:
    """Return the proofs of an epoch promise that count ([E-12])."""
    return [proof for proof in promise.proofs if len(proof) == 2 or not inside]
