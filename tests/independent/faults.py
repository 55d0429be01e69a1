"""The faults that the contents of epoch promises prove (10.4, lines 1 to 4)."""

from collections.abc import Iterator
from itertools import pairwise

from . import constants as c
from .messages import Message
from .tree import Tree


def equivocations(contents: list[Message]) -> Iterator[tuple[int, str]]:
    """Find seats with two different statements of one identity (line 1)."""
    first: dict[tuple[int, ...], bytes] = {}
    for message in contents:
        if first.setdefault(message.identity, message.hash) != message.hash:
            yield message.seat, "equivocation"


def two_chains(contents: list[Message], tree: Tree) -> Iterator[tuple[int, str]]:
    """Find seats whose inputs of the tree's epoch are on different chains (line 2).

    A seat with two inputs for one step has a code by line 1 already.
    """
    inputs = [m for m in contents if m.kind == c.STEP_INPUT and m.epoch == tree.epoch]
    for seat in sorted({m.seat for m in inputs}):
        own = sorted((m for m in inputs if m.seat == seat), key=lambda m: m.step)
        for earlier, later in pairwise(own):
            if later.step == earlier.step or not tree.resolves(later):
                continue
            node = tree.nodes[later.on].before_step(earlier.step + 1)
            if node.made_by is None:
                continue
            if node.made_by[seat] != earlier.body or node.parent.digest != earlier.on:
                yield seat, "two-chains"


def omissions(contents: list[Message], setup_steps: int) -> Iterator[tuple[int, str]]:
    """Find seats whose epoch promise leaves out a statement of their own (line 3)."""
    for promise in (m for m in contents if m.kind == c.EPOCH_PROMISE):
        listed = set(promise.inputs)
        for other in contents:
            if other.seat != promise.seat or other.kind not in (c.STEP_INPUT, c.COMMIT):
                continue
            if other.kind == c.STEP_INPUT and other.step <= setup_steps:
                continue
            if promise.certificate_epoch < other.epoch < promise.epoch:
                yield promise.seat, "promise-below-certificate"
            elif (
                other.kind == c.STEP_INPUT
                and other.epoch == promise.certificate_epoch
                and other.hash not in listed
            ):
                yield promise.seat, "promise-omits-input"


def unfit_inputs(contents: list[Message], tree: Tree) -> Iterator[tuple[int, str]]:
    """Find inputs whose step or body does not fit the node that they name (line 4)."""
    nodes = dict(tree.nodes)
    node = tree.base
    while node is not None:
        nodes[node.digest] = node
        node = node.parent
    for step_input in (m for m in contents if m.kind == c.STEP_INPUT and m.on in nodes):
        node = nodes[step_input.on]
        if step_input.step != node.step:
            yield step_input.seat, "not-expected"
        elif node.may_grow or node.wants.step == "result":
            code = node.fault_of(step_input.seat, step_input.body)
            if code is not None:
                yield step_input.seat, code
