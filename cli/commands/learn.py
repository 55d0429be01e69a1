"""The command `learn`, which plays the lesson. It can also be played before a first game."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Final

import trio

from p2p_hoity.storage.home import home as own_home
from p2p_hoity.table.gathering.drawn_nicknames import draw_nickname

from ..exit_codes import INTERRUPTED, OK, Trouble, ctrl_c_means
from ..local import settings
from ..local.ending_signals import interrupted, wait_for
from ..local.lesson_screen import hear_talk, teach
from ..local.own_program import own_command, own_environment
from ..local.player_setup import chosen_name
from ..printing import say, size_if_too_small
from ..ui.person_seat import PersonSeat
from ..ui.screen_options import ScreenOptions
from ..words import translation
from ..words.translation import _
from .take_seat import seat_of_person

BEFORE: Final = "HOITY_LESSON_BEFORE"
"""The variable that is set for a lesson before a game, which does not tell how to start one."""


def learn(plain: bool) -> int:
    """Play the lesson.

    Raises:
        Trouble: If the player leaves the lesson before its end.
    """
    left: list[str] = []
    scope = trio.CancelScope()

    def leave(reason: str) -> None:
        left.append(reason)
        scope.cancel()

    how = ScreenOptions(leave, plain=plain, sentences=settings.in_sentences())
    room = seat_of_person(how)
    with ctrl_c_means(lambda: farewell(_("Interrupted"), plain)):
        room.window.run(_attend, room, leave, scope)
    if left:
        raise Trouble(farewell(left[0], plain), INTERRUPTED)
    if not os.environ.get(BEFORE):
        say(_("Play against bots with: hoity play. With people: hoity host, or hoity join TICKET."))
    return OK


def farewell(reason: str, plain: bool) -> str:
    """Return the message for a lesson that is left, with the command for the same kind of screen.

    Args:
        reason: Why it was left, as a translated phrase.
    """
    text = _("{reason}. Nothing is lost. Start the lesson again with: hoity learn")
    return text.format(reason=reason) + (" --plain" if plain else "")


async def _attend(room: PersonSeat, leave: Callable[[str], None], scope: trio.CancelScope) -> None:
    """Run the lesson, with signals, input and chat, until it ends or `scope` is cancelled."""
    nickname = chosen_name(own_home()) or draw_nickname()
    with scope:
        async with trio.open_nursery() as nursery:
            await nursery.start(interrupted, leave)
            if listen := room.window.listener(True):
                nursery.start_soon(listen)
            nursery.start_soon(hear_talk, room, nickname)
            await teach(room, nickname)
            nursery.cancel_scope.cancel()


def before_the_game(plain: bool) -> None:
    """Play the lesson in a process of its own, and return when it has ended in any way.

    Such a process restores the terminal, and cannot take input that is typed for the game.

    Raises:
        Trouble: If this process is asked to end meanwhile, as the lesson is then.
    """
    # That a terminal is too small for the full screen was said already.
    in_lines = plain or size_if_too_small(plain) is not None
    words = ["learn", "--lang", translation.language(), *(["--plain"] if in_lines else [])]
    process = subprocess.Popen(own_command(*words), env={**own_environment(), BEFORE: "1"})
    if wait_for(process):
        raise Trouble(_("Interrupted."), INTERRUPTED)
