"""The screens that open over the table: pages of text, a failed proof, and the QR code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ...table_view.desk import Desk
from ...table_view.seats import DONE
from ...table_view.sheets import Paragraph, sheet
from ...table_view.stage import Stage
from ...words.chat_phrases import MARK, PHRASES
from ...words.translation import N_, _
from .ending import BARS
from .key_bindings import NUMBERS
from .lobby_and_deal import ten_lines
from .score_track import SEVERAL
from .seats_and_pieces import HIDDEN, POINTER, TAKEN, WINDOWS, YOU
from .styled_lines import CUT, Line, broken, paragraphs, style_of, tamed, text

HELP: Final = (
    ("1–9 ↑ ↓", N_("pick an answer; Enter seals it, and there is no undo")),
    (
        N_("← → Space"),
        N_("walk over your pieces and mark them; 1–9 marks one of the best exhibits"),
    ),
    (
        N_("mouse"),
        N_("a click picks or marks; a click on a word in the last line does what it says"),
    ),
    ("i", N_("the names and years of all pieces; where room is short, 17 means 1700 to 1799")),
    ("l", N_("the log")),
    ("b", N_("the last round in brief, what you have missed, and the octagons ahead")),
    ("r", N_("the rules in one screen")),
    ("o", N_("what was proven, by whom, and how long the check took")),
    ("p", N_("which seats are linked, and every seat's key")),
    ("h", N_("a hint: what the hard bot would do; against your own bots only")),
    ("#", N_("what this table promises, in numbers")),
    ("t", N_("talk: a line of your own, or the number of a phrase")),
    ("s", N_("after the game: save a picture of it in the folder where you are")),
    ("w", N_("give the awaited players more time")),
    ("a", N_("let a bot play on, and take the seat back")),
    (N_("Esc q Ctrl-C"), N_("the menu: stay, leave for now, a bot, settings, mute")),
)
LEGEND: Final = (
    (
        "2 3 4 +",
        N_(
            "on the track: what the octagon of a field brings the best exhibit, and in a second row"
            " the second-best; + is 10 or more"
        ),
    ),
    ("A B C", N_("on the track: the figures, by the letter before the name of each seat")),
    ("| =", N_("where the Banquet begins, and its fields")),
    (SEVERAL, N_("more figures stand on this field than there is room for")),
    (N_("C10 T5 D E"), N_("Action cards: Cash 10, Thief 5, Detective, Exhibit")),
    ("10→B1926", N_("bought B1926 for Cash 10; +10 alone: stole Cash 10 at the sale")),
    ("+2 → 8", N_("a figure moves 2 fields on, to field 8")),
    ("[1 —]", N_("cell 1 of the prison, with no Thief in it")),
    ("· – —", N_("none")),
    ("*", N_("a piece that only you see")),
    (HIDDEN, N_("how many pieces of a seat you do not see; in a window, a hidden piece")),
    (WINDOWS, N_("the windows; behind each open piece, how many the window holds")),
    (
        "A–F: 11",
        N_("a best exhibit that is too long to be written out: 11 pieces, all from A to F"),
    ),
    ("C 17 18", N_("pieces of the letter C that have no room in their column")),
    (BARS, N_("the path of a figure, round by round, from the first field to the highest")),
    (POINTER, N_("the cursor, in a list or among pieces")),
    (f"{DONE} ✗", N_("marked, sealed or proven; a proof that failed")),
    (TAKEN, N_("a piece that your Thief may take")),
    (YOU, N_("it is your turn to choose, and how much time is left")),
    (
        "≤ ≥",
        N_("at most, at least; after your return, others may have waited longer than you know"),
    ),
    (MARK.strip(), N_("what somebody says, or what the lesson explains")),
    (
        f"{CUT} +1",
        N_(
            "text cut off for lack of room, and how many more there are; … as a status: in progress"
        ),
    ),
)
"""The meaning of each mark on the screen."""
PLAYING: Final = frozenset({"1–9 ↑ ↓", "← → Space", "mouse", "h", "w", "a"})
"""The keys that an onlooker has no use for."""


def page(name: str, stage: Stage, desk: Desk, width: int) -> tuple[str, list[Line]]:
    """Return the title and the lines of a page."""
    if name in PAGES:
        words, write = PAGES[name]
        return _(words), write(stage, width)
    title, told = sheet(name, stage, desk)
    lines = laid(told, width)
    if name == "links" and stage.scene.moved is not None:
        lines += broken(_(COPIED), width, "plain")
    return title, lines or [text(_("Nothing yet."), "dim")]


COPIED: Final = N_("After Esc, c copies it and x shows it as a QR code.")


def laid(told: Iterable[Paragraph], width: int) -> list[Line]:
    """Break paragraphs into lines. One of several texts is a line of its own, and is cut."""
    lines: list[Line] = []
    for one in told:
        if len(one.texts) == 1:
            words, style = one.texts[0]
            lines += broken(words, width, style, one.hanging)
            continue
        line = Line()
        for words, style in one.texts:
            line.add(words, style)
        lines.append(line)
    return lines


def alarm(words: str) -> list[Line]:
    """Return the lines of the page about a failed proof."""
    return [Line(), *broken(words, 90, "bad"), Line()]


def _keys(keys: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Return the lines that explain keys. Both keys and words are translated here."""
    told = (f"{_(key):>13}  {_(words)}" for key, words in keys)
    return paragraphs(told, width, first="", hanging=" " * 15)


