"""The seats and the grid of their Collectibles on the screen, and each seat's letter and colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p2p_hoity.rules import LETTERS, ActionKind, View

from ...table_view.question_menu import Menu
from ...table_view.seats import (
    DONE,
    Notice,
    SeatRow,
    letters,
    name_of,
    seat_rows,
    seat_style,
    short_card,
)
from ...table_view.stage import Stage
from ...words import card_names
from ...words.card_names import Grid, Mark, Names, Row, grid
from ...words.translation import _
from .styled_lines import Line, cells, cut, fit, joined, text

YOU = "►"
POINTER = "▸"


def marks_of(nicknames: Sequence[str]) -> tuple[str, ...]:
    """Return the letter or number of one cell that marks each seat, by the seats' nicknames."""
    return letters(nicknames, lambda letter: cells(letter) == 1)


WINDOWS = "①②"
HIDDEN = "?"
TAKEN = "›"
"""The sign before a piece that a Thief may take."""


WINDOW = 16
"""The cells from the beginning of one window to that of the next."""
WHOLE, SHORT = 9, 2
"""The number of digits of a year that are written: all of them, or two to save room."""
NOTHING = " ·"
"""What stands in an empty cell."""
MORE = 4
"""The cells that tell how many further pieces there are, such as ` +12`."""
LEAST_OF_NAME = 5
"""The fewest cells in which the name of a category is cut: a blank, three letters and a mark."""


def _year(mark: Mark, digits: int) -> str:
    """Return the first digits of a piece's year, and a star if only its owner sees the piece."""
    year = str(mark.year)
    return (year[:digits] if len(year) > 3 else year) + "*" * mark.is_secret


def pieces(stage: Stage, menu: Menu | None, width: int) -> list[Line]:
    """Return the grid of pieces: a heading, a line for each seat, and the Auction Hall's windows.

    It is empty before the game has begun. `menu` is None if nothing can be marked. The columns
    depend on the width alone, so that they stay where they are from the first round to the last.
    """
    if stage.scene.view is None or stage.names is None:
        return []
    found = grid(stage.scene.view)
    # The widths of the columns of nicknames and of best exhibits.
    name, best = (9, 9) if width < 100 else (12, 16)
    columns = _columns_of_letters(width - name - best - len(" ?4  1468 "))
    lines = [_heading(stage.names, name, columns, width)]
    marks = marks_of(stage.names.nicknames)
    for row in found.rows:
        who = fit(f" {marks[row.seat]} {name_of(stage, row.seat)}", name)
        line = text(who, seat_style(stage, row.seat)).join(_cells(menu, row.cells, columns))
        is_known = row.seat == stage.scene.seat or not row.unknown
        unknown = "" if is_known else f"{HIDDEN}{row.unknown}"
        line.add(fit(f" {unknown}", 4), "dim").add(fit(_best(row, best), best) + " ", "bright")
        lines.append(line.add(str(row.oldest or ""), "dim").within(width))
    return [*lines, _windows(found, name, width)]


def _columns_of_letters(room: int) -> list[int]:
    """Share room among the columns of the letters, the first ones wider by a cell if any."""
    each, more = divmod(max(room, 0), len(LETTERS))
    return [each + (at < more) for at in range(len(LETTERS))]


def _best(row: Row, room: int) -> str:
    """Return the best exhibit of a seat: its letters, or `A–F: 11` if there is no room for them.

    The best exhibit has all pieces of its letters, so that the short form tells it as well.
    """
    if len(row.best) <= room:
        return row.best or "—"
    return f"{row.best[0]}–{row.best[-1]}: {len(row.best)}"


def _heading(names: Names, name: int, columns: Sequence[int], width: int) -> Line:
    """Return the heading of the grid: letters, with the names of categories if there is room."""
    line = text(fit(" " + _("PIECES"), name), "dim")
    for letter, column in zip(LETTERS, columns, strict=True):
        word, room = " " + card_names.category(names.edition, letter), column - 2
        shown = word if room >= min(cells(word), LEAST_OF_NAME) else ""
        line.add(f" {letter}", "title").add(fit(shown, room), "dim")
    return (
        line.add(" ?  ", "dim")
        .add(_("BEST EXHIBIT") if width >= 100 else _("BEST"), "dim")
        .within(width)
    )


