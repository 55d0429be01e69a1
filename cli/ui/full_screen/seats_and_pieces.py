"""The seats and the grid of their Collectibles on the screen, and each seat's letter and colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p2p_hoity.rules import LETTERS, ActionKind, View

from ...table_view.question_menu import Menu
from ...table_view.seat_looks import looks
from ...table_view.seats import DONE, Notice, SeatRow, letters, name_of, seat_rows, short_card
from ...table_view.stage import Stage
from ...words import card_names
from ...words.card_names import Grid, Mark, Names, grid
from ...words.translation import _
from .styled_lines import Line, cells, cut, fit, text

YOU = "►"
POINTER = "▸"


def marks_of(nicknames: Sequence[str]) -> tuple[str, ...]:
    """Return the letter or number of one cell that marks each seat, by the seats' nicknames."""
    return letters(nicknames, lambda letter: cells(letter) == 1)


def seat_style(stage: Stage, seat: int) -> str:
    """Return the bold style of a seat's colour, `*bright` if no colours are known yet."""
    if stage.names is None or seat >= len(stage.names.colours):
        return "*bright"
    found = looks(tuple(colour.name for colour in stage.names.edition.colours))
    return f"*seat.{found[stage.names.colours[seat]]}"


WINDOWS = "①②"
HIDDEN = "?"
TAKEN = "›"
"""The sign before a piece that a Thief may take."""


WHOLE, SHORT = 9, 2
"""The number of digits of a year that are written: all of them, or two to save room."""
LEAST_OF_NAME = 5
"""The fewest cells in which the name of a category is cut: a blank, three letters and a mark."""


def _year(mark: Mark, digits: int) -> str:
    """Return the first digits of a piece's year, and a star if only its owner sees the piece."""
    year = str(mark.year)
    return (year[:digits] if len(year) > 3 else year) + "*" * mark.is_secret


def pieces(stage: Stage, menu: Menu | None, width: int) -> list[Line]:
    """Return the grid of pieces: a heading, a line for each seat, and the Auction Hall's windows.

    It is empty before the game has begun. `menu` is None if nothing can be marked.
    """
    if stage.scene.view is None or stage.names is None:
        return []
    found = grid(stage.scene.view)
    longest = max(len(row.best) for row in found.rows)
    # The widths of the columns of nicknames and of best exhibits.
    name, best = 9 if width < 100 else 12, min(max(6, longest), 16 if width >= 100 else 9)
    needed = _needed(found, menu.slots if menu is not None else ())
    years, columns = _fitting(stage.names, found, needed, width - name - best - 10)
    lines = [_heading(stage.names, found, name, columns, width)]
    marks = marks_of(stage.names.nicknames)
    for row in found.rows:
        who = fit(f" {marks[row.seat]} {name_of(stage, row.seat)}", name)
        line = text(who, seat_style(stage, row.seat))
        for cell, how, column in zip(row.cells, years, columns, strict=True):
            has_room = _cell_width(cell, WHOLE) < column
            line.join(_cell(menu, cell, WHOLE if has_room else how, column))
        unknown = "–" if row.seat == stage.scene.seat else str(row.unknown)
        line.add(fit(f" {unknown}", 3), "dim").add(fit(row.best or "—", best) + " ", "bright")
        lines.append(line.add(str(row.oldest or ""), "dim").within(width))
    return [*lines, _windows(stage, menu, found, name, columns, width)]


def _needed(found: Grid, slots: Sequence[int]) -> list[int]:
    """Return the least width of each column, with room for own pieces and those in `slots`."""
    # The first row is this person's own.
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
) -> tuple[list[int], list[int]]:
    """Fit the grid into `room`. Return, by letter, the digits of years and the column's width."""
    years, columns = [SHORT] * len(LETTERS), _widths(found, SHORT)
    whole = _widths(found, WHOLE)
    # The columns that need the least more get whole years first.
    for at in sorted(range(len(columns)), key=lambda at: whole[at] - columns[at]):
        if sum(columns) - columns[at] + whole[at] <= room:
            years[at], columns[at] = WHOLE, whole[at]
    wished = [cells(card_names.category(names.edition, letter)) + 4 for letter in LETTERS]
    # Spare room goes to the words in the heading, first where the least is lacking.
    while sum(columns) < room:
        lacking = [w - c for c, w in zip(columns, wished, strict=True)]
        least = min((lack for lack in lacking if lack > 0), default=None)
        if least is None:
            break
        columns[lacking.index(least)] += 1
    # Columns with more than they need shrink first.
    while sum(columns) > room and max(columns) > 1:
        roomy = [at for at, column in enumerate(columns) if column > needed[at]]
        columns[max(roomy or range(len(columns)), key=columns.__getitem__)] -= 1
    return years, columns


