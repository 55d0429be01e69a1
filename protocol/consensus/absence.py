"""Absence: which seats become absent because a step timed out, and which may rejoin."""

from __future__ import annotations

from collections.abc import Iterable, Set

from ..chain import transition
from ..chain.chain_state import Node
from ..wire.signed_messages import MAX_REJOINS, Message, Rejoin, StepTimeout


def claim_of(epoch: int, tip: Node, owes: bool, ran_out: bool) -> StepTimeout | None:
    """Return the step timeout that a seat claims when it promises to leave an epoch ([E-4]).

    A seat that still owes its own input to the step claims nothing.

    Args:
        tip: The last node of the chain that the seat follows in this epoch.
        owes: Whether the seat still owes its own input to the step after `tip`.
        ran_out: Whether the step after `tip` has timed out for the seat.

    Returns:
        The claim, None if the seat claims nothing.
    """
    if owes or not ran_out or not transition.may_go_on(tip):
        return None
    return StepTimeout(epoch, tip.step, tip.digest)


def is_timed_out(
    node: Node, missing: Set[int], epoch: int, claims: Iterable[tuple[int, StepTimeout | None]]
) -> bool:
    """Return whether the seats that gave no input to a step are made absent ([E-13]).

    They are made absent if n - t + 1 other seats claim that the step timed out, where n is the
    number of seats and t the quorum. At least one of n - t + 1 seats is honest. At a strict table,
    whose quorum is all seats, no seat is made absent.

    Args:
        missing: The seats that gave no input.
        epoch: The epoch of the chain.
        claims: For each epoch promise its seat, and the step timeout that the seat claims in the
            promise, None for no claim.
    """
    table, place = node.table, StepTimeout(epoch, node.step, node.digest)
    count = sum(claim == place for seat, claim in claims if seat not in missing)
    return not table.strict and count >= table.seats - table.quorum + 1


def rejoining(base: Node, rejoins: Iterable[Message]) -> set[int]:
    """Return the absent seats whose request to rejoin is granted.

    A request is granted if, at the node `base`, the seat may rejoin, and if the request names the
    number of the seat's absences so far.

    Args:
        base: The chain node with which the current epoch begins.
        rejoins: Messages in which seats ask to rejoin.
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

    The terms of the table say after how many absences a seat may still rejoin. If the chain cannot
    grow with the present seats, the limit is MAX_REJOINS instead.

    Returns:
        Whether the seat is absent, is not banned, and may rejoin.

    SPEC: [E-31].
    """
    if seat in base.present | base.banned:
        return False
    rejoins = base.table.header.terms.rejoins
    limit = MAX_REJOINS if transition.stands_still(base) else rejoins
    return base.absences[seat] <= limit
