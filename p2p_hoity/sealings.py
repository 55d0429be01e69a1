"""When each sealed choice was sealed, as the chain of a game shows it; no rule asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from protocol import Kind, Node, transcript

from .game_adapter import Play


@dataclass(frozen=True)
class Sealing:
    """These seats have sealed a choice of this kind, in a step of the chain.

    `at`: how many things had happened before it.
    """

    at: int
    step: int
    kind: str
    seats: tuple[int, ...]


def sealings(node: Node | None) -> Iterator[Sealing]:
    """Every sealing on the chain to this node, in order."""
    for before, slots, _ in transcript.steps_to(node) if node is not None else ():
        if slots is not None and before.want.kind is Kind.SEAL:
            at = before.state.length if isinstance(before.state, Play) else 0
            said = {seat for seat, slot in enumerate(slots) if isinstance(slot, bytes)}
            seats = tuple(sorted(said & before.want.owes))  # the others have said that they pass
            yield Sealing(at, before.step, before.want.name, seats)
