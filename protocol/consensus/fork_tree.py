"""The tree of all chains that the inputs of one epoch build on one base (SPEC 10.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice, product
from typing import Final

from ..bounds import Quota
from ..chain import transition
from ..chain.chain_state import AcceptedBody, Node, Slot
from ..wire.signed_messages import Message, StepInput

MAX_CHOICES: Final[Quota] = 4096
"""The choices of bodies that are looked at in one step ([E-18]).

If t - 1 seats sign different bodies in every epoch promise, there are fewer.
"""

Bodies = Mapping[int, tuple[bytes, ...]]
"""The different legal bodies of a step, by seat."""


def inputs_of(messages: Iterable[Message], epoch: int) -> list[tuple[Message, StepInput]]:
    """Return the inputs of one epoch among messages, in their order.

    Args:
        messages: Messages of any kind.
        epoch: The epoch.

    Returns:
        Each message that is an input of the epoch, with its statement.
    """
    pairs = ((message, message.statement) for message in messages)
    return [
        (m, step_input)
        for m, step_input in pairs
        if isinstance(step_input, StepInput) and step_input.epoch == epoch
    ]


class Tree:
    """The chains that the inputs of one epoch make on a base.

    Attributes:
        base: The chain node with which all chains begin.
        epoch: The epoch.
        inputs: The inputs of the epoch among the messages, with their statements.
        nodes: All nodes of the chains, by digest. Each stands after its parent.
    """

    def __init__(self, base: Node, messages: Iterable[Message], epoch: int) -> None:
        """Build all chains.

        Args:
            base: The chain node with which all chains begin.
            messages: Messages, of which those that are no input of the epoch are left out.
            epoch: The epoch.
        """
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
        """Return the nodes that follow a node by one step of these inputs."""
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
        """Return the different legal bodies that inputs give for the step after a node.

        Args:
            node: A node of the tree.

        Returns:
            The bodies of each seat that gave one, in rising order.
        """
        found: dict[int, list[bytes]] = {}
        for seat, body in self._by_place.get((node.step, node.digest), []):
            known = found.get(seat, [])
            if body not in known and isinstance(transition.verdict(node, seat, body), AcceptedBody):
                found.setdefault(seat, []).append(body)
        return {seat: tuple(sorted(b)) for seat, b in found.items()}

    def versions(self, node: Node, bodies: Bodies) -> Iterator[tuple[Node, tuple[Slot, ...]]]:
        """Find the choices of one body for each seat on which some input builds ([E-18]).

        Args:
            node: A node of the tree.
            bodies: The legal bodies of the step after it.

        Yields:
            The node after the step, and the slots of the step.
        """
        seats = sorted(bodies)
        for pick in islice(product(*(bodies[s] for s in seats)), MAX_CHOICES):
            slots = transition.slots_of(node, dict(zip(seats, pick, strict=True)))
            if (node.step + 1, transition.digest_after_step(node.digest, slots)) in self._by_place:
                yield transition.append(node, slots), slots

    def resolves(self, step_input: StepInput) -> bool:
        """Return whether the chain that an input names is in this tree.

        Args:
            step_input: The input.

        Returns:
            Whether its digest is that of a node of the tree whose next step is the step of the
            input.
        """
        node = self.nodes.get(step_input.on)
        return node is not None and node.step == step_input.step

    def has_legal(self, message: Message) -> bool:
        """Return whether a message is an input that resolves in this tree and is legal there.

        Args:
            message: The message.

        Returns:
            Whether it is.
        """
        step_input = message.statement
        if not isinstance(step_input, StepInput) or not self.resolves(step_input):
            return False
        found = transition.verdict(self.nodes[step_input.on], message.seat, step_input.body)
        return isinstance(found, AcceptedBody)

    def builders(self, node: Node) -> Set[int]:
        """Return the seats with an input that names a node or one that follows it.

        Args:
            node: A node of the tree.

        Returns:
            The seats. Those of all nodes are computed at the first call.
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
