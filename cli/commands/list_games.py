"""The games of this machine: listed, waiting for their player, and forgotten."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from p2p_hoity.storage.home import Home
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.storage.player_key import NamedIdentity, passphrase_from_environment
from p2p_hoity.table import resume_table, saved_games
from p2p_hoity.table.play_table import PeerError
from p2p_hoity.table.resume_table import OpenGame
from p2p_hoity.table.saved_games import is_running
from protocol.bounds import Seconds

from ..exit_codes import NOT_OK, OK, USAGE, Trouble, report
from ..local import player_setup
from ..local.bot_processes import sweep
from ..local.player_setup import ask_yes
from ..printing import say, write_line
from ..words.card_names import listed
from ..words.translation import _, command_line
from .options import LAST

SHORTEST = 4


def key_of_games(home: Home) -> tuple[NamedIdentity, str | None]:
    """Return the kept key.

    Raises:
        PeerError: If no game was ever begun here, so that no key is missed.
    """
    if not home.identity.exists() and not any(home.journals.glob("*.journal")):
        raise PeerError(resume_table.ResumeCode.NO_GAME)
    return player_setup.load(home)


def find(home: Home, name: str | None, passphrase: str | None, command: str) -> OpenGame:
    """Return the game that is meant.

    Args:
        home: The home of the games.
        name: The beginning of its name. None if there is only one.
        passphrase: The passphrase of the journals, if they have one.
        command: The command line that takes its name, for the list of several games.

    Raises:
        Trouble: If there are several; all of them are listed.
    """
    if name == LAST:
        return newest(home, passphrase)[0]
    try:
        return resume_table.find_game(home, name, passphrase)
    except resume_table.SeveralGames as error:
        raise Trouble(several(error.games, command), USAGE) from error


def newest(home: Home, passphrase: str | None) -> tuple[OpenGame, tuple[OpenGame, ...]]:
    """Return the newest game that is not being played, and the others that wait for their player.

    Args:
        home: The home of the games.
        passphrase: The passphrase of the journals, if they have one.
    """
    try:
        found = resume_table.find_game(home, None, passphrase)
    except resume_table.SeveralGames as error:
        games = error.games
    else:
        return found, ()
    free = [game for game in games if not is_running(game)] or list(games)
    return free[0], tuple(game for game in free[1:])


def several(games: Sequence[OpenGame], command: str) -> list[str]:
    """Return what to type for each game, when it was begun and with whom, newest first."""
    return [
        _("There are several games. Type the id of the one you mean:"),
        *commands(games, command),
    ]


def commands(games: Sequence[OpenGame], command: str) -> list[str]:
    """Return a line for each game: how the command takes it, when it was begun and with whom."""
    lines, names = list[str](), [game.name for game in games]
    for game in games:
        text = _("  {command}   begun {date} with {who}")
        typed = f"{command} {short(game.name, names)}"
        begun = date(game.started)
        lines.append(text.format(command=typed, date=begun, who=listed(game.opponents)))
    return lines


def short(name: str, names: Sequence[str]) -> str:
    """Return the shortest beginning of a name that no other has."""
    others = [other for other in names if other != name]
    for size in range(SHORTEST, len(name)):
        if not any(other.startswith(name[:size]) for other in others):
            return name[:size]
    return name


READING: Final[Seconds] = 2.0
"""Seconds for which games are read whose score is not known yet."""


def list_games(as_json: bool) -> int:
    """Show all games of this machine, newest first; return the exit code.

    Journals that others can get at are not read, and named.
    """
    home, passphrase = own_home(), passphrase_from_environment()
    found = saved_games.kept_games(home, passphrase, time.monotonic, READING)
    refused = [report(error, as_json) for error in resume_table.refused_games(home)]
    for game in found:
        if as_json:
            write_line(as_object(game))
        else:
            say(in_words(game))
    if not (found or refused or as_json):
        say(_("No game was played on this machine yet. Play one with: hoity play"))
    if any(game.progress is None for game in found) and not as_json:
        say(_("Some games were not read yet. Repeat the command to read the rest."))
    return max(refused, default=OK)


def as_object(game: saved_games.KeptGame) -> dict[str, Any]:
    """Return a game for a program."""
    progress = game.progress
    return {
        "game": game.name,
        "state": _state(game),
        "nicknames": list(game.nicknames),
        "seat": game.seat,
        "round": progress.round if progress else None,
        "fields": list(progress.fields) if progress else None,
        "ranks": list(progress.ranks) if progress else None,
        "date": datetime.fromtimestamp(game.when).isoformat(timespec="seconds"),
        "path": str(game.path),
    }


def _state(game: saved_games.KeptGame) -> str:
    if game.is_over:
        return "over" if game.progress is None or game.progress.whole else "not-ok"
    if game.is_running:
        return "running"
    return "claimed" if game.is_claimed else "open"


def in_words(game: saved_games.KeptGame) -> str:
    """Return a game in one line: its id, date, how it stands, and who played."""
    text = _("{game}  {date}  {state}: {who}")
    states = {
        "over": _("over"),
        "not-ok": _("not ok"),
        "running": _("being played now"),
        "claimed": _("saved as a claim"),
        "open": _("open"),
    }
    state = states[_state(game)]
    if game.progress is not None and game.progress.round:
        state = _("{state}, round {round}").format(state=state, round=game.progress.round)
    who = listed(_scores(game.nicknames, game.progress))
    return text.format(game=game.name, date=date(game.when), state=state, who=who)


def _scores(names: tuple[str, ...], progress: saved_games.Progress | None) -> list[str]:
    """Return each name with its field; of a game that is over the first first."""
    if progress is None or len(progress.fields) != len(names):
        return list(names)
    order = list(range(len(names)))
    if len(progress.ranks) == len(names):
        order.sort(key=lambda seat: progress.ranks[seat])
    return [f"{names[seat]} {progress.fields[seat]}" for seat in order]


def date(seconds: int) -> str:
    """Return a day and a time of this machine."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def told(game: OpenGame, passphrase: str | None) -> str:
    """Return an unfinished game in words: with whom, which round, and since when."""
    progress = saved_games.progress_of(game, passphrase)
    words = {
        "game": game.name,
        "who": listed(game.opponents),
        "date": date(game.started),
        "round": progress.round if progress else 0,
    }
    if not words["round"]:
        return _("game {game} with {who}, begun {date}").format(**words)
    return _("game {game} with {who}, round {round}, begun {date}").format(**words)


def forget(word: str, yes: bool) -> int:
    """Forget an unfinished game after a question; the exit code."""
    home = own_home()
    passphrase = key_of_games(home)[1]
    game = find(home, word, passphrase, command_line("forget"))
    if is_running(game):
        raise PeerError(saved_games.ForgetCode.RUNNING, game=game.name)
    if not yes:
        say(_("Forget {game}?").format(game=told(game, passphrase)))
        say(
            _(
                "You will lose your seat in this game for good: it can neither be resumed nor "
                "saved as a claim. The others may go on without you."
            )
        )
        if not ask_yes(_("Forget it? y forgets it, n keeps it: ")):
            say(_("Nothing was forgotten."))
            return NOT_OK
    saved_games.forget_game(game)
    sweep(home)
    say(_("Game {game} is forgotten.").format(game=game.name))
    return OK