def _cells(menu: Menu | None, cells_: Sequence[Sequence[Mark]], columns: Sequence[int]) -> Line:
    """Return the pieces of a seat in the columns of their letters.

    If a column has too little room for years of two digits, its pieces go on in the next ones. If
    those at the end of the row had too little room then, they begin before their column. Pieces
    that are not in their column, or touch those of the letter before, follow behind their letter.
    """
    line, end = Line(), 0
    needed = [_cell_width(menu, cell, SHORT) + 2 * bool(cell) for cell in cells_]
    while sum(needed) > sum(columns) and max(needed) > MORE:
        needed[needed.index(max(needed))] -= 1  # Then the cell tells how many have no room.
    for at, (cell, column) in enumerate(zip(cells_, columns, strict=True)):
        # Where the pieces that follow have to begin at the latest.
        latest = sum(columns) - sum(needed[at + 1 :])
        start, end = end, end + column
        place = max(line.width, min(start, latest - needed[at]))
        # Without a gap, the pieces would seem to belong to the letter before.
        if cell and at and (place != start or line.width == start):
            line.fill(place).add(f" {LETTERS[at]}", "dim")
        elif place == start and start + len(NOTHING) <= latest:
            line.fill(start)
        else:
            continue
        has_room = line.width + _cell_width(menu, cell, WHOLE) <= min(end, latest)
        line.join(_cell(menu, cell, WHOLE if has_room else SHORT, latest - line.width))
    return line.within(sum(columns))


def _cell_width(menu: Menu | None, cell: Sequence[Mark], years: int) -> int:
    """Return the width of the pieces of one letter if their years have `years` digits."""
    return sum(_piece(menu, mark, _year(mark, years)).width for mark in cell)


def _cell(menu: Menu | None, cell: Sequence[Mark], years: int, room: int) -> Line:
    """Return a seat's pieces of one letter, as many as fit into the room, or a dot for none."""
    if not cell:
        return text(NOTHING, "rule")
    found = [_piece(menu, mark, _year(mark, years)) for mark in cell]
    shown = len(found)
    while shown and sum(one.width for one in found[:shown]) > room - MORE * (shown < len(found)):
        shown -= 1
    line = joined(found[:shown], "")
    return line.add(cut(f" +{len(found) - shown}", room), "dim") if shown < len(found) else line


def _piece(menu: Menu | None, mark: Mark, word: str) -> Line:
    """Return a piece, after a sign: the pointer, else a tick if it is marked, else `TAKEN`."""
    if menu is None or mark.slot not in menu.slots:
        return text(" ").add(word, "title" if mark.is_secret else "plain")
    pointed = menu.slots[menu.at] == mark.slot
    chosen = mark.slot in menu.picked
    style = ("*good" if chosen else "bright") + (" on cursor" if pointed or chosen else "")
    blank = TAKEN if menu.kind == "theft" else " "
    line = text(POINTER if pointed else DONE if chosen else blank, "title")
    return line.add(
        word + (DONE if pointed and chosen else ""), style, f"choose('mark', {mark.slot})"
    )


def _top(top: card_names.Top) -> Line:
    """Return the top Collectible of an Auction Hall window, and how many the window contains."""
    word = HIDDEN if top.letter == HIDDEN else f"{top.letter}{top.year}"
    line = text(f"{WINDOWS[top.window]}{word}", "title", f"choose('pick_window', {top.window})")
    return line.add(f" ({top.size}) ", "dim")


def _windows(found: Grid, name: int, width: int) -> Line:
    """Return the line of windows, each at a place of its own."""
    line = text(fit(" " + _("Windows"), name), "dim")
    if not found.tops:
        return line.add(_("empty: everyone is in the Castle"), "dim").within(width)
    for top in found.tops:
        line.fill(name + 1 + top.window * WINDOW).join(_top(top))
    if width >= 100:
        line.fill(width - 30).add(_("* secret: only you see it"), "dim")
    return line.within(width)


CELL, BESIDE_CELLS = 9, 44
"""The width of a full cell of the prison, and what else its line has to have room for."""
SHORTEST_NAME, LONG_NAME, LONGEST_NAME = 5, 10, 14
SHORT_COLOUR, LONG_COLOUR = 7, 10