def _legend(width: int) -> list[Line]:
    return [Line(), text(_("Marks on the screen:"), "title"), *_keys(LEGEND, width)]


def _help(stage: Stage, width: int) -> list[Line]:
    """Return the help page: the keys, the symbols on the screen, and the phrases for the chat."""
    looks_on = stage.scene.table is not None and stage.scene.seat is None
    keys = [one for one in HELP if not (looks_on and one[0] in PLAYING)]
    lines = [*_keys(keys, width), *_legend(width), Line()]
    lines.append(text(_("Phrases for the talk:"), "title"))
    return [*lines, *phrases(width)]


def phrases(width: int) -> list[Line]:
    """Return lines with the phrases of the chat, each behind its number."""
    lines = [Line()]
    for number, words in enumerate(PHRASES, 1):
        one = text(f"{number} ", "title").add(_(words), "plain")
        if lines[-1].spans and lines[-1].width + len(BETWEEN) + one.width > width:
            lines.append(Line())
        lines[-1].add(BETWEEN if lines[-1].spans else "", "dim").join(one)
    return lines


BETWEEN: Final = " · "


REPLAY: Final = (
    ("← → b n", N_("one step back or on")),
    (N_("PgUp PgDn"), N_("to where a round begins")),
    (N_("Home End"), N_("to the beginning, to the end")),
    (N_("Space"), N_("let it run, or stop it")),
    ("+ -", N_("faster, slower")),
    ("s", N_("what one seat knew then: each seat in turn, then what all knew")),
    ("i l r p o", N_("pieces, log, rules, keys, and what was checked in the file")),
    ("q Esc", N_("leave")),
)


Write = Callable[[Stage, int], list[Line]]
PAGES: Final[Mapping[str, tuple[str, Write]]] = {
    "rules": (N_("Rules"), ten_lines),
    "help": (N_("Help"), _help),
    "replay": (N_("Help"), lambda stage, width: [*_keys(REPLAY, width), *_legend(width)]),
}
"""The title and the function of every page that only the full screen has."""


def content_of(lines: Sequence[Line], light: bool) -> Content:
    """Return lines as a text for Textual."""
    parts: list[tuple[str, object]] = []
    for line in lines:
        parts += [(span.text, style_of(span.style, light)) for span in line.spans]
        parts.append(("\n", ""))
    shown = parts[:-1]  # No empty line follows the last one.
    # The types are too wide: each second part is a `Style` or "".
    return Content.assemble(*shown)  # type: ignore[arg-type]


class Page(ModalScreen[None]):
    """A page of text that is read and closed."""

    AUTO_FOCUS = "VerticalScroll"

    DEFAULT_CSS = """
    Page { align: center middle; }
    Page VerticalScroll {
        width: 96%; max-width: 110; height: auto; max-height: 94%;
        border: round $primary; padding: 0 1; background: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,space,ctrl+c", "dismiss", show=False)
    ]

    def __init__(
        self, title: str, lines: Sequence[Line], name: str | None = None, at_end: bool = False
    ) -> None:
        """Make a page. `name` is None if the page is not one of `PAGES`."""
        super().__init__(name=name)
        self._title, self.shown, self._at_end = title, lines, at_end

    def on_mount(self) -> None:
        """Scroll to the last line when the page opens, if it was made with `at_end`."""
        if self._at_end:
            self.query_one(VerticalScroll).scroll_end(animate=False)

    def compose(self) -> ComposeResult:
        """Show the text in a box. Arrows, page keys and the mouse wheel scroll it."""
        light = not self.app.current_theme.dark
        with VerticalScroll() as scroll:
            scroll.border_title = self._title
            scroll.border_subtitle = "Esc"
            yield Static(content_of(self.shown, light))


class Picture(ModalScreen[None]):
    """A picture over the whole screen. Escape, Enter, Space, q or x closes it."""

    DEFAULT_CSS = """
    Picture { align: center middle; background: #000000; }
    Picture Static { width: auto; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,space,x,ctrl+c", "dismiss", show=False)
    ]

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self._shown = lines

    def compose(self) -> ComposeResult:
        """Show the picture in the middle."""
        yield Static(content_of(self._shown, False))


class Choices(ModalScreen[str]):
    """A list from which one entry is chosen.

    A number or an arrow highlights an entry, and Enter takes it. Escape closes the list with "".
    """

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
        """Make a list of results and words. The result `first`, else the top one, is marked."""
        super().__init__()
        self._title, self._options, self._first = title, options, first

    def compose(self) -> ComposeResult:
        """Show the entries with their numbers. A click on an entry takes it at once."""
        numbered, digits = enumerate(self._options, 1), len(str(len(self._options)))
        rows = (Option(f"{n:>{digits}} {tamed(words)}", id=name) for n, (name, words) in numbered)
        found = OptionList(*rows, markup=False)  # Nicknames may contain markup characters.
        found.border_title = self._title
        found.border_subtitle = "1–9 ↑↓ · " + _("Enter") + " · Esc"
        names = [name for name, _words in self._options]
        found.highlighted = names.index(self._first) if self._first in names else 0
        yield found

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close the list, and return the id of the picked entry to its opener."""
        self.dismiss(event.option.id or "")

    def action_pick(self, number: int) -> None:
        """Highlight the entry with a number, from 1, if there is one."""
        if number <= len(self._options):
            self.query_one(OptionList).highlighted = number - 1

    def action_none(self) -> None:
        """Close the list with the result "", so that no entry is taken."""
        self.dismiss("")
