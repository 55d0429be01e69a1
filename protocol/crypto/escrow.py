"""Escrow: threshold encryption (TDH2) of a sealed choice, which t seats can open for its owner.

TDH2 is the scheme of Shoup and Gennaro 1998, "Securing Threshold Cryptosystems against Chosen
Ciphertext Attack", section 4.2. The key is the joint key Y. Its secret is shared with threshold t
by the sum of all polynomials of the key sharing. The proof in an escrow binds the escrow to a
commitment, table, step and seat. So nobody can get escrow shares for another ciphertext, such as
that of a card.

All randomness of the encryption is derived from the opening, which contains a secret nonce of 32
bytes. So whoever sees the opening can compute the same escrow again.

An escrow is u (32 bytes), u-bar (32), the challenge e (32), the response f (32), and the masked
opening. An escrow share is a point (32 bytes) and a proof of equal logarithms (64).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from ..errors import Invalid, coded
from . import group
from .group import Point, decode_scalar, encode_scalar, mul, mul_base, second_generator
from .hashing import Context, Label, Random, expand, hash_to_scalar
from .key_sharing import combine
from .sigma_proofs import prove_equal, verify_equal

Sealing = tuple[Context, Point, bytes, bytes]
"""An escrow and what its proof covers: context, joint key, commitment, and the escrow itself."""
OVERHEAD: Final = 128
"""How many bytes longer an escrow is than the opening in it."""
SHARE_SIZE: Final = 96
"""Bytes of an escrow share."""


class _Escrow(NamedTuple):
    """The parts of an escrow (the encrypted opening of a sealed choice) after parsing.

    The two scalars are decoded. The two points are not checked yet.
    """

    u: Point
    u_bar: Point
    challenge: int
    response: int
    masked: bytes


def encrypt(context: Context, joint_key: Point, commitment: bytes, opening: bytes) -> bytes:
    """Return the escrow of a commitment's opening. Equal arguments give equal bytes.

    Args:
        context: The context of the sealed choice.
        commitment: The commitment, 32 bytes.
        opening: The padded opening.

    Returns:
        The escrow, 128 bytes longer than the opening.
    """
    where = _where(context, joint_key, commitment)
    r, u, masked = _hide(where, joint_key, opening)
    u_bar = mul(r, second_generator())
    statement = (*where, masked, u, u_bar)
    s = _nonce(r, statement)
    w, w_bar = mul_base(s), mul(s, second_generator())
    e = hash_to_scalar(Label.ESCROW_CHALLENGE, *statement, w, w_bar)
    return b"".join((u, u_bar, encode_scalar(e), encode_scalar(s + r * e), masked))


def verify(context: Context, joint_key: Point, commitment: bytes, escrow: bytes) -> None:
    """Check the proof in an escrow, the encrypted opening of a sealed choice.

    The proof shows that the escrow was made for this context and commitment, by somebody who knew
    the randomness of the encryption. The points of the escrow are also checked to be in the group.
    Only `verify_opening` can check whether the escrow contains the right opening.

    Args:
        commitment: The commitment, 32 bytes.
        escrow: The escrow. Its exact length must have been checked.

    Raises:
        Invalid: With code `bad-escrow` if the proof is invalid.
    """
    u, u_bar, _, _, masked = _parse(escrow)
    if group.IDENTITY in (u, u_bar):
        raise Invalid("bad-escrow", "a point of an escrow is not 0")
    statement = (*_where(context, joint_key, commitment), masked, u, u_bar)
    bases, proof = [second_generator()], escrow[64:OVERHEAD]
    with coded("bad-escrow"):
        verify_equal(Label.ESCROW_CHALLENGE, statement, u, bases, [u_bar], proof)


def verify_opening(
    context: Context, joint_key: Point, commitment: bytes, escrow: bytes, opening: bytes
) -> None:
    """Check that an escrow is exactly the one that `encrypt` makes from an opening.

    `verify` must have accepted the escrow. Given this, it is enough to compute three of its parts
    again: the first point, the masked opening, and the response of the proof. The second point and
    the challenge must then agree too.

    Args:
        context: The context of the sealed choice.
        commitment: The commitment, 32 bytes.
        opening: The padded opening.

    Raises:
        Invalid: With code `bad-escrow` if the escrow differs.
    """
    u, u_bar, e, f, masked = _parse(escrow)
    where = _where(context, joint_key, commitment)
    r, *same = _hide(where, joint_key, opening)
    s = _nonce(r, (*where, masked, u, u_bar))
    if same != [u, masked] or encode_scalar(s + r * e) != encode_scalar(f):
        raise Invalid("bad-escrow", "the escrow is not that of the opening")


def escrow_share(
    context: Context, sealing: Sealing, share_total: int, public_share_total: Point, rng: Random
) -> bytes:
    """Return one seat's share in opening an escrow, with its proof ([D-4]).

    Args:
        sealing: The context, joint key, commitment and escrow of the choice.
        share_total: The sum of the key shares that all seats dealt to this one, a scalar.
        public_share_total: That sum times the base point, 32 bytes.

    Returns:
        The escrow share, 96 bytes.

    Raises:
        Invalid: With code `bad-escrow` if the escrow is invalid.
    """
    verify(*sealing)
    u = _parse(sealing[3]).u
    point = mul(share_total, u)
    statement = _share_statement(context, sealing, public_share_total, point)
    labels = (Label.ESCROW_SHARE, Label.ESCROW_SHARE_NONCE)
    return point + prove_equal(labels, statement, share_total, [u], rng)


def verify_share(
    context: Context, sealing: Sealing, public_share_total: Point, share: bytes
) -> Point:
    """Return the point of an escrow share, after checking its proof.

    Args:
        sealing: The context, joint key, commitment and escrow of the choice.
        public_share_total: The base point times the sum of the key shares of the seat that gives
            the escrow share, 32 bytes.

    Raises:
        Invalid: With code `bad-share` if the share is malformed or its proof is invalid.
    """
    if not isinstance(share, bytes) or len(share) != SHARE_SIZE:
        raise Invalid("bad-share", "an escrow share has 96 bytes")
    u = _parse(sealing[3]).u
    with coded("bad-share"):
        point = group.decode_point(share[:32])
        statement = _share_statement(context, sealing, public_share_total, point)
        verify_equal(Label.ESCROW_SHARE, statement, public_share_total, [u], [point], share[32:])
    return point


def decrypt(escrow: bytes, shares: Mapping[int, Point], t: int) -> bytes:
    """Decrypt the opening in an escrow by escrow shares. The commitment is not checked.

    Args:
        shares: The points of at least t checked escrow shares, by index of the seat (seat + 1).
        t: How many shares are needed.

    Returns:
        The bytes that the owner encrypted. If the owner is honest, they are the padded opening.
    """
    box = _parse(escrow)
    return _mask(combine(shares, t), box.u, box.masked)


def _where(context: Context, joint_key: Point, commitment: bytes) -> tuple[bytes, ...]:
    """Return the byte strings that are hashed first in each proof about an escrow.

    They are the context, the joint key, the two generators of the group and the commitment.
    """
    return (context.encode(), joint_key, group.BASE, second_generator(), commitment)


def _share_statement(
    context: Context, sealing: Sealing, public: Point, point: Point
) -> tuple[bytes, ...]:
    """Return the byte strings that are hashed into the challenge of an escrow share's proof.

    `public` is the base point times the seat's sum of key shares. `point` is the point in the
    escrow share.
    """
    return (context.encode(), *_where(*sealing[:3]), sealing[3], public, point)


def _hide(where: tuple[bytes, ...], joint_key: Point, opening: bytes) -> tuple[int, Point, bytes]:
    """Return the scalar r that is derived from an opening, r times BASE, and the masked opening.

    `where` are the byte strings with which every hash of the escrow begins.
    """
    r = hash_to_scalar(Label.ESCROW_RANDOMNESS, *where, opening)
    u = mul_base(r)
    return r, u, _mask(mul(r, joint_key), u, opening)


def _nonce(r: int, statement: tuple[bytes, ...]) -> int:
    """Return the nonce of the proof: a hash of the scalar r and the byte strings of `statement`."""
    return hash_to_scalar(Label.ESCROW_PROOF_NONCE, encode_scalar(r), *statement)


def _mask(shared: Point, u: Point, data: bytes) -> bytes:
    """Return `data` XOR a key stream that is derived from two points.

    The points are the shared secret of the encryption and the escrow's first point u. The same call
    on the result gives the data again.
    """
    stream = expand(Label.ESCROW_KDF, len(data), shared, u)
    return bytes(left ^ right for left, right in zip(data, stream, strict=True))


def _parse(escrow: bytes) -> _Escrow:
    """Return the parts of an escrow. Raise Invalid with code `bad-escrow` for a malformed one."""
    if not isinstance(escrow, bytes) or len(escrow) <= OVERHEAD:
        raise Invalid("bad-escrow", "an escrow has more than 128 bytes")
    with coded("bad-escrow"):
        e, f = decode_scalar(escrow[64:96]), decode_scalar(escrow[96:128])
    return _Escrow(escrow[:32], escrow[32:64], e, f, escrow[128:])
