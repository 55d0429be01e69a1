"""The games on this machine that wait for their player, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from p2p_hoity.storage.home import Home
from p2p_hoity.storage.player_key import Player
from p2p_hoity.tables.kept_games import is_running
from p2p_hoity.tables.resuming import OpenGame, SeveralGames, find_game

from ..trouble import USAGE, Trouble
from ..words.cards import listed
from ..words.lingo import _
from .complete import LAST

SHORTEST = 4


def find(
    home: Home, name: str | None, me: Player, passphrase: str | None, command: str
) -> OpenGame:
    """The game meant; Trouble that lists all if there are several. `command` takes its name."""
    if name == LAST:
        return newest(home, me, passphrase)[0]
    try:
        return find_game(home, name, passphrase, me.identity.public)
    except SeveralGames as error:
        raise Trouble(several(error.games, command), USAGE) from error


def newest(home: Home, me: Player, passphrase: str | None) -> tuple[OpenGame, tuple[OpenGame, ...]]:
    """The game begun last that nobody plays just now, and the others that wait for their player."""
    try:
        found = find_game(home, None, passphrase, me.identity.public)
    except SeveralGames as error:
        games = error.games
    else:
        return found, ()
    free = [game for game in games if not is_running(game)] or list(games)
    return free[0], tuple(game for game in free[1:])


def several(games: Sequence[OpenGame], command: str) -> list[str]:
    """What to type for each game, when it was begun and with whom, newest first."""
    return [_("There are several games; type the one you mean:"), *commands(games, command)]


def commands(games: Sequence[OpenGame], command: str) -> list[str]:
    """A line for each game: how the command takes it, when it was begun and with whom."""
    lines, names = list[str](), [game.name for game in games]
    for game in games:
        text = _("  {command}   begun {date} with {who}")
        date = datetime.fromtimestamp(game.started).strftime("%Y-%m-%d %H:%M")
        typed = f"{command} {short(game.name, names)}"
        lines.append(text.format(command=typed, date=date, who=listed(game.opponents)))
    return lines


def short(name: str, names: Sequence[str]) -> str:
    """The shortest beginning of a name that no other has."""
    others = [other for other in names if other != name]
    for size in range(SHORTEST, len(name)):
        if not any(other.startswith(name[:size]) for other in others):
            return name[:size]
    return name
