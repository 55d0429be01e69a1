"""Absence: which seats become absent because a step timed out, and which may rejoin."""

from __future__ import annotations

from collections.abc import Iterable, Set

from ..chain import transition
from ..chain.chain_state import Node
from ..wire.signed_messages import MAX_REJOINS, Message, Rejoin, StepTimeout


def claim_of(epoch: int, tip: Node, owes: bool, ran_out: bool) -> StepTimeout | None:
    """Return the step timeout that a seat claims when it promises to leave an epoch ([E-4]).

    A seat that owes an input to the step claims nothing. Otherwise it could make itself absent, or
    other seats that wait for it.

    Args:
        epoch: The epoch that it leaves.
        tip: The last node of the chain that it follows there.
        owes: Whether the seat itself owes an input to the step after the tip.
        ran_out: Whether that step has timed out for the seat.

    Returns:
        The claim, None if the seat claims nothing.
    """
    if owes or not ran_out or not transition.may_go_on(tip):
        return None
    return StepTimeout(epoch, tip.step, tip.digest)


def is_timed_out(
    node: Node, missing: Set[int], epoch: int, claims: Iterable[tuple[int, StepTimeout | None]]
) -> bool:
    """Return whether the seats whose input is missing in a step become absent by it ([E-13]).

    They do if n - t + 1 other seats claim that the step timed out, so that one of these is honest.
    At a strict table nobody becomes absent.

    Args:
        node: The state of the chain before the step.
        missing: The seats whose input is missing.
        epoch: The epoch of the chain.
        claims: The seat and the claim of each epoch promise.

    Returns:
        Whether they become absent.
    """
    table, place = node.table, StepTimeout(epoch, node.step, node.digest)
    count = sum(claim == place for seat, claim in claims if seat not in missing)
    return not table.strict and count >= table.seats - table.quorum + 1


def rejoining(base: Node, rejoins: Iterable[Message]) -> set[int]:
    """Return the seats that a base lets rejoin.

    Args:
        base: The base of the current epoch.
        rejoins: Messages in which seats ask to rejoin.

    Returns:
        The seats that may rejoin and have signed their number of absences at the base.
    """
    return {
        message.seat
        for message in rejoins
        if isinstance(message.statement, Rejoin)
        and may_rejoin(base, message.seat)
        and message.statement.count == base.absences[message.seat]
    }


def may_rejoin(base: Node, seat: int) -> bool:
    """Return whether an absent seat may rejoin at a node of the chain.

    The terms bound how often it may, unless the chain cannot grow without it.

    Args:
        base: The state of the chain.
        seat: The seat.

    Returns:
        Whether it is absent, is not banned, and may rejoin.

    SPEC: [E-31].
    """
    if seat in base.present | base.banned:
        return False
    rejoins = base.table.header.terms.rejoins
    limit = MAX_REJOINS if transition.stands_still(base) else rejoins
    return base.absences[seat] <= limit
