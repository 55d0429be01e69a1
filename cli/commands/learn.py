"""The command `learn`, which plays the lesson. It can also be played before a first game."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

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
from ..ui.kinds_of_window import seat_of_person
from ..ui.person_seat import PersonSeat
from ..ui.screen_options import ScreenOptions
from ..words import translation
from ..words.translation import _
from .options import WebOptions
from .page_options import closed_after, page_of

if TYPE_CHECKING:
    from ..ui.web.page_host import PageHost

BEFORE: Final = "HOITY_LESSON_BEFORE"
"""The variable that is set for a lesson before a game, which does not tell how to start one."""


def learn(plain: bool, web: WebOptions) -> int:
    """Play the lesson.

    Raises:
        Trouble: If the player leaves the lesson before its end.
    """
    page = page_of(own_home(), "learn", web)
    typed = "--web" if web.web else "--plain" if plain else ""
    with closed_after(page), ctrl_c_means(lambda: farewell(_("Interrupted"), typed)):
        left = _taught(page, plain)
    if left is not None:
        raise Trouble(farewell(left.reason, typed), INTERRUPTED)
    if not os.environ.get(BEFORE):
        say(_("Play against bots with: hoity play. With people: hoity host, or hoity join TICKET."))
    return OK


def lesson_before(page: PageHost) -> None:
    """Play the lesson on the page of the game that follows it, to its end or until it is left.

    Raises:
        Trouble: If this process is asked to end meanwhile.
    """
    mode, page.mode, page.goes_on = page.mode, "learn", True
    with ctrl_c_means(lambda: _("Interrupted.")):
        left = _taught(page)
    page.mode, page.goes_on = mode, False
    if left is not None and left.by_signal:
        raise Trouble(_("Interrupted."), INTERRUPTED)


@dataclass(frozen=True)
class _Left:
    """That the lesson was left, by the person or by a signal, for a translated reason."""

    reason: str
    by_signal: bool


def _taught(page: PageHost | None, plain: bool = False) -> _Left | None:
    """Play the lesson, and return how it was left, None if it came to its end."""
    left: list[_Left] = []
    scope = trio.CancelScope()

    def leave(by_signal: bool, reason: str) -> None:
        left.append(_Left(reason, by_signal))
        scope.cancel()

    sentences = settings.in_sentences()
    how = ScreenOptions(partial(leave, False), plain=plain, sentences=sentences, page=page)
    room = seat_of_person(how)
    room.window.run(_attend, room, partial(leave, True), scope)
    return left[0] if left else None


def farewell(reason: str, typed: str) -> str:
    """Return the message for a lesson that is left, with the command for the same kind of screen.

    Args:
        reason: Why it was left, as a translated phrase.
        typed: The option for this kind of screen, "" without one.
    """
    text = _("{reason}. Nothing is lost. Start the lesson again with: hoity learn")
    return f"{text.format(reason=reason)} {typed}".rstrip()


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
