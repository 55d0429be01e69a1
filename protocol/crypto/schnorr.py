"""Schnorr proofs of knowledge: whoever brings a key share knows its secret.

Schnorr's proof of knowledge (Schnorr 1991), made non-interactive with the whole statement in
the challenge (Bernhard, Pereira, Warinschi 2012). Made before a joint key exists, it leaves
that out. Proof: challenge (32) and response (32), scalars.
"""

from typing import Final

from ..errors import Invalid
from .context import Context
from .group import BASE, IDENTITY, Point, decode_scalar, encode_scalar, mul, mul_base, sub
from .hashing import hash_to_scalar
from .labels import Label
from .randomness import Random, hedged

PROOF_SIZE: Final = 64


def prove_key(context: Context, secret: int, public: Point, rng: Random) -> bytes:
    """Proof (64 bytes) of knowing `secret`, where public = secret · BASE."""
    parts = (encode_scalar(secret), context.encode(), public)
    nonce = next(hedged(Label.KEY_PROOF_NONCE, rng, *parts))
    challenge = _challenge(context, public, mul_base(nonce))
    return encode_scalar(challenge) + encode_scalar(nonce + challenge * secret)


def verify_key(context: Context, public: Point, proof: bytes) -> None:
    """Raise Invalid('bad-key-proof') unless `proof` shows knowledge of the key's secret."""
    if not isinstance(proof, bytes) or len(proof) != PROOF_SIZE or public == IDENTITY:
        raise Invalid("bad-key-proof", "wrong length, or no key")
    try:
        challenge, response = decode_scalar(proof[:32]), decode_scalar(proof[32:])
        commitment = sub(mul_base(response), mul(challenge, public))
    except Invalid as fault:
        raise Invalid("bad-key-proof", fault.reason) from None
    if challenge == 0 or challenge != _challenge(context, public, commitment):
        raise Invalid("bad-key-proof", "does not show knowledge of this key here")


def _challenge(context: Context, public: Point, commitment: Point) -> int:
    return hash_to_scalar(Label.KEY_PROOF, context.encode(), BASE, public, commitment)
