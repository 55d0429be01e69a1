"""The command `learn`: the lesson at any time, and before a first game."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Final

import trio

from p2p_hoity.storage.home import home as own_home

from ..exit_codes import INTERRUPTED, OK, Trouble, ctrl_c_means
from ..local import settings
from ..local.bot_processes import own_installation
from ..local.lesson_screen import Room, hear_talk, teach
from ..local.player_setup import default_nickname
from ..printing import say
from ..ui.screen_interface import ScreenOptions
from ..words import translation
from ..words.translation import _
from .take_seat import interrupted, screen_for_people

BEFORE: Final = "HOITY_LESSON_BEFORE"
"""In the environment of a lesson behind which a game begins: no command for one is shown."""


def learn(plain: bool) -> int:
    """Play the lesson; the exit code. Trouble if it is left before its end."""
    left: list[str] = []
    scope = trio.CancelScope()

    def leave(reason: str) -> None:
        left.append(reason)
        scope.cancel()

    room = screen_for_people(ScreenOptions(leave, plain=plain))
    with ctrl_c_means(lambda: farewell(_("Interrupted"), plain)):
        room.run(_attend, room, leave, scope)
    if left:
        raise Trouble(farewell(left[0], plain), INTERRUPTED)
    if not os.environ.get(BEFORE):
        say(_("Play against bots with: hoity play. With people: hoity host, or hoity join TICKET."))
    return OK


def farewell(reason: str, plain: bool) -> str:
    """Return the words for a lesson that is left, with the command that begins it in this way."""
    text = _("{reason}. Nothing is lost. Start the lesson again with: hoity learn")
    return text.format(reason=reason) + (" --plain" if plain else "")


async def _attend(room: Room, leave: Callable[[str], None], scope: trio.CancelScope) -> None:
    nickname = settings.load(own_home()).nickname or default_nickname()
    with scope:
        async with trio.open_nursery() as nursery:
            await nursery.start(interrupted, leave)
            nursery.start_soon(room.listen)
            nursery.start_soon(hear_talk, room, nickname)
            await teach(room, nickname)
            room.end_lesson()
            nursery.cancel_scope.cancel()


def before_the_game(plain: bool) -> None:
    """Play the lesson in a process of its own; however it ends, the game begins.

    The terminal is then again as it was, and nobody reads from it who would take the game's first
    line.
    """
    words = ["learn", "--lang", translation.language(), *(["--plain"] if plain else [])]
    command = [sys.executable, "-P", "-m", "cli", *words]
    process = subprocess.Popen(command, env={**own_installation(), BEFORE: "1"})
    while True:
        try:
            process.wait()
            return
        except KeyboardInterrupt:  # the lesson has it too, and asks what it means
            continue
