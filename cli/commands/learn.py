"""The command `learn`: the lesson, at any time; and the first run's offer of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import trio

from p2p_hoity.storage.home import home as own_home

from ..local import settings
from ..local.bot_processes import own_installation
from ..local.first_run import default_nickname
from ..local.lesson import hear_talk, teach
from ..local.questions import answer
from ..printing import say
from ..trouble import INTERRUPTED, OK, Trouble, ctrl_c_means
from ..ui.screen import Classroom, classroom
from ..words import lingo
from ..words.answers import yes_or_no
from ..words.lingo import _
from .going import interrupted


def learn(plain: bool) -> int:
    """Play the lesson; the exit code. Trouble if it is left before its end."""
    left: list[str] = []
    scope = trio.CancelScope()

    def leave(reason: str) -> None:
        left.append(reason)
        scope.cancel()

    room = classroom(plain, leave)
    with ctrl_c_means(lambda: farewell(_("Interrupted"))):
        room.run(_attend, room, leave, scope, left)
    say(_("Play against bots with: hoity play. With people: hoity host, or hoity join TICKET."))
    return OK


def farewell(reason: str) -> str:
    """Words for a lesson that is left."""
    text = _("{reason}. Nothing is lost; the lesson begins anew with: hoity learn")
    return text.format(reason=reason)


async def _attend(
    room: Classroom, leave: Callable[[str], None], scope: trio.CancelScope, left: list[str]
) -> None:
    nickname = settings.load(own_home()).nickname or default_nickname()
    with scope:
        async with trio.open_nursery() as nursery:
            await nursery.start(interrupted, leave)
            nursery.start_soon(room.listen)
            nursery.start_soon(hear_talk, room, nickname)
            await teach(room, nickname)
            room.end_lesson()
            nursery.cancel_scope.cancel()
    if left:
        raise Trouble(farewell(left[0]), INTERRUPTED)


def offer(plain: bool) -> None:
    """Ask once whether to play the lesson before the game; however that ends, the game begins."""
    while (wanted := yes_or_no(answer(_("A first round, explained? y or n: ")), None)) is None:
        pass
    if wanted:
        _in_a_process(plain)


def _in_a_process(plain: bool) -> None:
    """The lesson in a process of its own: the terminal is then again as it was, and nobody reads
    from it who would take the game's first line."""
    words = ["learn", "--lang", lingo.language(), *(["--plain"] if plain else [])]
    command = [sys.executable, "-P", "-m", "cli", *words]
    process = subprocess.Popen(command, env=own_installation())
    while True:
        try:
            process.wait()
            return
        except KeyboardInterrupt:  # the lesson has it too, and asks what it means
            continue
