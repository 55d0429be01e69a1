"""The questions of the first run as a form on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import trio

from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.presentation.table_messages import NO_NICKNAME, Ask, AskForm, Message, Refused
from p2p_hoity.web.websocket import WebSocket

from ... import version
from ...table_view.desk import Desk
from ...table_view.messages import hello
from ...table_view.stage import Stage
from ...words import translation
from ...words.translation import _
from ..screen_options import Box
from .outbox import Outbox
from .page_host import PageHost
from .page_message import page_message
from .page_sheets import page_sheet
from .window_requests import Open, Set, Setup, next_request

ASK: Final = 1


@dataclass(frozen=True)
class SetupForm:
    """What a new player is asked.

    Attributes:
        nickname: The nickname that was chosen before. None without one.
        levels: The levels of bots with their names. Empty if the player is not asked for one.
        level: The usual level.
    """

    nickname: str | None
    levels: tuple[tuple[str, str], ...]
    level: str | None

    def message(self) -> Ask:
        """Return the question in the current language."""
        fields = {
            "nickname": self.nickname,
            "language": translation.language(),
            "level": self.level,
            "levels": [{"level": level, "words": words} for level, words in self.levels],
            "offers_lesson": bool(self.levels),
        }
        return Ask(ASK, AskForm.SETUP, _("Before your first game"), fields, None)


class PageSetup:
    """Asks a new player at the page, until all is answered."""

    def __init__(
        self, page: PageHost, form: SetupForm, why_not: Callable[[str], str | None]
    ) -> None:
        """Prepare the form.

        Args:
            why_not: Returns why a word cannot be a nickname, in a sentence, None if it can.
        """
        self._page, self._form, self._why_not = page, form, why_not
        self._answers = Box[Setup]()

    def ask(self) -> Setup:
        """Return the answers."""
        return trio.run(self._asked)

    async def _asked(self) -> Setup:
        """Serve the page until the answers have come."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._page.serve, self.talk)
            found = await self._answers.next()
            nursery.cancel_scope.cancel()
        return found

    def _whole(self) -> Iterator[Message]:
        """Yield all that a window has to know."""
        yield hello(version())
        settings = windows.WindowSettings(None, True, True)
        yield page_message(self._page.mode, settings)
        yield self._form.message()

    async def talk(self, socket: WebSocket) -> None:
        """Talk with a window until it has answered, is gone or sends what it may not."""
        outbox = Outbox(socket, self._whole)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outbox.send_all)
            while (said := await next_request(socket)) is not None:
                if isinstance(said, Set) and translation.code_of(said.changed.get("language", "")):
                    translation.speak(said.changed["language"], True)
                    for message in self._whole():
                        outbox.put(message)
                if isinstance(said, Open):
                    outbox.put(page_sheet(said.sheet, Stage(), Desk(), ""))
                if isinstance(said, Setup) and (why := self._take(said)) is not None:
                    outbox.put(Refused(None, NO_NICKNAME, {}, why))
            nursery.cancel_scope.cancel()

    def _take(self, said: Setup) -> str | None:
        """Take the answers, or return why not."""
        why = self._why_not(said.nickname) if said.nickname else None
        if why is None:
            self._answers.put(said)
        return why
