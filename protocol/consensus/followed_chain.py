"""The followed chain of one epoch: which inputs count, and which steps are complete.

The *base* of an epoch is the node with which it begins.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..chain import transition
from ..chain.chain_state import AcceptedBody, Kind, Node
from ..units import DriverTime
from ..wire.signed_messages import Message, StepInput
from .fork_tree import Tree
from .message_store import MessageStore


@dataclass
class FollowedChain:
    """The epoch in which a seat stands, and the chain that it follows there.

    Attributes:
        tip: The last node of the chain so far.
        entered: When the seat entered the epoch, as driver time.
        path: All nodes that were followed in this epoch, by digest.
    """

    epoch: int
    base: Node
    tip: Node
    entered: float
    path: dict[bytes, Node] = field(default_factory=dict)

    def begin(self, base: Node, now: DriverTime) -> None:
        """Note when and with which node epoch 0 begins. The chain does not change."""
        self.base, self.entered = base, now

    def enter(self, now: DriverTime) -> None:
        """Set the time at which this seat entered the epoch."""
        self.entered = now


def new_followed_chain(epoch: int, base: Node, now: DriverTime) -> FollowedChain:
    """Return the chain of an epoch that a seat enters now, with no step after the base yet."""
    return FollowedChain(epoch, base, base, now, {base.digest: base})


def chosen_inputs(
    store: MessageStore, followed: FollowedChain, only_known: bool = False
) -> dict[int, Message]:
    """Return each seat's first legal input to the current, incomplete step ([E-2]).

    Args:
        only_known: Whether to leave out inputs whose body has not been checked yet.
    """
    node, found = followed.tip, dict[int, Message]()
    for message in store.inputs(followed.epoch, node.step):
        step_input = message.statement
        if (
            isinstance(step_input, StepInput)
            and step_input.on == node.digest
            # A seat that turned to a later version would give inputs on two chains ([E-2], 2).
            and message.seat not in found
        ):
            # To check the body here would stop the event loop for as long as the job spares it.
            if only_known and transition.known(node, message.seat, step_input.body) is None:
                continue
            if isinstance(transition.verdict(node, message.seat, step_input.body), AcceptedBody):
                found[message.seat] = message
    return found


def confirms_deck(node: Node, message: Message) -> bool:
    """Return whether a message is a legal input of its seat to `deck.ok` on a node ([D-3])."""
    step_input = message.statement
    if node.want.kind is not Kind.DECK_OK or not isinstance(step_input, StepInput):
        return False
    verdict = transition.verdict(node, message.seat, step_input.body)
    return step_input.on == node.digest and isinstance(verdict, AcceptedBody)


def first_on(store: MessageStore, node: Node, message: Message) -> bool:
    """Return whether no other input of its seat to the first `deal` on this node came before.

    Such an input counts in [D-10], be it legal or not.

    Args:
        message: An input of epoch 0, stored or not.
    """
    step_input = message.statement
    if node.parent is None or node.parent.want.kind is not Kind.DECK_OK:
        return False
    if not isinstance(step_input, StepInput) or step_input.on != node.digest:
        return False
    if step_input.step != node.step or step_input.epoch != 0:
        return False
    # Versions on another node do not count: a faulty seat could else use up the first place with
    # one of them.
    others = [
        one
        for one in store.versions(message.identity)
        if isinstance(one.statement, StepInput) and one.statement.on == node.digest
    ]
    return not others or others[0].hash == message.hash


def grow(
    store: MessageStore, followed: FollowedChain, seat: int | None
) -> tuple[Node, Node] | None:
    """Append the next step to the followed chain, if all seats that owe an input gave a legal one.

    Return the nodes before and after the step ([E-2]). None if it is not complete, or the chain
    may not grow. `seat` is the own one, None for an onlooker.
    """
    node = followed.tip
    # Inputs to `result` are signed, but lead to no further node.
    if node.want.kind is Kind.RESULT or not transition.may_go_on(node):
        return None
    inputs = chosen_inputs(store, followed)
    if set(inputs) != node.want.speakers:
        return None
    # The version on which the own seat has built goes first: to leave it would be a fault
    # ("two-chains").
    after = _spoken_on(store, followed, seat)
    if after is None:
        bodies = {
            s: m.statement.body for s, m in inputs.items() if isinstance(m.statement, StepInput)
        }
        after = transition.append(node, transition.slots_of(node, bodies))
    followed.tip = after
    followed.path[after.digest] = after
    return node, after


def _spoken_on(store: MessageStore, followed: FollowedChain, seat: int | None) -> Node | None:
    """Return the next node of the chain on which the last input of `seat` builds, or None."""
    last = _last_input(store, followed, seat)
    # An input to the current step builds on its beginning only, and chooses none of its versions.
    if last is None or last.step <= followed.tip.step:
        return None
    tree = Tree(
        followed.base, store.epoch_inputs(followed.epoch, followed.base.step), followed.epoch
    )
    at = tree.nodes.get(last.on)
    while at is not None and at.step > followed.tip.step + 1:
        at = at.parent
    # The same object, because each node caches the nodes that follow it.
    return at if at is not None and at.parent is followed.tip else None


def _last_input(store: MessageStore, followed: FollowedChain, seat: int | None) -> StepInput | None:
    """Return the seat's input to the highest step in this epoch, None if it gave no input."""
    if seat is None or (followed.epoch, seat) not in store.last_steps:
        return None
    step = store.last_steps[followed.epoch, seat]
    found = [m.statement for m in store.inputs(followed.epoch, step) if m.seat == seat]
    return next((s for s in found if isinstance(s, StepInput)), None)


def keeps_own_inputs(store: MessageStore, followed: FollowedChain, seat: int) -> bool:
    """Return whether this seat's last input of the epoch, if any, builds on the followed chain.

    If not, the seat gives no further input in this epoch.
    """
    last = _last_input(store, followed, seat)
    # A further input on another chain would prove this seat at fault (`two-chains`).
    # An input before the base is one of setup, and all chains of the table have it.
    return last is None or last.step < followed.base.step or last.on in followed.path
