"""HKDF (RFC 5869), by the names of `cryptography`."""

from __future__ import annotations

import hmac

from ..hashes import SHA256


class HKDF:
    """A derivation of keys."""

    def __init__(self, algorithm: SHA256, length: int, salt: bytes | None, info: bytes) -> None:
        """Take what is the same for all keys. `length` is that of a derived one."""
        if not 0 < length <= 255 * algorithm.digest_size:
            raise ValueError("HKDF derives from 1 to 255 hashes")
        self._hash, self._length = algorithm, length
        self._salt, self._info = salt or bytes(algorithm.digest_size), info

    def derive(self, key_material: bytes) -> bytes:
        """Return the key that is derived from a secret."""
        key = hmac.digest(self._salt, key_material, self._hash.name)
        block, found, number = b"", b"", 1
        while len(found) < self._length:
            block = hmac.digest(key, block + self._info + bytes([number]), self._hash.name)
            found, number = found + block, number + 1
        return found[: self._length]
