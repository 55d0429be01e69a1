"""The steps of the game itself in which a seat gives more than that it is there."""

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
    """A commitment of each who owes a choice, an empty pass of everyone else."""

    def check(self, node: Node, seat: int, body: bytes) -> SealedChoice | None:
        """Check that the escrow is one of this commitment; None for a pass."""
        if seat not in node.want.owes:
            read_empty(body)
            return None
        read = step_bodies.parse(step_bodies.SealBody, body)
        return check_sealed(node, seat, node.want.name, read)

    def apply(self, node: Node, inputs: Mapping[int, SealedChoice | None]) -> Node:
        """Keep the commitments and tell the game who sealed."""
        name = node.want.name
        fresh = {(name, seat): one for seat, one in inputs.items() if one is not None}
        event = Sealed(name, frozenset(seat for _, seat in fresh))
        state = node.table.game.apply(node.state, event)
        return replace(node, sealed={**node.sealed, **fresh}, state=state)

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return a commitment to the choice."""
        data = step_bodies.encode_choice(choice)
        return seal_choice(node, seat, node.want.name, data, secrets, rng)


class ChooseStep(StepRules[Choice]):
    """A legal open choice of one seat."""

    def check(self, node: Node, seat: int, body: bytes) -> Choice:
        """Return the choice itself, which the game must allow."""
        choice = step_bodies.parse_choice(body, choice_size(node, node.want.name))
        check_move(node, node.want.name, seat, choice, {})
        return choice

    def apply(self, node: Node, inputs: Mapping[int, Choice]) -> Node:
        """Tell the game the choice, or that whoever is absent or at fault made none."""
        (seat,) = node.want.speakers
        event = Chosen(node.want.name, seat, inputs.get(seat))
        return replace(node, state=node.table.game.apply(node.state, event))

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the choice itself."""
        return step_bodies.encode_choice(choice)


@dataclass(frozen=True)
class Showing:
    """What one seat shows: its choice and the proven shares of its hidden cards."""

    choice: Choice
    shares: Shares


class ShowStep(StepRules[Showing | None]):
    """The lone exhibitor's choice with the shares of its hidden cards; a pass of the others."""

    def check(self, node: Node, seat: int, body: bytes) -> Showing | None:
        """Check that the seat may show these cards, the shares are proven, and the game allows it.

        Raises:
            Invalid: If not ('illegal-choice'), or with the codes of shares.
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
        """Open what was shown."""
        (seat,) = node.want.owes
        shown = inputs.get(seat)
        choice = None if shown is None else shown.choice
        opened: dict[tuple[str, int], Opening] = {**node.opened, (node.want.name, seat): choice}
        more = {} if shown is None else shown.shares
        return replace(node, opened=opened, shares={**node.shares, **more})

    def write_choice(
        self, node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random
    ) -> bytes:
        """Return the choice with the shares of what is still hidden of it."""
        shares = own_shares(node, seat, hidden_of(node, seat, choice)).write(secrets.key, rng)
        return step_bodies.encode_body(ShowBody(step_bodies.encode_choice(choice), shares))


class ResultStep(StepRules[None]):
    """The same body of every present seat: the standings, and who is present.

    Two implementations whose rules differ sign different bodies here, so the difference is found
    before a result is final.
    """

    def check(self, node: Node, seat: int, body: bytes) -> None:
        """Check that the body is the one that follows from the chain ([N-13]).

        Raises:
            Invalid: `bad-body`, if it is not.
        """
        if body != node.result_body():
            raise Invalid("bad-body", "other standings or present seats than those of the chain")

    def apply(self, node: Node, inputs: Mapping[int, None]) -> Node:
        """Raise RuntimeError: the inputs of `result` confirm the end and are no step."""
        raise RuntimeError("the chain ends before `result`")

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return the body that follows from the chain."""
        return node.result_body()