def seats(stage: Stage, width: int) -> list[Line]:
    """Return a heading, a line for each seat, and the prison with the cash register.

    This person's seat comes first. The lines are empty before the game has begun.
    """
    rows, view = seat_rows(stage), stage.scene.view
    if view is None or stage.names is None:
        return []
    marks = marks_of(stage.names.nicknames)
    columns = _columns(stage, rows, marks, width >= 100)
    head = Line().add(" ")
    for title, size, _cell in columns:
        head.add(fit(title, size), "dim").add(" ")
    head.add(_("STATUS"), "dim")
    lines = [head.within(width)]
    for row in rows:
        line = Line().add(" ")
        for _title, size, cell in columns:
            line.join(cell(row).within(size)).add(" ")
        lines.append(line.join(_status(row.status)).within(width))
    return [*lines, _prison(stage, view, marks, width)]


def _status(notice: Notice) -> Line:
    """Return what a seat does now, with the sign `YOU` if it is this person's turn."""
    if notice.tone == "turn":
        return text(f"{YOU} ", "title").add(notice.words, "title")
    return text(notice.words, notice.tone)


Column = tuple[str, int, Callable[[SeatRow], Line]]


def _columns(
    stage: Stage, rows: Sequence[SeatRow], marks: Sequence[str], wide: bool
) -> list[Column]:
    """Return the columns of the table of seats: title, width, function for a seat's cell."""
    longest = min(LONGEST_NAME if wide else LONG_NAME, max(cells(row.name) for row in rows) + 2)

    def who(row: SeatRow) -> Line:
        style = seat_style(stage, row.seat)
        return text(marks[row.seat] + " ", style).add(row.name, style)

    found: list[Column] = [(_("SEAT"), max(SHORTEST_NAME, longest), who)]
    if wide:
        most = min(LONG_COLOUR, max(SHORT_COLOUR, *(cells(row.colour) for row in rows)))
        found.append((_("COLOUR"), most, lambda row: text(row.colour, "dim")))
    shown, size = (_("THIS ROUND"), 20) if wide else (_("WHERE"), 13)
    return [
        *found,
        (_("FLD"), 3, lambda row: text(fit(str(row.field), 3, right=True), "bright")),
        (_("RK"), 2, lambda row: text(fit(str(row.rank), 2, right=True))),
        (shown, size, lambda row: _this_round(row, wide)),
        (_("CASH"), 17 if wide else 14, lambda row: _cards(row, ActionKind.CASH)),
        (_("THIEF"), 5, lambda row: _cards(row, ActionKind.THIEF)),
        (" ".join(_mark(kind) for kind in SINGLE), 3, lambda row: text(_flags(row))),
    ]


def _cards(row: SeatRow, kind: ActionKind) -> Line:
    """Return the numbers of a seat's Action cards of one kind, such as `5 10`, or a dash."""
    return text(" ".join(map(str, row.hand[kind])) or "—")


SINGLE = (ActionKind.DETECTIVE, ActionKind.EXHIBIT)
"""The kinds of Action card that a seat has only one of."""


def _flags(row: SeatRow) -> str:
    """Return the letters of a seat's Detective and Exhibit, a dot for one it lacks, as in `D ·`."""
    return " ".join(_mark(kind) if row.hand[kind] else "·" for kind in SINGLE)


def _mark(kind: ActionKind) -> str:
    return _(card_names.KIND_WORDS[kind])[0]


def _this_round(row: SeatRow, wide: bool) -> Line:
    """Return the Place and the Action that a seat has shown this round, and what came of it."""
    if not row.place:
        return text(row.gained, "dim")
    if row.action is not None:
        return text(row.place).add(" " + short_card(row.action, wide), "bright")
    return text(row.place).add(" " + row.gained if row.gained else "", "title")


def _prison(stage: Stage, view: View, marks: Sequence[str], width: int) -> Line:
    """Return the cells of the prison, cell 1 first, and the Cash in the cash register."""
    state = view.state
    line = Line().add(" " + _("Prison"), "dim").add(" ")
    # Of one width where there is room, so that the register stays in its place.
    least = CELL if width - state.seats * CELL >= BESIDE_CELLS else 0
    for number in range(state.seats):
        cell = text(f"[{number + 1} ", "dim")
        if number < len(state.prison):
            card = state.prison[number]
            owner = state.owner(card)
            thief = short_card(state.action_card(card))
            cell.add(f"{marks[owner]} {thief}", seat_style(stage, owner))
        else:
            cell.add("—", "dim")
        line.join(cell.add("]", "dim").fill(least))
    line.add("  " + _("Register"), "dim").add(" ")
    paid = " ".join(str(state.action_card(card).number) for card in state.register)
    return line.add(paid or "—").within(width)
