"""Sigma proofs: knowledge of a secret key, and equality of discrete logarithms.

Schnorr 1991 is the proof of knowledge. Chaum and Pedersen 1992 is the proof of equal logarithms
(DLEQ), here for one secret and any number of bases. It is used for decryption shares and for escrow
shares.

Both are made non-interactive by a challenge that is the hash of the whole statement (Bernhard,
Pereira, Warinschi 2012): byte strings that contain the public key, the bases and the images. The
proof of a key is made before there is a joint key, so its statement has none. A proof is the
challenge and the response, two scalars of 32 bytes each, whatever the number of bases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..errors import Invalid, coded
from .group import BASE, IDENTITY, Point, decode_scalar, encode_scalar, mul, mul_base, sub
from .hashing import Context, Label, Random, hash_to_scalar, hedged, u64

PROOF_SIZE: Final = 64
"""Bytes of a proof."""


def prove_key(context: Context, secret: int, public: Point, rng: Random) -> bytes:
    """Prove that the maker of the key public = secret · BASE knows its secret, in 64 bytes."""
    parts = (encode_scalar(secret), context.encode(), public)
    nonce = next(hedged(Label.KEY_PROOF_NONCE, rng, *parts))
    statement = (context.encode(), BASE, public)
    challenge = hash_to_scalar(Label.KEY_PROOF, *statement, mul_base(nonce))
    return encode_scalar(challenge) + encode_scalar(nonce + challenge * secret)


def verify_key(context: Context, public: Point, proof: bytes) -> None:
    """Check the proof that the maker of a public key knows its secret key.

    Raises:
        Invalid: With code `bad-key-proof` if the proof is invalid or the key is the identity.
    """
    # A multiplication by the challenge lets the identity pass, and its secret 0 is known to all.
    if public == IDENTITY:
        raise Invalid("bad-key-proof", "the identity is no key")
    with coded("bad-key-proof"):
        verify_equal(Label.KEY_PROOF, (context.encode(), BASE, public), public, [], [], proof)


class ShareStatement(NamedTuple):
    """The claim of a proof for a batch of decryption shares, without the shares themselves.

    Attributes:
        public: The public key whose secret makes the shares. For shares given in the place of an
            absent seat, it is the public key share of the seat that gives them.
        bases: The first point of each ciphertext.
    """

    context: Context
    joint_key: Point
    public: Point
    bases: Sequence[Point]

    def of(self, shares: Sequence[Point]) -> list[bytes]:
        """Return the fields, BASE and the shares, one for each base, in the order of hashing."""
        head = [self.context.encode(), self.joint_key, BASE, self.public, u64(len(self.bases))]
        return [*head, *self.bases, *shares]


def prove_shares(about: ShareStatement, secret: int, rng: Random) -> tuple[list[Point], bytes]:
    """Return the share secret · base for each base, and one proof for all shares, 64 bytes.

    Raises:
        ValueError: If there is no ciphertext, or if a base is the identity.
    """
    if not about.bases or IDENTITY in about.bases:
        raise ValueError("shares need at least one base, and no identity")
    shares = [mul(secret, base) for base in about.bases]
    labels = (Label.SHARES, Label.SHARES_NONCE)
    return shares, prove_equal(labels, about.of(shares), secret, about.bases, rng)


def verify_shares(about: ShareStatement, shares: Sequence[Point], proof: bytes) -> None:
    """Check the proof of decryption shares, and that the shares are points of the group.

    Raises:
        Invalid: With code `bad-share` unless each share is the secret key times the base of its
            ciphertext.
    """
    public, bases = about.public, about.bases
    if not bases or len(bases) != len(shares):
        raise Invalid("bad-share", "not one share for each base")
    # [C-6] refuses the identity, but `mul` lets it pass.
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
    """Prove that public key = secret · BASE and image = secret · base, for each of `bases`.

    Args:
        labels: The label of the challenge hash, and the label of the nonce hash.
    """
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
    """Check that the logarithm of a public key equals that of each image to its base ([D-7]).

    Raises:
        Invalid: With code `bad-proof` if the proof is invalid, or the code of a malformed scalar or
            point.
    """
    if not isinstance(proof, bytes) or len(proof) != PROOF_SIZE:
        raise Invalid("bad-proof", "a proof of one secret has 64 bytes")
    challenge, response = decode_scalar(proof[:32]), decode_scalar(proof[32:])
    # `mul` checks no point that is multiplied by 0. With another challenge it checks that the key
    # and every image are in the group.
    if challenge == 0:
        raise Invalid("bad-proof", "a challenge is not 0")
    commitments = [sub(mul_base(response), mul(challenge, public))]
    for base, image in zip(bases, images, strict=True):
        commitments.append(sub(mul(response, base), mul(challenge, image)))
    if challenge != hash_to_scalar(label, *statement, *commitments):
        raise Invalid("bad-proof", "not one secret behind all of these")
