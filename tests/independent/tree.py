"""The tree of step inputs (10.3)."""

from itertools import islice, product

from . import constants as c
from .chain import Node
from .messages import Message


class Tree:
    """The nodes to which step inputs lead from a base (10.3)."""

    def __init__(self, base: Node, inputs: list[Message], epoch: int) -> None:
        """Grow the tree of the given step inputs of an epoch."""
        self.base, self.inputs, self.epoch = base, inputs, epoch
        self.nodes = {base.digest: base}
        self.children: dict[bytes, list[Node]] = {}
        self.bodies: dict[bytes, dict[int, list[bytes]]] = {}
        by_digest: dict[bytes, list[Message]] = {}
        for step_input in inputs:
            by_digest.setdefault(step_input.on, []).append(step_input)
        named = {(step_input.on, step_input.step) for step_input in inputs}
        waiting = [base]
        while waiting:
            node = waiting.pop()
            self.bodies[node.digest] = self.legal_bodies(node, by_digest.get(node.digest, []))
            grown = self.grow(node, named) if node.may_grow else []
            self.children[node.digest] = grown
            self.nodes.update((child.digest, child) for child in grown)
            waiting += grown

    def legal_bodies(self, node: Node, inputs: list[Message]) -> dict[int, list[bytes]]:
        """Return the different legal bodies that each seat gave at a node, rising."""
        found: dict[int, set[bytes]] = {seat: set() for seat in node.speakers}
        for step_input in inputs:
            is_due = step_input.epoch == self.epoch and step_input.step == node.step
            if is_due and node.fault_of(step_input.seat, step_input.body) is None:
                found[step_input.seat].add(step_input.body)
        return {seat: sorted(bodies) for seat, bodies in found.items()}

    def grow(self, node: Node, named: set[tuple[bytes, int]]) -> list[Node]:
        """Return the children of a node, in the order of 10.3 ([E-18])."""
        bodies = self.bodies[node.digest]
        if not bodies or not all(bodies.values()):
            return []
        seats = sorted(bodies)
        choices = product(*(bodies[seat] for seat in seats))
        children = []
        for choice in islice(choices, c.MAX_CHOICES):
            slots = slots_of(node, dict(zip(seats, choice, strict=True)))
            is_named = (node.step_digest(slots), node.step + 1) in named
            if is_named or all(len(versions) == 1 for versions in bodies.values()):
                children.append(node.after_step(slots))
        return children

    def resolves(self, step_input: Message) -> bool:
        """Return whether a step input names a node of the tree."""
        return step_input.on in self.nodes and self.nodes[step_input.on].step == step_input.step

    def passes(self, step_input: Message, node: Node) -> bool:
        """Return whether the chain that a step input names passes a node of the tree."""
        if not self.resolves(step_input):
            return False
        return self.nodes[step_input.on].before_step(node.step) is node


def slots_of(node: Node, bodies: dict[int, bytes], others: dict[int, int] | None = None) -> tuple:
    """Return the slots of a step with some bodies, and other slots for some seats."""
    filled = {**bodies, **(others or {})}
    return tuple(filled.get(seat, c.NONE) for seat in node.table.all_seats)
