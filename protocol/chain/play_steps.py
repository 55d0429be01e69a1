"""The rules of the steps in which seats make choices, or confirm the result of the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..crypto.hashing import Random
from ..errors import Invalid, within
from ..game_interface import Choice, Chosen, Sealed
from ..wire import step_bodies
from ..wire.step_bodies import ShowBody
from .cards import Shares, check_showable, hidden_of, own_shares
from .chain_state import Node, Opening, SealedChoice, Secrets
from .openings import check_move
from .sealed_choices import check_sealed, choice_size, seal_choice
from .step_interface import StepRules, read_empty


class SealStep(StepRules[SealedChoice | None]):
    """The rules of `seal`, in which each seat that owes a choice commits to it."""

    def check(self, node: Node, seat: int, body: bytes) -> SealedChoice | None:
        """Check a sealed choice. A seat that owes none gives the empty body, and None is returned.

        Raises:
            Invalid: With code `bad-body` or `bad-escrow`.
        """
        if seat not in node.want.owes:
            read_empty(body)
            return None
        read = step_bodies.parse(step_bodies.SealBody, body)
        return check_sealed(node, seat, node.want.name, read)

    def apply(self, node: Node, inputs: Mapping[int, SealedChoice | None]) -> Node:
        """Store the sealed choices, and tell the game which seats have sealed."""
        name = node.want.name
        fresh = {(name, seat): one for seat, one in inputs.items() if one is not None}
        event = Sealed(name, frozenset(seat for _, seat in fresh))
        state = node.table.game.apply(node.state, event)
        return replace(node, sealed={**node.sealed, **fresh}, state=state)

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the body that commits to a choice, and store its opening in `secrets`."""
        data = step_bodies.encode_choice(choice)
        return seal_choice(node, seat, node.want.name, data, secrets, rng)


class ChooseStep(StepRules[Choice]):
    """The rules of `choose`, in which one seat makes an open choice."""

    def check(self, node: Node, seat: int, body: bytes) -> Choice:
        """Check that a body is a choice that the game allows.

        Raises:
            Invalid: With code `bad-body` or `illegal-choice`.
        """
        choice = step_bodies.parse_choice(body, choice_size(node, node.want.name))
        check_move(node, node.want.name, seat, choice, {})
        return choice

    def apply(self, node: Node, inputs: Mapping[int, Choice]) -> Node:
        """Return the node after the game has applied the choice.

        The game gets None as the choice of a seat that is absent or at fault.
        """
        (seat,) = node.want.speakers
        event = Chosen(node.want.name, seat, inputs.get(seat))
        return replace(node, state=node.table.game.apply(node.state, event))

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the encoded choice."""
        return step_bodies.encode_choice(choice)


@dataclass(frozen=True)
class Showing:
    """The content of a body in which a seat shows cards.

    Attributes:
        choice: The slots of the cards.
        shares: The seat's shares of those cards that are still hidden.
    """

    choice: Choice
    shares: Shares


class ShowStep(StepRules[Showing | None]):
    """The rules of `show`, in which one seat makes an open choice that shows cards."""

    def check(self, node: Node, seat: int, body: bytes) -> Showing | None:
        """Check that a seat shows only open cards and its hand's, and that the game allows it.

        A seat that owes no choice gives the empty body, and None is returned.

        Raises:
            Invalid: With code `illegal-choice`, or with the code for a malformed body or an invalid
                share.
        """
        if seat not in node.want.owes:
            read_empty(body)
            return None
        read = step_bodies.parse(step_bodies.ShowBody, body)
        with within("choice"):
            choice = step_bodies.parse_choice(read.choice, choice_size(node, node.want.name))
            check_showable(node, seat, choice)
        # The shares are checked before the game judges the choice, which needs the cards.
        with within("shares"):
            shares = own_shares(node, seat, hidden_of(node, seat, choice)).check(read.shares)
        with within("choice"):
            check_move(node, node.want.name, seat, choice, shares)
        return Showing(choice, shares)

    def apply(self, node: Node, inputs: Mapping[int, Showing | None]) -> Node:
        """Store the choice and its shares. A seat that gave no input has the choice None."""
        (seat,) = node.want.owes
        shown = inputs.get(seat)
        choice = None if shown is None else shown.choice
        opened: dict[tuple[str, int], Opening] = {**node.opened, (node.want.name, seat): choice}
        more = {} if shown is None else shown.shares
        return replace(node, opened=opened, shares={**node.shares, **more})

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the body with a choice, and the seat's shares of the hidden cards in it."""
        shares = own_shares(node, seat, hidden_of(node, seat, choice)).write(secrets.key, rng)
        return step_bodies.encode_body(ShowBody(step_bodies.encode_choice(choice), shares))


class ResultStep(StepRules[None]):
    """The rules of `result`, in which each present seat signs the standings and the present seats.

    If two implementations follow different game rules, their seats sign different bodies. So the
    difference is found before a result is final.
    """

    def check(self, node: Node, seat: int, body: bytes) -> None:
        """Check that a body contains the standings and the present seats of this chain ([N-13]).

        Raises:
            Invalid: With code `bad-body` if it contains anything else.
        """
        if body != node.result_body():
            raise Invalid("bad-body", "other standings or present seats than those of the chain")

    def apply(self, node: Node, inputs: Mapping[int, None]) -> Node:
        """Raise an error: the inputs to `result` confirm the end, and never make a further node.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("the chain ends before `result`")

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return the standings and the present seats."""
        return node.result_body()
