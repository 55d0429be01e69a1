"""The command `forget`, which removes the files of an unfinished game."""

from __future__ import annotations

from p2p_hoity.storage.home import home as own_home
from p2p_hoity.table.beside_game import saved_games
from p2p_hoity.table.beside_game.saved_games import is_running
from p2p_hoity.table.peer_error import PeerError

from ..exit_codes import NOT_OK, OK
from ..local.bot_processes import sweep
from ..local.player_setup import ask_yes
from ..printing import say
from ..words.translation import _, command_line, yes_no
from .list_games import find, key_of_games, told


def forget(word: str, yes: bool) -> int:
    """Remove the files of an unfinished game, or return NOT_OK if the player declines.

    Args:
        word: The beginning of the game's id, or `last`.

    Raises:
        PeerError: If the game is being played just now.
    """
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
        if not game.is_claimed:
            words = _(
                "If somebody has cheated, your journal may be the only proof of it. To save the "
                "game as a file first, answer n and type: hoity resume --claim {game}"
            )
            say(words.format(game=game.name))
        if not ask_yes(yes_no(_("Forget it?"), None) + ": "):
            say(_("Nothing was forgotten."))
            return NOT_OK
    saved_games.forget_game(game)
    # Only now: the files of bots are kept as long as there is a journal of their game.
    sweep(home)
    say(_("Game {game} is forgotten.").format(game=game.name))
    return OK
