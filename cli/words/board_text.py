"""The board in plain lines of text: seats, Action cards, and who has which Collectibles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p_hoity.rules import LETTERS, ActionCard, ActionKind, Phase, View

from . import card_names
from .card_names import KIND_WORDS, Names, Row, grid
from .translation import _, listed

WIDTH: Final = 80
NAME: Final = 12
"""The greatest width of a nickname, in columns. The page of hands shows nicknames in full."""
KINDS: Final = tuple(KIND_WORDS)
"""The kinds of Action cards in the order in which they are shown."""


def board(view: View, names: Names) -> list[str]:
    """Return everything on the table that a seat may know, in lines that fit one screen."""
    if view.state.phase is Phase.DEAL:
        return [_("The cards are not dealt yet.")]
    names.look(view)
    return [*seats(view, names), register(view, names), *collectibles(view, names)]


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells, all of the same length, as lines with columns of one width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _names(view: View, names: Names) -> dict[int, str]:
    """Return nicknames by seat, cut to `NAME` columns. Equal ones end with the seat's number."""
    cut = {seat: _cut(names.short(seat)) for seat in range(view.state.seats)}
    for seat, name in list(cut.items()):
        if list(cut.values()).count(name) > 1:
            cut[seat] = f"{names.short(seat)[: NAME - 2]}…{seat + 1}"
    return cut


def _cut(name: str) -> str:
    return name if len(name) <= NAME else name[: NAME - 1] + "…"


# Seats


def seats(view: View, names: Names) -> list[str]:
    """Return a heading, and a line for each seat: its field, Place and Action cards."""
    short = _names(view, names)
    head = [
        _("Round {round}").format(round=view.state.round),
        _("field"),
        _("cash"),
        _("thieves"),
        _("other"),
        _("where"),
    ]
    rows = [
        head,
        *([short[seat], *_seat(view, names, seat)] for seat in card_names.own_first(view)),
    ]
    return columns(rows)


def _seat(view: View, names: Names, seat: int) -> list[str]:
    """Return the cells of a seat's line: field, Cash, Thieves, other Action cards, whereabouts."""
    numbers = {kind: card_names.held_numbers(view, seat, kind) for kind in KINDS}
    others = [_(KIND_WORDS[k])[0] for k in (ActionKind.DETECTIVE, ActionKind.EXHIBIT) if numbers[k]]
    return [
        str(view.state.figures[seat]),
        _row(numbers[ActionKind.CASH]),
        _row(numbers[ActionKind.THIEF]),
        " ".join(others),
        _whereabouts(view, names, seat),
    ]


def _row(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers)) or "–"


def _whereabouts(view: View, names: Names, seat: int) -> str:
    """Return the Place and the Action that a seat has shown, or that it is absent."""
    state = view.state
    if seat not in state.present:
        return _("absent")
    where, action = state.places[seat], state.actions[seat]
    if where is None:
        return ""
    played = "" if action is None else f": {card_names.card(state.action_card(action))}"
    return f"{card_names.place(where)}{played}"


def register(view: View, names: Names) -> str:
    """Return the Cash in the register, the Thieves in prison, and how far exhibits move figures.

    The last is left out if the foremost figure is on the Banquet.
    """
    state = view.state
    cash = _row([state.action_card(one).number or 0 for one in state.register])
    cells = [state.action_card(one) for one in state.prison]
    thieves = [f"{_cut(names.short(state.owner(thief.id)))} {thief.number}" for thief in cells]
    thieves += ["–"] * (state.seats - len(thieves))
    prison = " ".join(f"[{number} {cell}]" for number, cell in enumerate(thieves, 1))
    parts = [_("Register {cash}").format(cash=cash), _("Prison {cells}").format(cells=prison)]
    octagon = names.paying()
    if octagon is not None:
        parts.append(_("octagon {larger}/{smaller}").format(larger=octagon[0], smaller=octagon[1]))
    return " · ".join(parts)


# Collectibles


def collectibles(view: View, names: Names) -> list[str]:
    """Return the grid of Collectibles, by seat and letter, and below it those for sale."""
    found, short = grid(view), _names(view, names)
    # A grid that is too wide gets years of two digits, and then loses the best exhibits.
    for digits, last in ((4, 0), (2, 0), (2, -2)):
        lines = _grid(found, short, digits, last)
        if max(map(len, lines)) <= WIDTH:
            break
    return [*lines, windows(view)]


