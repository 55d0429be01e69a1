"""Threshold encryption (TDH2) of a sealed choice, which t seats can open if its owner has gone.

TDH2 (Shoup and Gennaro 1998, "Securing Threshold Cryptosystems against Chosen Ciphertext
Attack", section 4.2) under the joint key Y, whose secret is shared with threshold t by the sum
of all key sharing polynomials. Its proof ties a ciphertext to commitment, table, step and seat, so
nobody can have a share given for a ciphertext he did not make himself, such as a card's.

All randomness of the encryption is derived from the opening, which holds a secret 32-byte
nonce: whoever sees the opening can recompute the escrow byte for byte.

Escrow: u (32), u-bar (32), challenge e (32), response f (32), then the masked opening.
Share: point (32), then a proof as in `dleq` (64).
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
"""What an escrow is bound to, and itself: context, joint key, commitment and escrow."""
OVERHEAD: Final = 128
"""An escrow has this many bytes more than the opening in it."""
SHARE_SIZE: Final = 96


class _Escrow(NamedTuple):
    u: Point
    u_bar: Point
    challenge: int
    response: int
    masked: bytes


def encrypt(context: Context, joint_key: Point, commitment: bytes, opening: bytes) -> bytes:
    """The one escrow of `opening` for this commitment: len(opening) + 128 bytes."""
    where = _where(context, joint_key, commitment)
    r, u, masked = _hide(where, joint_key, opening)
    u_bar = mul(r, second_generator())
    statement = (*where, masked, u, u_bar)
    s = _nonce(r, statement)
    w, w_bar = mul_base(s), mul(s, second_generator())
    e = hash_to_scalar(Label.ESCROW_CHALLENGE, *statement, w, w_bar)
    return b"".join((u, u_bar, encode_scalar(e), encode_scalar(s + r * e), masked))


def verify(context: Context, joint_key: Point, commitment: bytes, escrow: bytes) -> None:
    """Raise Invalid('bad-escrow') unless its maker knew its randomness, here, for this.

    The caller checks the length: 128 more than the openings of this kind of choice. What it
    opens to is only known later: whoever sees it opened seals it again and compares. The proof is
    that u and u-bar have one logarithm to the two bases; no challenge is 0 in it, so both points
    are multiplied, by which libsodium checks that they lie in the group.
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
    """Raise Invalid('bad-escrow') unless the escrow, which `verify` has passed, is that of this
    opening, byte for byte.

    `verify` has found that u and u-bar have one logarithm: if u is r·B, u-bar is r·B-bar, and need
    not be multiplied again. With f = s + r·e the points that it has hashed to e, f·B - e·u on both
    bases B, are s·B: e is what `encrypt` would hash, and need not be hashed again.
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
    """Return one receiver's share in opening the escrow, with proof: 96 bytes ([D-4]).

    Args:
        context: Where the share is said.
        sealing: The escrow, and where it was said.
        share_total: The sum of the key shares that all dealers gave this receiver.
        public_share_total: The public form of that sum.
        rng: Where randomness comes from.

    Raises:
        Invalid: If the escrow does not verify ('bad-escrow').
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
    """Return the point of a share.

    Args:
        context: Where the share is said.
        sealing: The escrow, and where it was said.
        public_share_total: The public form of the sum of the receiver's key shares.
        share: The share.

    Raises:
        Invalid: If the share is not proven for this escrow ('bad-share').
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
    """The opening, out of verified shares of at least t receivers by index (seat + 1).

    It is what the owner sealed, right or wrong.
    """
    box = _parse(escrow)
    return _mask(combine(shares, t), box.u, box.masked)


def _where(context: Context, joint_key: Point, commitment: bytes) -> tuple[bytes, ...]:
    return (context.encode(), joint_key, group.BASE, second_generator(), commitment)


def _share_statement(
    context: Context, sealing: Sealing, public: Point, point: Point
) -> tuple[bytes, ...]:
    return (context.encode(), *_where(*sealing[:3]), sealing[3], public, point)


def _hide(where: tuple[bytes, ...], joint_key: Point, opening: bytes) -> tuple[int, Point, bytes]:
    """The randomness r that follows from an opening, r·B, and the opening masked by r."""
    r = hash_to_scalar(Label.ESCROW_RANDOMNESS, *where, opening)
    u = mul_base(r)
    return r, u, _mask(mul(r, joint_key), u, opening)


def _nonce(r: int, statement: tuple[bytes, ...]) -> int:
    """The nonce of the proof, which follows from all else."""
    return hash_to_scalar(Label.ESCROW_PROOF_NONCE, encode_scalar(r), *statement)


def _mask(shared: Point, u: Point, data: bytes) -> bytes:
    """data XOR a key stream of shared point and u; its own inverse."""
    stream = expand(Label.ESCROW_KDF, len(data), shared, u)
    return bytes(left ^ right for left, right in zip(data, stream, strict=True))


def _parse(escrow: bytes) -> _Escrow:
    """The parts, scalars decoded; points are not. Raises Invalid('bad-escrow')."""
    if not isinstance(escrow, bytes) or len(escrow) <= OVERHEAD:
        raise Invalid("bad-escrow", "an escrow has more than 128 bytes")
    with coded("bad-escrow"):
        e, f = decode_scalar(escrow[64:96]), decode_scalar(escrow[96:128])
    return _Escrow(escrow[:32], escrow[32:64], e, f, escrow[128:])
