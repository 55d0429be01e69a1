"""An exhaustive model of the first change of epoch at a small table.

Honest seats have given inputs as far as the liars let them come; the liars have given every version
of every input. A new-epoch message names t epoch promises, of liars or not. Together they may
report any set of inputs that contains those of its honest signers and all that these build on. Any
of the signers may claim a timeout if the step can have timed out for it. For each such message the
base is computed by the product's `new_epoch.base_of_promises`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product
from typing import Any

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Node, Table, Want
from protocol.consensus import fault_evidence, new_epoch
from protocol.consensus.message_lookup import Malformed
from protocol.consensus.new_epoch import ReadPromise
from protocol.wire import signed_messages
from protocol.wire.signed_messages import EpochPromise, Message, StepInput, StepTimeout
from support.machine_table import make_table
from support.tiny_table import TinyGame, bodies

Inputs = frozenset[Message]
Seats = frozenset[int]


def input_of(message: Message) -> StepInput:
    """Return the step input that a message carries."""
    if not isinstance(message.statement, StepInput):
        raise TypeError("no step input")
    return message.statement


@dataclass(frozen=True)
class EpochChange:
    """A state, a new-epoch message in it, and its base.

    Attributes:
        inputs: The inputs that honest seats have given.
        told: The inputs that the promises report.
        signers: The seats that signed the promises.
        timeout: Those of them that claim a timeout.
        base: The base.
    """

    inputs: Inputs
    told: Inputs
    signers: Seats
    timeout: Seats
    base: Node


Judge = Callable[["Model", EpochChange], str | None]
"""Names what is wrong with a change of epoch, or returns None."""


@dataclass
class Model:
    """One small table, and what is found at it.

    Attributes:
        seats: How many seats there are.
        quorum: t.
        liars: The faulty seats.
        shape: The steps that are judged; see `support.tiny_table`.
        tail: Further steps, in which inputs may be given.
        away: The seats that are absent from the start.
        ranks: The rank of each seat in the standings, which the game gives at its end.
        subsets: Whether every subset of the seats that may claim a timeout is tried, not only none
            and all.
        illegal: Whether the liars have given illegal bodies too.
        whole: Whether reports with two inputs of one signer to one step are tried too, although
            none of them is valid.
        signers: As a wrong rule, the number of promises if it is not t.
        final_by: As a wrong rule, by how many seats a step is final, the liars among them.
        omit_own_last: As a wrong rule, whether a promise may omit the last input of its signer.
        thinkers_vote: As a wrong rule, whether a seat may claim the timeout of a step in which it
            owes an input itself.
        new_epochs: How many bases were computed.
        states: How many states were looked at.
        found: By its name, each thing that was wrong, with where it was.
    """

    seats: int
    quorum: int
    liars: Set[int]
    shape: str
    tail: str = "A"
    away: Set[int] = frozenset()
    ranks: tuple[int, ...] = ()
    subsets: bool = False
    illegal: bool = False
    whole: bool = False
    signers: int = 0
    final_by: int = 0
    omit_own_last: bool = False
    thinkers_vote: bool = False
    new_epochs: int = 0
    states: int = 0
    found: dict[str, list[EpochChange]] = field(default_factory=dict)
    _bases: dict[Any, Node | None] = field(default_factory=dict)
    _messages: dict[tuple[int, int, bytes, bytes], Message] = field(default_factory=dict)
    _nodes: dict[Inputs, list[Node]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        game = TinyGame(self.seats, self.shape + self.tail, self.ranks)
        self.table: Table = make_table(game, self.seats, self.quorum)[0]
        everyone = self.table.everyone
        first = Node(
            table=self.table,
            digest=self.table.id,
            step=self.table.first_step,
            present=everyone,
            absences=(0,) * self.seats,
            state=self.table.game.start(),
            want=Want(Kind.SEAL, everyone),
        )
        self.base = transition.settle(first)
        if self.away:
            counts = tuple(int(seat in self.away) for seat in range(self.seats))
            self.base = transition.reconfigure(self.base, everyone - self.away, frozenset(), counts)
        self.honest = sorted(everyone - self.liars)

    @cached_property
    def players(self) -> Seats:
        """The honest seats that are present."""
        return self.base.present - self.liars

    def step_input(self, node: Node, seat: int, body: bytes) -> Message:
        """Return the input of a seat at a node. Equal inputs are one message."""
        key = (seat, node.step, node.digest, body)
        if key not in self._messages:
            statement = StepInput(0, node.step, node.digest, body)
            payload = signed_messages.payload(self.table.id, seat, statement)
            self._messages[key] = Message(seat, statement, payload, b"")
        return self._messages[key]

    # The inputs that honest seats may have given.

    def children(self, node: Node, inputs: Inputs) -> list[Node]:
        """Return the nodes behind `node`, in each version of the liars."""
        if not transition.may_go_on(node):
            return []
        said = dict.fromkeys(node.want.speakers - self.liars, b"a")
        if any(self.step_input(node, seat, body) not in inputs for seat, body in said.items()):
            return []
        lying = sorted(node.want.speakers & self.liars)
        picks = product(bodies(node), repeat=len(lying))
        versions = ({**said, **dict(zip(lying, pick, strict=True))} for pick in picks)
        return [transition.append(node, transition.slots_of(node, version)) for version in versions]

    def nodes(self, inputs: Inputs) -> list[Node]:
        """Return every node that the honest inputs make possible."""
        if inputs not in self._nodes:
            found, frontier = [], [self.base]
            while frontier:
                node = frontier.pop()
                found.append(node)
                frontier.extend(self.children(node, inputs))
            self._nodes[inputs] = found
        return self._nodes[inputs]

    def node_of(self, inputs: Inputs) -> dict[bytes, Node]:
        """Return the same nodes by digest."""
        return {node.digest: node for node in self.nodes(inputs)}

    def next_inputs(self, inputs: Inputs) -> Iterator[Message]:
        """Yield the inputs that an honest seat may give next, on the version it has followed."""
        for node in self.nodes(inputs):
            if not transition.may_go_on(node):
                continue
            for seat in node.want.speakers - self.liars:
                if (
                    self.has_come(seat, node, inputs)
                    and self.step_input(node, seat, b"a") not in inputs
                ):
                    yield self.step_input(node, seat, b"a")

    def end(self) -> Node:
        """Return the end of the chain on which every seat has given the first of its bodies."""
        node = self.base
        while transition.may_go_on(node):
            said = dict.fromkeys(node.want.speakers, b"a")
            node = transition.append(node, transition.slots_of(node, said))
        return node

    def has_come(self, seat: int, node: Node, inputs: Inputs) -> bool:
        """Return whether all inputs of an honest seat are on the chain to `node`."""
        return all(self._is_before(m, node) for m in inputs if m.seat == seat)

    def _is_before(self, message: Message, node: Node) -> bool:
        step_input = input_of(message)
        at = node.before(step_input.step)
        return at is not None and at.digest == step_input.on

    def reachable(self) -> list[Inputs]:
        """Return all reachable sets of honest inputs."""
        seen, frontier = {frozenset[Message]()}, [frozenset[Message]()]
        while frontier:
            inputs = frontier.pop()
            for message in self.next_inputs(inputs):
                more = inputs | {message}
                if more not in seen:
                    seen.add(more)
                    frontier.append(more)
        return sorted(seen, key=lambda s: (len(s), sorted(m.hash for m in s)))

    # The inputs that a new-epoch message may report.

    def all_inputs(self, inputs: Inputs) -> Inputs:
        """Return the honest inputs, and those of the liars in all versions."""
        found = set(inputs)
        for node in filter(transition.may_go_on, self.nodes(inputs)):
            for seat in node.want.speakers & self.liars:
                versions = (*bodies(node), b"x") if self.illegal else bodies(node)
                found |= {self.step_input(node, seat, body) for body in versions}
        return frozenset(found)

    def builds_on(self, message: Message, node_of: dict[bytes, Node]) -> Inputs:
        """Return all inputs on the chain that an input names."""
        found, node = set(), node_of[input_of(message).on]
        while node is not self.base and node.parent is not None and node.slots is not None:
            for seat, slot in enumerate(node.slots):
                if isinstance(slot, bytes):
                    found.add(self.step_input(node.parent, seat, slot))
            node = node.parent
        return frozenset(found)

    def reported(self, inputs: Inputs, signers: Seats) -> Iterator[Inputs]:
        """Yield every closed set of inputs that contains those of the honest signers.

        Sets with two inputs of one signer to one step are left out: no valid change of epoch has
        them.
        """
        every = self.all_inputs(inputs)
        node_of = self.node_of(inputs)
        grounds = {m: self.builds_on(m, node_of) for m in every}
        own = [m for m in every if m.seat in signers - self.liars]
        if self.omit_own_last:
            own = [m for m in own if input_of(m).step < self._last_step(m.seat, own)]
        need = frozenset(own).union(*(grounds[m] for m in own))
        if not self._is_sound(need, signers):
            return
        free = sorted(every - need, key=lambda m: (input_of(m).step, m.hash))
        yield from self._closed(need, free, grounds, signers)

    @staticmethod
    def _last_step(seat: int, inputs: list[Message]) -> int:
        return max(input_of(m).step for m in inputs if m.seat == seat)

    def _is_sound(self, inputs: Inputs, signers: Seats) -> bool:
        if self.whole:
            return True
        spoken = [m.identity for m in inputs if m.seat in signers]
        return len(spoken) == len(set(spoken))

    def _closed(
        self, have: Inputs, free: list[Message], grounds: dict[Message, Inputs], signers: Seats
    ) -> Iterator[Inputs]:
        if not free:
            yield have
            return
        yield from self._closed(have, free[1:], grounds, signers)
        more = have | {free[0]}
        if grounds[free[0]] <= have and self._is_sound(more, signers):
            yield from self._closed(more, free[1:], grounds, signers)

    # The seats for which a step can have timed out.

    def may_time_out(self, inputs: Inputs, signers: Seats, place: Node) -> Seats:
        """Return the signers that may claim a timeout of the step at `place`.

        An honest one has come no further, and has given its own input there if it owes one.
        """
        here = {s for s in signers - self.liars if self.has_come(s, place, inputs)}
        if not self.thinkers_vote:
            silent = {
                s for s in place.want.speakers if self.step_input(place, s, b"a") not in inputs
            }
            here -= silent
        return frozenset(here) | (signers & self.liars)

    def choices_of_timeouts(self, inputs: Inputs, signers: Seats, place: Node) -> list[Seats]:
        """Return the sets of signers that claim it: all, or each subset that is large enough."""
        all_of = sorted(self.may_time_out(inputs, signers, place))
        need = self.seats - self.quorum + 1
        if len(all_of) < need or not transition.may_go_on(place):
            return []
        sizes = range(need, len(all_of) + 1) if self.subsets else [len(all_of)]
        return [frozenset(s) for size in sizes for s in combinations(all_of, size)]

    # The base.

    def base_of(
        self, told: Inputs, signers: Seats, timeout: Seats = frozenset(), place: Node | None = None
    ) -> Node | None:
        """Return the base of promises of these signers and inputs, None if it is invalid."""
        key = (told, signers, timeout)
        if key not in self._bases:
            self._bases[key] = self._base_of(told, signers, timeout, place)
            self.new_epochs += 1
        return self._bases[key]

    def _base_of(
        self, told: Inputs, signers: Seats, timeout: Seats, place: Node | None
    ) -> Node | None:
        there = StepTimeout(0, place.step, place.digest) if place else None
        hashes, inputs, read = tuple(sorted(m.hash for m in told)), tuple(told), []
        for seat in sorted(signers):
            promise = EpochPromise(1, None, hashes, there if seat in timeout else None, (), ())
            message = Message(
                seat, promise, signed_messages.payload(self.table.id, seat, promise), b""
            )
            read.append(ReadPromise(message, promise, inputs, (), (), (), self.base, ()))
        try:
            base = new_epoch.base_of_promises(read)
        except Malformed:
            return None
        if not {seat for seat, _ in base.faults} <= self.liars:
            raise AssertionError("an honest seat is framed")
        return base.node

    def valid(self) -> int:
        """Return how many changes of epoch were valid."""
        return sum(1 for base in self._bases.values() if base is not None)

    def all_changes(self, inputs: Inputs) -> Iterator[EpochChange]:
        """Yield every change of epoch in a state."""
        size = self.signers or self.quorum
        for signers in map(frozenset, combinations(range(self.seats), size)):
            for told in self.reported(inputs, signers):
                yield from self._changes(inputs, told, signers)

    def _changes(self, inputs: Inputs, told: Inputs, signers: Seats) -> Iterator[EpochChange]:
        base = self.base_of(told, signers)
        if base is None:
            return
        yield EpochChange(inputs, told, signers, frozenset(), base)
        place = stop_of(base, self.base)
        for timeout in self.choices_of_timeouts(inputs, signers, place):
            after = self.base_of(told, signers, timeout, place)
            if after is not None:
                yield EpochChange(inputs, told, signers, timeout, after)

    # Properties.

    def finals(self, inputs: Inputs) -> list[Node]:
        """Return the nodes with inputs of all honest seats there or beyond.

        Each is final if the liars add theirs.
        """
        lying = len(self.liars & self.base.present)
        return [
            node
            for node in self.nodes(inputs)
            if node is not self.base and self.passed(node, inputs, inputs) + lying >= self.enough
        ]

    @property
    def enough(self) -> int:
        """The number of seats whose inputs beyond a step make it final."""
        return self.final_by or len(self.base.present)

    def passed(self, node: Node, inputs: Inputs, told: Inputs) -> int:
        """Return how many present seats have, among these inputs, one at `node` or beyond."""
        node_of = self.node_of(inputs)
        beyond = (m for m in told if input_of(m).step >= node.step)
        through = {m.seat for m in beyond if node_of[input_of(m).on].before(node.step) is node}
        return len(through & self.base.present)

    def run(self, *judges: Judge, only: Callable[[Model, Inputs], bool] | None = None) -> None:
        """Look at every change of epoch in every state, and fill `found`."""
        for inputs in self.reachable():
            if only is not None and not only(self, inputs):
                continue
            self.states += 1
            for change in self.all_changes(inputs):
                for judge in judges or (loses_a_final_step,):
                    wrong = judge(self, change)
                    if wrong is not None:
                        self.found.setdefault(wrong, []).append(change)


def stop_of(base: Node, start: Node) -> Node:
    """Return the node where the walk stopped, before a reconfiguration at its end."""
    is_reconfigured = base is not start and base.slots is None and base.parent is not None
    return base.parent if is_reconfigured and base.parent is not None else base


def loses_a_final_step(model: Model, change: EpochChange) -> str | None:
    """Name it if the base is not on a step that may be final for some honest seat."""
    chain_of, whole = fault_evidence.ancestry(change.base), model.players <= change.signers
    for final in model.finals(change.inputs):
        if final.digest in chain_of:
            continue
        # An honest seat that found it final has promised with all that makes it so.
        if not whole or model.passed(final, change.inputs, change.told) >= model.enough:
            return "a final step is lost"
    return None
