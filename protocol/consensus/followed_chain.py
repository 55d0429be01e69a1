"""Following the chain of one epoch: which inputs count."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..chain import transition
from ..chain.chain_state import AcceptedBody, Kind, Node
from ..wire.signed_messages import Message, StepInput
from .fork_tree import Tree
from .message_store import MessageStore


@dataclass
class FollowedChain:
    """One epoch as this node follows it: its base, the chain so far, and since when."""

    epoch: int
    base: Node
    tip: Node
    entered: float
    path: dict[bytes, Node] = field(default_factory=dict)

    def begin(self, base: Node, now: float) -> None:
        """Begin epoch 0 at this node of the chain."""
        self.base, self.entered = base, now

    def enter(self, now: float) -> None:
        """Count the time in this epoch from now on."""
        self.entered = now


def new_view(epoch: int, base: Node, now: float) -> FollowedChain:
    """Return the view at the moment of entering."""
    return FollowedChain(epoch, base, base, now, {base.digest: base})


def chosen_inputs(
    store: MessageStore, view: FollowedChain, only_known: bool = False
) -> dict[int, Message]:
    """Return the first legal input of each seat in the first incomplete step ([E-2]).

    With `only_known` an input that was not checked yet is left out.
    """
    node, found = view.tip, dict[int, Message]()
    for message in store.inputs(view.epoch, node.step):
        step_input = message.statement
        if (
            isinstance(step_input, StepInput)
            and step_input.on == node.digest
            and message.seat not in found
        ):
            if message.seat not in node.want.speakers:
                continue
            if only_known and transition.known(node, message.seat, step_input.body) is None:
                continue
            if isinstance(transition.verdict(node, message.seat, step_input.body), AcceptedBody):
                found[message.seat] = message
    return found


def grow(store: MessageStore, view: FollowedChain, seat: int | None) -> tuple[Node, Node] | None:
    """Append the first incomplete step if everyone expected has spoken: (before, after) ([E-2]).

    `seat` is the own one: a version it has spoken on goes before the one seen first.
    """
    node = view.tip
    if node.want.kind is Kind.RESULT or not transition.may_go_on(node):
        return None
    inputs = chosen_inputs(store, view)
    if set(inputs) != node.want.speakers:
        return None
    after = _spoken_on(store, view, seat)
    if after is None:
        bodies = {
            s: m.statement.body for s, m in inputs.items() if isinstance(m.statement, StepInput)
        }
        after = transition.append(node, transition.slots_of(node, bodies))
    view.tip = after
    view.path[after.digest] = after
    return node, after


def _spoken_on(store: MessageStore, view: FollowedChain, seat: int | None) -> Node | None:
    """Return the next node towards the one that the own last input names, if it is ahead."""
    last = _last_input(store, view, seat)
    if last is None or last.step <= view.tip.step:
        return None
    tree = Tree(view.base, store.epoch_inputs(view.epoch, view.base.step), view.epoch)
    at = tree.nodes.get(last.on)
    while at is not None and at.step > view.tip.step + 1:
        at = at.parent
    return at if at is not None and at.parent is view.tip else None


def _last_input(store: MessageStore, view: FollowedChain, seat: int | None) -> StepInput | None:
    if seat is None or (view.epoch, seat) not in store.last_steps:
        return None
    step = store.last_steps[view.epoch, seat]
    found = [m.statement for m in store.inputs(view.epoch, step) if m.seat == seat]
    return next((s for s in found if isinstance(s, StepInput)), None)


def keeps_own_inputs(store: MessageStore, view: FollowedChain, seat: int) -> bool:
    """Return whether the followed chain goes through all that this seat has said in the epoch."""
    last = _last_input(store, view, seat)
    return last is None or last.step < view.base.step or last.on in view.path
