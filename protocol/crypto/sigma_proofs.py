"""Sigma proofs: of the secret of a key share, and of equal discrete logarithms.

Schnorr's proof of knowledge (Schnorr 1991), made non-interactive with the whole statement in
the challenge (Bernhard, Pereira, Warinschi 2012). Made before a joint key exists, it leaves
that out. Proof: challenge (32) and response (32), scalars.

Proofs of equal discrete logarithms (DLEQ): decryption shares, proven to be of one key.

Chaum and Pedersen 1992, for one exponent over many bases, made non-interactive with the whole
statement in the challenge. Proof: challenge (32) and response (32), scalars, however many
bases there are. Used for decryption shares, key shares and escrow shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..errors import Invalid, coded
from .group import BASE, IDENTITY, Point, decode_scalar, encode_scalar, mul, mul_base, sub
from .hashing import Context, Label, Random, hash_to_scalar, hedged, u64

PROOF_SIZE: Final = 64


def prove_key(context: Context, secret: int, public: Point, rng: Random) -> bytes:
    """Proof (64 bytes) of knowing `secret`, where public = secret · BASE."""
    parts = (encode_scalar(secret), context.encode(), public)
    nonce = next(hedged(Label.KEY_PROOF_NONCE, rng, *parts))
    statement = (context.encode(), BASE, public)
    challenge = hash_to_scalar(Label.KEY_PROOF, *statement, mul_base(nonce))
    return encode_scalar(challenge) + encode_scalar(nonce + challenge * secret)


def verify_key(context: Context, public: Point, proof: bytes) -> None:
    """Raise Invalid('bad-key-proof') unless `proof` shows knowledge of the key's secret."""
    if public == IDENTITY:
        raise Invalid("bad-key-proof", "the identity is no key")
    with coded("bad-key-proof"):
        verify_equal(Label.KEY_PROOF, (context.encode(), BASE, public), public, [], [], proof)


class ShareStatement(NamedTuple):
    """What shares are proven for: here, under this joint key, of the key with this public form.

    `public` = secret · BASE: a key share, or for an absent seat's card the public piece.
    """

    context: Context
    joint_key: Point
    public: Point
    bases: Sequence[Point]

    def of(self, shares: Sequence[Point]) -> list[bytes]:
        """The whole statement of a proof of these shares."""
        head = [self.context.encode(), self.joint_key, BASE, self.public, u64(len(self.bases))]
        return [*head, *self.bases, *shares]


def prove_shares(about: ShareStatement, secret: int, rng: Random) -> tuple[list[Point], bytes]:
    """The shares secret · base for every base, and one proof (64 bytes) for them all.

    Raises ValueError for no base, or one that is the identity.
    """
    if not about.bases or IDENTITY in about.bases:
        raise ValueError("shares need at least one base, and no identity")
    shares = [mul(secret, base) for base in about.bases]
    labels = (Label.SHARES, Label.SHARES_NONCE)
    return shares, prove_equal(labels, about.of(shares), secret, about.bases, rng)


def verify_shares(about: ShareStatement, shares: Sequence[Point], proof: bytes) -> None:
    """Raise Invalid('bad-share') unless every share is its base times the secret of `public`.

    Points outside the group are rejected too; none needs to be decoded before.
    """
    public, bases = about.public, about.bases
    if not bases or len(bases) != len(shares):
        raise Invalid("bad-share", "not one share for each base")
    if IDENTITY in (public, *bases, *shares):
        raise Invalid("bad-share", "the identity is no key, base or share")
    if not all(isinstance(share, bytes) and len(share) == 32 for share in shares):
        raise Invalid("bad-share", "a share is a point of 32 bytes")
    with coded("bad-share"):
        verify_equal(Label.SHARES, about.of(shares), public, bases, shares, proof)


def prove_equal(
    labels: tuple[Label, Label],
    statement: Sequence[bytes],
    secret: int,
    bases: Sequence[Point],
    rng: Random,
) -> bytes:
    """Proof that one secret is behind all that `statement` holds; labels: challenge, nonce."""
    nonce = next(hedged(labels[1], rng, encode_scalar(secret), *statement))
    commitments = [mul_base(nonce), *[mul(nonce, base) for base in bases]]
    challenge = hash_to_scalar(labels[0], *statement, *commitments)
    return encode_scalar(challenge) + encode_scalar(nonce + challenge * secret)


def verify_equal(
    label: Label,
    statement: Sequence[bytes],
    public: Point,
    bases: Sequence[Point],
    images: Sequence[Point],
    proof: bytes,
) -> None:
    """Raise Invalid unless log(public) = log of each image to its base ([D-7]).

    The statement must hold public, bases and images. A challenge of 0 is rejected, so every
    public and image is multiplied, by which libsodium checks that it lies in the group.
    """
    if not isinstance(proof, bytes) or len(proof) != PROOF_SIZE:
        raise Invalid("bad-proof", "a proof of one secret has 64 bytes")
    challenge, response = decode_scalar(proof[:32]), decode_scalar(proof[32:])
    if challenge == 0:
        raise Invalid("bad-proof", "a challenge is not 0")
    commitments = [sub(mul_base(response), mul(challenge, public))]
    for base, image in zip(bases, images, strict=True):
        commitments.append(sub(mul(response, base), mul(challenge, image)))
    if challenge != hash_to_scalar(label, *statement, *commitments):
        raise Invalid("bad-proof", "not one secret behind all of these")
