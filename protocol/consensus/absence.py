"""Absence: who becomes absent because a step timed out, and who may come back."""

from __future__ import annotations

from collections.abc import Iterable, Set

from ..chain import transition
from ..chain.chain_state import Node
from ..wire.signed_messages import MAX_REJOINS, Message, Rejoin, StepTimeout


def claim_of(epoch: int, tip: Node, owes: bool, ran_out: bool) -> StepTimeout | None:
    """Return the step timeout that a seat claims as it promises to leave an epoch ([E-4]).

    A seat that owes an input there claims nothing: it would vote itself away, or others that wait
    for it.

    Args:
        epoch: The epoch that it leaves.
        tip: The node at which its chain stands there.
        owes: Whether the others wait for this seat as well.
        ran_out: Whether the step has timed out for it.
    """
    if owes or not ran_out or not transition.may_go_on(tip):
        return None
    return StepTimeout(epoch, tip.step, tip.digest)


def is_timed_out(
    node: Node, missing: Set[int], epoch: int, claims: Iterable[tuple[int, StepTimeout | None]]
) -> bool:
    """Return whether the seats that are missing in a step become absent by it ([E-13]).

    They do if so many other seats claim that the step timed out that an honest one is among them.
    At a strict table nobody becomes absent.

    Args:
        node: The node that stands before the step.
        missing: The seats whose input is missing.
        epoch: The epoch of the chain.
        claims: Seat and claim of each epoch promise.
    """
    table, place = node.table, StepTimeout(epoch, node.step, node.digest)
    count = sum(claim == place for seat, claim in claims if seat not in missing)
    return not table.strict and count >= table.seats - table.quorum + 1


def rejoining(base: Node, rejoins: Iterable[Message]) -> set[int]:
    """Return the seats that come back by a `Rejoin` that holds on this base."""
    return {
        message.seat
        for message in rejoins
        if isinstance(message.statement, Rejoin)
        and may_rejoin(base, message.seat)
        and message.statement.count == base.absences[message.seat]
    }


def may_rejoin(base: Node, seat: int) -> bool:
    """Return whether an absent seat may come back: the terms allow it, or nothing goes on without.

    SPEC: [E-31].
    """
    if seat in base.present | base.banned:
        return False
    rejoins = base.table.header.terms.rejoins
    limit = MAX_REJOINS if transition.stands_still(base) else rejoins
    return base.absences[seat] <= limit
