"""What a host's ticket is good for, in words."""

from __future__ import annotations

from p2p_hoity.session.updates import Reached

from .reasons import sentence


def reach_lines(update: Reached) -> list[str]:
    """From where it works, why not further, and what to do: a line each."""
    return [sentence(reason) for reason in update.reasons]
