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
    """The rules of `seal`, in which each seat that owes a choice commits to it.

    The other seats give an empty body.
    """

    def check(self, node: Node, seat: int, body: bytes) -> SealedChoice | None:
        """Check the body of a sealed choice: its commitment and its escrow.

        The escrow is the encrypted choice, which a quorum of seats can decrypt. It is empty if the
        quorum is all seats.

        Returns:
            The sealed choice. None for a seat that owes no choice, whose body must be empty.

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
    """The rules of `choose`: one seat makes an open choice."""

    def check(self, node: Node, seat: int, body: bytes) -> Choice:
        """Check that a body is a choice that the game allows.

        Raises:
            Invalid: With code `bad-body` or `illegal-choice`.
        """
        choice = step_bodies.parse_choice(body, choice_size(node, node.want.name))
        check_move(node, node.want.name, seat, choice, {})
        return choice

    def apply(self, node: Node, inputs: Mapping[int, Choice]) -> Node:
        """Return the node after the step, in which the game has applied the seat's choice.

        Args:
            inputs: The choice, by seat. If the choosing seat is absent or at fault, the dict is
                empty, and the game gets None as its choice.
        """
        (seat,) = node.want.speakers
        event = Chosen(node.want.name, seat, inputs.get(seat))
        return replace(node, state=node.table.game.apply(node.state, event))

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the encoded choice, which is the body of the seat's input to the step."""
        return step_bodies.encode_choice(choice)


@dataclass(frozen=True)
class Showing:
    """The content of a body in which a seat shows cards.

    Attributes:
        choice: The slots of the deck whose cards the seat shows.
        shares: The seat's proven decryption shares, one for each of these slots whose card is still
            hidden. Each share is stored under the pair of its slot and this seat.
    """

    choice: Choice
    shares: Shares


class ShowStep(StepRules[Showing | None]):
    """The rules of `show`, in which one seat makes an open choice that shows cards.

    The other seats give an empty body.
    """

    def check(self, node: Node, seat: int, body: bytes) -> Showing | None:
        """Check and read the body of a seat's input, in which the seat shows cards.

        The seat may show only open cards and cards of its own hand, and the game must allow the
        choice. If the seat owes no choice, the body must be empty.

        Returns:
            The choice, with the seat's decryption shares for the shown cards that were hidden.
            None if the seat owes no choice.

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
        with within("shares"):
            shares = own_shares(node, seat, hidden_of(node, seat, choice)).check(read.shares)
        with within("choice"):
            check_move(node, node.want.name, seat, choice, shares)
        return Showing(choice, shares)

    def apply(self, node: Node, inputs: Mapping[int, Showing | None]) -> Node:
        """Store the choice of the seat that shows cards, and add its decryption shares.

        Args:
            inputs: What was shown, by seat.

        Returns:
            The new state of the chain. If the seat that shows cards gave no input, its choice is
            stored as None.
        """
        (seat,) = node.want.owes
        shown = inputs.get(seat)
        choice = None if shown is None else shown.choice
        opened: dict[tuple[str, int], Opening] = {**node.opened, (node.want.name, seat): choice}
        more = {} if shown is None else shown.shares
        return replace(node, opened=opened, shares={**node.shares, **more})

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the content of the seat's input: a choice, and shares of the chosen hidden cards.

        The shares are the seat's decryption shares, by which the others can open these cards.
        """
        shares = own_shares(node, seat, hidden_of(node, seat, choice)).write(secrets.key, rng)
        return step_bodies.encode_body(ShowBody(step_bodies.encode_choice(choice), shares))


class ResultStep(StepRules[None]):
    """The rules of the step `result`: each present seat signs the final standings.

    The signed body also lists the present seats. If two implementations follow different game
    rules, their seats sign different bodies. So the difference is found before a result is final.
    """

    def check(self, node: Node, seat: int, body: bytes) -> None:
        """Check that a body contains the standings and the present seats of this chain ([N-13]).

        Args:
            node: The last state of the chain, whose next step is `result`.
            seat: The seat that gives the body.

        Raises:
            Invalid: With code `bad-body` if it contains anything else.
        """
        if body != node.result_body():
            raise Invalid("bad-body", "other standings or present seats than those of the chain")

    def apply(self, node: Node, inputs: Mapping[int, None]) -> Node:
        """Raise an error: the inputs to `result` confirm the end, and never make a further node.

        Args:
            node: The last state of the chain, whose next step is `result`.
            inputs: What was given, by seat.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("the chain ends before `result`")

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return the body of `result`: the standings and the present seats.

        Args:
            node: The last state of the chain, whose next step is `result`.
        """
        return node.result_body()
