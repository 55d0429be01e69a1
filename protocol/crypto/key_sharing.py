"""Key sharing: every seat deals its secret key in n shares, of which t can replace it.

Feldman 1987, "A Practical Scheme for Non-interactive Verifiable Secret Sharing". The index of a
receiver is its seat plus 1. No key is ever rebuilt. Points that were multiplied by key shares are
combined by Lagrange interpolation.

A key share is encrypted for the X25519 key (RFC 7748) that its receiver has drawn for this table.
The ciphertext is an ephemeral key (32 bytes), and the key share (32) with its tag (16) under
ChaCha20-Poly1305 (RFC 8439). The key of the encryption is used once. A receiver that complains of a
share shows its secret X25519 key, so that anybody can decrypt the share and check the complaint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from nacl import bindings
from nacl.exceptions import CryptoError

from ..errors import Invalid
from .group import Point, decode_scalar, encode_scalar, mul, mul_base, total
from .hashing import ORDER, Context, Label, Random, digest, scalar

ENCRYPTED_SHARE_SIZE: Final = 80
"""Bytes of an encrypted key share."""
_X25519_FIELD: Final = 2**255 - 19
"""The prime of the field of X25519."""
_ONCE: Final = bytes(12)
"""The nonce of the encryption. It is constant, because each key is used once."""


def polynomial(secret: int, t: int, rng: Random) -> tuple[int, ...]:
    """Draw a random polynomial with t coefficients, the lowest first, whose value at 0 is `secret`.

    Raises:
        ValueError: If t is below 1.
    """
    if t < 1:
        raise ValueError("a threshold is at least 1")
    # `scalar` draws no 0: its point in the key vector would be the identity, which readers refuse.
    return (secret % ORDER, *[scalar(rng) for _ in range(t - 1)])


def feldman_vector(poly: Sequence[int]) -> tuple[Point, ...]:
    """Return the key vector, to which the dealer commits: each coefficient times BASE."""
    return tuple(mul_base(coefficient) for coefficient in poly)


def key_share_at(poly: Sequence[int], i: int) -> int:
    """Return the key share for a receiver: the value of the polynomial at its index, from 1."""
    # At 0 the value is the dealer's secret key itself.
    _check_index(i)
    value = 0
    for coefficient in reversed(poly):
        value = (value * i + coefficient) % ORDER
    return value


def public_key_share_at(vector: Sequence[Point], i: int) -> Point:
    """Return the key share of the receiver `i` times BASE, from the key vector alone."""
    _check_index(i)
    return total([mul(i**power, point) for power, point in enumerate(vector)])


def verify_key_share(vector: Sequence[Point], i: int, key_share: int) -> None:
    """Check that the key share of the receiver `i` fits the key vector of its dealer (Feldman).

    Raises:
        Invalid: With code `bad-key-sharing` if the key share does not fit.
    """
    if mul_base(key_share) != public_key_share_at(vector, i):
        raise Invalid(
            "bad-key-sharing", "the key share is not the one that the key vector determines"
        )


def combine(key_shares: Mapping[int, Point], t: int) -> Point:
    """Return the product of a shared secret and a point, by interpolation.

    Args:
        key_shares: By index of the receiver, the product of its key share and the point. The caller
            must have checked the proofs of these products.
        t: How many products are used, those of the lowest indices.

    Raises:
        ValueError: If there are fewer than t products.
    """
    # A fixed choice, so that every seat computes with the same shares.
    chosen = sorted(key_shares)[:t]
    if t < 1 or len(chosen) < t:
        raise ValueError(f"combining needs {t} key shares")
    return total([mul(_lagrange(chosen, i), key_shares[i]) for i in chosen])


def _lagrange(indices: Sequence[int], i: int) -> int:
    """Return the Lagrange coefficient of the index `i` for the value at 0 (Shamir 1979)."""
    _check_index(i)
    over = under = 1
    for j in indices:
        if j != i:
            over = over * j % ORDER
            under = under * (j - i) % ORDER
    return over * pow(under, -1, ORDER) % ORDER


def _check_index(i: int) -> None:
    if i < 1:
        # The value at 0 is the secret itself.
        raise ValueError("receiver indices begin with 1")


def x25519_keypair(rng: Random) -> tuple[bytes, bytes]:
    """Draw an X25519 key pair, and return the secret key and the public key."""
    secret = rng(32)
    return secret, x25519_public(secret)


def x25519_public(secret: bytes) -> bytes:
    """Return the public key of a secret X25519 key.

    Raises:
        Invalid: With code `bad-key-sharing` if the secret key does not have 32 bytes.
    """
    if not isinstance(secret, bytes) or len(secret) != 32:
        raise Invalid("bad-key-sharing", "an X25519 secret has 32 bytes")
    return bindings.crypto_scalarmult_base(secret)


def check_x25519_public(key: bytes) -> bytes:
    """Check a public X25519 key, and return it.

    Raises:
        Invalid: With code `bad-key-sharing` unless the key has 32 bytes, is canonical, and is not
            of low order.
    """
    if not isinstance(key, bytes) or len(key) != 32:
        raise Invalid("bad-key-sharing", "an X25519 key has 32 bytes")
    # X25519 reduces the key. Two encodings of one key would have the same shared secret, but
    # another hash.
    if int.from_bytes(key, "little") >= _X25519_FIELD:
        raise Invalid("bad-key-sharing", "an X25519 key is written canonically")
    # For a key of low order every product is 0, which libsodium refuses.
    _exchange(bytes(32), key)
    return key


def encrypt_key_share(
    context: Context, receiver_public: bytes, key_share: int, rng: Random
) -> bytes:
    """Encrypt a key share for the owner of an X25519 key, in a context whose seat is the dealer.

    Raises:
        Invalid: With code `bad-key-sharing` if the public key is invalid.
    """
    check_x25519_public(receiver_public)
    secret, ephemeral = x25519_keypair(rng)
    key = _seal_key(context, _exchange(secret, receiver_public), ephemeral, receiver_public)
    data = encode_scalar(key_share)
    return ephemeral + bindings.crypto_aead_chacha20poly1305_ietf_encrypt(data, None, _ONCE, key)


def decrypt_key_share(context: Context, secret: bytes, sealed: bytes) -> int:
    """Decrypt a key share by the receiver's secret key, in a context whose seat is the dealer.

    This does not check that the key share fits the dealer's key vector: see `verify_key_share`.

    Raises:
        Invalid: With code `bad-key-sharing` if `sealed` cannot be decrypted, or is no scalar.
    """
    receiver_public = x25519_public(secret)
    if not isinstance(sealed, bytes) or len(sealed) != ENCRYPTED_SHARE_SIZE:
        raise Invalid("bad-key-sharing", "an encrypted key share has 80 bytes")
    ephemeral = check_x25519_public(sealed[:32])
    key = _seal_key(context, _exchange(secret, ephemeral), ephemeral, receiver_public)
    try:
        data = bindings.crypto_aead_chacha20poly1305_ietf_decrypt(sealed[32:], None, _ONCE, key)
        return decode_scalar(data)
    # One code for both: whatever does not decrypt to a scalar is the fault of its dealer.
    except (CryptoError, Invalid):
        raise Invalid(
            "bad-key-sharing", "it does not decrypt to a key share for this seat here"
        ) from None


def _seal_key(context: Context, shared: bytes, ephemeral: bytes, receiver: bytes) -> bytes:
    # All of it, so that no ciphertext opens for another dealer, seat or table.
    return digest(Label.KEY_SHARE_KDF, context.encode(), ephemeral, receiver, shared)


def _exchange(secret: bytes, public: bytes) -> bytes:
    """Return the shared secret of X25519. Raise Invalid for a public key of low order."""
    try:
        return bindings.crypto_scalarmult(secret, public)
    except RuntimeError:
        raise Invalid("bad-key-sharing", "a low-order X25519 key") from None
