"""The comparison of two chains of one table, which tells whether the table was split."""

from __future__ import annotations

from itertools import pairwise

from ..chain.chain_state import Node
from .transcript_writer import to_the_end


def first_lost(own: Node, final: int, other: Node) -> int | None:
    """Return the first final step of a chain that another chain of the table does not have.

    Final steps differ only after a fork (3). So if the other chain goes on beyond such a step, or
    is complete, the two prove a fork.

    Args:
        own: The last node of the chain.
        final: The number of the last step that is final there ([E-15]). Later steps may be replaced
            in an honest game, and do not count.
        other: The last node of the other chain, which may end before the step `result`.

    Returns:
        The number of the step. None if the other chain has all of them.
    """
    known = {node.digest for node in other.history()}
    for before, after in pairwise(to_the_end(own)):
        # A change of who is present is no step. It is in the digest of the step behind it.
        if after.slots is not None and before.step <= final and after.digest not in known:
            return before.step
    return None
