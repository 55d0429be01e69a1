"""The player's identity key on disk, sealed by a passphrase if there is one.

With a passphrase the key comes from Argon2id (RFC 9106) and every piece is sealed with
XSalsa20-Poly1305 under a fresh nonce, both through PyNaCl.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from nacl import pwhash
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from protocol import Identity, Invalid, codec, is_one_name, is_plain, table_header

from ..coded_errors import Code, CodedError, Reason, because, of_protocol, of_system
from ..confusable_names import MOST_MARKS, is_stacked
from .home import Home

SALT_SIZE = pwhash.argon2id.SALTBYTES
PLAIN, SEALED = 0, 1


class VaultCode(Code):
    """Why what was sealed cannot be opened."""

    WRONG = "passphrase-wrong", "the passphrase is wrong, or the file is damaged"
    NO_TEXT = (
        "passphrase-no-text",
        "the passphrase is not text in UTF-8: set HOITY_PASSPHRASE in this terminal's encoding",
    )
    DAMAGED = "file-damaged", "the file is damaged"
    SEALED = "file-sealed", "the file is sealed: give its passphrase (HOITY_PASSPHRASE)"
    NOT_SEALED = (
        "file-not-sealed",
        "the file is not sealed, though a passphrase is given: whoever made it may not have been"
        " you. To use it all the same, take HOITY_PASSPHRASE away",
    )


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


MAGIC = b"hoity-key-1\n"
MAX_FILE = 4096


class KeyCode(Code):
    """Why there is no key to play with."""

    TAKEN = "key-exists", "there is a key already: {path}; move it away first"
    NONE = "no-key", "there is no key yet: make one with `hoity id new`"
    OTHER_FILE = "no-key-file", "{path} is no key file of this version"
    UNWRITTEN = "key-unwritten", "cannot write {path}: {why}"
    UNREAD = "key-unread", "cannot read {path}: {why}"
    UNUSABLE = "key-unusable", "cannot use {path}: {why}"
    NAME_SIZE = "nickname-size", "a nickname has 1 to {most} characters"
    NAME_LETTERS = "nickname-letters", "a nickname has characters that may not stand in a name"
    NAME_AS_TWO = "nickname-as-two", "a nickname has a comma or semicolon: it would read as two"
    NAME_STACKED = (
        "nickname-stacked",
        "a nickname has at most {most} marks on one letter, and none before its first: others"
        " would see them over the lines around it",
    )


class KeyFileError(CodedError):
    """The key file, or the nickname that goes with it, cannot be used."""


@dataclass(frozen=True)
class NamedIdentity:
    """Who sits down: the identity and the name the others see."""

    identity: Identity
    nickname: str


def new_identity(home: Home, nickname: str, passphrase: str | None = None) -> NamedIdentity:
    """Make and keep a new identity; KeyFileError if there is one already or the name is no good."""
    if os.path.lexists(home.identity):
        raise KeyFileError(KeyCode.TAKEN, path=str(home.identity))
    seed = os.urandom(32)
    save_identity(home, seed, nickname, new_vault(passphrase))
    return NamedIdentity(Identity(seed), nickname)


def check_name(nickname: str) -> None:
    """KeyFileError if this cannot be a nickname."""
    if not 0 < len(nickname) <= table_header.MAX_NICKNAME:
        raise KeyFileError(KeyCode.NAME_SIZE, most=table_header.MAX_NICKNAME)
    if not is_plain(nickname):
        raise KeyFileError(KeyCode.NAME_LETTERS)
    if not is_one_name(nickname):
        raise KeyFileError(KeyCode.NAME_AS_TWO)
    if is_stacked(nickname):
        raise KeyFileError(KeyCode.NAME_STACKED, most=MOST_MARKS)


def save_identity(home: Home, seed: bytes, nickname: str, vault: Vault) -> None:
    """Write the key file. KeyFileError if there is one already."""
    check_name(nickname)
    data = vault.seal(codec.encode((seed, nickname)))
    try:
        home.files.put(home.identity, MAGIC + vault.header() + data, once=True)
    except FileExistsError as error:
        raise KeyFileError(KeyCode.TAKEN, path=str(home.identity)) from error
    except OSError as error:
        raise _told(KeyCode.UNWRITTEN, home, error) from error


def _told(code: KeyCode, home: Home, error: OSError) -> KeyFileError:
    return KeyFileError(code, path=str(home.identity), why=of_system(error))


def load_identity(home: Home, passphrase: str | None = None) -> NamedIdentity:
    """The kept identity; KeyFileError if there is none or it cannot be read."""
    try:
        data = home.files.get(home.identity, MAX_FILE + 1)
    except FileNotFoundError as error:
        raise KeyFileError(KeyCode.NONE) from error
    except OSError as error:
        raise _told(KeyCode.UNREAD, home, error) from error
    if not data.startswith(MAGIC):
        raise KeyFileError(KeyCode.OTHER_FILE, path=str(home.identity))
    try:
        vault, size = read_vault(data[len(MAGIC) :], passphrase)
        seed, nickname = codec.decode(vault.open(data[len(MAGIC) + size :]), 1024)
        return NamedIdentity(Identity(seed), table_header.check_nickname(nickname))
    except (VaultError, Invalid, ValueError, TypeError) as error:
        path, why = str(home.identity), of_file(error)
        raise KeyFileError(KeyCode.UNUSABLE, path=path, why=why) from error


def passphrase_from_environment() -> str | None:
    """HOITY_PASSPHRASE, if set; it never appears in arguments."""
    return os.environ.get("HOITY_PASSPHRASE") or None
