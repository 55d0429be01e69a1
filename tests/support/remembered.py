"""The arithmetic of libsodium, which remembers what it has computed in this process.

Seats of one table verify the same signatures, and the files of the vectors have most of their
proofs in common. Each function here is one of its arguments alone, so nobody sees a difference.
What is refused is not remembered.
"""

from functools import lru_cache

from nacl import bindings

from protocol.crypto.group import Libsodium

POINTS = 1 << 17
"""Results that are kept of each function of points: some tens of megabytes in all."""
MESSAGES = 1 << 12
"""Signed messages, and passphrases, that are kept."""


def remember() -> None:
    """Let the product's arithmetic remember its results from now on."""
    for name in ("multiply", "multiply_base", "add", "subtract", "is_valid_point"):
        setattr(Libsodium, name, staticmethod(lru_cache(POINTS)(getattr(Libsodium, name))))
    for name in ("crypto_sign_open", "crypto_pwhash_alg"):
        setattr(bindings, name, lru_cache(MESSAGES)(getattr(bindings, name)))
