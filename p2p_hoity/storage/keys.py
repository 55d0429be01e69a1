"""The player's key file: one Ed25519 identity and a nickname."""

from __future__ import annotations

import os
from dataclasses import dataclass

from protocol.crypto.signing import Identity
from protocol.errors import Invalid
from protocol.wire import encoding
from protocol.wire.header import check_nickname

from .home import Home
from .own_files import private_folder, read_private, write_private
from .vault import Vault, VaultError, new_vault, read_vault

MAGIC = b"hoity-key-1\n"
MAX_FILE = 4096


class KeyFileError(Exception):
    """The key file cannot be used; the text says why and what to do."""


@dataclass(frozen=True)
class Player:
    """Who sits down: the identity and the name the others see."""

    identity: Identity
    nickname: str


def new_identity(home: Home, nickname: str, passphrase: str | None = None) -> Player:
    """Make and keep a new identity; KeyFileError if there is one already or the name is no good."""
    if os.path.lexists(home.identity):
        raise KeyFileError(_taken(home))
    seed = os.urandom(32)
    save_identity(home, seed, nickname, new_vault(passphrase))
    return Player(Identity(seed), nickname)


def _taken(home: Home) -> str:
    return f"there is a key already: {home.identity}; move it away first"


def check_name(nickname: str) -> None:
    """KeyFileError if this cannot be a nickname."""
    try:
        check_nickname(nickname)
    except Invalid as error:
        raise KeyFileError(error.reason) from error


def save_identity(home: Home, seed: bytes, nickname: str, vault: Vault) -> None:
    """Write the key file."""
    check_name(nickname)
    data = vault.seal(encoding.encode((seed, nickname)))
    try:
        private_folder(home.path)
    except OSError as error:
        raise KeyFileError(f"cannot write {home.identity}: {error.strerror}") from error
    try:
        write_private(home.identity, MAGIC + vault.header() + data, once=True)
    except FileExistsError as error:
        raise KeyFileError(_taken(home)) from error
    except OSError as error:
        raise KeyFileError(f"cannot write {home.identity}: {error.strerror}") from error


def load_identity(home: Home, passphrase: str | None = None) -> Player:
    """The kept identity; KeyFileError if there is none or it cannot be read."""
    try:
        data = read_private(home.identity, MAX_FILE)
    except FileNotFoundError as error:
        raise KeyFileError("there is no key yet: make one with `hoity id new`") from error
    except OSError as error:
        raise KeyFileError(f"cannot read {home.identity}: {error.strerror}") from error
    if not data.startswith(MAGIC):
        raise KeyFileError(f"{home.identity} is no key file of this version")
    try:
        vault, size = read_vault(data[len(MAGIC) :], passphrase)
        seed, nickname = encoding.decode(vault.open(data[len(MAGIC) + size :]), 1024)
        return Player(Identity(seed), check_nickname(nickname))
    except (VaultError, Invalid, ValueError, TypeError) as error:
        raise KeyFileError(f"cannot use {home.identity}: {error}") from error


def passphrase_from_environment() -> str | None:
    """HOITY_PASSPHRASE, if set; it never appears in arguments."""
    return os.environ.get("HOITY_PASSPHRASE") or None
