"""Lines of styled text, measured in terminal cells, and the styles in a dark and a light version.

Text from other people is made harmless here: a control or format character is shown as its escape,
and a text that is too wide is cut.

All widths and columns of the full screen are in cells, and columns count from 0. A style is a name
that `style_of` reads. An action is the Textual action that a click on a text runs, "" for none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final

from rich.cells import cell_len
from textual.color import Color
from textual.style import Style

from p2p_hoity.confusable_names import MOST_MARKS

from ... import printing
from ...printing import shown
from ...table_view.seat_looks import SEATS

CUT = "…"


@dataclass(frozen=True)
class Span:
    """A piece of text of one style."""

    text: str
    style: str = ""
    action: str = ""


def cells(text: str) -> int:
    """Return the number of terminal cells that a text takes."""
    return cell_len(text)


@lru_cache(maxsize=4096)
def tamed(words: str) -> str:
    """Return a text with control characters escaped and few combining marks on each letter."""
    if words.isascii():
        return shown(words)
    kept: list[str] = []
    marks = 0
    for letter in shown(words):
        # Whatever takes no cell counts as a mark. A pile of marks would be drawn over other lines.
        marks = marks + 1 if cells(letter) == 0 else 0
        if marks <= MOST_MARKS:
            kept.append(letter)
    return "".join(kept)


def cut(text: str, width: int) -> str:
    """Cut a text to a width, with `…` at its end if it was cut."""
    if cells(text) <= width:
        return text
    if width <= 0:
        return ""
    # The mark of a cut takes a cell.
    kept, used = [], 1
    for letter in text:
        used += cells(letter)
        if used > width:
            break
        kept.append(letter)
    return "".join(kept) + CUT


def fit(text: str, width: int, right: bool = False) -> str:
    """Cut a text or fill it with blanks to an exact width, at its right or at its left side."""
    text = cut(text, width)
    gap = " " * (width - cells(text))
    return gap + text if right else text + gap


@dataclass
class Line:
    """A line of the screen. The methods that add to its right end return the line itself."""

    spans: list[Span] = field(default_factory=list)

    def add(self, text: str, style: str = "", action: str = "") -> Line:
        """Append a text, made harmless."""
        if text:
            self.spans.append(Span(tamed(text), style, action))
        return self

    def fill(self, column: int) -> Line:
        """Append blanks up to a column."""
        gap = column - self.width
        return self.add(" " * gap) if gap > 0 else self

    def join(self, other: Line) -> Line:
        """Append another line."""
        self.spans.extend(other.spans)
        return self

    @property
    def width(self) -> int:
        """The number of cells that the line takes."""
        return sum(cells(span.text) for span in self.spans)

    @property
    def plain(self) -> str:
        """The text of the line without styles."""
        return "".join(span.text for span in self.spans)

    def within(self, width: int) -> Line:
        """Return a copy that is cut or filled to an exact width."""
        found, used = Line(), 0
        for span in self.spans:
            room = width - used
            if room <= 0:
                break
            text = cut(span.text, room)
            used += cells(text)
            if text != span.text:
                found.spans.append(Span(text, span.style, span.action))
                break
            found.spans.append(span)
        return found.add(" " * (width - used))

    def action_at(self, column: int) -> str:
        """Return the action of a click on a column."""
        at = 0
        for span in self.spans:
            at += cells(span.text)
            if column < at:
                return span.action
        return ""


def text(words: str, style: str = "", action: str = "") -> Line:
    """Return a line of one style."""
    return Line().add(words, style, action)


def between(left: Line, right: Line, width: int) -> Line:
    """Put two lines into one, the second at the right edge. If room is lacking, cut the first."""
    room = max(0, width - right.width)
    return left.within(room).join(right).within(width)


def joined(parts: Iterable[Line], gap: str = "  ") -> Line:
    """Put several lines into one, with a gap between them."""
    found = Line()
    for part in parts:
        if found.spans:
            found.add(gap)
        found.join(part)
    return found


def broken(words: str, width: int, style: str = "", indent: str = "") -> list[Line]:
    """Break a text into lines, between words, or inside a word that is too long for a line.

    Blanks at its front stay. `indent` stands before each further line.
    """
    found = (printing.broken(tamed(one), width, indent, cells) for one in words.split("\n"))
    return [text(cut(line, width), style) for lines in found for line in lines]


def paragraphs(
    told: Iterable[str], width: int, style: str = "plain", first: str = " ", hanging: str = "   "
) -> list[Line]:
    """Break texts into lines. `first` and `hanging` stand before the first and the further ones."""
    return [line for words in told for line in broken(first + words, width, style, hanging)]


COLOURS: Final = {
    "plain": ("#d8d5cc", "#2a2a30"),
    "dim": ("#8d8a84", "#74716b"),
    "bright": ("#ffffff", "#000000"),
    "title": ("#f2c14e", "#7a4b00"),
    "good": ("#7fd18b", "#1c7a35"),
    "warn": ("#ffb454", "#9a5200"),
    "bad": ("#ff6b6b", "#b3261e"),
    "qr": ("#ffffff", "#ffffff"),
    "rule": ("#4a4742", "#c9c3b6"),
    **{f"seat.{name}": pair for name, pair in SEATS.items()},
}
GROUNDS: Final = {
    "": ("#16151a", "#faf6ec"),
    "cursor": ("#3a3420", "#f0dfae"),
    "panel": ("#211f26", "#efe8d8"),
    "qr": ("#000000", "#000000"),
    "alarm": ("#5a1512", "#f7d0cc"),
}


BOLD: Final = frozenset({"bright", "title", "good", "bad"})


@cache
def style_of(name: str, light: bool) -> Style:
    """Return the style with a name such as `seat.red`, `*dim` (bold) or `title on cursor`."""
    ink, _, ground = name.partition(" on ")
    bold = ink.startswith("*")
    ink = ink.lstrip("*") or "plain"
    which = int(light)
    return Style(
        foreground=Color.parse(COLOURS.get(ink, COLOURS["plain"])[which]),
        background=Color.parse(GROUNDS.get(ground, GROUNDS[""])[which]),
        bold=bold or ink in BOLD or None,
        reverse=None,
    )
