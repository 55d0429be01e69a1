"""A table so small that every way it can go may be tried: steps that take any of two bodies."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from protocol.chain import chain_state
from protocol.chain.chain_state import Kind, Node
from protocol.chain.step_interface import StepRules
from protocol.chain.transition import STEPS
from protocol.errors import Invalid
from protocol.game_interface import Choose, Layout, Over, Presence, Seal

BOTH = (b"a", b"b")
LEGAL = {"H": (b"a",), "R": (b"a",)}
"""The legal bodies by letter: the empty pass in a barrier, and the one opening of the commitment in
a reveal. Any other step has two."""


@dataclass(frozen=True)
class TinyState:
    done: int
    present: frozenset[int]


class TinyGame:
    """Steps by shape: a digit is the one seat that speaks; at a letter all speak.

    'C' seals, 'H' is a barrier, and 'R' reveals; 'A' is any other step in which all speak.
    `ranks` are what the game gives as standings: the rank of each seat.
    """

    def __init__(self, seats: int, shape: str, ranks: tuple[int, ...] = ()) -> None:
        self.seats, self.shape, self.ranks = seats, shape, ranks
        self.layout = Layout(0, ((),) * seats, ())

    def start(self) -> TinyState:
        return TinyState(0, frozenset(range(self.seats)))

    def _settled(self, state: TinyState) -> TinyState:
        """Behind every step of a seat that is not there."""
        while (step := self.letter(state)).isdigit() and int(step) not in state.present:
            state = replace(state, done=state.done + 1)
        return state

    def letter(self, state: TinyState) -> str:
        """The step that a state stands before; empty at the end."""
        return self.shape[state.done : state.done + 1]

    def expected(self, state: TinyState) -> Any:
        step = self.letter(self._settled(state))
        if not step:
            return Over()
        return Choose("x", int(step)) if step.isdigit() else Seal("x", state.present)

    def standings(self, state: TinyState) -> tuple[tuple[int, int], ...]:
        return tuple((rank, seat) for seat, rank in enumerate(self.ranks))

    def apply(self, state: TinyState, event: Any) -> TinyState:
        if isinstance(event, Presence):
            return replace(state, present=event.present)
        state = self._settled(state)
        return replace(state, done=state.done + 1)


def letter(node: Node) -> str:
    """The step that `node` stands before."""
    game: Any = node.table.game
    return str(game.letter(game._settled(node.state)))


def bodies(node: Node) -> tuple[bytes, ...]:
    """Return the legal bodies in the step at `node`."""
    return LEGAL.get(letter(node), BOTH)


class TinyStep(StepRules[bytes]):
    """A step that takes any of the bodies of this table."""

    def check(self, node: Node, seat: int, body: bytes) -> bytes:
        if body not in bodies(node):
            raise Invalid("bad-body", "no version of this step")
        return body

    def apply(self, node: Node, said: Any) -> Node:
        return replace(node, state=node.table.game.apply(node.state, said))


@contextmanager
def tiny_steps() -> Iterator[None]:
    """Two kinds of step take the bodies of this table."""
    kinds = (Kind.SEAL, Kind.CHOOSE)
    steps: Any = STEPS
    with (
        mock.patch.object(chain_state, "NEXT", dict.fromkeys(Kind, frozenset(Kind))),
        mock.patch.dict(steps, {kind: TinyStep() for kind in kinds}),
    ):
        yield
