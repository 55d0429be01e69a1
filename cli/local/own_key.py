"""The player's own key: loaded, or made on the first game; its fingerprint and nickname."""

from __future__ import annotations

import getpass
import secrets
import sys
import warnings
from typing import Any

from p2p_hoity.storage.home import Home
from p2p_hoity.storage.player_key import (
    KeyFileError,
    Player,
    VaultError,
    check_name,
    load_identity,
    new_identity,
    passphrase_from_environment,
)
from protocol import fingerprint

from ..printing import complain
from ..trouble import USAGE, Trouble
from ..words.lingo import _
from . import settings
from .first_run import default_nickname, why_no_nickname


def own_name(home: Home) -> str:
    """The nickname that was chosen once; else the system's user name and a few random letters, so
    that two fresh keys of one user can sit at one table."""
    chosen = settings.load(home).nickname
    if chosen is not None and why_no_nickname(chosen) is None:
        return chosen
    return f"{default_nickname()[:16].strip()}-{secrets.token_hex(2)}"


def load(home: Home) -> tuple[Player, str | None]:
    """The kept key and its passphrase, which is asked for on a terminal if it is needed."""
    given = passphrase_from_environment()
    try:
        return load_identity(home, given), given
    except KeyFileError as error:
        sealed = isinstance(error.__cause__, VaultError)
        if given or not sealed or not sys.stdin.isatty():
            raise
    asked = typed(_("Passphrase: "))
    return load_identity(home, asked), asked


def typed(question: str) -> str:
    """A passphrase typed unseen; Trouble if there is no terminal to type it at."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass(question)
    except (getpass.GetPassWarning, EOFError) as error:
        words = _("A passphrase is typed at a terminal, and there is none: set HOITY_PASSPHRASE.")
        raise Trouble(words, USAGE) from error


def load_or_make(home: Home, name: str | None) -> tuple[Player, str | None]:
    """The kept key; on the very first game a fresh one, said on standard error."""
    if name is not None:
        check_name(name)
    if home.identity.exists():
        return load(home)
    given = passphrase_from_environment()
    made = new_identity(home, name or own_name(home), given)
    text = _("A new key was made for you: {nickname}, {fingerprint}. It is kept in {path}.")
    words = text.format(
        nickname=made.nickname,
        fingerprint=fingerprint(made.identity.public),
        path=home.identity,
    )
    complain(words)
    return made, given


def new(home: Home, name: str | None, ask: bool) -> Player:
    """Make a key; with `ask` under a passphrase typed twice, unless HOITY_PASSPHRASE gives it."""
    given = passphrase_from_environment()
    if ask and not given:
        given = typed(_("Passphrase: "))
        if given != typed(_("Once more: ")):
            raise Trouble(_("The two passphrases differ; nothing was made."), USAGE)
    return new_identity(home, name or own_name(home), given)


def as_json(home: Home, player: Player) -> dict[str, Any]:
    """The public side of a key."""
    public = player.identity.public
    return {
        "nickname": player.nickname,
        "fingerprint": fingerprint(public),
        "public": public.hex(),
        "path": str(home.identity),
    }
