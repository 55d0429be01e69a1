"""The grid on the screen: a row a seat, a column a letter; one's own row is where pieces are
marked, and the windows stand below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...words.cards import Names
from ...words.grid import Grid, Mark, Row, Top, grid
from ...words.lingo import _, language
from .ink import Line, cells, cut, fit, text
from .marks import DONE, POINTER, letters, name_of, seat_style
from .menu import Menu
from .scene import Scene

WINDOWS = "①②"
HIDDEN = "?"
TAKEN = "›"
"""Before a piece that a Thief may take."""


@dataclass(frozen=True)
class Years:
    """How the years of a letter are written: whole, or as their century, so that all fit."""

    short: bool

    def of(self, mark: Mark) -> str:
        """A year, and a star if only its owner sees the piece."""
        year = str(mark.year)
        shown = year[:-2] if self.short and len(year) > 3 else year
        return shown + ("*" if mark.is_secret else "")


WHOLE, SHORT = Years(False), Years(True)


def pieces(scene: Scene, menu: Menu | None, width: int) -> list[Line]:
    """A heading, a line a seat, and the windows."""
    if scene.view is None or scene.names is None:
        return []
    found = grid(scene.view)
    name, best = 9 if width < 100 else 12, _best_width(found, width)
    needed = _needed(found, menu.slots if menu is not None else ())
    years, columns = _fitting(scene.names, found, needed, width - name - best - 10)
    lines = [_heading(scene.names, found, name, columns, width)]
    lines += [_row(scene, menu, row, name, best, years, columns, width) for row in found.rows]
    return [*lines, _windows(scene, menu, found, name, columns, width)]


def _needed(found: Grid, slots: Sequence[int]) -> list[int]:
    """The least columns in which one's own pieces, the first row, and all that may be marked are
    seen."""
    first, *others = [row.cells for row in found.rows]
    needed = []
    for at, own in enumerate(first):
        marked = [cells_[at] for cells_ in others if _holds(cells_[at], slots)]
        needed.append(max(_cell_width(cell, SHORT) for cell in (own, *marked)) + 1)
    return needed


def _holds(cell: Sequence[Mark], slots: Sequence[int]) -> bool:
    return any(mark.slot in slots for mark in cell)


def _fitting(
    names: Names, found: Grid, needed: Sequence[int], room: int
) -> tuple[list[Years], list[int]]:
    """Return how the years of each letter are written, and the width of its column.

    Years are whole in as many columns as there is room for. What is left over goes to the letters'
    names, and what is lacking is taken where more than what is `needed` is left.
    """
    years, columns = [SHORT] * len(found.letters), _widths(found, SHORT)
    whole = _widths(found, WHOLE)
    for at in sorted(range(len(columns)), key=lambda at: whole[at] - columns[at]):
        if sum(columns) - columns[at] + whole[at] <= room:
            years[at], columns[at] = WHOLE, whole[at]
    wished = [cells(category(names, letter)) + 4 for letter in found.letters]
    while sum(columns) < room:
        lacking = [w - c for c, w in zip(columns, wished, strict=True)]
        least = min((lack for lack in lacking if lack > 0), default=None)
        if least is None:
            break
        columns[lacking.index(least)] += 1
    while sum(columns) > room and max(columns) > 1:
        roomy = [at for at, column in enumerate(columns) if column > needed[at]]
        columns[max(roomy or range(len(columns)), key=columns.__getitem__)] -= 1
    return years, columns


def _best_width(found: Grid, width: int) -> int:
    most = max(len(row.best) for row in found.rows)
    return min(max(6, most), 16 if width >= 100 else 9)


def _widths(found: Grid, years: Years) -> list[int]:
    letters_ = range(len(found.letters))
    return [
        max(3, *(_cell_width(row.cells[letter], years) for row in found.rows)) + 1
        for letter in letters_
    ]


def category(names: Names, letter: str) -> str:
    """What is collected under a letter, in the language spoken; empty if the edition is silent."""
    found = names.edition.categories.get(letter, {})
    return found.get(language()) or found.get("en") or ""


def _cell_width(cell: Sequence[Mark], years: Years) -> int:
    return sum(cells(years.of(mark)) + 1 for mark in cell) if cell else 2


def _heading(names: Names, found: Grid, name: int, columns: Sequence[int], width: int) -> Line:
    line = text(fit(" " + _("PIECES"), name), "dim")
    for letter, column in zip(found.letters, columns, strict=True):
        word = fit(f" {category(names, letter)}", column - 2)
        line.add(f" {letter}", "title").add(word, "dim")
    return (
        line.add(" ? ", "dim")
        .add(_("BEST EXHIBIT") if width >= 100 else _("BEST"), "dim")
        .within(width)
    )


def _row(
    scene: Scene,
    menu: Menu | None,
    row: Row,
    name: int,
    best: int,
    years: Sequence[Years],
    columns: Sequence[int],
    width: int,
) -> Line:
    mark = letters(scene.names.nicknames)[row.seat] if scene.names else ""
    line = text(fit(f" {mark} {name_of(scene, row.seat)}", name), seat_style(scene, row.seat))
    for cell, how, column in zip(row.cells, years, columns, strict=True):
        has_room = _cell_width(cell, WHOLE) < column
        line.join(_cell(menu, cell, WHOLE if has_room else how, column))
    unknown = "–" if row.seat == scene.seat else str(row.unknown)
    line.add(fit(f" {unknown}", 3), "dim")
    return (
        line.add(fit(row.best or "—", best) + " ", "bright")
        .add(str(row.oldest or ""), "dim")
        .within(width)
    )


def _cell(menu: Menu | None, cell: Sequence[Mark], years: Years, column: int) -> Line:
    line = Line()
    if not cell:
        line.add(" ·", "rule")
    for number, mark in enumerate(cell):
        piece = _piece(menu, mark, years.of(mark))
        if line.width + piece.width > column:
            rest = cut(f"+{len(cell) - number}", max(1, column - line.width))
            line.add(rest, "dim")
            break
        line.join(piece)
    return line.within(column)


def _piece(menu: Menu | None, mark: Mark, word: str) -> Line:
    """Return a piece behind a blank, or behind the mark of what may be done with it.

    It is an arrow if it is pointed at, a tick if it is marked, and `TAKEN` if a Thief may take it.
    A piece that is pointed at and marked has its tick behind it, where each column has a cell to
    spare.
    """
    if menu is None or mark.slot not in menu.slots:
        return text(" ").add(word, "title" if mark.is_secret else "plain")
    pointed = menu.slots[menu.at] == mark.slot
    chosen = mark.slot in menu.picked
    style = ("*good" if chosen else "bright") + (" on cursor" if pointed or chosen else "")
    blank = TAKEN if menu.kind == "theft" else " "
    line = text(POINTER if pointed else DONE if chosen else blank, "title")
    return line.add(word + (DONE if pointed and chosen else ""), style, f"mark({mark.slot})")


def _top(top: Top) -> Line:
    """Return the open Collectible of a window, and how many the window holds."""
    word = HIDDEN if top.letter == HIDDEN else f"{top.letter}{top.year}"
    line = text(f"{WINDOWS[top.window]}{word}", "title", f"window({top.window})")
    return line.add(f" ({top.size}) ", "dim")


def _windows(
    scene: Scene, menu: Menu | None, found: Grid, name: int, columns: Sequence[int], width: int
) -> Line:
    line = text(fit(" " + _("Windows"), name), "dim")
    if not found.tops:
        return line.add(_("empty: everyone is in the Castle"), "dim").within(width)
    starts = [name + sum(columns[:index]) for index in range(len(columns))]
    tops = sorted(found.tops, key=lambda top: (top.letter == HIDDEN, top.letter, top.window))
    shown = [_top(top) for top in tops]
    for number, (top, one) in enumerate(zip(tops, shown, strict=True)):
        start = 0 if top.letter == HIDDEN else starts[found.letters.index(top.letter)]
        rest = sum(other.width for other in shown[number:])
        line.fill(min(start + 1, width - rest)).join(one)
    if width >= 100 and line.width + 30 < width:
        line.fill(width - 30).add(_("* secret: only you see it"), "dim")
    return line.within(width)
