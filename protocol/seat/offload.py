"""Offload of long computations: no rule runs until the result of a job is back.

A job is the check of a long body that the rules are about to ask for, or the writing of a long own
one. Meanwhile nothing changes that the rules decide by, but messages may come in and time may pass.
A machine whose driver does not ask for jobs computes everything at once.
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
"""Bytes from which on a body is worth a job: fewer are a few ms of multiplications at most, and a
sealed choice is half a ms, less than handing it over and back costs while others wait."""
Unknown = tuple[Node, int, bytes]
"""A body of a seat in the step that a node stands before, not checked yet."""


def rests(state: SeatState) -> bool:
    """Return whether the rules wait for a job, having looked whether there is one."""
    outbox, judge = state.outbox, state.judge
    if not outbox.hands_out:
        return False
    if outbox.job is None and (state.log.fresh or judge.checked is not state.tip):
        due = next(_due(state), None)
        if due is None:
            judge.mark_checked()
        else:
            outbox.put(Job(partial(transition.judge, *due), partial(transition.keep, *due)))
    return outbox.job is not None


def _due(state: SeatState) -> Iterator[Unknown]:
    """Yield what the rules would check next, and nothing that they would not.

    That is what was stored since the last turn, and what is said in the first incomplete step, of
    each seat until one body of it is legal.
    """
    for message in state.log.fresh:
        if message.seat in state.tip.banned or len(state.log.store.versions(message.identity)) > 1:
            continue
        step_input = message.statement
        node = state.log.view.path.get(step_input.on) if isinstance(step_input, StepInput) else None
        if node is None or not isinstance(step_input, StepInput) or node.step != step_input.step:
            continue
        if not transition.stands_still(node):
            yield from _unknown(node, message)
    heard = set()
    for message in state.log.store.inputs(state.log.view.epoch, state.tip.step):
        step_input = message.statement
        if (
            isinstance(step_input, StepInput)
            and step_input.on == state.tip.digest
            and message.seat not in heard
        ):
            yield from _unknown(state.tip, message)
            known = transition.known(state.tip, message.seat, step_input.body)
            if isinstance(known, AcceptedBody) or (known is None and len(step_input.body) < HEAVY):
                heard.add(message.seat)  # the rules go no further, or have to see themselves


def _unknown(node: Node, message: Message) -> Iterator[Unknown]:
    step_input, seat = message.statement, message.seat
    if (
        not isinstance(step_input, StepInput)
        or seat not in node.want.speakers
        or len(step_input.body) < HEAVY
    ):
        return
    if transition.known(node, seat, step_input.body) is None:
        yield node, seat, step_input.body
