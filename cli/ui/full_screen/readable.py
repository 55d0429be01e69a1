"""What lies over the table and is read: pages, a proven fault, the ticket as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from textual import events
from textual.app import App

from p2p_hoity.session.updates import Code

from ...words.codes import whole
from ...words.lingo import _
from ..ticket_block import qr
from . import reading
from .frame import Desk
from .ink import text
from .keys import OVER_A_PAGE, key_of
from .pages import Page, Picture
from .scene import Scene

NARROWEST: Final = 20
"""Columns for which a page is written at least, though the terminal be smaller."""
WIDEST: Final = 114
"""Columns of a terminal of which a page uses no more."""
FRAME: Final = 6
"""Columns of a page's border, its blanks and its scroll bar."""


class Readable(App[None]):
    """An application with a scene and a desk, over which pages lie.

    `numbers` are what the table promises, `ticket` what invites to it; `page_keys` the actions of
    keys that do not wait until a page is closed.
    """

    page_keys: ClassVar[Mapping[str, str]] = OVER_A_PAGE

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self.scene, self.desk = scene, Desk()
        self.numbers: list[str] = []
        self.ticket = ""

    async def action_page(self, name: str) -> None:
        """Open a page."""
        width = max(NARROWEST, min(WIDEST, self.size.width) * 96 // 100 - FRAME)
        title, lines = reading.page(name, self.scene, self.desk, self.numbers, width)
        await self.push_screen(Page(title, lines, name, at_end=name == "log"))

    def action_copy(self) -> None:
        """Copy the ticket, by the terminal."""
        if self.ticket:
            self.copy_to_clipboard(self.ticket)
            self.notify(_("The ticket is copied, if this terminal allows it."))

    def action_copy_code(self) -> None:
        """Copy the code, by the terminal."""
        if isinstance(self.scene.code, Code):
            self.copy_to_clipboard(whole(self.scene.code))
            self.notify(_("The code is copied, if this terminal allows it."))

    async def action_qr(self) -> None:
        """The ticket as a QR code, as large as the screen."""
        if self.ticket:
            await self.push_screen(Picture([text(line, "qr on qr") for line in qr(self.ticket)]))

    def over_a_page(self, key: str) -> str | None:
        """The action of a key that does not wait until a page is closed."""
        return self.page_keys.get(key)

    async def key_over_a_page(self, event: events.Key) -> None:
        """A page's key turns to that page, or closes it if it is this one; others that do not wait
        close the page first."""
        action = self.over_a_page(key_of(event).lower())
        if action is None or not isinstance(self.screen, Page) or self.screen.name is None:
            return
        event.prevent_default()  # the library would ask a class above as well
        name = self.screen.name
        await self.pop_screen()
        if action != f"page('{name}')":
            await self.run_action(action)

    async def show_alarm(self) -> None:
        """A proven fault fills the screen, at once and once."""
        words, self.scene.alarm = self.scene.alarm, None
        if words is None:
            return
        await self.push_screen(Page(_("A proof failed"), reading.alarm(words)))
