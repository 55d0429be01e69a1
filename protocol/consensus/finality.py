"""Finality: the steps of the followed chain that nothing can replace any more."""

from __future__ import annotations

from ..wire.signed_messages import StepInput
from .followed_chain import FollowedChain
from .message_store import MessageStore


def final_step(store: MessageStore, followed: FollowedChain) -> int:
    """Return the number of the last final step.

    A step is final if it lies before the chain node with which the epoch begins. It is also final
    if every present seat has given an input to a later step of the followed chain (10.6).

    Args:
        followed: The epoch in which this seat stands, and the chain that it follows.

    Returns:
        The number of the step. If no step of this epoch is final yet, it is the last step before
        the epoch.

    SPEC: [E-15].
    """
    base, silent = followed.base.step, set(followed.tip.present)
    for step in range(followed.tip.step, base - 1, -1):
        for message in store.inputs(followed.epoch, step):
            step_input = message.statement
            if (
                isinstance(step_input, StepInput)
                and step_input.on in followed.path
                and followed.path[step_input.on].step == step
            ):
                silent.discard(message.seat)
        if not silent:
            return step - 1
    return base - 1