def _widths(found: Grid, years: int) -> list[int]:
    """Return the width that each column needs if years have so many digits."""
    columns = zip(*(row.cells for row in found.rows), strict=True)
    return [max(3, *(_cell_width(cell, years) for cell in column)) + 1 for column in columns]


def _cell_width(cell: Sequence[Mark], years: int) -> int:
    """Return the width of the pieces in a cell of the grid if their years have `years` digits."""
    return sum(cells(_year(mark, years)) + 1 for mark in cell) if cell else 2


def _heading(names: Names, found: Grid, name: int, columns: Sequence[int], width: int) -> Line:
    """Return the heading of the grid: letters, with the names of categories if there is room."""
    line = text(fit(" " + _("PIECES"), name), "dim")
    for letter, column in zip(LETTERS, columns, strict=True):
        word, room = " " + card_names.category(names.edition, letter), column - 2
        shown = word if room >= min(cells(word), LEAST_OF_NAME) else ""
        line.add(f" {letter}", "title").add(fit(shown, room), "dim")
    return (
        line.add(" ? ", "dim")
        .add(_("BEST EXHIBIT") if width >= 100 else _("BEST"), "dim")
        .within(width)
    )


def _cell(menu: Menu | None, cell: Sequence[Mark], years: int, column: int) -> Line:
    """Return one cell of the grid: a seat's pieces of one letter, as many as fit."""
    line = Line()
    if not cell:
        line.add(" ·", "rule")
    for number, mark in enumerate(cell):
        piece = _piece(menu, mark, _year(mark, years))
        if line.width + piece.width > column:
            rest = cut(f"+{len(cell) - number}", max(1, column - line.width))
            line.add(rest, "dim")
            break
        line.join(piece)
    return line.within(column)


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


def _windows(
    stage: Stage, menu: Menu | None, found: Grid, name: int, columns: Sequence[int], width: int
) -> Line:
    """Return the line of windows, each below the column of its top Collectible's letter."""
    line = text(fit(" " + _("Windows"), name), "dim")
    if not found.tops:
        return line.add(_("empty: everyone is in the Castle"), "dim").within(width)
    starts = [name + sum(columns[:index]) for index in range(len(columns))]
    tops = sorted(found.tops, key=lambda top: (top.letter == HIDDEN, top.letter, top.window))
    shown = [_top(top) for top in tops]
    for number, (top, one) in enumerate(zip(tops, shown, strict=True)):
        start = 0 if top.letter == HIDDEN else starts[LETTERS.index(top.letter)]
        # Far enough to the left that the other windows have room.
        rest = sum(other.width for other in shown[number:])
        line.fill(min(start + 1, width - rest)).join(one)
    if width >= 100 and line.width + 30 < width:
        line.fill(width - 30).add(_("* secret: only you see it"), "dim")
    return line.within(width)


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
    cash = max(5, cells(_("CASH")), *(_cards(row, ActionKind.CASH).width for row in rows))
    shown, size = (_("THIS ROUND"), 20) if wide else (_("WHERE"), 13)
    return [
        *found,
        (_("FLD"), 3, lambda row: text(fit(str(row.field), 3, right=True), "bright")),
        (_("RK"), 2, lambda row: text(fit(str(row.rank), 2, right=True))),
        (shown, size, lambda row: _this_round(row, wide)),
        (_("CASH"), min(24 if wide else 14, cash), lambda row: _cards(row, ActionKind.CASH)),
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
    for number in range(state.seats):
        line.add(f"[{number + 1} ", "dim")
        if number < len(state.prison):
            card = state.prison[number]
            owner = state.owner(card)
            thief = short_card(state.action_card(card))
            line.add(f"{marks[owner]} {thief}", seat_style(stage, owner))
        else:
            line.add("—", "dim")
        line.add("]", "dim")
    line.add("  " + _("Register"), "dim").add(" ")
    paid = " ".join(str(state.action_card(card).number) for card in state.register)
    return line.add(paid or "—").within(width)
