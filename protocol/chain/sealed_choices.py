"""Sealed choices: how to make, check and open a commitment with its escrow.

The *kind* of a choice is as the game calls it, or `coin` for the 32 random bytes of the deal.
"""

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
    """Return the length in bytes of the longest encoded choice of a kind."""
    return COIN_SIZE if kind == COIN else node.table.game.size(kind)


def opening_size(choice_size: int) -> int:
    """Return the length to which every opening of one kind of choice is padded.

    It is made of the length of the choice, the padded choice of `choice_size` bytes, and a nonce.
    """
    return 2 + choice_size + step_bodies.NONCE


def context_of(node: Node, step: int, seat: int, kind: str) -> Context:
    """Return the context that is hashed into a sealed choice's commitment and escrow ([C-12])."""
    # The prefix keeps a game's kinds apart from the protocol's own.
    return node.table.context(step, seat, kind if kind == COIN else f"game {kind}")


def sealing_of(node: Node, seat: int, kind: str, sealed: SealedChoice) -> escrow.Sealing:
    """Return the escrow of a seat's sealed choice, with all values that its proof covers."""
    context = context_of(node, sealed.step, seat, kind)
    return context, node.keys.joint, sealed.commitment, sealed.escrow


def seal_choice(
    node: Node, seat: int, kind: str, choice: bytes, secrets: Secrets, rng: Random
) -> bytes:
    """Commit to an encoded choice with a fresh nonce, and store its opening in the secrets ([D-5]).

    Return the encoded body with the commitment and the escrow, which is empty at a strict table.
    """
    context, nonce = context_of(node, node.step, seat, kind), rng(step_bodies.NONCE)
    committed = commitments.commit(context, choice, nonce)
    box = b""
    if not node.table.strict:
        padded = commitments.opening(choice, nonce, opening_size(choice_size(node, kind)))
        box = escrow.encrypt(context, node.keys.joint, committed, padded)
    # Before anyone sees the body: without its opening the seat could not open its choice.
    secrets.keep_opening(committed, choice, nonce)
    return step_bodies.encode_body(SealBody(committed, box))


def check_sealed(node: Node, seat: int, kind: str, read: SealBody) -> SealedChoice:
    """Check the escrow of a sealed choice, and return the sealed choice.

    Raises:
        Invalid: With code `bad-escrow` if the escrow has the wrong size, or does not belong to this
            commitment, step and seat.
    """
    sealed = SealedChoice(node.step, read.commitment, read.escrow)
    size = opening_size(choice_size(node, kind)) + escrow.OVERHEAD
    with within("escrow"):
        if node.table.strict and read.escrow:
            raise Invalid("bad-escrow", "a strict table has no escrow")
        if not node.table.strict:
            # All escrows of a kind have one size, so that the size does not tell the choice.
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
    """Check that a choice and its nonce reproduce the sealed commitment and escrow exactly.

    Args:
        check_proof: Checks the escrow. It may check later only if a wrong escrow proves a fault of
            the seat that gives the opening.

    Raises:
        Invalid: With code `bad-body` if the choice is too long, `bad-opening` if the commitment
            differs, and `bad-escrow` if the escrow differs.
    """
    choice, nonce = opening
    context = context_of(node, sealed.step, seat, kind)
    size = choice_size(node, kind)
    # First, because `commitments.opening` raises no Invalid for a choice that does not fit.
    if len(choice) > size:
        raise Invalid("bad-body", "a choice is longer than its kind allows")
    if commitments.commit(context, choice, nonce) != sealed.commitment:
        raise Invalid("bad-opening", "the opening does not fit the commitment")
    if node.table.strict:
        return
    padded = commitments.opening(choice, nonce, opening_size(size))
    check_proof(escrow.verify_opening, *sealing_of(node, seat, kind, sealed), padded)


def read_choice(node: Node, kind: str, data: bytes) -> bytes | Choice:
    """Return a choice from its bytes. The coin stays as it is.

    Raises:
        Invalid: With code `bad-body` if the bytes are malformed.
    """
    if kind == COIN:
        if len(data) != COIN_SIZE:
            raise Invalid("bad-body", "a coin has not 32 bytes")
        return data
    return step_bodies.parse_choice(data, choice_size(node, kind))
