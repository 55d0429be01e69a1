"""The player's key file: one Ed25519 identity and a nickname."""

from __future__ import annotations

import os
from dataclasses import dataclass

from protocol import Identity, Invalid, codec, is_one_name, is_plain, table_header

from ..errors import Code, CodedError, of_system
from ..stacking import MOST_MARKS, is_stacked
from .home import Home
from .own_files import private_folder, read_private, write_private
from .vault import Vault, VaultError, new_vault, of_file, read_vault

MAGIC = b"hoity-key-1\n"
MAX_FILE = 4096


class KeyCode(Code):
    """Why there is no key to play with."""

    TAKEN = "key-exists", "path"
    NONE = "no-key"
    OTHER_FILE = "no-key-file", "path"
    UNWRITTEN = "key-unwritten", "path", "why"
    UNREAD = "key-unread", "path", "why"
    UNUSABLE = "key-unusable", "path", "why"
    NAME_SIZE = "nickname-size", "most"
    NAME_LETTERS = "nickname-letters"
    NAME_AS_TWO = "nickname-as-two"
    NAME_STACKED = "nickname-stacked", "most"


class KeyFileError(CodedError):
    """The key file, or the nickname that goes with it, cannot be used."""


@dataclass(frozen=True)
class Player:
    """Who sits down: the identity and the name the others see."""

    identity: Identity
    nickname: str


def new_identity(home: Home, nickname: str, passphrase: str | None = None) -> Player:
    """Make and keep a new identity; KeyFileError if there is one already or the name is no good."""
    if os.path.lexists(home.identity):
        raise KeyFileError(KeyCode.TAKEN, path=str(home.identity))
    seed = os.urandom(32)
    save_identity(home, seed, nickname, new_vault(passphrase))
    return Player(Identity(seed), nickname)


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
        private_folder(home.path)
    except OSError as error:
        raise _told(KeyCode.UNWRITTEN, home, error) from error
    try:
        write_private(home.identity, MAGIC + vault.header() + data, once=True)
    except FileExistsError as error:
        raise KeyFileError(KeyCode.TAKEN, path=str(home.identity)) from error
    except OSError as error:
        raise _told(KeyCode.UNWRITTEN, home, error) from error


def _told(code: KeyCode, home: Home, error: OSError) -> KeyFileError:
    return KeyFileError(code, path=str(home.identity), why=of_system(error))


def load_identity(home: Home, passphrase: str | None = None) -> Player:
    """The kept identity; KeyFileError if there is none or it cannot be read."""
    try:
        data = read_private(home.identity, MAX_FILE)
    except FileNotFoundError as error:
        raise KeyFileError(KeyCode.NONE) from error
    except OSError as error:
        raise _told(KeyCode.UNREAD, home, error) from error
    if not data.startswith(MAGIC):
        raise KeyFileError(KeyCode.OTHER_FILE, path=str(home.identity))
    try:
        vault, size = read_vault(data[len(MAGIC) :], passphrase)
        seed, nickname = codec.decode(vault.open(data[len(MAGIC) + size :]), 1024)
        return Player(Identity(seed), table_header.check_nickname(nickname))
    except (VaultError, Invalid, ValueError, TypeError) as error:
        path, why = str(home.identity), of_file(error)
        raise KeyFileError(KeyCode.UNUSABLE, path=path, why=why) from error


def passphrase_from_environment() -> str | None:
    """HOITY_PASSPHRASE, if set; it never appears in arguments."""
    return os.environ.get("HOITY_PASSPHRASE") or None
