"""Sealed choices: how to make, check and open a commitment with its escrow.

The escrow contains the encrypted opening, so that a quorum of seats can open the choice of an
absent seat.
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
    """Return the length in bytes of the longest encoded choice of a kind.

    Args:
        kind: The kind of choice, as the game calls it, or `coin` for the random bytes of the deal.
    """
    return COIN_SIZE if kind == COIN else node.table.game.size(kind)


def opening_size(choice_size: int) -> int:
    """Return the length to which every opening of one kind of choice is padded.

    Args:
        choice_size: The length of the longest choice of the kind, in bytes.

    Returns:
        The length in bytes. An opening consists of a nonce, the length of the choice, and the
        padded choice.
    """
    return 2 + choice_size + step_bodies.NONCE


def context_of(node: Node, step: int, seat: int, kind: str) -> Context:
    """Return the context that is hashed into a sealed choice's commitment and escrow ([C-12]).

    Args:
        step: The number of the step in which the choice is sealed.
        kind: The kind of choice, as the game calls it, or `coin` for the random bytes of the deal.
    """
    return node.table.context(step, seat, kind if kind == COIN else f"game {kind}")


def sealing_of(node: Node, seat: int, kind: str, sealed: SealedChoice) -> escrow.Sealing:
    """Return the escrow of a sealed choice, with all values that its proof covers.

    Args:
        node: A state of the chain after `key.reveal`.
        seat: The owner of the choice.
        kind: The kind of choice, or `coin` for the random bytes of the deal.

    Returns:
        The context, the joint key, the commitment and the escrow.
    """
    context = context_of(node, sealed.step, seat, kind)
    return context, node.keys.joint, sealed.commitment, sealed.escrow


def seal_choice(
    node: Node, seat: int, kind: str, choice: bytes, secrets: Secrets, rng: Random
) -> bytes:
    """Commit to a choice with a fresh nonce, and store its opening in the secrets ([D-5]).

    Args:
        node: The state of the chain before the step in which the choice is sealed.
        kind: The kind of choice, or `coin` for the random bytes of the deal.
        choice: The encoded choice, or 32 random bytes if `kind` is `coin`.
        secrets: The secrets of the seat, to which the opening is added.

    Returns:
        The encoded body with the commitment and the escrow.
    """
    context, nonce = context_of(node, node.step, seat, kind), rng(step_bodies.NONCE)
    committed = commitments.commit(context, choice, nonce)
    box = b""
    if not node.table.strict:
        padded = commitments.opening(choice, nonce, opening_size(choice_size(node, kind)))
        box = escrow.encrypt(context, node.keys.joint, committed, padded)
    secrets.keep_opening(committed, choice, nonce)
    return step_bodies.encode_body(SealBody(committed, box))


def check_sealed(node: Node, seat: int, kind: str, read: SealBody) -> SealedChoice:
    """Check the escrow of a sealed choice, and return the sealed choice.

    An escrow is an encrypted copy of the choice, which a quorum of seats can decrypt together.

    Args:
        kind: The kind of choice, or `coin` for the random bytes of the deal.
        read: The body of the seat's input, with the commitment and the escrow.

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
    """Check that a choice and a nonce reproduce the sealed commitment and escrow exactly.

    The escrow is the encrypted opening of the choice. It is not checked if the quorum is all seats.

    Args:
        seat: The owner of the choice.
        kind: The kind of choice, or `coin` for the random bytes of the deal.
        opening: The encoded choice and the nonce.
        check_proof: The function that checks the escrow. It may check later only if a wrong escrow
            proves a fault of the seat that gives the opening.

    Raises:
        Invalid: With code `bad-body` if the choice is too long, `bad-opening` if the commitment
            differs, and `bad-escrow` if the escrow differs.
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
    """Return a choice from its bytes.

    Args:
        kind: The kind of choice, or `coin` for the random bytes of the deal.
        data: The encoded choice, or the random bytes of the deal if `kind` is `coin`.

    Returns:
        If `kind` is `coin`, the 32 random bytes as they are. Otherwise an int or a tuple of ints.

    Raises:
        Invalid: With code `bad-body` if the bytes are malformed.
    """
    if kind == COIN:
        if len(data) != COIN_SIZE:
            raise Invalid("bad-body", "a coin has not 32 bytes")
        return data
    return step_bodies.parse_choice(data, choice_size(node, kind))
