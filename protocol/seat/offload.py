"""Long computations that run as jobs outside the event loop.

While a job runs, messages may come in and time may pass, but this seat applies no rule of the
protocol. So the state on which the rules decide does not change. If the driver does not run jobs,
everything is computed at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from ..chain import transition
from ..chain.chain_state import AcceptedBody, Node
from ..wire.signed_messages import Message, StepInput
from .effects import Job
from .seat_state import SeatState

HEAVY: Final = 512
"""The length in bytes from which on a body is checked in a job.

A shorter one takes a few milliseconds at most. Handing it over and back would take longer.
"""
Unknown = tuple[Node, int, bytes]
"""A body that is not checked yet: the node before its step, its seat, and its bytes."""


def waits_for_job(state: SeatState) -> bool:
    """Return whether a job is under way, and create the next one if there is something to check."""
    outbox, judge = state.outbox, state.judge
    if not outbox.hands_out:
        return False
    # Not only for new messages: at a new end of the chain, older inputs can be judged.
    if outbox.job is None and (state.log.fresh or judge.checked is not state.tip):
        due = next(_due(state), None)
        if due is None:
            judge.mark_checked()
        else:
            outbox.put(Job(partial(transition.judge, *due), partial(transition.keep, *due)))
    return outbox.job is not None


def _due(state: SeatState) -> Iterator[Unknown]:
    """Yield the unchecked long bodies that the rules will need next.

    First come those of new messages, then those for the first incomplete step. Once a seat has
    given a legal body there, its further bodies are left out.
    """
    for message in state.log.fresh:
        # Versions are an equivocation already. A faulty seat must not order a job for each of them.
        if message.seat in state.tip.banned or len(state.log.store.versions(message.identity)) > 1:
            continue
        step_input = message.statement
        node = (
            state.log.followed.path.get(step_input.on)
            if isinstance(step_input, StepInput)
            else None
        )
        if node is None or not isinstance(step_input, StepInput) or node.step != step_input.step:
            continue
        if not transition.stands_still(node):
            yield from _unknown(node, message)
    heard = set()
    for message in state.log.store.inputs(state.log.followed.epoch, state.tip.step):
        step_input = message.statement
        if (
            isinstance(step_input, StepInput)
            and step_input.on == state.tip.digest
            and message.seat not in heard
        ):
            yield from _unknown(state.tip, message)
            known = transition.known(state.tip, message.seat, step_input.body)
            if isinstance(known, AcceptedBody) or (known is None and len(step_input.body) < HEAVY):
                # The rules look no further for this seat, or check the short body themselves.
                heard.add(message.seat)


def _unknown(node: Node, message: Message) -> Iterator[Unknown]:
    """Yield an input's node, seat and body, if the body is long and was not checked yet."""
    step_input, seat = message.statement, message.seat
    if (
        not isinstance(step_input, StepInput)
        or seat not in node.want.speakers
        or len(step_input.body) < HEAVY
    ):
        return
    if transition.known(node, seat, step_input.body) is None:
        yield node, seat, step_input.body
