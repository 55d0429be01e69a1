"""Ed25519 keys and signatures of seats and players, with strict verification.

Ed25519: RFC 8032, section 5.1. Verification is stricter than the RFC. The key and the R of the
signature must be canonical points of the prime-order subgroup, and its S must be below the group
order. Within the subgroup the verification equations with and without the cofactor agree. So all
implementations that make these checks accept the same signatures (Chalkias, Garillot, Nikolaenko
2020, "Taming the many EdDSAs").

This module always calls libsodium, even while another backend computes with the cards.
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
"""Bytes of a signature."""
SEED_SIZE: Final = 32
"""Bytes of the secret seed of a key."""
KEY_SIZE: Final = 32
"""Bytes of a public key."""
TRIED_KEY: Final = bytes.fromhex("3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29")
"""The public key of the seed of 32 zero bytes."""
TRIED: Final = (
    "5e76a4c3501d36af9fc62f1d599c7da97ffb98b0172dc887af6d1bf29550b7c1"
    "f47a39aa0da81c4403bb1346965dd8a9bde697ba7f5e5b41b5ce17cb1b16f708",
    "5fa25c4a9c03a186c4f7369b3ec012ffd9832e7175f656ec1e786fe634f61178"
    "a0523f21887422119b123678db7e0bd8d83083e5d33c67bc8ad396aa1a692108",
    "0100000000000000000000000000000000000000000000000000000000000000"
    "9c080412510afdc1d0ef73f842c224b67f75906d250ccf0049cef596b321e40b",
)
"""Signatures of no bytes by this key, of which [C-8] refuses the R.

R is a point of the subgroup plus one of order 2, the same plus one of order 8, and the identity.
The first two fulfil the equation that is multiplied by the cofactor, the third every equation.
"""


def opens_strictly() -> bool:
    """Return whether libsodium's check of a signature refuses, by itself, every R outside [C-8].

    It does if it compares R with the canonical encoding of S·B - h·A, and refuses points of small
    order: for a key of the subgroup, only an R of the subgroup can be equal to that.
    """
    for signature in map(bytes.fromhex, TRIED):
        try:
            bindings.crypto_sign_open(signature, TRIED_KEY)
        except BadSignatureError:
            continue
        return False
    return True


IS_STRICT: Final = opens_strictly()
"""Whether R needs no check of its own, which takes nearly as long as that of the signature."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A signing key. Its repr shows only the public half.

    Attributes:
        seed: The secret seed, 32 bytes.
        public: The public key, 32 bytes, computed from the seed.
    """

    seed: bytes = field(repr=False)
    public: bytes = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.seed, bytes) or len(self.seed) != SEED_SIZE:
            raise ValueError("an identity needs a seed of 32 bytes")
        public, _ = bindings.crypto_sign_seed_keypair(self.seed)
        object.__setattr__(self, "public", public)

    def sign(self, label: Label, data: bytes) -> bytes:
        """Sign data under a label.

        Args:
            label: The domain label.
            data: The bytes to sign.

        Returns:
            The signature, 64 bytes.
        """
        return sign_bytes(self, signed_bytes(label, data))


def signed_bytes(label: Label, data: bytes) -> bytes:
    """Return what is signed: length of the label (8 bytes, big-endian), label, and data."""
    # Only the label needs a length: the data is all the rest, so no two pairs give equal bytes.
    return framed(label.encode()) + data


def sign_bytes(identity: Identity, message: bytes) -> bytes:
    """Return the signature of bytes as RFC 8032 says, without a label."""
    return bindings.crypto_sign(message, identity.seed + identity.public)[:SIGNATURE_SIZE]


def verify_signature(public: bytes, label: Label, data: bytes, signature: bytes) -> None:
    """Check a signature under a label ([C-8]).

    Args:
        public: The public key, 32 bytes.
        label: The domain label.
        data: The signed bytes.
        signature: The signature, 64 bytes.

    Raises:
        Invalid: With code `bad-point` if the key is invalid, and `bad-signature` if the signature
            is invalid.
    """
    verify_bytes(public, signed_bytes(label, data), signature)


def verify_bytes(public: bytes, message: bytes, signature: bytes) -> None:
    """Check a strict RFC 8032 signature of bytes without a label ([C-8]).

    Raises:
        Invalid: With code `bad-point` if the key is invalid, and `bad-signature` if the signature
            is invalid.
    """
    check_public(public)
    if not isinstance(signature, bytes) or len(signature) != SIGNATURE_SIZE:
        raise Invalid("bad-signature", "a signature has 64 bytes")
    try:
        # A libsodium that compares R only up to the cofactor accepts an R of mixed order.
        if IS_STRICT or LIBSODIUM.is_valid_point(signature[:32]):
            bindings.crypto_sign_open(signature + message, public)
            return
    except BadSignatureError:
        pass
    raise Invalid("bad-signature", "not a signature of this key on these bytes")


# Bounded, because a peer may send ever new keys.
@lru_cache(maxsize=256)
def _is_valid_key(public: bytes) -> bool:
    """Return whether bytes are a canonical point of the subgroup, not the identity ([C-9])."""
    return len(public) == KEY_SIZE and LIBSODIUM.is_valid_point(public)


def check_public(public: bytes) -> bytes:
    """Check that bytes are a valid public key ([C-9]).

    Args:
        public: The key, 32 bytes.

    Returns:
        The same bytes.

    Raises:
        Invalid: With code `bad-point` if the key is not a canonical point of the prime-order
            subgroup, or is the identity.
    """
    if not isinstance(public, bytes) or not _is_valid_key(public):
        raise Invalid("bad-point", "a public key is a canonical point of the prime-order group")
    return public


def fingerprint(public: bytes) -> str:
    """Return a short text (100 bits of a hash) by which people can compare a public key aloud.

    Args:
        public: The key, 32 bytes.

    Returns:
        Twenty base32 letters in five groups, such as `S5B3-BJU2-7EB4-BMO5-SB25`.
    """
    text = b32encode(digest(Label.FINGERPRINT, public))[:20].decode()
    return "-".join(text[start : start + 4] for start in range(0, 20, 4))
