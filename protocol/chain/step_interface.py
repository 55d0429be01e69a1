"""The interface of a kind of step: how bodies are checked, applied and written."""

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
"""The type of the content of a checked body, whose proofs are all valid."""


class StepRules(ABC, Generic[C]):
    """The rules of one kind of step, which judge and write the bodies of the step."""

    @abstractmethod
    def check(self, node: Node, seat: int, body: bytes) -> C:
        """Check the body that a seat gives, and return what it contains.

        Raises:
            Invalid: If the body is malformed or illegal, with the code of the first fault in it.
        """

    @abstractmethod
    def apply(self, node: Node, inputs: Mapping[int, C]) -> Node:
        """Return the node after the step. The caller sets its digest, its number and its next step.

        Args:
            inputs: The content of each body, by seat. Seats that gave no body are left out.
        """

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return the body that a seat gives without asking its player, by default the empty one."""
        return step_bodies.EMPTY

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the body that a seat gives in this step to make its player's choice.

        Raises:
            ValueError: If this kind of step asks for no choice.
        """
        raise ValueError(f"no choice is asked in {node.want.kind}")


@dataclass(frozen=True)
class EmptyStep(StepRules[None]):
    """The rules of a step in which seats confirm what came before, by an empty body.

    Attributes:
        then: Makes the node after the step from the node before it.
    """

    then: Callable[[Node], Node] = lambda node: node

    def check(self, node: Node, seat: int, body: bytes) -> None:
        """Check that a body is empty."""
        read_empty(body)

    def apply(self, node: Node, inputs: Mapping[int, None]) -> Node:
        """Return the node after the step, as `self.then` makes it."""
        return self.then(node)


def read_empty(body: bytes) -> None:
    """Check that a body is the empty body, the encoding of nil ([N-4]).

    Raises:
        Invalid: With code `bad-body` if it is another body.
    """
    if body != step_bodies.EMPTY:
        raise Invalid("bad-body", "a body where none was due")
