"""Finality: the steps of the followed chain that nothing can replace any more."""

from __future__ import annotations

from ..wire.signed_messages import StepInput
from .followed_chain import FollowedChain
from .message_store import MessageStore


def final_step(store: MessageStore, followed: FollowedChain) -> int:
    """Return the number of the last final step, at least that before the epoch ([E-15], SPEC 12.7).

    A step is final if every present seat has given an input to a later step of the followed chain.
    """
    base, silent = followed.base.step, set(followed.tip.present)
    for step in range(followed.tip.step, base - 1, -1):
        for message in store.inputs(followed.epoch, step):
            step_input = message.statement
            if (
                isinstance(step_input, StepInput)
                and step_input.on in followed.path
                # An input that names a node of another step builds on nothing.
                and followed.path[step_input.on].step == step
            ):
                silent.discard(message.seat)
        if not silent:
            # An input to this step shows that its seat has built on the step before it, and no
            # honest seat builds on two chains.
            return step - 1
    return base - 1
