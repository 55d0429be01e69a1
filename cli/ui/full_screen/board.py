"""The one widget of the table: it shows the lines of a frame, and knows what a click means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from .colours import Line, style_of


class Board(Widget):
    """Shows `draw(width, height)` anew whenever it is refreshed."""

    DEFAULT_CSS = "Board { width: 1fr; height: 1fr; }"

    def __init__(self, draw: Callable[[int, int], Sequence[Line]]) -> None:
        super().__init__()
        self.draw = draw
        self.lines: Sequence[Line] = ()

    def redraw(self) -> None:
        """Draw again, because something has changed."""
        self.lines = self.draw(self.size.width, self.size.height)
        self.refresh()

    def on_resize(self) -> None:
        """Another size."""
        self.redraw()

    def render_line(self, y: int) -> Strip:
        """One line in cells."""
        light = not self.app.current_theme.dark
        line = self.lines[y] if y < len(self.lines) else Line().fill(self.size.width)
        return Strip(
            [Segment(span.text, style_of(span.style, light).rich_style) for span in line.spans]
        )

    async def on_click(self, event: events.Click) -> None:
        """Do what stands there."""
        if event.y < len(self.lines):
            action = self.lines[event.y].action_at(event.x)
            if action:
                await self.app.run_action(action)
