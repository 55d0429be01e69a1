"""The hashes that HKDF is given."""

from __future__ import annotations


class SHA256:
    """SHA-256 (FIPS 180-4)."""

    name = "sha256"
    digest_size = 32
