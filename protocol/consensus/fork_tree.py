"""What a set of inputs of one epoch builds on one base: every chain that an input names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice, product
from typing import Final

from ..bounds import Quota
from ..chain import transition
from ..chain.chain_state import AcceptedBody, Node, Slot
from ..wire.signed_messages import Message, StepInput

MAX_CHOICES: Final[Quota] = 4096
"""Choices of versions looked at in one step; t - 1 seats that lie in every epoch promise make
fewer."""

Bodies = Mapping[int, tuple[bytes, ...]]
"""The different legal bodies of a step by seat."""


def inputs_of(messages: Iterable[Message], epoch: int) -> list[tuple[Message, StepInput]]:
    """Return the inputs of one epoch, in the order given."""
    pairs = ((message, message.statement) for message in messages)
    return [
        (m, step_input)
        for m, step_input in pairs
        if isinstance(step_input, StepInput) and step_input.epoch == epoch
    ]


class Tree:
    """The chains that the inputs of one epoch make on a base."""

    def __init__(self, base: Node, messages: Iterable[Message], epoch: int) -> None:
        """Find every chain at once; `nodes` maps the digest of each node reached to it."""
        self.base, self.epoch = base, epoch
        self.inputs = inputs_of(messages, epoch)
        self._by_place: dict[tuple[int, bytes], list[tuple[int, bytes]]] = {}
        for message, step_input in self.inputs:
            place = self._by_place.setdefault((step_input.step, step_input.on), [])
            place.append((message.seat, step_input.body))
        self._builders: dict[bytes, set[int]] | None = None
        self.nodes: dict[bytes, Node] = {}
        frontier = [base]
        while frontier:
            node = frontier.pop()
            self.nodes[node.digest] = node
            frontier.extend(self._children(node))

    def _children(self, node: Node) -> list[Node]:
        if not transition.may_go_on(node):
            return []
        bodies = self.bodies(node)
        if set(bodies) != node.want.speakers:
            return []
        if all(len(b) == 1 for b in bodies.values()):
            said = {seat: body for seat, (body,) in bodies.items()}
            return [transition.append(node, transition.slots_of(node, said))]
        return [child for child, _ in self.versions(node, bodies)]

    def bodies(self, node: Node) -> Bodies:
        """Return the legal bodies said on `node`, by seat, each once."""
        found: dict[int, list[bytes]] = {}
        for seat, body in self._by_place.get((node.step, node.digest), []):
            known = found.get(seat, [])
            if body not in known and isinstance(transition.verdict(node, seat, body), AcceptedBody):
                found.setdefault(seat, []).append(body)
        return {seat: tuple(sorted(b)) for seat, b in found.items()}

    def versions(self, node: Node, bodies: Bodies) -> Iterator[tuple[Node, tuple[Slot, ...]]]:
        """Yield the choices of versions that some input builds on, with their slots ([E-18])."""
        seats = sorted(bodies)
        for pick in islice(product(*(bodies[s] for s in seats)), MAX_CHOICES):
            slots = transition.slots_of(node, dict(zip(seats, pick, strict=True)))
            if (node.step + 1, transition.digest_after_step(node.digest, slots)) in self._by_place:
                yield transition.append(node, slots), slots

    def resolves(self, step_input: StepInput) -> bool:
        """Return whether the chain the input names can be made from this tree's inputs."""
        node = self.nodes.get(step_input.on)
        return node is not None and node.step == step_input.step

    def holds(self, message: Message) -> bool:
        """Return whether it is an input that resolves here and is legal where it stands."""
        step_input = message.statement
        if not isinstance(step_input, StepInput) or not self.resolves(step_input):
            return False
        found = transition.verdict(self.nodes[step_input.on], message.seat, step_input.body)
        return isinstance(found, AcceptedBody)

    def builders(self, node: Node) -> Set[int]:
        """Return the seats that have said something whose chain goes through `node`.

        Those of every node are found in one pass: `nodes` holds each behind its parent.
        """
        if self._builders is None:
            self._builders = {digest: set() for digest in self.nodes}
            for message, step_input in self.inputs:
                if self.resolves(step_input):
                    self._builders[step_input.on].add(message.seat)
            for at in reversed(self.nodes.values()):
                if at is not self.base and at.parent is not None:
                    self._builders[at.parent.digest] |= self._builders[at.digest]
        return self._builders[node.digest]
