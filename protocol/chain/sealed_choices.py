"""Sealed choices: their commitment with its escrow, how both are checked, and how they open."""

from __future__ import annotations

from ..crypto import commitments, escrow
from ..crypto.hashing import Context, Random
from ..crypto.proof_batches import Checker, at_once
from ..errors import Invalid, within
from ..game_interface import Choice
from ..wire import step_bodies
from ..wire.step_bodies import COIN, COIN_SIZE, SealBody
from .chain_state import Node, SealedChoice, Secrets


def choice_size(node: Node, kind: str) -> int:
    """Return the most bytes a choice of this kind takes."""
    return COIN_SIZE if kind == COIN else node.table.game.size(kind)


def opening_size(choice_size: int) -> int:
    """Return the fixed length of a padded opening: length, choice, nonce, zeros."""
    return 2 + choice_size + step_bodies.NONCE


def context_of(node: Node, step: int, seat: int, kind: str) -> Context:
    """Return what a sealed choice of this kind is bound to ([C-12]).

    Args:
        node: A node of the table.
        step: The number of the step in which it is sealed.
        seat: Who seals it.
        kind: The kind of choice, as the game calls it, or the coin.
    """
    return node.table.context(step, seat, kind if kind == COIN else f"game {kind}")


def sealing_of(node: Node, seat: int, kind: str, sealed: SealedChoice) -> escrow.Sealing:
    """Return what the escrow of a seat's sealed choice is bound to, and the escrow."""
    context = context_of(node, sealed.step, seat, kind)
    return context, node.keys.joint, sealed.commitment, sealed.escrow


def seal_choice(
    node: Node, seat: int, kind: str, choice: bytes, secrets: Secrets, rng: Random
) -> bytes:
    """Return the body of a commitment with its escrow; the opening is kept in `secrets` ([D-5])."""
    context, nonce = context_of(node, node.step, seat, kind), rng(step_bodies.NONCE)
    committed = commitments.commit(context, choice, nonce)
    held = b""
    if not node.table.strict:
        padded = commitments.opening(choice, nonce, opening_size(choice_size(node, kind)))
        held = escrow.encrypt(context, node.keys.joint, committed, padded)
    secrets.keep_opening(committed, choice, nonce)
    return step_bodies.encode_body(SealBody(committed, held))


def check_sealed(node: Node, seat: int, kind: str, read: SealBody) -> SealedChoice:
    """Return a sealed choice whose escrow is checked.

    It must be one of this commitment, in this step, of this seat, and of the size of its kind.

    Raises:
        Invalid: If it is not ('bad-escrow').
    """
    sealed = SealedChoice(node.step, read.commitment, read.escrow)
    size = opening_size(choice_size(node, kind)) + escrow.OVERHEAD
    with within("escrow"):
        if node.table.strict and read.escrow:
            raise Invalid("bad-escrow", "a strict table has no escrow")
        if not node.table.strict:
            if len(read.escrow) != size:
                raise Invalid("bad-escrow", "an escrow has another size")
            node.table.check_proof(escrow.verify, *sealing_of(node, seat, kind, sealed))
    return sealed


def check_opening(
    node: Node,
    seat: int,
    kind: str,
    sealed: SealedChoice,
    opening: tuple[bytes, bytes],
    check_proof: Checker = at_once,
) -> None:
    """Check that choice and nonce give commitment and escrow again, byte for byte.

    Raises Invalid: 'bad-body', 'bad-opening' or 'bad-escrow'. The last may be put off where it
    would be the fault of who opens.
    """
    choice, nonce = opening
    context = context_of(node, sealed.step, seat, kind)
    size = choice_size(node, kind)
    if len(choice) > size:
        raise Invalid("bad-body", "a choice is longer than its kind allows")
    if commitments.commit(context, choice, nonce) != sealed.commitment:
        raise Invalid("bad-opening", "the opening does not fit the commitment")
    if node.table.strict:
        return
    padded = commitments.opening(choice, nonce, opening_size(size))
    check_proof(escrow.verify_opening, *sealing_of(node, seat, kind, sealed), padded)


def read_choice(node: Node, kind: str, data: bytes) -> bytes | Choice:
    """Return the coin stays bytes; any other choice is an int or a tuple of ints.

    Raises Invalid('bad-body').
    """
    if kind == COIN:
        if len(data) != COIN_SIZE:
            raise Invalid("bad-body", "a coin has not 32 bytes")
        return data
    return step_bodies.parse_choice(data, choice_size(node, kind))
