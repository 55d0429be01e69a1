"""Secrets at rest: plain in an owner-only file, or sealed under a passphrase.

With a passphrase the key comes from Argon2id (RFC 9106) and every piece is sealed with
XSalsa20-Poly1305 under a fresh nonce, both through PyNaCl.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from nacl import pwhash
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from protocol import Invalid

from ..errors import Code, CodedError, Reason, because, of_protocol

SALT_SIZE = pwhash.argon2id.SALTBYTES
PLAIN, SEALED = 0, 1


class VaultCode(Code):
    """Why what was sealed cannot be opened."""

    WRONG = "passphrase-wrong"
    NO_TEXT = "passphrase-no-text"
    DAMAGED = "file-damaged"
    SEALED = "file-sealed"
    NOT_SEALED = "file-not-sealed"


class VaultError(CodedError, ValueError):
    """The passphrase is missing or wrong, or the bytes are damaged."""


def of_file(error: Exception) -> Reason:
    """Why the bytes of a file of ours are no good."""
    if isinstance(error, CodedError):
        return error.reason
    return of_protocol(error) if isinstance(error, Invalid) else because(VaultCode.DAMAGED)


@dataclass(frozen=True)
class Vault:
    """Seals and opens the pieces of one file; `salt` is empty without a passphrase."""

    salt: bytes
    _box: SecretBox | None = field(default=None, repr=False)

    @property
    def locked(self) -> bool:
        """Whether a passphrase guards it."""
        return self._box is not None

    def header(self) -> bytes:
        """What the file says of it: one byte, and the salt."""
        return bytes([SEALED]) + self.salt if self._box else bytes([PLAIN])

    def seal(self, data: bytes) -> bytes:
        """The bytes to write."""
        return bytes(self._box.encrypt(data)) if self._box else data

    def open(self, data: bytes) -> bytes:
        """The bytes that were sealed; VaultError if they are damaged or the passphrase is wrong."""
        if self._box is None:
            return data
        try:
            return bytes(self._box.decrypt(data))
        except (CryptoError, ValueError) as error:
            raise VaultError(VaultCode.WRONG) from error


def new_vault(passphrase: str | None) -> Vault:
    """A vault with a fresh salt; without a passphrase it seals nothing."""
    if not passphrase:
        return Vault(b"")
    return _locked(os.urandom(SALT_SIZE), passphrase)


def stretched(passphrase: str, salt: bytes) -> bytes:
    """32 bytes of key; VaultError if the passphrase is no text."""
    try:
        given = passphrase.encode()
    except UnicodeEncodeError as error:
        raise VaultError(VaultCode.NO_TEXT) from error
    return pwhash.argon2id.kdf(
        SecretBox.KEY_SIZE,
        given,
        salt,
        opslimit=pwhash.argon2id.OPSLIMIT_INTERACTIVE,
        memlimit=pwhash.argon2id.MEMLIMIT_INTERACTIVE,
    )


def _locked(salt: bytes, passphrase: str) -> Vault:
    return Vault(salt, SecretBox(stretched(passphrase, salt)))


def read_vault(data: bytes, passphrase: str | None) -> tuple[Vault, int]:
    """(vault, bytes of its header) from the start of a file.

    VaultError if it is damaged, or sealed and no passphrase is given.
    """
    if data[:1] == bytes([PLAIN]):
        return Vault(b""), 1
    if data[:1] != bytes([SEALED]) or len(data) < 1 + SALT_SIZE:
        raise VaultError(VaultCode.DAMAGED)
    if not passphrase:
        raise VaultError(VaultCode.SEALED)
    return _locked(data[1 : 1 + SALT_SIZE], passphrase), 1 + SALT_SIZE
