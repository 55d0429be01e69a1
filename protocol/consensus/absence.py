"""Absence: which seats become absent because a step timed out, and which may rejoin."""

from __future__ import annotations

from collections.abc import Iterable, Set

from ..chain import transition
from ..chain.chain_state import Node
from ..wire.signed_messages import MAX_REJOINS, Message, Rejoin, StepTimeout


def claim_of(epoch: int, tip: Node, owes: bool, ran_out: bool) -> StepTimeout | None:
    """Return the step timeout that a seat claims when it promises to leave an epoch ([E-4]).

    Return None if it claims nothing, because it owes its input to the step after `tip` itself, or
    because that step has not run out for it.
    """
    # A seat that is late itself must not help to make others absent.
    if owes or not ran_out or not transition.may_go_on(tip):
        return None
    return StepTimeout(epoch, tip.step, tip.digest)


def is_timed_out(
    node: Node, missing: Set[int], epoch: int, claims: Iterable[tuple[int, StepTimeout | None]]
) -> bool:
    """Return whether the seats without an input to a step are made absent ([E-13]).

    Args:
        claims: The seat of each epoch promise, and the claim in it, None for no claim.
    """
    table, place = node.table, StepTimeout(epoch, node.step, node.digest)
    # Of n - t + 1 seats one is honest. At a strict table no seat is made absent. A seat that is
    # late itself does not count, or it could help to make others absent.
    count = sum(claim == place for seat, claim in claims if seat not in missing)
    return not table.strict and count >= table.seats - table.quorum + 1


def rejoining(base: Node, rejoins: Iterable[Message]) -> set[int]:
    """Return the absent seats whose request to rejoin is granted at the base of an epoch."""
    return {
        message.seat
        for message in rejoins
        if isinstance(message.statement, Rejoin)
        and may_rejoin(base, message.seat)
        # The count keeps an old request from being used again after another absence.
        and message.statement.count == base.absences[message.seat]
    }


def may_rejoin(base: Node, seat: int) -> bool:
    """Return whether an absent seat may rejoin at a node of the chain ([E-31]).

    The terms of the table say after how many absences it still may. If the chain cannot grow with
    the present seats, the limit is MAX_REJOINS instead.
    """
    if seat in base.present | base.banned:
        return False
    rejoins = base.table.header.terms.rejoins
    # Where the game stands still, nothing is lost by letting everybody in again.
    limit = MAX_REJOINS if transition.stands_still(base) else rejoins
    return base.absences[seat] <= limit
