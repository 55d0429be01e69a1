"""Pages over the table: a text to read, and the menu of leaving and settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ...words.lingo import _
from .ink import Line, tamed
from .keys import NUMBERS
from .palette import style_of


def content_of(lines: Sequence[Line], light: bool) -> Content:
    """Lines as Textual's text."""
    parts: list[tuple[str, object]] = []
    for line in lines:
        parts += [(span.text, style_of(span.style, light)) for span in line.spans]
        parts.append(("\n", ""))
    return Content.assemble(*parts)  # type: ignore[arg-type]


class Page(ModalScreen[None]):
    """A text that is read and closed; a page of the table has its name."""

    AUTO_FOCUS = "VerticalScroll"

    DEFAULT_CSS = """
    Page { align: center middle; }
    Page VerticalScroll {
        width: 96%; max-width: 110; height: auto; max-height: 94%;
        border: round $primary; padding: 0 1; background: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,space,ctrl+c", "dismiss", show=False),
    ]

    def __init__(
        self, title: str, lines: Sequence[Line], name: str | None = None, at_end: bool = False
    ) -> None:
        """`at_end`: it opens at its last line."""
        super().__init__(name=name)
        self._title, self.shown, self._at_end = title, lines, at_end

    def on_mount(self) -> None:
        """What has just happened stands at the end of a log."""
        if self._at_end:
            self.query_one(VerticalScroll).scroll_end(animate=False)

    def compose(self) -> ComposeResult:
        """The text, scrolled by arrows, page keys or the wheel."""
        light = not self.app.current_theme.dark
        with VerticalScroll() as scroll:
            scroll.border_title = self._title
            scroll.border_subtitle = "Esc"
            yield Static(content_of(self.shown, light))


class Picture(ModalScreen[None]):
    """A picture over the whole screen; any of the usual keys closes it."""

    DEFAULT_CSS = """
    Picture { align: center middle; background: #000000; }
    Picture Static { width: auto; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,space,x,ctrl+c", "dismiss", show=False),
    ]

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self._shown = lines

    def compose(self) -> ComposeResult:
        """The picture in the middle."""
        yield Static(content_of(self._shown, False))


class Choices(ModalScreen[str]):
    """A few things to choose from: a number or an arrow picks one, Enter takes it, as in the
    questions of the table; Escape chooses none."""

    AUTO_FOCUS = "OptionList"

    DEFAULT_CSS = """
    Choices { align: center middle; }
    Choices OptionList {
        width: 64; max-width: 96%; height: auto; max-height: 90%;
        border: round $primary; background: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "none", show=False),
        *(Binding(digit, f"pick({number})", show=False) for digit, number in NUMBERS.items()),
    ]

    def __init__(self, title: str, options: Sequence[tuple[str, str]], first: str = "") -> None:
        """`first` is the option that is highlighted, the first one if there is none such."""
        super().__init__()
        self._title, self._options, self._first = title, options, first

    def compose(self) -> ComposeResult:
        """The options by number; a click takes one at once."""
        numbered, digits = enumerate(self._options, 1), len(str(len(self._options)))
        rows = (Option(f"{n:>{digits}} {tamed(words)}", id=name) for n, (name, words) in numbered)
        found = OptionList(*rows, markup=False)  # nicknames stand there, as they are
        found.border_title = self._title
        found.border_subtitle = "1–9 ↑↓ · " + _("Enter") + " · Esc"
        names = [name for name, _words in self._options]
        found.highlighted = names.index(self._first) if self._first in names else 0
        yield found

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """That one."""
        self.dismiss(event.option.id or "")

    def action_pick(self, number: int) -> None:
        """Highlight the option of this number, if there is one."""
        if number <= len(self._options):
            self.query_one(OptionList).highlighted = number - 1

    def action_none(self) -> None:
        """None of them."""
        self.dismiss("")
