"""The faults that the contents of halts prove (10.4, lines 1 to 4)."""

from collections.abc import Iterator
from itertools import pairwise

from . import constants as c
from .messages import Message
from .tree import Tree


def two_statements(contents: list[Message]) -> Iterator[tuple[int, str]]:
    """Find seats with two different statements of one identity (line 1)."""
    first: dict[tuple[int, ...], bytes] = {}
    for message in contents:
        if first.setdefault(message.identity, message.hash) != message.hash:
            yield message.seat, "equivocation"


def two_chains(contents: list[Message], tree: Tree) -> Iterator[tuple[int, str]]:
    """Find seats whose says of the tree's epoch are on different histories (line 2).

    Who has two says of one step has a code by line 1 already.
    """
    says = [m for m in contents if m.kind == c.SAY and m.epoch == tree.epoch]
    for seat in sorted({say.seat for say in says}):
        own = sorted((say for say in says if say.seat == seat), key=lambda say: say.step)
        for earlier, later in pairwise(own):
            if later.step == earlier.step or not tree.resolves(later):
                continue
            node = tree.nodes[later.on].before_step(earlier.step + 1)
            if node.made_by is None:
                continue
            if node.made_by[seat] != earlier.body or node.parent.digest != earlier.on:
                yield seat, "two-chains"


def omissions(contents: list[Message], setup_steps: int) -> Iterator[tuple[int, str]]:
    """Find seats whose halt leaves out a statement of their own (line 3)."""
    for halt in (m for m in contents if m.kind == c.HALT):
        listed = set(halt.says)
        for other in contents:
            if other.seat != halt.seat or other.kind not in (c.SAY, c.SEAL):
                continue
            if other.kind == c.SAY and other.step <= setup_steps:
                continue
            if halt.lock_epoch < other.epoch < halt.epoch:
                yield halt.seat, "promise-below-certificate"
            elif (
                other.kind == c.SAY and other.epoch == halt.lock_epoch and other.hash not in listed
            ):
                yield halt.seat, "promise-omits-input"


def unfit_says(contents: list[Message], tree: Tree) -> Iterator[tuple[int, str]]:
    """Find says whose step or body does not fit the node that they name (line 4)."""
    nodes = dict(tree.nodes)
    node = tree.base
    while node is not None:
        nodes[node.digest] = node
        node = node.parent
    for say in (m for m in contents if m.kind == c.SAY and m.on in nodes):
        node = nodes[say.on]
        if say.step != node.step:
            yield say.seat, "not-expected"
        elif node.may_grow or node.wants.step == "result":
            code = node.fault_of(say.seat, say.body)
            if code is not None:
                yield say.seat, code
