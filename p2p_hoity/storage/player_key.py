"""The file with a player's long-lived key and nickname, encrypted if there is a passphrase.

The encryption key is derived from the passphrase by Argon2id (RFC 9106). The content is encrypted
with XSalsa20-Poly1305 under a fresh nonce. Both algorithms are those of PyNaCl. A passphrase that
is None or empty encrypts nothing.
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
    """The reasons why an encrypted file cannot be opened."""

    WRONG = "passphrase-wrong", "the passphrase is wrong, or the file is damaged"
    NO_TEXT = (
        "passphrase-no-text",
        "the passphrase is not text in UTF-8: set HOITY_PASSPHRASE in this terminal's encoding",
    )
    DAMAGED = "file-damaged", "the file is damaged"
    SEALED = "file-sealed", "the file is encrypted: give its passphrase in HOITY_PASSPHRASE"
    NOT_SEALED = (
        "file-not-sealed",
        "the file is not encrypted although you gave a passphrase, so perhaps somebody else "
        "made it. To use it all the same, unset HOITY_PASSPHRASE",
    )


class VaultError(CodedError, ValueError):
    """An error: the passphrase is missing or wrong, or bytes of an encrypted file are damaged."""


def of_file(error: Exception) -> Reason:
    """Return the reason, for a player, why reading a file of this program raised an error."""
    if isinstance(error, CodedError):
        return error.reason
    return of_protocol(error) if isinstance(error, Invalid) else because(VaultCode.DAMAGED)


@dataclass(frozen=True)
class Vault:
    """The form in which one file is stored: encrypted with a passphrase, or unencrypted.

    Attributes:
        salt: The salt of the passphrase. Empty if the file is unencrypted.
    """

    salt: bytes
    _box: SecretBox | None = field(default=None, repr=False)

    @property
    def locked(self) -> bool:
        """True if the file is encrypted with a passphrase."""
        return self._box is not None

    def header(self) -> bytes:
        """Return the byte for the kind of encryption, then the salt if there is a passphrase."""
        return bytes([SEALED]) + self.salt if self._box else bytes([PLAIN])

    def seal(self, data: bytes) -> bytes:
        """Return bytes for the file, encrypted if there is a passphrase."""
        return bytes(self._box.encrypt(data)) if self._box else data

    def open(self, data: bytes) -> bytes:
        """Decrypt bytes of the file, if there is a passphrase.

        Raises:
            VaultError: If the bytes are damaged or the passphrase is wrong.
        """
        if self._box is None:
            return data
        try:
            return bytes(self._box.decrypt(data))
        except (CryptoError, ValueError) as error:
            raise VaultError(VaultCode.WRONG) from error


def new_vault(passphrase: str | None) -> Vault:
    """Return the encryption of a new file, with a fresh salt."""
    if not passphrase:
        return Vault(b"")
    return _locked(os.urandom(SALT_SIZE), passphrase)


def stretched(passphrase: str, salt: bytes) -> bytes:
    """Derive an encryption key of 32 bytes from a passphrase and a salt of SALT_SIZE random bytes.

    Raises:
        VaultError: If the passphrase is not valid Unicode text.
    """
    try:
        given = passphrase.encode()
    except UnicodeEncodeError as error:
        raise VaultError(VaultCode.NO_TEXT) from error
    # Another cost would give another key, by which no existing file could be opened.
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
    """Read the header that says how a file is encrypted, and derive the file's key.

    Return the encryption, and the number of bytes before the content.

    Raises:
        VaultError: If the header is damaged, the passphrase is missing, or one is given for a file
            that is not encrypted.
    """
    if data[:1] == bytes([PLAIN]):
        # Somebody may have put a key of its own there for a player who expects an encrypted one.
        if passphrase:
            raise VaultError(VaultCode.NOT_SEALED)
        return Vault(b""), 1
    if data[:1] != bytes([SEALED]) or len(data) < 1 + SALT_SIZE:
        raise VaultError(VaultCode.DAMAGED)
    if not passphrase:
        raise VaultError(VaultCode.SEALED)
    return _locked(data[1 : 1 + SALT_SIZE], passphrase), 1 + SALT_SIZE


MAGIC = b"hoity-key-1\n"
"""The first bytes of a key file."""
MAX_FILE = 4096
"""The most bytes of a key file."""


class KeyCode(Code):
    """The reasons why there is no key to play with, or why a nickname cannot be used."""

    TAKEN = "key-exists", "there is a key already: {path}; move it away first"
    NONE = "no-key", "there is no key yet: make one with `hoity id new`"
    OTHER_FILE = "no-key-file", "{path} is not a key file of this version"
    UNWRITTEN = "key-unwritten", "cannot write {path}: {why}"
    UNREAD = "key-unread", "cannot read {path}: {why}"
    UNUSABLE = "key-unusable", "cannot use {path}: {why}"
    NAME_SIZE = "nickname-size", "a nickname has 1 to {most} characters"
    NAME_LETTERS = "nickname-letters", "a nickname has characters that are not allowed in a name"
    NAME_AS_TWO = (
        "nickname-as-two",
        ("a nickname must not have a comma or semicolon: it would look like two names"),
    )
    NAME_STACKED = (
        "nickname-stacked",
        "a nickname may have at most {most} marks on one letter, and none before the first "
        "letter: they would cover the lines above and below",
    )


class KeyFileError(CodedError):
    """An error that says why the key file, or the nickname in it, cannot be used."""


@dataclass(frozen=True)
class NamedIdentity:
    """A player's long-lived key and nickname.

    Attributes:
        nickname: The name that the others see. Empty, away from a table, if the player has chosen
            none: another one is drawn for each table.
        is_drawn: Whether the nickname was drawn for this table.
    """

    identity: Identity
    nickname: str
    is_drawn: bool = False


def new_identity(home: Home, nickname: str | None, passphrase: str | None = None) -> NamedIdentity:
    """Make a new long-lived key and store it, with the nickname if it is not None.

    Raises:
        KeyFileError: If there is a key already, or the nickname is not allowed.
    """
    if home.files.has(home.identity):
        raise KeyFileError(KeyCode.TAKEN, path=str(home.identity))
    seed = os.urandom(32)
    save_identity(home, seed, nickname, new_vault(passphrase))
    return NamedIdentity(Identity(seed), nickname or "")


def check_name(nickname: str) -> None:
    """Check whether a nickname is allowed.

    Raises:
        KeyFileError: If it is not.
    """
    if not 0 < len(nickname) <= table_header.MAX_NICKNAME:
        raise KeyFileError(KeyCode.NAME_SIZE, most=table_header.MAX_NICKNAME)
    if not is_plain(nickname):
        raise KeyFileError(KeyCode.NAME_LETTERS)
    if not is_one_name(nickname):
        raise KeyFileError(KeyCode.NAME_AS_TWO)
    if is_stacked(nickname):
        raise KeyFileError(KeyCode.NAME_STACKED, most=MOST_MARKS)


def save_identity(home: Home, seed: bytes, nickname: str | None, vault: Vault) -> None:
    """Write the key file.

    Args:
        seed: The secret seed of the key, 32 bytes.
        nickname: None to store none.
        vault: The encryption of the file.

    Raises:
        KeyFileError: If there is a key already, the nickname is not allowed, or the file cannot be
            written.
    """
    if nickname is not None:
        check_name(nickname)
    data = vault.seal(codec.encode((seed, nickname or "")))
    try:
        # Never over a key that another process has made since it was looked for: that key would be
        # lost.
        home.files.put(home.identity, MAGIC + vault.header() + data, once=True)
    except FileExistsError as error:
        raise KeyFileError(KeyCode.TAKEN, path=str(home.identity)) from error
    except OSError as error:
        raise _told(KeyCode.UNWRITTEN, home, error) from error


def _told(code: KeyCode, home: Home, error: OSError) -> KeyFileError:
    return KeyFileError(code, path=str(home.identity), why=of_system(error))


def load_identity(home: Home, passphrase: str | None = None) -> NamedIdentity:
    """Read the key file.

    Raises:
        KeyFileError: If there is no key file, or it cannot be read.
    """
    try:
        # Limited, because another file may lie there, and would fill the memory.
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
        name = "" if nickname == "" else table_header.check_nickname(nickname)
        return NamedIdentity(Identity(seed), name)
    # The decoded value may have any form, and to take it apart raises the last two.
    except (VaultError, Invalid, ValueError, TypeError) as error:
        path, why = str(home.identity), of_file(error)
        raise KeyFileError(KeyCode.UNUSABLE, path=path, why=why) from error


def passphrase_from_environment() -> str | None:
    """Return the passphrase in HOITY_PASSPHRASE, None if it is not set or is empty."""
    return os.environ.get("HOITY_PASSPHRASE") or None
