"""Lines of styled text measured in terminal cells, and the styles by name, in dark and in light.

Whatever comes from elsewhere is plain text here: a control or format character is shown as its
escape, and nothing is wider than the place it is given.
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

CUT = "…"


@dataclass(frozen=True)
class Span:
    """Text of one style; `action` is what a click on it does, empty if nothing."""

    text: str
    style: str = ""
    action: str = ""


def cells(text: str) -> int:
    """How many cells of a terminal the text takes."""
    return cell_len(text)


@lru_cache(maxsize=4096)
def tamed(words: str) -> str:
    """Words as they may stand on the screen: plain, and no letter with a tower of marks, or of
    whatever else the library gives no width."""
    if words.isascii():
        return shown(words)
    kept: list[str] = []
    marks = 0
    for letter in shown(words):
        marks = marks + 1 if cells(letter) == 0 else 0
        if marks <= MOST_MARKS:
            kept.append(letter)
    return "".join(kept)


@lru_cache(maxsize=4096)
def cut(text: str, width: int) -> str:
    """The text in at most so many cells, with a mark where it was cut."""
    if cells(text) <= width:
        return text
    if width <= 0:
        return ""
    kept, used = [], 1
    for letter in text:
        used += cells(letter)
        if used > width:
            break
        kept.append(letter)
    return "".join(kept) + CUT


def fit(text: str, width: int, right: bool = False) -> str:
    """The text in exactly so many cells, cut or filled up on its right or left."""
    text = cut(text, width)
    gap = " " * (width - cells(text))
    return gap + text if right else text + gap


@dataclass
class Line:
    """One line of the screen, built from left to right."""

    spans: list[Span] = field(default_factory=list)

    def add(self, text: str, style: str = "", action: str = "") -> Line:
        """Put text at the end."""
        if text:
            self.spans.append(Span(tamed(text), style, action))
        return self

    def fill(self, column: int) -> Line:
        """Blanks up to a column."""
        gap = column - self.width
        return self.add(" " * gap) if gap > 0 else self

    def join(self, other: Line) -> Line:
        """Another line behind this one."""
        self.spans.extend(other.spans)
        return self

    @property
    def width(self) -> int:
        """How many cells it takes."""
        return sum(cells(span.text) for span in self.spans)

    @property
    def plain(self) -> str:
        """Its text without styles."""
        return "".join(span.text for span in self.spans)

    def within(self, width: int) -> Line:
        """The line in exactly so many cells."""
        found, used = Line(), 0
        for span in self.spans:
            room = width - used
            if room <= 0:
                break
            text = cut(span.text, room)
            found.spans.append(Span(text, span.style, span.action))
            used += cells(text)
            if text != span.text:
                break
        return found.fill(width)

    def action_at(self, column: int) -> str:
        """What a click on this column does."""
        at = 0
        for span in self.spans:
            at += cells(span.text)
            if column < at:
                return span.action
        return ""


def text(words: str, style: str = "", action: str = "") -> Line:
    """A line of one style."""
    return Line().add(words, style, action)


def between(left: Line, right: Line, width: int) -> Line:
    """Two lines in one, the second at the right edge; the first gives way."""
    room = max(0, width - right.width)
    return left.within(room).join(right).within(width)


def joined(parts: Iterable[Line], gap: str = "  ") -> Line:
    """Several lines in one, with a gap between them."""
    found = Line()
    for part in parts:
        if found.spans:
            found.add(gap)
        found.join(part)
    return found


def broken(words: str, width: int, style: str = "", indent: str = "") -> list[Line]:
    """The words in lines of at most so many cells, broken between words, and inside a word that
    has no room in a line; blanks at their front stay, and later lines begin with `indent`."""
    found = (printing.broken(tamed(one), width, indent, cells) for one in words.split("\n"))
    return [text(cut(line, width), style) for lines in found for line in lines]


def paragraphs(
    told: Iterable[str], width: int, style: str = "plain", first: str = " ", hanging: str = "   "
) -> list[Line]:
    """Return each text in as many lines as it needs.

    Args:
        told: The texts.
        width: Cells of a line at most.
        style: How they are shown.
        first: Stands before each of them.
        hanging: Stands before each further line.
    """
    return [line for words in told for line in broken(first + words, width, style, hanging)]


SEATS: Final = {
    "black": ("#a8a8b8", "#303038"),
    "red": ("#ff6b6b", "#b3261e"),
    "blue": ("#6fb1ff", "#1d5fbf"),
    "green": ("#6fd08c", "#1f7a3d"),
    "purple": ("#d09bff", "#7b35b8"),
    "beige": ("#e6cf9f", "#8a6414"),
}
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
    """The style of a name as in `seat.red`, `dim` or `title on cursor`; a leading `*` is bold."""
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
