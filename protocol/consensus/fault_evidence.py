"""Who is proven at fault by a set of signed messages; honest seats never are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from ..chain import transition
from ..chain.chain_state import Node
from ..errors import FieldPlace
from ..fault_codes import Fault
from ..wire.signed_messages import Halt, Message, Say, SealVote
from .fork_tree import Tree, says_of


def ancestry(node: Node) -> dict[bytes, Node]:
    """Return every node of the chain that leads to `node`, by digest."""
    return {at.digest: at for at in node.history()}


def lock_epoch(halt: Halt) -> int:
    """Return the epoch of a halt's lock; 0 if it needs none."""
    return 0 if halt.lock is None else halt.lock.epoch


def against_halt(halt: Message, message: Message, first: int) -> str | None:
    """Return the fault of one seat's halt together with another statement of it, if any.

    `first` is the step with which epoch 0 begins; no halt reports the says before it.
    """
    told, statement = halt.statement, message.statement
    if not isinstance(told, Halt) or halt.seat != message.seat:
        return None
    if not isinstance(statement, (Say, SealVote)) or statement.epoch >= told.epoch:
        return None
    if isinstance(statement, Say) and statement.step < first:
        return None
    if lock_epoch(told) < statement.epoch:
        return "halt-below-lock"
    if not isinstance(statement, Say) or lock_epoch(told) != statement.epoch:
        return None
    at = bisect_left(told.says, message.hash)
    return None if told.says[at : at + 1] == (message.hash,) else "halt-omits-say"


def judged_at(message: Message, nodes: Mapping[bytes, Node]) -> Node | None:
    """Return the node at which an input is judged: the one it names, if it is due there."""
    say = message.statement
    node = nodes.get(say.on) if isinstance(say, Say) else None
    if node is None or not isinstance(say, Say) or node.step != say.step:
        return None
    return None if transition.stands_still(node) else node


def illegal_say(message: Message, nodes: Mapping[bytes, Node]) -> Fault | None:
    """Return the fault of a say judged in the state of the digest it names, if that is known."""
    say = message.statement
    if not isinstance(say, Say) or say.on not in nodes:
        return None
    if nodes[say.on].step != say.step:
        return Fault("not-expected", message.seat, say.step)
    node = judged_at(message, nodes)
    if node is None:
        return None
    try:
        transition.check(node, message.seat, say.body)
    except Fault as fault:
        return fault
    return None


def off_chain(tree: Tree, more: Iterable[Message] = ()) -> Iterator[tuple[int, Message, Message]]:
    """Yield seats with two inputs of this epoch, in the tree or `more`, that share no chain."""
    by_seat: dict[int, list[tuple[Message, Say]]] = {}
    every = {m.hash: (m, say) for m, say in (*tree.says, *says_of(more, tree.epoch))}
    for message, say in every.values():
        by_seat.setdefault(message.seat, []).append((message, say))
    for seat, says in by_seat.items():
        ordered = sorted(says, key=lambda pair: pair[1].step)
        for (first, one), (second, two) in pairwise(ordered):
            if one.step < two.step and _apart(tree, seat, one, two):
                yield seat, first, second


def _apart(tree: Tree, seat: int, one: Say, two: Say) -> bool:
    if not tree.resolves(two):
        return False
    at: Node | None = tree.nodes[two.on]
    while at is not None and at.step > one.step + 1:
        at = at.parent
    if at is None or at.slots is None or at.parent is None:
        return False
    return at.parent.digest != one.on or at.slots[seat] != one.body


def proven(
    messages: Iterable[Message], tree: Tree, chain_nodes: Mapping[bytes, Node]
) -> tuple[dict[int, str], dict[int, FieldPlace]]:
    """Return the code of each seat's first fault, and the place of it in a body, if it has one.

    The first is that which stands first in the table of faults ([N-9]).

    `tree` holds the says of the epoch in question, `chain_nodes` the chain before it.
    """
    every = list(messages)
    found: dict[int, str] = {}
    places: dict[int, FieldPlace] = {}
    versions, by_seat = dict[tuple[int, ...], Message](), dict[int, list[Message]]()
    for message in every:
        if versions.setdefault(message.identity, message).hash != message.hash:
            found.setdefault(message.seat, "two-statements")
        by_seat.setdefault(message.seat, []).append(message)
    for seat, _, _ in off_chain(tree, every):
        found.setdefault(seat, "two-chains")
    first = tree.base.table.first_step
    for seat, signed in by_seat.items():
        halts = (m for m in signed if isinstance(m.statement, Halt))
        codes = (against_halt(halt, message, first) for halt in halts for message in signed)
        code = next((code for code in codes if code is not None), None)
        if code is not None:
            found.setdefault(seat, code)
    nodes = {**chain_nodes, **tree.nodes}
    for message in every:
        illegal = illegal_say(message, nodes)
        if illegal is not None and message.seat not in found:
            found[message.seat] = illegal.code
            if illegal.place is not None:
                places[message.seat] = illegal.place
    return found, places
