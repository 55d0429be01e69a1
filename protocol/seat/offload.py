"""Weighing: what takes long is handed out as a job, and the rules of a seat rest until it is done.

Handed out are the check of a long body that the rules are about to ask for, and the own long ones.
A rest is what a long computation always was to a machine, only that its driver is free meanwhile:
nothing that the rules decide by changes, messages may come in, and time may pass. A machine that is
not asked to hand out does all where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from ..chain import transition
from ..chain.chain_state import Accepted, Node, Refused
from ..consensus import fault_evidence
from ..wire.signed_messages import Message, Say
from .effects import Job
from .seat_state import Core

HEAVY: Final = 512
"""Bytes from which on a body is worth a job: fewer are a few ms of multiplications at most, and a
sealed choice is half a ms, less than handing it over and back costs while others wait."""
Unknown = tuple[Node, int, bytes]
"""A body of a seat in the step that a node stands before, not checked yet."""


def rests(core: Core) -> bool:
    """Whether the rules wait for a job; looks whether there is one."""
    if core.hands_out and core.job is None and (core.fresh or core.weighed is not core.tip):
        due = next(_due(core), None)
        if due is None:
            core.weighed = core.tip
        else:
            core.job = _check(*due)
    return core.job is not None


def finish(core: Core, job: Job, given: Any) -> None:
    """Take in what a job gave, if it is the one under way."""
    if job is core.job:
        core.job = None
        job.take(given)


def _due(core: Core) -> Iterator[Unknown]:
    """What the rules would check next: what was held since the last turn, and what is said in the
    first incomplete step, of each seat until one body of it is legal. Nothing that they would not.
    """
    for message in core.fresh:
        if message.seat in core.tip.banned or len(core.store.versions(message.identity)) > 1:
            continue
        node = fault_evidence.judged_at(message, core.view.path)
        if node is not None:
            yield from _unknown(node, message)
    heard = set()
    for message in core.store.says(core.view.epoch, core.tip.step):
        say = message.statement
        if isinstance(say, Say) and say.on == core.tip.digest and message.seat not in heard:
            yield from _unknown(core.tip, message)
            known = transition.known(core.tip, message.seat, say.body)
            if isinstance(known, Accepted) or (known is None and len(say.body) < HEAVY):
                heard.add(message.seat)  # the rules go no further, or have to see themselves


def _unknown(node: Node, message: Message) -> Iterator[Unknown]:
    say, seat = message.statement, message.seat
    if not isinstance(say, Say) or seat not in node.want.speakers or len(say.body) < HEAVY:
        return
    if transition.known(node, seat, say.body) is None:
        yield node, seat, say.body


def _check(node: Node, seat: int, body: bytes) -> Job:
    def take(found: Accepted | Refused) -> None:
        transition.keep(node, seat, body, found)

    return Job(partial(transition.judge, node, seat, body), take)
