"""The interface of a kind of step: how seats' inputs (bodies) are checked, applied and written."""

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
    """The rules of one kind of step.

    A body is the content of a seat's input to the step. The rules check one body, apply all bodies
    to the chain, and write a seat's own body.
    """

    @abstractmethod
    def check(self, node: Node, seat: int, body: bytes) -> C:
        """Check a body, and return what it contains.

        Args:
            seat: The seat that gives the body.

        Returns:
            The content of the body, of a type that depends on the kind of step.

        Raises:
            Invalid: If the body is malformed or illegal, with the code of the first fault in it.
        """

    @abstractmethod
    def apply(self, node: Node, inputs: Mapping[int, C]) -> Node:
        """Return the node after the step; the caller sets its digest, number and next step.

        Args:
            inputs: The content of each body, by seat. Seats that gave no body are left out.

        Returns:
            The new state of the chain.
        """

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return the body that a seat gives in this step without asking its player.

        By default this is the empty body. The method is not used for a step in which the player of
        the seat has to choose.
        """
        return step_bodies.EMPTY

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the bytes (body) that a seat sends in this step to make its player's choice.

        Raises:
            ValueError: If this kind of step asks for no choice.
        """
        raise ValueError(f"no choice is asked in {node.want.kind}")


@dataclass(frozen=True)
class EmptyStep(StepRules[None]):
    """The rules of a step in which seats confirm what came before, by an empty body.

    Attributes:
        then: A function that takes the node before the step, and returns the node after it.
    """

    then: Callable[[Node], Node] = lambda node: node

    def check(self, node: Node, seat: int, body: bytes) -> None:
        """Check that a body is empty.

        Raises:
            Invalid: With code `bad-body` if it is not empty.
        """
        read_empty(body)

    def apply(self, node: Node, inputs: Mapping[int, None]) -> Node:
        """Return the node after the step, as the function `self.then` makes it from `node`.

        Args:
            inputs: The seats that gave a body, as keys. Not used.

        Returns:
            The new state of the chain.
        """
        return self.then(node)


def read_empty(body: bytes) -> None:
    """Check that a body is the empty body, the encoding of nil ([N-4]).

    Raises:
        Invalid: With code `bad-body` if it is another body.
    """
    if body != step_bodies.EMPTY:
        raise Invalid("bad-body", "a body where none was due")
