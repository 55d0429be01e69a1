"""The table as a Textual application without a player: its board, and the pages over it.

One widget shows the lines of the screen, and knows which action a click on each place runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget

from p2p_hoity.presentation.screen_updates import OfferedCode
from protocol.units import Seconds

from ...local.ending_signals import hang_up, is_closed
from ...table_view.desk import Desk
from ...table_view.stage import Stage
from ...words.table_terms import whole
from ...words.translation import _
from ..lines.line_ticket import qr
from ..saved_picture import save_picture
from .info_pages import Page, Picture, alarm, page
from .key_bindings import OVER_A_PAGE, key_of
from .layout import frame
from .styled_lines import Line, style_of, text

NARROWEST: Final = 20
"""The least width of a page, in columns, even if the terminal is narrower."""
WIDEST: Final = 114
"""The greatest width of a terminal that a page uses, in columns."""
FRAME: Final = 6
"""The columns of a page's border, margins and scroll bar."""
TERMINAL_CHECK: Final[Seconds] = 1.0
"""The time between two checks whether the terminal is still there, in seconds."""


class Board(Widget):
    """The widget that shows the lines of a frame, which `draw` returns for a width and a height."""

    DEFAULT_CSS = "Board { width: 1fr; height: 1fr; }"

    def __init__(self, draw: Callable[[int, int], Sequence[Line]]) -> None:
        super().__init__()
        self.draw = draw
        self.lines: Sequence[Line] = ()

    def redraw(self) -> None:
        """Draw all lines again after something has changed."""
        self.lines = self.draw(self.size.width, self.size.height)
        self.refresh()

    def on_resize(self) -> None:
        """Draw all lines in the new size of the window."""
        self.redraw()

    def render_line(self, y: int) -> Strip:
        """Return one row of the screen, from 0, as styled segments."""
        light = not self.app.current_theme.dark
        line = self.lines[y] if y < len(self.lines) else Line().fill(self.size.width)
        return Strip(
            [Segment(span.text, style_of(span.style, light).rich_style) for span in line.spans]
        )

    async def on_click(self, event: events.Click) -> None:
        """Run the action at the place of a click."""
        if event.y < len(self.lines):
            action = self.lines[event.y].action_at(event.x)
            if action:
                await self.app.run_action(action)
                self.redraw()


class PagedApp(App[None]):
    """An application that shows a table and can open pages over it.

    Attributes:
        page_keys: The actions of the keys that work while a page is open.
        ticket: The ticket of the table. "" if there is none.
    """

    page_keys: ClassVar[Mapping[str, str]] = OVER_A_PAGE

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    TITLE = "Hoity Toity"
    CSS = """
    Screen { layers: table talk; overflow: hidden; }
    Board { layer: table; }
    #talking { layer: talk; dock: bottom; height: auto; }
    #phrases { height: auto; padding: 0 1; background: $surface; }
    Input { height: 1; border: none; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q,ctrl+d", "menu", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]

    def __init__(self, stage: Stage) -> None:
        # Textual would take the size of the window from these, and not see it change.
        for name in ("COLUMNS", "LINES"):
            os.environ.pop(name, None)
        super().__init__()
        self.stage, self.desk = stage, Desk()
        self._board = Board(self._frame)
        self.ticket = ""

    def _print_error_renderables(self) -> None:
        """Print no traceback: the line prompt takes over and reports the failure."""

    def compose(self) -> ComposeResult:
        """Show the board."""
        yield self._board

    def _frame(self, width: int, height: int) -> list[Line]:
        return frame(self.stage, self.desk, width, height)

    @property
    def failure(self) -> Exception | None:
        """The error that made the application fail, or None."""
        return self._exception

    def redraw(self) -> None:
        """Show the current state."""
        if self._board.is_attached:
            self._board.redraw()

    def on_mount(self) -> None:
        """Notice if the terminal closes."""
        # Not every terminal that closes sends SIGHUP, and Textual would read its end again and
        # again.
        if not self.is_headless:
            self.set_interval(TERMINAL_CHECK, self._check_terminal)

    def _check_terminal(self) -> None:
        if is_closed(sys.stdin.fileno()):
            hang_up()

    async def action_page(self, name: str) -> None:
        """Open a page."""
        width = max(NARROWEST, min(WIDEST, self.size.width) * 96 // 100 - FRAME)
        title, lines = page(name, self.stage, self.desk, width)
        await self.push_screen(Page(title, lines, name, at_end=name == "log"))

    def action_copy(self) -> None:
        """Copy the ticket to the clipboard, if the terminal allows it."""
        if self.ticket:
            self.copy_to_clipboard(self.ticket)
            self.notify(_("The ticket is copied, if this terminal allows it."))

    def action_copy_code(self) -> None:
        """Copy the spoken code to the clipboard, if the terminal allows it."""
        if isinstance(self.stage.scene.code, OfferedCode):
            self.copy_to_clipboard(whole(self.stage.scene.code))
            self.notify(_("The code is copied, if this terminal allows it."))

    def action_picture(self) -> None:
        """Save a picture of the game that is over in the current folder."""
        words = save_picture(self.stage)
        if words is not None:
            self.notify(words)

    async def action_qr(self) -> None:
        """Show the ticket as a QR code on the whole screen."""
        if self.ticket:
            await self.push_screen(Picture([text(line, "qr on qr") for line in qr(self.ticket)]))

    def over_a_page(self, key: str) -> str | None:
        """Return the action of a key that works while a page is open, None if it has none."""
        return self.page_keys.get(key)

    async def key_over_a_page(self, event: events.Key) -> None:
        """Handle a key while a page is open: close the page, or turn to another one."""
        action = self.over_a_page(key_of(event).lower())
        if action is None or not isinstance(self.screen, Page) or self.screen.name is None:
            return
        event.prevent_default()  # Textual would call the handler of a base class as well.
        name = self.screen.name
        await self.pop_screen()
        # The key of the open page only closes it.
        if action != f"page('{name}')":
            await self.run_action(action)

    async def show_alarm(self) -> None:
        """Show the sentence about a proven fault over the table, unless it was shown before."""
        words, self.stage.alarm = self.stage.alarm, None
        if words is None:
            return
        await self.push_screen(Page(_("A proof failed"), alarm(words)))
