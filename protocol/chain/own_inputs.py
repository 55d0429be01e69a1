"""What one seat says: the body of each step, from its secrets and its player's choices."""

from __future__ import annotations

from typing import Final

from ..crypto.hashing import Random
from ..game_interface import Choice
from .chain_state import Kind, Node, Secrets
from .transition import STEPS

LONG: Final = frozenset({Kind.KEY_OK, Kind.SHUFFLE, Kind.DEAL, Kind.FINAL})
"""Steps in which a body takes five to a hundred milliseconds to write at a full table."""


def needs_choice(node: Node, seat: int) -> bool:
    """Whether this seat must be asked before it can speak."""
    return seat in node.want.owes and node.want.kind in (Kind.SEAL, Kind.SHOW, Kind.CHOOSE)


def takes_long(node: Node) -> bool:
    """Whether what is said in this step takes so long to write that others notice."""
    return node.want.kind in LONG


def body_of(node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
    """What this seat says in a step that asks no choice of it."""
    return STEPS[node.want.kind].write(node, seat, secrets, rng)


def body_of_choice(node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random) -> bytes:
    """What this seat says with a choice of its player."""
    return STEPS[node.want.kind].write_choice(node, seat, choice, secrets, rng)
