"""The tree of all chains of steps that the inputs of one epoch can form (SPEC 10.3).

All chains begin at the node with which the epoch begins. Two chains part at a step to which a seat
has signed different inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice, product
from typing import Final

from ..chain import transition
from ..chain.chain_state import AcceptedBody, Node, Slot
from ..units import Quota
from ..wire.signed_messages import Message, StepInput

MAX_CHOICES: Final[Quota] = 4096
"""The most combinations of conflicting bodies that are tried for one step ([E-18]).

Even if t - 1 faulty seats sign a different body for every epoch promise, there are fewer.
"""

Bodies = Mapping[int, tuple[bytes, ...]]
"""The different legal bodies for a step, by seat."""


def inputs_of(messages: Iterable[Message], epoch: int) -> list[tuple[Message, StepInput]]:
    """Return the inputs of one epoch among messages of any kind, in their order."""
    pairs = ((message, message.statement) for message in messages)
    return [
        (m, step_input)
        for m, step_input in pairs
        if isinstance(step_input, StepInput) and step_input.epoch == epoch
    ]


class Tree:
    """The chains that the inputs of one epoch make, from the node with which the epoch begins.

    Attributes:
        inputs: Each message that is an input of the epoch, with the input in it.
        nodes: All nodes by digest, each after its parent.
    """

    def __init__(self, base: Node, messages: Iterable[Message], epoch: int) -> None:
        """Build all chains that messages of any kind form. Only inputs of the epoch are used."""
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
        """Return the nodes that can follow a node by one step."""
        if not transition.may_go_on(node):
            return []
        bodies = self.bodies(node)
        if set(bodies) != node.want.speakers:
            return []
        # `versions` leaves out what nothing builds on, and so an undisputed last step.
        if all(len(b) == 1 for b in bodies.values()):
            said = {seat: body for seat, (body,) in bodies.items()}
            return [transition.append(node, transition.slots_of(node, said))]
        return [child for child, _ in self.versions(node, bodies)]

    def bodies(self, node: Node) -> Bodies:
        """Return the different legal bodies for the step after a node, sorted for each seat.

        A seat without a legal body is left out.
        """
        found: dict[int, list[bytes]] = {}
        for seat, body in self._by_place.get((node.step, node.digest), []):
            known = found.get(seat, [])
            # The comparison first, because a verdict may cost the check of a proof.
            if body not in known and isinstance(transition.verdict(node, seat, body), AcceptedBody):
                found.setdefault(seat, []).append(body)
        # Sorted, because readers may have received the same inputs in different orders.
        return {seat: tuple(sorted(b)) for seat, b in found.items()}

    def versions(self, node: Node, bodies: Bodies) -> Iterator[tuple[Node, tuple[Slot, ...]]]:
        """Yield the outcomes of a step for which seats gave conflicting bodies ([E-18]).

        An outcome is the node after the step, and what the step records of each seat.
        """
        seats = sorted(bodies)
        # All readers must try the same combinations, so bodies are sorted and the last seat changes
        # first.
        for pick in islice(product(*(bodies[s] for s in seats)), MAX_CHOICES):
            slots = transition.slots_of(node, dict(zip(seats, pick, strict=True)))
            # Only an outcome on which an input builds is made, because there may be 4096.
            if (node.step + 1, transition.digest_after_step(node.digest, slots)) in self._by_place:
                yield transition.append(node, slots), slots

    def resolves(self, step_input: StepInput) -> bool:
        """Return whether an input names a node of this tree, and the number of its next step."""
        node = self.nodes.get(step_input.on)
        return node is not None and node.step == step_input.step

    def has_legal(self, message: Message) -> bool:
        """Return whether a message is a legal input that builds on a node of the tree."""
        step_input = message.statement
        if not isinstance(step_input, StepInput) or not self.resolves(step_input):
            return False
        found = transition.verdict(self.nodes[step_input.on], message.seat, step_input.body)
        return isinstance(found, AcceptedBody)

    def builders(self, node: Node) -> Set[int]:
        """Return the seats with an input that builds on a node, directly or on a later node."""
        if self._builders is None:
            self._builders = {digest: set() for digest in self.nodes}
            for message, step_input in self.inputs:
                if self.resolves(step_input):
                    self._builders[step_input.on].add(message.seat)
            # Children stand after their parents in `nodes`, so they are complete when they are
            # added here.
            for at in reversed(self.nodes.values()):
                if at is not self.base and at.parent is not None:
                    self._builders[at.parent.digest] |= self._builders[at.digest]
        return self._builders[node.digest]
