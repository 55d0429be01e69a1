"""Caches for the functions of libsodium, so that a test process computes nothing twice.

Seats of one table verify the same signatures, and the files of the vectors have most of their
proofs in common. The result of each function depends on its arguments alone, so a cached result is
the same as a fresh one. Errors are not cached.
"""

from functools import lru_cache

from nacl import bindings

from protocol.crypto.group import Libsodium

POINTS = 1 << 17
"""The size of the cache of each function of points. They take some tens of megabytes in all."""
MESSAGES = 1 << 12
"""The size of the caches for signed messages and passphrases."""


def remember() -> None:
    """Cache the results of the product's arithmetic from now on."""
    for name in ("multiply", "multiply_base", "add", "subtract", "is_valid_point"):
        setattr(Libsodium, name, staticmethod(lru_cache(POINTS)(getattr(Libsodium, name))))
    for name in ("crypto_sign_open", "crypto_pwhash_alg"):
        setattr(bindings, name, lru_cache(MESSAGES)(getattr(bindings, name)))
