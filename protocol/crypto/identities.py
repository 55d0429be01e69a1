"""Ed25519 signatures: a player's long-lived key, and what may count as its signature.

Ed25519: RFC 8032, section 5.1. Verification is stricter: the key and R must be canonical
points of the prime-order subgroup, and S below the group order. Within the subgroup the
equation with and without cofactor is the same, so all implementations that check this agree
(Chalkias, Garillot, Nikolaenko 2020, "Taming the many EdDSAs").

All of it calls libsodium itself, whatever backend the group of the cards has.
"""

from __future__ import annotations

from base64 import b32encode
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from nacl import bindings
from nacl.exceptions import BadSignatureError

from ..errors import Invalid
from .group import LIBSODIUM
from .hashing import Label, digest, framed

SIGNATURE_SIZE: Final = 64
SEED_SIZE: Final = 32
KEY_SIZE: Final = 32


@dataclass(frozen=True, slots=True)
class Identity:
    """A signing key, made from a 32-byte secret seed; shows only its public half."""

    seed: bytes = field(repr=False)
    public: bytes = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.seed, bytes) or len(self.seed) != SEED_SIZE:
            raise ValueError("an identity needs a seed of 32 bytes")
        public, _ = bindings.crypto_sign_seed_keypair(self.seed)
        object.__setattr__(self, "public", public)

    def sign(self, label: Label, data: bytes) -> bytes:
        """64 bytes: the signature of `data` under `label`."""
        return sign_bytes(self, signed_bytes(label, data))


def signed_bytes(label: Label, data: bytes) -> bytes:
    """What is signed: the label behind its 8-byte big-endian length, then `data` as it is."""
    return framed(label.encode()) + data


def sign_bytes(identity: Identity, message: bytes) -> bytes:
    """The plain RFC 8032 signature of `message`: 64 bytes."""
    return bindings.crypto_sign(message, identity.seed + identity.public)[:SIGNATURE_SIZE]


def verify_signature(public: bytes, label: Label, data: bytes, signature: bytes) -> None:
    """Raise Invalid unless `signature` is `public`'s on `data` under `label` ([C-8]).

    Codes: 'bad-point' for the key, 'bad-signature' for all else.
    """
    verify_bytes(public, signed_bytes(label, data), signature)


def verify_bytes(public: bytes, message: bytes, signature: bytes) -> None:
    """Raise Invalid unless `signature` is a strict RFC 8032 signature of `message` ([C-8])."""
    check_public(public)
    if not isinstance(signature, bytes) or len(signature) != SIGNATURE_SIZE:
        raise Invalid("bad-signature", "a signature has 64 bytes")
    try:
        if LIBSODIUM.is_valid_point(signature[:32]):
            bindings.crypto_sign_open(signature + message, public)
            return
    except BadSignatureError:
        pass
    raise Invalid("bad-signature", "not a signature of this key on these bytes")


@lru_cache(maxsize=256)
def _is_valid_key(public: bytes) -> bool:
    """Return whether these are a canonical point of the subgroup and not the identity ([C-9])."""
    return len(public) == KEY_SIZE and LIBSODIUM.is_valid_point(public)


def check_public(public: bytes) -> bytes:
    """Return the key. Raises Invalid('bad-point') outside the prime-order subgroup ([C-9])."""
    if not isinstance(public, bytes) or not _is_valid_key(public):
        raise Invalid("bad-point", "a public key is a canonical point of the prime-order group")
    return public


def fingerprint(public: bytes) -> str:
    """Twenty base32 letters in five groups, to read aloud: 100 bits of the key's hash."""
    text = b32encode(digest(Label.FINGERPRINT, public))[:20].decode()
    return "-".join(text[start : start + 4] for start in range(0, 20, 4))
