"""Every way a first change of epoch can go at a small table, through the real pure functions.

Honest seats have spoken as far as the liar let them come; the liar has said two versions of
everything, everywhere. A close holds t halts, the liar's among them or not; together they may
report any set of says that holds what its honest signers said and all that builds on, so
knowledge is enumerated whole. For each the base is computed by `epochs.base_of_halts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any

from room import make_table

from protocol import chain, epochs, evidence, messages
from protocol.epochs import Malformed, ReadHalt
from protocol.errors import Invalid
from protocol.messages import Expired, Halt, Message, Say
from protocol.node import Kind, Node, Table, Want
from protocol.port import Choose, Layout, Over, Presence, Seal
from protocol.tree import Tree

LEGAL = (b"a", b"b")


@dataclass(frozen=True)
class TinyState:
    done: int
    present: frozenset[int]


class TinyGame:
    """Steps by shape: 'A' all speak, a digit is the one seat that speaks."""

    def __init__(self, seats: int, shape: str) -> None:
        self.seats, self.shape = seats, shape
        self.layout = Layout(0, ((),) * seats, ())

    def start(self) -> TinyState:
        return TinyState(0, frozenset(range(self.seats)))

    def expected(self, state: TinyState) -> Any:
        while state.done < len(self.shape):
            step = self.shape[state.done]
            if step == "A":
                return Seal("x", state.present)
            if int(step) in state.present:
                return Choose("x", int(step))
            state = replace(state, done=state.done + 1)
        return Over()

    def apply(self, state: TinyState, event: Any) -> TinyState:
        if isinstance(event, Presence):
            return replace(state, present=event.present)
        return replace(state, done=state.done + 1)


def _check(node: Node, seat: int, body: bytes) -> None:
    if body not in LEGAL:
        raise Invalid("bad-body", "neither version")


def _apply(node: Node, said: Any) -> Node:
    return replace(node, state=node.table.game.apply(node.state, said))


@contextmanager
def tiny_steps() -> Iterator[None]:
    """Two kinds of step take any of two bodies."""
    kinds = (Kind.SEAL, Kind.CHOOSE)
    kept = [(table, kind, table[kind]) for table in (chain.CHECKS, chain.APPLY) for kind in kinds]
    following = chain.NEXT
    chain.NEXT = dict.fromkeys(Kind, frozenset(Kind))
    for kind in kinds:
        chain.CHECKS[kind], chain.APPLY[kind] = _check, _apply
    try:
        yield
    finally:
        chain.NEXT = following
        for table, kind, function in kept:
            table[kind] = function


Says = frozenset[Message]


@dataclass
class Model:
    """One small table; `liar` is a seat or None; `shape` names the steps that are judged.

    For wrong rules: a close of other than t `signers`; a step `final_by` so many seats, the
    liar among them; halts that `omit_own_last` say.
    """

    seats: int
    quorum: int
    liar: int | None
    shape: str
    signers: int = 0
    final_by: int = 0
    omit_own_last: bool = False
    closes: int = 0
    states: int = 0
    lost: list[tuple[Says, Says]] = field(default_factory=list)
    _bases: dict[Any, Node | None] = field(default_factory=dict)
    _messages: dict[tuple[int, int, bytes, bytes], Message] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.table: Table = make_table(
            TinyGame(self.seats, self.shape + "A"), self.seats, self.quorum
        )[0]
        everyone = self.table.everyone
        start = self.table.game.start()
        first = Node(
            table=self.table,
            digest=self.table.id,
            step=self.table.first_step,
            present=everyone,
            absences=(0,) * self.seats,
            state=start,
            want=Want(Kind.SEAL, everyone),
        )
        from protocol import play_steps

        self.base = play_steps.settle(first)
        self.honest = sorted(everyone - {self.liar})

    def say(self, node: Node, seat: int, body: bytes) -> Message:
        """A seat's say on a node; equal says are one message."""
        key = (seat, node.step, node.digest, body)
        if key not in self._messages:
            statement = Say(0, node.step, node.digest, body)
            payload = messages.payload(self.table.id, seat, statement)
            self._messages[key] = Message(seat, statement, payload, b"")
        return self._messages[key]

    # What honest seats may have said.

    def children(self, node: Node, says: Says) -> list[Node]:
        """The nodes after `node`, in each version of the liar."""
        if not chain.may_go_on(node):
            return []
        said = {}
        for seat in node.want.speakers - {self.liar}:
            if self.say(node, seat, b"a") not in says:
                return []
            said[seat] = b"a"
        if self.liar not in node.want.speakers:
            return [chain.append(node, chain.slots_of(node, said))]
        versions = ({**said, self.liar: body} for body in LEGAL)
        return [chain.append(node, chain.slots_of(node, v)) for v in versions]

    def nodes(self, says: Says) -> list[Node]:
        """Every node that the honest says make possible."""
        found, frontier = [], [self.base]
        while frontier:
            node = frontier.pop()
            found.append(node)
            frontier.extend(self.children(node, says))
        return found

    def next_says(self, says: Says) -> Iterator[Message]:
        """What one honest seat may say next, never leaving a version it has spoken on."""
        for node in self.nodes(says):
            if not chain.may_go_on(node):
                continue
            for seat in node.want.speakers - {self.liar}:
                mine = [m for m in says if m.seat == seat]
                if all(self._is_before(m, node) for m in mine):
                    yield self.say(node, seat, b"a")

    def _is_before(self, message: Message, node: Node) -> bool:
        statement = message.statement
        assert isinstance(statement, Say)
        at = node.before(statement.step)
        return at is not None and at is not node and at.digest == statement.on

    def reachable(self) -> list[Says]:
        """All sets of honest says."""
        seen, frontier = {frozenset[Message]()}, [frozenset[Message]()]
        while frontier:
            says = frontier.pop()
            for message in self.next_says(says):
                more = says | {message}
                if more not in seen:
                    seen.add(more)
                    frontier.append(more)
        return sorted(seen, key=lambda s: (len(s), sorted(m.hash for m in s)))

    # What a close may hold.

    def all_says(self, says: Says) -> Says:
        """The honest says and the liar's, two versions of each."""
        found = set(says)
        for node in self.nodes(says):
            if self.liar in node.want.speakers and chain.may_go_on(node):
                found |= {self.say(node, self.liar, body) for body in LEGAL}
        return frozenset(found)

    def builds_on(self, message: Message, node_of: dict[bytes, Node]) -> Says:
        """All says on the chain that a say names."""
        statement = message.statement
        assert isinstance(statement, Say)
        found, node = set(), node_of[statement.on]
        while node.parent is not None and node.slots is not None:
            for seat, slot in enumerate(node.slots):
                if isinstance(slot, bytes):
                    found.add(self.say(node.parent, seat, slot))
            node = node.parent
        return frozenset(found)

    def reported(self, says: Says, signers: frozenset[int]) -> Iterator[Says]:
        """Every closed set of says that holds what the honest signers said and its grounds."""
        every = self.all_says(says)
        node_of = {node.digest: node for node in self.nodes(says)}
        grounds = {m: self.builds_on(m, node_of) for m in every}
        own = [m for m in every if m.seat in signers - {self.liar}]
        if self.omit_own_last:
            own = [m for m in own if m.statement.step < self._last_step(m.seat, own)]  # type: ignore[union-attr]
        need = frozenset(own).union(*(grounds[m] for m in own))
        free = sorted(every - need, key=lambda m: (m.statement.step, m.hash))  # type: ignore[union-attr]
        yield from self._closed(need, free, grounds)

    @staticmethod
    def _last_step(seat: int, says: list[Message]) -> int:
        return max(m.statement.step for m in says if m.seat == seat)  # type: ignore[union-attr]

    def _closed(
        self, have: Says, free: list[Message], grounds: dict[Message, Says]
    ) -> Iterator[Says]:
        if not free:
            yield have
            return
        yield from self._closed(have, free[1:], grounds)
        if grounds[free[0]] <= have:
            yield from self._closed(have | {free[0]}, free[1:], grounds)

    def base_of(self, says: Says, signers: frozenset[int], expired: bool) -> Node | None:
        """The base of a close by these signers over these says; None if it is invalid."""
        key = (says, signers, expired)
        if key not in self._bases:
            self._bases[key] = self._base_of(says, signers, expired)
            self.closes += 1
        return self._bases[key]

    def _base_of(self, says: Says, signers: frozenset[int], expired: bool) -> Node | None:
        place = self._stop(says) if expired else None
        halt = Halt(1, None, tuple(sorted(m.hash for m in says)), place, (), ())
        read = []
        for seat in sorted(signers):
            message = Message(seat, halt, messages.payload(self.table.id, seat, halt), b"")
            read.append(ReadHalt(message, halt, tuple(says), (), (), (), self.base, ()))
        try:
            base = epochs.base_of_halts(read)
        except Malformed:
            return None
        assert {seat for seat, _ in base.faults} <= {self.liar}, "an honest seat is framed"
        return base.node

    def _stop(self, says: Says) -> Expired:
        """Where the walk stops for want of a body."""
        tree = Tree(self.base, says, 0)
        node = max(tree.nodes.values(), key=lambda n: (n.step, n.digest))
        return Expired(0, node.step, node.digest)

    # What must hold.

    def finals(self, says: Says) -> list[Node]:
        """The nodes that all honest seats have spoken on or beyond: final if the liar did too."""
        found = []
        for node in self.nodes(says):
            if node is self.base:
                continue
            passed = sum(self._has_passed(seat, node, says) for seat in self.honest)
            if passed + (self.liar is not None) >= (self.final_by or self.seats):
                found.append(node)
        return found

    def _has_passed(self, seat: int, node: Node, says: Says) -> bool:
        node_of = {n.digest: n for n in self.nodes(says)}
        for message in says:
            statement = message.statement
            assert isinstance(statement, Say)
            beyond = message.seat == seat and statement.step >= node.step
            if beyond and node_of[statement.on].before(node.step) is node:
                return True
        return False

    def run(self) -> None:
        """Explore; `lost` holds the states and closes that lose a final step."""
        for says in self.reachable():
            self.states += 1
            finals = self.finals(says)
            for signers in map(
                frozenset, combinations(range(self.seats), self.signers or self.quorum)
            ):
                for told, expired in product(self.reported(says, signers), (False, True)):
                    base = self.base_of(told, signers, expired)
                    if base is not None and finals:
                        self._judge(says, told, signers, base, finals)

    def _judge(
        self, says: Says, told: Says, signers: frozenset[int], base: Node, finals: list[Node]
    ) -> None:
        if set(self.honest) <= signers and not says <= told:
            return  # whoever found it final has halted with all of it
        for final in finals:
            at: Node | None = base
            while at is not None and at.digest != final.digest:
                at = at.parent
            if at is None:
                self.lost.append((says, told))


def provable(model: Model, says: Says, told: Says) -> bool:
    """Whether all says together prove the liar at fault."""
    every = [*model.all_says(says), *told]
    tree = Tree(model.base, every, 0)
    return model.liar in evidence.proven(every, tree, {})
