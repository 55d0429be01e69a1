"""Who sits down by a command: the player's own key, and a sitting with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

from p2p_hoity.storage.home import Home
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.storage.player_key import Player
from p2p_hoity.table.play_table import PeerError
from p2p_hoity.table.resume_table import ResumeCode
from p2p_hoity.table.session import Outcome

from ..local import player_setup
from ..local.places import check_home
from ..local.player_setup import first_run
from .take_seat import Manner, Sitting, taken_as

Go = Callable[[Sitting, trio.Nursery], Awaitable[Outcome]]


def new_sitting(manner: Manner) -> Sitting:
    """A sitting with the kept key; on the very first game with a fresh one."""
    home = own_home()
    check_home(home)
    if manner.name is None and not manner.as_json:
        first_run(home)
    me, passphrase = player_setup.load_or_make(home, manner.name)
    return Sitting(home, taken_as(me, manner.name), manner, passphrase)


def key_of_games(home: Home) -> tuple[Player, str | None]:
    """The kept key; PeerError if no game was ever begun here, so that no key is missed."""
    if not home.identity.exists() and not any(home.journals.glob("*.journal")):
        raise PeerError(ResumeCode.NO_GAME)
    return player_setup.load(home)
