"""What a kind of step is: how its bodies are read, checked, applied and written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..crypto.hashing import Random
from ..errors import Invalid
from ..game_interface import Choice
from ..wire import step_bodies
from .chain_state import Node, Secrets

C = TypeVar("C")
"""What a body gives once it is checked: with every proof in it verified."""


class StepRules(ABC, Generic[C]):
    """One kind of step: `check` each body, once; `apply` what all of them gave."""

    @abstractmethod
    def check(self, node: Node, seat: int, body: bytes) -> C:
        """Return what a body gives, having read it by its form and checked all that it says.

        Args:
            node: The node that stands before the step.
            seat: The seat that says the body.
            body: The bytes of the body.

        Raises:
            Invalid: If the body has another form, or with the first fault in it.
        """

    @abstractmethod
    def apply(self, node: Node, inputs: Mapping[int, C]) -> Node:
        """Return the state after the step, from what each seat gave that was not missing."""

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return what this seat gives without being asked for a choice."""
        return step_bodies.EMPTY

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the body with a choice of its player. Raises ValueError where none is asked."""
        raise ValueError(f"no choice is asked in {node.want.kind}")


@dataclass(frozen=True)
class EmptyStep(StepRules[None]):
    """A step in which all there is to say is that one is there.

    Attributes:
        then: Gives the state after it, from the node before.
    """

    then: Callable[[Node], Node] = lambda node: node

    def check(self, node: Node, seat: int, body: bytes) -> None:
        """Check that the body is the empty one."""
        read_empty(body)

    def apply(self, node: Node, inputs: Mapping[int, None]) -> Node:
        """Return the state after the step, whoever has said that it is there."""
        return self.then(node)


def read_empty(body: bytes) -> None:
    """Refuse a body that is not the empty one ([N-4]). Raises Invalid."""
    if body != step_bodies.EMPTY:
        raise Invalid("bad-body", "a body where none was due")
