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
    """The parts of an escrow. The scalars are decoded, and the points are not checked yet."""

    u: Point
    u_bar: Point
    challenge: int
    response: int
    masked: bytes


def encrypt(context: Context, joint_key: Point, commitment: bytes, opening: bytes) -> bytes:
    """Return the escrow of a commitment's padded opening. Equal arguments give equal bytes."""
    where = _where(context, joint_key, commitment)
    r, u, masked = _hide(where, joint_key, opening)
    u_bar = mul(r, second_generator())
    statement = (*where, masked, u, u_bar)
    s = _nonce(r, statement)
    w, w_bar = mul_base(s), mul(s, second_generator())
    e = hash_to_scalar(Label.ESCROW_CHALLENGE, *statement, w, w_bar)
    return b"".join((u, u_bar, encode_scalar(e), encode_scalar(s + r * e), masked))


def verify(context: Context, joint_key: Point, commitment: bytes, escrow: bytes) -> None:
    """Check the proof in an escrow, and that its points are in the group.

    The proof shows that the escrow was made for this context and commitment, by somebody who knew
    the randomness of the encryption. Only `verify_opening` can check whether it contains the right
    opening. The caller has checked the exact length of the escrow.

    Raises:
        Invalid: With code `bad-escrow` if the proof is invalid.
    """
    u, u_bar, _, _, masked = _parse(escrow)
    # The identity passes the proof with r = 0, and then everybody knows the shared secret.
    if group.IDENTITY in (u, u_bar):
        raise Invalid("bad-escrow", "a point of an escrow is not 0")
    statement = (*_where(context, joint_key, commitment), masked, u, u_bar)
    bases, proof = [second_generator()], escrow[64:OVERHEAD]
    with coded("bad-escrow"):
        verify_equal(Label.ESCROW_CHALLENGE, statement, u, bases, [u_bar], proof)


def verify_opening(
    context: Context, joint_key: Point, commitment: bytes, escrow: bytes, opening: bytes
) -> None:
    """Check that an escrow is exactly the one that `encrypt` makes from a padded opening.

    `verify` must have accepted the escrow.

    Raises:
        Invalid: With code `bad-escrow` if the escrow differs.
    """
    u, u_bar, e, f, masked = _parse(escrow)
    where = _where(context, joint_key, commitment)
    # `verify` has accepted the proof. So if u and the response agree, u-bar and the challenge do.
    r, *same = _hide(where, joint_key, opening)
    s = _nonce(r, (*where, masked, u, u_bar))
    if same != [u, masked] or encode_scalar(s + r * e) != encode_scalar(f):
        raise Invalid("bad-escrow", "the escrow is not that of the opening")


def escrow_share(
    context: Context, sealing: Sealing, share_total: int, public_share_total: Point, rng: Random
) -> bytes:
    """Return one seat's share in opening an escrow, with its proof ([D-4]).

    Args:
        share_total: The sum of the key shares that all seats dealt to this one.
        public_share_total: That sum times the base point.
    """
    # First the proof. Without it a seat could be made to decrypt a card, by an escrow with the
    # card's first point as u (TDH2).
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
        public_share_total: BASE times the sum of the key shares of the seat that gives the share.

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
    """Return what the owner encrypted: the padded opening, if the owner is honest.

    The commitment is not checked.

    Args:
        shares: The points of at least t checked escrow shares, by index of the seat (seat + 1).
    """
    box = _parse(escrow)
    return _mask(combine(shares, t), box.u, box.masked)


def _where(context: Context, joint_key: Point, commitment: bytes) -> tuple[bytes, ...]:
    return (context.encode(), joint_key, group.BASE, second_generator(), commitment)


def _share_statement(
    context: Context, sealing: Sealing, public: Point, point: Point
) -> tuple[bytes, ...]:
    """Return the byte strings that are hashed into the challenge of an escrow share's proof."""
    # The escrow and both contexts, so that a share is worthless for any other escrow or step.
    return (context.encode(), *_where(*sealing[:3]), sealing[3], public, point)


def _hide(where: tuple[bytes, ...], joint_key: Point, opening: bytes) -> tuple[int, Point, bytes]:
    """Return the scalar r that is derived from an opening, r · BASE, and the masked opening."""
    r = hash_to_scalar(Label.ESCROW_RANDOMNESS, *where, opening)
    u = mul_base(r)
    return r, u, _mask(mul(r, joint_key), u, opening)


def _nonce(r: int, statement: tuple[bytes, ...]) -> int:
    # Of the whole statement: one nonce under two challenges would reveal r, and the choice.
    return hash_to_scalar(Label.ESCROW_PROOF_NONCE, encode_scalar(r), *statement)


def _mask(shared: Point, u: Point, data: bytes) -> bytes:
    """Return `data` XOR a key stream from two points. A second call gives the data again."""
    # With `u`, so that the mask belongs to this one ciphertext.
    stream = expand(Label.ESCROW_KDF, len(data), shared, u)
    return bytes(left ^ right for left, right in zip(data, stream, strict=True))


def _parse(escrow: bytes) -> _Escrow:
    """Return the parts of an escrow. Raise Invalid with code `bad-escrow` for a malformed one."""
    if not isinstance(escrow, bytes) or len(escrow) <= OVERHEAD:
        raise Invalid("bad-escrow", "an escrow has more than 128 bytes")
    with coded("bad-escrow"):
        e, f = decode_scalar(escrow[64:96]), decode_scalar(escrow[96:128])
    return _Escrow(escrow[:32], escrow[32:64], e, f, escrow[128:])
