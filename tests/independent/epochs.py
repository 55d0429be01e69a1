"""The bases that changes of epoch lead to, and the faults that they prove (10)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from . import constants as c
from .chain import Node
from .faults import omissions, two_chains, two_statements, unfit_says
from .messages import Lock, Message, is_signed, payload_of, read_payload
from .table import Table
from .tree import Tree, slots_of


class MissingEvidence(Exception):
    """Something that a change of epoch rests on is not in the file."""


class Malformed(Exception):
    """A halt that is not of its form (`bad-promise`)."""


class Invalid(Exception):
    """A close that does not follow from its halts (`bad-new-epoch`)."""


class VoidTable(Exception):
    """Two sealed bases of one epoch (10.5)."""


@dataclass
class Needs:
    """What is looked up for a halt or close: messages by hash, bases by epoch and digest."""

    messages: set[bytes] = field(default_factory=set)
    bases: set[tuple[int, bytes]] = field(default_factory=set)

    def add(self, other: "Needs") -> None:
        """Add what something that is named needs."""
        self.messages |= other.messages
        self.bases |= other.bases


@dataclass
class HaltReading:
    """A halt that was read (10.2)."""

    is_sound: bool
    needs: Needs
    base: Node | None = None


@dataclass
class CloseReading:
    """A close that was judged (10.5).

    Attributes:
        base: the base that it leads to.
        faults: F of 10.5, by seat.
        needs: what was looked up for it.
    """

    base: Node
    faults: dict[int, str]
    needs: Needs


class Evidence:
    """The says, messages and bases of a file, by which halts and closes are judged."""

    def __init__(self, table: Table, start: Node, messages: dict[bytes, Message]) -> None:
        """Begin with the messages of a file and no base but that of epoch 0.

        Args:
            table: the table.
            start: the node before step n+5.
            messages: the says of the chain, the messages and the closes, by hash.
        """
        self.table, self.start, self.messages = table, start, messages
        self.bases: dict[tuple[int, bytes], Node] = {}
        self.read_halts: dict[tuple[bytes, bool], HaltReading] = {}
        self.alone: dict[bytes, tuple[str | None, Needs]] = {}

    def look_up(self, name: bytes, needs: Needs) -> Message:
        """Return a message by its hash."""
        if name not in self.messages:
            raise MissingEvidence
        needs.messages.add(name)
        return self.messages[name]

    # Halts (10.2).

    def read_halt(self, halt: Message, inside: bool) -> HaltReading:
        """Return the reading of a halt, made once.

        Args:
            halt: the halt.
            inside: whether it, or the close that names it, is named alone in a proof ([E-12]).
        """
        key = (halt.hash, inside)
        if key not in self.read_halts:
            needs = Needs()
            try:
                base = self.check_halt(halt, inside, needs)
                self.read_halts[key] = HaltReading(True, needs, base)
            except Malformed:
                self.read_halts[key] = HaltReading(False, needs)
        return self.read_halts[key]

    def check_halt(self, halt: Message, inside: bool, needs: Needs) -> Node:
        """Check the form of a halt in the order of 10.2, and return its lock's base."""
        if len(halt.proofs) > self.table.seats:
            raise Malformed
        if halt.lock is not None:
            self.check_lock(halt.lock, halt.epoch)
        base = self.start
        if halt.lock is not None:
            name = (halt.lock.epoch, halt.lock.base)
            if name not in self.bases:
                raise MissingEvidence
            needs.bases.add(name)
            base = self.bases[name]
        says = [self.look_up(name, needs) for name in halt.says]
        backs = [self.look_up(name, needs) for name in halt.backs]
        for proof in counted_proofs(halt, inside):
            for name in proof:
                self.look_up(name, needs)
        for proof in counted_proofs(halt, inside):
            if len(proof) == 1:
                needs.add(self.judge_alone(self.messages[proof[0]])[1])
        if any(say.kind != c.SAY or say.epoch != halt.lock_epoch for say in says):
            raise Malformed
        if any(versions > 2 for versions in Counter(say.identity for say in says).values()):
            raise Malformed
        if any(back.kind != c.BACK for back in backs):
            raise Malformed
        if halt.expired is not None and halt.expired[0] != halt.lock_epoch:
            raise Malformed
        tree = Tree(base, says, halt.lock_epoch)
        if not all(tree.resolves(say) for say in says):
            raise Malformed
        return base

    def check_lock(self, lock: Lock, epoch: int) -> None:
        """Check epoch and votes of a lock (10.2, 1)."""
        header = self.table.header
        if lock.epoch >= epoch or len(lock.votes) < self.table.quorum:
            raise Malformed
        kind = c.SEAL if lock.sealed else c.ACCEPT
        for seat, signature in lock.votes:
            if seat >= self.table.seats:
                raise Malformed
            payload = payload_of(header, kind, seat, lock.epoch, lock.base)
            if not is_signed(header, seat, payload, signature):
                raise Malformed

    def judge_alone(self, message: Message) -> tuple[str | None, Needs]:
        """Return what a proof of one message proves, and what is looked up for it (10.4, 5)."""
        if message.hash not in self.alone:
            code, needs = None, Needs()
            if message.kind == c.HALT:
                reading = self.read_halt(message, inside=True)
                code, needs = None if reading.is_sound else "bad-promise", reading.needs
            elif message.kind == c.CLOSE:
                try:
                    self.judge_close(message, needs, inside=True)
                except Invalid:
                    code = "bad-new-epoch"
                except VoidTable:
                    code = None
            self.alone[message.hash] = (code, needs)
        return self.alone[message.hash]

    # Closes (10.5).

    def judge_close(self, close: Message, needs: Needs, inside: bool = False) -> CloseReading:
        """Return the base of a close and the faults that it finds.

        Args:
            close: the close.
            needs: where what is looked up is noted.
            inside: whether it is named alone in a proof ([E-12]).

        Raises:
            Invalid: its base does not follow.
            MissingEvidence: something that it rests on is not in the file.
            VoidTable: its halts show two sealed bases of one epoch.
        """
        table = self.table
        if close.seat != close.epoch % table.seats or len(close.halts) != table.quorum:
            raise Invalid
        halts = [self.look_up(name, needs) for name in close.halts]
        signers = [halt.seat for halt in halts]
        if any(a >= b for a, b in pairwise(signers)):
            raise Invalid
        if any(halt.kind != c.HALT or halt.epoch != close.epoch for halt in halts):
            raise Invalid
        for halt in halts:
            reading = self.read_halt(halt, inside)
            needs.add(reading.needs)
            if not reading.is_sound:
                raise Invalid
        base, tree = self.begin_tree(halts)
        contents = self.contents(halts, inside)
        faults = self.proven(contents, tree, halts, inside)
        if any(seat in faults for seat in signers):
            raise Invalid
        end, culprits, absent = self.follow(tree, halts)
        return CloseReading(self.link(end, base, halts, faults, culprits, absent), faults, needs)

    def begin_tree(self, halts: list[Message]) -> tuple[Node, Tree]:
        """Return the base that the halts are locked on, and the tree on it (10.5, 1 and 2)."""
        epoch = max(halt.lock_epoch for halt in halts)
        locks = [halt.lock for halt in halts if halt.lock and halt.lock.epoch == epoch]
        base = self.start
        if locks:
            sealed = {lock.base for lock in locks if lock.sealed}
            if len(sealed) > 1:
                raise VoidTable
            candidates = sealed or {lock.base for lock in locks}
            chosen = min(candidates, key=lambda name: (-self.bases[epoch, name].step, name))
            base = self.bases[epoch, chosen]
        listed = {name: self.messages[name] for halt in halts for name in halt.says}
        says = [say for say in listed.values() if say.epoch == epoch]
        return base, Tree(base, says, epoch)

    def contents(self, halts: list[Message], inside: bool) -> list[Message]:
        """Return the contents of halts (10.4)."""
        found: dict[bytes, Message] = {}
        for halt in halts:
            named = [*halt.says, *halt.backs]
            named += [name for proof in counted_proofs(halt, inside) for name in proof]
            votes = list(self.votes(halt.lock)) if halt.lock else []
            for message in [halt, *(self.messages[name] for name in named), *votes]:
                found.setdefault(message.hash, message)
        return list(found.values())

    def votes(self, lock: Lock) -> Iterator[Message]:
        """Return the votes of a lock as messages."""
        for seat, _ in lock.votes:
            kind = c.SEAL if lock.sealed else c.ACCEPT
            payload = payload_of(self.table.header, kind, seat, lock.epoch, lock.base)
            yield read_payload(payload, self.table.id, self.table.seats)

    def follow(self, tree: Tree, halts: list[Message]) -> tuple[Node, set[int], set[int]]:
        """Return the node that the tree leads to, its culprits and who is absent (10.5, 3)."""
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
                kept = self.kept_child(tree, node, halts, culprits)
                if kept is not None:
                    node = kept
                    continue
                node = node.after_step(slots_of(node, single, dict.fromkeys(several, c.FAULT)))
            elif not several and not table.strict:
                expired = (tree.epoch, node.step, node.digest)
                saying = [h for h in halts if h.expired == expired and h.seat not in missing]
                if len(saying) >= table.seats - table.quorum + 1:
                    absent = dict.fromkeys(missing, c.ABSENT)
                    return node.after_step(slots_of(node, single, absent)), culprits, missing
            break
        return node, culprits, set()

    def kept_child(
        self, tree: Tree, node: Node, halts: list[Message], culprits: set[int]
    ) -> Node | None:
        """Return the child of a forked node that no honest seat is against, if there is one."""
        signers = {halt.seat for halt in halts} & set(node.present)
        children = tree.children[node.digest]
        through = {
            child.digest: {say.seat for say in tree.says if tree.passes(say, child)}
            for child in children
        }
        for child in children:
            others = set().union(*(through[x.digest] for x in children if x is not child))
            if signers <= through[child.digest] and others & set(node.present) <= culprits:
                return child
        return None

    def link(
        self,
        end: Node,
        base: Node,
        halts: list[Message],
        faults: dict[int, str],
        culprits: set[int],
        absent: set[int],
    ) -> Node:
        """Return the base that stands behind the last node (10.5, 4 and 5)."""
        if end.wants.step == "result":
            return end
        banned = {*end.banned, *faults, *culprits}
        absences = tuple(n + (seat in absent) for seat, n in enumerate(end.absences))
        backs = [self.messages[name] for halt in halts for name in halt.backs]
        returned = {
            back.seat
            for back in backs
            if base.may_return(back.seat) and back.count == base.absences[back.seat]
        }
        present = (set(end.present) - absent | returned) - banned
        lists = tuple(sorted(present)), tuple(sorted(banned)), absences
        return end if lists == (end.present, end.banned, end.absences) else end.after_link(*lists)

    # Proven faults (10.4).

    def proven(
        self, contents: list[Message], tree: Tree, halts: list[Message], inside: bool
    ) -> dict[int, str]:
        """Return the seats that contents prove at fault, each with its first code."""
        found: dict[int, str] = {}
        for seat, code in [
            *two_statements(contents),
            *two_chains(contents, tree),
            *omissions(contents, self.table.setup_steps),
            *unfit_says(contents, tree),
            *self.unfit_alone(halts, inside),
        ]:
            found.setdefault(seat, code)
        return found

    def unfit_alone(self, halts: list[Message], inside: bool) -> Iterator[tuple[int, str]]:
        """Find malformed halts, then invalid closes, that proofs name alone (line 5)."""
        names = [p[0] for halt in halts for p in counted_proofs(halt, inside) if len(p) == 1]
        for wanted in ("bad-promise", "bad-new-epoch"):
            for name in names:
                if self.judge_alone(self.messages[name])[0] == wanted:
                    yield self.messages[name].seat, wanted


def counted_proofs(halt: Message, inside: bool) -> list[tuple[bytes, ...]]:
    """Return the proofs of a halt that count ([E-12])."""
    return [proof for proof in halt.proofs if len(proof) == 2 or not inside]
