"""The tree of says (10.3)."""

from itertools import islice, product

from . import constants as c
from .chain import Node
from .messages import Message


class Tree:
    """The nodes that says lead to from a base (10.3)."""

    def __init__(self, base: Node, says: list[Message], epoch: int) -> None:
        """Grow the tree of some says of an epoch."""
        self.base, self.says, self.epoch = base, says, epoch
        self.nodes = {base.digest: base}
        self.children: dict[bytes, list[Node]] = {}
        self.bodies: dict[bytes, dict[int, list[bytes]]] = {}
        by_digest: dict[bytes, list[Message]] = {}
        for say in says:
            by_digest.setdefault(say.on, []).append(say)
        named = {(say.on, say.step) for say in says}
        waiting = [base]
        while waiting:
            node = waiting.pop()
            self.bodies[node.digest] = self.legal_bodies(node, by_digest.get(node.digest, []))
            grown = self.grow(node, named) if node.may_grow else []
            self.children[node.digest] = grown
            self.nodes.update((child.digest, child) for child in grown)
            waiting += grown

    def legal_bodies(self, node: Node, says: list[Message]) -> dict[int, list[bytes]]:
        """Return the different legal bodies that each seat has said at a node, rising."""
        found: dict[int, set[bytes]] = {seat: set() for seat in node.speakers}
        for say in says:
            is_due = say.epoch == self.epoch and say.step == node.step
            if is_due and node.fault_of(say.seat, say.body) is None:
                found[say.seat].add(say.body)
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

    def resolves(self, say: Message) -> bool:
        """Return whether a say names a node of the tree."""
        return say.on in self.nodes and self.nodes[say.on].step == say.step

    def passes(self, say: Message, node: Node) -> bool:
        """Return whether the way that a say names goes through a node of the tree."""
        return self.resolves(say) and self.nodes[say.on].before_step(node.step) is node


def slots_of(node: Node, bodies: dict[int, bytes], others: dict[int, int] | None = None) -> tuple:
    """Return the slots of a step with some bodies, and other slots for some seats."""
    filled = {**bodies, **(others or {})}
    return tuple(filled.get(seat, c.NONE) for seat in node.table.all_seats)
