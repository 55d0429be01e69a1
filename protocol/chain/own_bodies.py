"""What one seat says: the body of each step, from its secrets and its player's choices."""

from __future__ import annotations

from ..crypto.randomness import Random
from ..game import Choice
from .secrets import Secrets
from .state import Kind, Node
from .steps import STEPS


def needs_choice(node: Node, seat: int) -> bool:
    """Whether this seat must be asked before it can speak."""
    return seat in node.want.owes and node.want.kind in (Kind.SEAL, Kind.SHOW, Kind.CHOOSE)


def body_of(node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
    """What this seat says in a step that asks no choice of it."""
    return STEPS[node.want.kind].write(node, seat, secrets, rng)


def body_of_choice(node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random) -> bytes:
    """What this seat says with a choice of its player."""
    return STEPS[node.want.kind].write_choice(node, seat, choice, secrets, rng)
