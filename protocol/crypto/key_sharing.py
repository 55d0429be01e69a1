"""Feldman's verifiable secret sharing: every key share is dealt in pieces, t of which replace it.

Feldman 1987, "A Practical Scheme for Non-interactive Verifiable Secret Sharing". Receivers
have indices from 1 (seat + 1). Nobody's key is ever rebuilt: shares made with pieces are
combined in the exponent (Lagrange).

A piece travels sealed to its receiver's per-table X25519 key (RFC 7748): an ephemeral key (32),
then the piece (32) and tag (16) under ChaCha20-Poly1305 (RFC 8439) with a key that is used
once. Whoever is given the receiver's secret can open it again, so a complaint proves itself.
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
_X25519_FIELD: Final = 2**255 - 19
_ONCE: Final = bytes(12)


def polynomial(secret: int, t: int, rng: Random) -> tuple[int, ...]:
    """Coefficients of a random polynomial of degree t - 1 with `secret` at 0.

    Raises ValueError for t below 1.
    """
    if t < 1:
        raise ValueError("a threshold is at least 1")
    return (secret % ORDER, *[scalar(rng) for _ in range(t - 1)])


def feldman_vector(poly: Sequence[int]) -> tuple[Point, ...]:
    """coefficient · BASE for each; the first is the dealer's public key share."""
    return tuple(mul_base(coefficient) for coefficient in poly)


def key_share_at(poly: Sequence[int], i: int) -> int:
    """The polynomial's value at receiver index i, which is at least 1."""
    _check_index(i)
    value = 0
    for coefficient in reversed(poly):
        value = (value * i + coefficient) % ORDER
    return value


def public_key_share_at(vector: Sequence[Point], i: int) -> Point:
    """piece(i) · BASE, out of the Feldman vector alone."""
    _check_index(i)
    return total([mul(i**power, point) for power, point in enumerate(vector)])


def verify_key_share(vector: Sequence[Point], i: int, key_share: int) -> None:
    """Raise Invalid('bad-key-sharing') unless `piece` is what the vector promises receiver i."""
    if mul_base(key_share) != public_key_share_at(vector, i):
        raise Invalid("bad-key-sharing", "the piece is not the one promised by the Feldman vector")


def combine(key_shares: Mapping[int, Point], t: int) -> Point:
    """secret · base out of piece_i · base by receiver index; the t lowest indices are used.

    The points must be verified. Raises ValueError if there are fewer than t.
    """
    chosen = sorted(key_shares)[:t]
    if t < 1 or len(chosen) < t:
        raise ValueError(f"combining needs {t} pieces")
    return total([mul(_lagrange(chosen, i), key_shares[i]) for i in chosen])


def _lagrange(indices: Sequence[int], i: int) -> int:
    """The weight of index i in the polynomial's value at 0 (Shamir 1979)."""
    _check_index(i)
    over = under = 1
    for j in indices:
        if j != i:
            over = over * j % ORDER
            under = under * (j - i) % ORDER
    return over * pow(under, -1, ORDER) % ORDER


def _check_index(i: int) -> None:
    if i < 1:
        raise ValueError("receiver indices begin with 1")


def x25519_keypair(rng: Random) -> tuple[bytes, bytes]:
    """(secret, public), 32 bytes each."""
    secret = rng(32)
    return secret, x25519_public(secret)


def x25519_public(secret: bytes) -> bytes:
    """The public key of 32 secret bytes. Raises Invalid('bad-key-sharing') for another length."""
    if not isinstance(secret, bytes) or len(secret) != 32:
        raise Invalid("bad-key-sharing", "an X25519 secret has 32 bytes")
    return bindings.crypto_scalarmult_base(secret)


def check_x25519_public(key: bytes) -> bytes:
    """The key itself. Raises Invalid('bad-key-sharing') if it is low-order or not canonical."""
    if not isinstance(key, bytes) or len(key) != 32:
        raise Invalid("bad-key-sharing", "an X25519 key has 32 bytes")
    if int.from_bytes(key, "little") >= _X25519_FIELD:
        raise Invalid("bad-key-sharing", "an X25519 key is written canonically")
    _exchange(bytes(32), key)
    return key


def encrypt_key_share(
    context: Context, receiver_public: bytes, key_share: int, rng: Random
) -> bytes:
    """`piece` for the owner of an X25519 key only: 80 bytes.

    `context.seat` is the dealer. Raises Invalid('bad-key-sharing') for a low-order key.
    """
    check_x25519_public(receiver_public)
    secret, ephemeral = x25519_keypair(rng)
    key = _seal_key(context, _exchange(secret, receiver_public), ephemeral, receiver_public)
    data = encode_scalar(key_share)
    return ephemeral + bindings.crypto_aead_chacha20poly1305_ietf_encrypt(data, None, _ONCE, key)


def decrypt_key_share(context: Context, secret: bytes, sealed: bytes) -> int:
    """The piece sealed to the X25519 key of `secret`. Raises Invalid('bad-key-sharing').

    It is not yet checked against the dealer's vector: see `verify_piece`.
    """
    receiver_public = x25519_public(secret)
    if not isinstance(sealed, bytes) or len(sealed) != ENCRYPTED_SHARE_SIZE:
        raise Invalid("bad-key-sharing", "a sealed piece has 80 bytes")
    ephemeral = check_x25519_public(sealed[:32])
    key = _seal_key(context, _exchange(secret, ephemeral), ephemeral, receiver_public)
    try:
        data = bindings.crypto_aead_chacha20poly1305_ietf_decrypt(sealed[32:], None, _ONCE, key)
        return decode_scalar(data)
    except (CryptoError, Invalid):
        raise Invalid("bad-key-sharing", "does not open to a piece for this seat here") from None


def _seal_key(context: Context, shared: bytes, ephemeral: bytes, receiver: bytes) -> bytes:
    return digest(Label.KEY_SHARE_KDF, context.encode(), ephemeral, receiver, shared)


def _exchange(secret: bytes, public: bytes) -> bytes:
    """X25519; libsodium refuses keys that give the all-zero secret."""
    try:
        return bindings.crypto_scalarmult(secret, public)
    except RuntimeError:
        raise Invalid("bad-key-sharing", "a low-order X25519 key") from None
