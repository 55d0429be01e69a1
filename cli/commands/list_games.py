"""The command `games`, and how other commands find a stored game by its id."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from p2p_hoity.storage.home import Home
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.storage.player_key import NamedIdentity, passphrase_from_environment
from p2p_hoity.table.beside_game import saved_games, unfinished_games
from p2p_hoity.table.beside_game.own_results import own_counts, own_result, statistics
from p2p_hoity.table.beside_game.saved_games import is_running
from p2p_hoity.table.beside_game.unfinished_games import OpenGame
from p2p_hoity.table.peer_error import PeerError
from protocol.units import Seconds

from ..exit_codes import OK, USAGE, Trouble, report
from ..local import player_setup
from ..printing import say, write_line
from ..words.statistics_text import summary
from ..words.translation import _, listed, signed
from .options import LAST, typed_id
from .own_statistics import own_key

SHORTEST = 4


def key_of_games(home: Home) -> tuple[NamedIdentity, str | None]:
    """Return the player's key, which the journals need, and its passphrase or None.

    Raises:
        PeerError: If there is neither a key nor a game on this computer.
    """
    if not home.identity.exists() and not any(home.journals.glob("*.journal")):
        raise PeerError(unfinished_games.ResumeCode.NO_GAME)
    return player_setup.load(home)


def find(home: Home, name: str | None, passphrase: str | None, command: str) -> OpenGame:
    """Find the unfinished game that the player has named.

    Args:
        name: The beginning of the game's id, or `last`. None if there is only one game.
        command: The command line to which an id is added in the list of games.

    Raises:
        Trouble: If several games may be meant. The message lists them.
    """
    plain = None if name is None else typed_id(name)
    if plain == LAST:
        return newest(home, passphrase)[0]
    try:
        return unfinished_games.find_game(home, plain, passphrase)
    except unfinished_games.SeveralGames as error:
        raise Trouble(several(error.games, command), USAGE) from error


def newest(home: Home, passphrase: str | None) -> tuple[OpenGame, tuple[OpenGame, ...]]:
    """Return the newest game that is not being played, and the others of these, newest first.

    If all are being played, it is chosen among all. If there is none, `find_game` says so.
    """
    try:
        found = unfinished_games.find_game(home, None, passphrase)
    except unfinished_games.SeveralGames as error:
        games = error.games
    else:
        return found, ()
    free = [game for game in games if not is_running(game)] or list(games)
    return free[0], tuple(game for game in free[1:])


def several(games: Sequence[OpenGame], command: str) -> list[str]:
    """Return the lines that say that several games may be meant, with a command for each."""
    return [
        _("There are several games. Type the id of the one you mean:"),
        *commands(games, command),
    ]


def commands(games: Sequence[OpenGame], command: str) -> list[str]:
    """Return a line for each game: the command with its id, when it was begun, and against whom."""
    lines, names = list[str](), [game.name for game in games]
    for game in games:
        text = _("  {command}   begun {date} with {who}")
        typed = f"{command} {short(game.name, names)}"
        begun = date(game.started)
        lines.append(text.format(command=typed, date=begun, who=listed(game.opponents)))
    return lines


def short(name: str, names: Sequence[str]) -> str:
    """Return the shortest beginning (`SHORTEST` or more digits) of an id that no other one has."""
    others = [other for other in names if other != name]
    for size in range(SHORTEST, len(name)):
        if not any(other.startswith(name[:size]) for other in others):
            return name[:size]
    return name


READING: Final[Seconds] = 2.0
"""The most time that `games` spends on reading games whose score is not known yet, in seconds."""


def list_games(as_json: bool) -> int:
    """Print all games of this computer, newest first, and how many of them the player has won.

    Journals that other users can read or change are not read. They are reported as errors.
    """
    home, passphrase = own_home(), passphrase_from_environment()
    own = own_key(home, passphrase)
    found = saved_games.kept_games(home, passphrase, time.monotonic, READING, own)
    refused = [report(error, as_json) for error in unfinished_games.refused_games(home)]
    for game in found:
        if as_json:
            write_line(as_object(game))
        else:
            say(in_words(game))
    if not as_json:
        _close_list(found, bool(refused))
    return max(refused, default=OK)


def _close_list(found: Sequence[saved_games.KeptGame], is_refused: bool) -> None:
    """Print what stands below the list of games for a person."""
    if not (found or is_refused):
        say(_("No game was played on this machine yet. Play one with: hoity play"))
    if any(game.progress is None for game in found):
        say(_("Some games were not read yet. Repeat the command to read the rest."))
    if line := summary(statistics(found)):
        say(line)


def as_object(game: saved_games.KeptGame) -> dict[str, Any]:
    """Return a stored game as the JSON object that `hoity games --json` prints."""
    progress, moment = game.progress, moment_of(game.when)
    result, counts = own_result(game), own_counts(game)
    return {
        "game": game.name,
        "state": _state(game),
        "nicknames": list(game.nicknames),
        "seat": game.seat,
        "round": progress.round if progress else None,
        "fields": list(progress.fields) if progress else None,
        "ranks": list(progress.ranks) if progress else None,
        "rank": result.rank if result else None,
        "margin": result.margin if result else None,
        "levels": None if game.levels is None else list(game.levels),
        "counts": asdict(counts) if counts else None,
        "date": moment.isoformat(timespec="seconds") if moment else None,
        "path": str(game.path),
    }


def _state(game: saved_games.KeptGame) -> str:
    """Return the state of a game as the word that JSON output uses."""
    if game.is_over:
        return "over" if game.progress is None or game.progress.whole else "not-ok"
    if game.is_running:
        return "running"
    return "claimed" if game.is_claimed else "open"


def in_words(game: saved_games.KeptGame) -> str:
    """Return a line that describes a stored game: its id, date, state and players."""
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
    if (result := own_result(game)) is not None:
        words = _("{state}, rank {rank} of {seats} ({margin})")
        margin = signed(result.margin)
        state = words.format(
            state=state, rank=result.rank, seats=len(game.nicknames), margin=margin
        )
    who = listed(_scores(game))
    return text.format(game=game.name, date=date(game.when), state=state, who=who)


def _scores(game: saved_games.KeptGame) -> list[str]:
    """Return the nicknames, with the fields on the track if known, the winner of a game first.

    The player's own seat in a finished game is marked.
    """
    names, progress = list(game.nicknames), game.progress
    if game.is_over and game.seat is not None:
        names[game.seat] = _("{nickname} (you)").format(nickname=names[game.seat])
    if progress is None or len(progress.fields) != len(names):
        return names
    order = list(range(len(names)))
    if len(progress.ranks) == len(names):
        order.sort(key=lambda seat: progress.ranks[seat])
    return [f"{names[seat]} {progress.fields[seat]}" for seat in order]


NO_DATE: Final = "????-??-?? ??:??"
"""The date of a file or journal whose time is beyond what a calendar has."""


def moment_of(seconds: int) -> datetime | None:
    """Return a time in seconds since 1970, which may be any number, in this time zone.

    It is None before the year 1, after the year 9999, and for times that this system does not know,
    such as those before 1970 on some.
    """
    try:
        return datetime.fromtimestamp(seconds)
    except (ValueError, OverflowError, OSError):
        return None


def date(seconds: int) -> str:
    """Return a time in seconds since 1970 as `2025-01-31 18:05` in this time zone, or NO_DATE."""
    moment = moment_of(seconds)
    # isoformat has four digits of the year on every system, strftime("%Y") not.
    return NO_DATE if moment is None else moment.isoformat(" ", timespec="minutes")


def told(game: OpenGame, passphrase: str | None) -> str:
    """Return a phrase about an unfinished game: its opponents, its round, and when it was begun."""
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