def _grid(found: card_names.Grid, short: dict[int, str], digits: int, last: int) -> list[str]:
    """Return the lines of the grid of Collectibles.

    Args:
        digits: How many digits of each year are written.
        last: The end of the slice of columns that is shown, such as -2 to leave out two. 0 for all.
    """
    head = [_("Pieces"), *LETTERS, "?", _("best"), _("oldest")]
    rows = [head, *(_pieces(row, short, digits) for row in found.rows)]
    return columns([row[: last or None] for row in rows])


def _pieces(row: Row, short: dict[int, str], digits: int) -> list[str]:
    """Return the cells of a seat's row in the grid, with so many digits of each year."""
    cells = [
        " ".join(f"{str(mark.year)[:digits]}{'*' * mark.is_secret}" for mark in cell) or "·"
        for cell in row.cells
    ]
    oldest = "" if row.oldest is None else str(row.oldest)
    return [short[row.seat], *cells, str(row.unknown or "–"), row.best or "–", oldest]


def windows(view: View) -> str:
    """Return the top Collectible of each Auction Hall window, and how many the window contains."""
    text = _("{number} {piece} of {size}")
    tops = [
        text.format(number=top.window + 1, piece=f"{top.letter}{top.year}", size=top.size)
        for top in grid(view).tops
    ]
    secret = _("* secret, only you see it · ? hidden from you")
    told = _("Windows: {tops}").format(tops=listed(tops))
    return told if view.seat is None else f"{told}   {secret}"


def own(view: View, names: Names) -> list[str]:
    """Return the seat's own Collectibles and best exhibit in one line, no line for an onlooker."""
    if view.seat is None:
        return []
    row = grid(view).rows[0]
    marks = [(letter, m) for letter, cell in zip(LETTERS, row.cells, strict=True) for m in cell]
    pieces = " ".join(f"{letter}{mark.year}{'*' * mark.is_secret}" for letter, mark in marks)
    best = _("best: {letters} {year}").format(letters=row.best, year=row.oldest)
    told = best if row.best else _("no exhibit yet")
    return [f"{names.short(view.seat)}: {pieces} · {told}"]


# Pages on demand


def hands(view: View, names: Names) -> list[str]:
    """Return all hands of Action cards, which are public. Stolen Cash has its colour."""
    lines = [_("Action cards in hand:")]
    for seat in card_names.own_first(view):
        cards = (view.state.action_card(one) for one in view.state.hands[seat])
        told = listed(_held_card(names, seat, one) for one in sorted(cards, key=rank))
        lines.append(f"  {names.seat(seat)}: {told}")
    return lines


def rank(action: ActionCard) -> tuple[int, int]:
    """Return the sort key of an Action card: Cash, Thieves, Detective, Exhibit, each by number."""
    return KINDS.index(action.kind), action.number or 0


def _held_card(names: Names, seat: int, action: ActionCard) -> str:
    """Return a card in a hand, with its colour if it is not the seat's own."""
    return (
        card_names.card(action)
        if action.colour == names.colours[seat]
        else card_names.coloured_card(action)
    )


def pieces(view: View, names: Names) -> list[str]:
    """Return the seat's own Collectibles, whose numbers pick an exhibit, and those for sale."""
    own_ones = (
        f"  {n}  {names.piece(view.piece(slot))}" for n, slot in enumerate(own_slots(view), 1)
    )
    lines = [_("Your Collectibles:"), *own_ones] if view.seat is not None else []
    lines.append(_("In the windows:"))
    lines += [
        f"  {n}  {names.piece(view.piece(w[0]))}" for n, w in enumerate(view.state.windows, 1) if w
    ]
    return lines


def own_slots(view: View) -> list[int]:
    """Return the deck slots of the seat's own Collectibles, ordered by letter and then by year."""
    mine = view.mine()
    return sorted(mine, key=lambda slot: mine[slot])


def named(names: Names, word: str) -> list[str]:
    """Return a line for each Collectible with a letter, year or both, or one line if none has."""
    found = [
        names.collectible(index)
        for index, item in enumerate(names.edition.collectibles)
        if word.upper() in (item.letter, str(item.year), f"{item.letter}{item.year}")
    ]
    return found or [_("No Collectible is called {word}.").format(word=word)]
