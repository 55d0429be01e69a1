"""The commands `id new`, `id show` and `id export`, about the player's own key."""

from __future__ import annotations

from pathlib import Path

from p2p_hoity.storage.home import Home, home
from p2p_hoity.storage.player_key import MAX_FILE, NamedIdentity, check_name
from p2p_hoity.storage.private_files import NAMED

from ..exit_codes import OK, USAGE, Trouble
from ..local import player_setup
from ..local.player_setup import first_run
from ..printing import say, write_line
from ..words import translation
from ..words.translation import _


def new(name: str | None, passphrase: bool, as_json: bool) -> int:
    """Make the player's key and print it. Without a name, ask for one or choose none."""
    if name is not None:
        check_name(name)
    own = home()
    if name is None and not as_json:
        first_run(own)
    _show(own, player_setup.new(own, name, passphrase), as_json)
    return OK


def show(as_json: bool) -> int:
    """Print the fingerprint and the nickname of the player's key."""
    own = home()
    _show(own, player_setup.load(own)[0], as_json)
    return OK


def _show(own: Home, player: NamedIdentity, as_json: bool) -> None:
    """Print the description of a key, as JSON or in words."""
    described = player_setup.as_json(own, player)
    if as_json:
        write_line(described)
        return
    if player.nickname:
        say(_("Nickname: {nickname}").format(**described))
    else:
        say(_("Nickname: another one at each table"))
    say(_("Language: {language}").format(language=translation.name_of(translation.language())))
    say(_("Fingerprint: {fingerprint}").format(**described))
    say(_("Public key: {public}").format(**described))
    say(_("Kept in: {path}").format(**described))


def export(secret: Path | None) -> int:
    """Print the player's public key, or copy the file of the secret key to a new file.

    Raises:
        Trouble: If the file exists already.
    """
    own = home()
    player, _passphrase = player_setup.load(own)
    if secret is None:
        say(player.identity.public.hex())
        return OK
    target = secret.absolute()
    try:
        NAMED.put(target, own.files.get(own.identity, MAX_FILE), once=True)
    except FileExistsError as error:
        words = _("{path} exists already; name another file.").format(path=secret)
        raise Trouble(words, USAGE) from error
    say(_("Copied to {path}. Whoever has this file can sit down as you.").format(path=secret))
    return OK
