"""The grid: every Collectible that a seat may know, by letter and seat, in numbers and letters.

A run of letters is read along a row, a threat down a column; names are looked up elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from p2p_hoity.rules import LETTERS, View, best_slots


@dataclass(frozen=True)
class Mark:
    """One Collectible in its cell; `is_secret`: only its owner sees it."""

    slot: int
    year: int
    is_secret: bool = False


@dataclass(frozen=True)
class Row:
    """What is known of one seat's Collectibles.

    `cells` by letter, the oldest first; `unknown` hidden ones; `best` the letters of the best
    exhibit that the known ones allow, empty if none, and `oldest` its oldest piece's year.
    """

    seat: int
    cells: tuple[tuple[Mark, ...], ...]
    unknown: int
    best: str
    oldest: int | None
    slots: tuple[int, ...]


@dataclass(frozen=True)
class Top:
    """The open Collectible of a window (0 or 1), and how many the window holds, it included."""

    window: int
    slot: int
    letter: str
    year: int
    size: int


@dataclass(frozen=True)
class Grid:
    """One row a seat, one's own first; the windows' open Collectibles below."""

    letters: str
    rows: tuple[Row, ...]
    tops: tuple[Top, ...]


def grid(view: View) -> Grid:
    """The grid that this view may know."""
    seats = sorted(range(view.state.seats), key=lambda seat: (seat != view.seat, seat))
    return Grid(LETTERS, tuple(_row(view, seat) for seat in seats), _tops(view))


def _row(view: View, seat: int) -> Row:
    cards = view.held(seat)
    secret = dict(view.private) if seat == view.seat else {}
    cells: list[list[Mark]] = [[] for _ in LETTERS]
    for slot in cards:
        piece = view.piece(slot)
        if piece.letter is not None and piece.year is not None:
            mark = Mark(slot, piece.year, slot in secret)
            cells[LETTERS.index(piece.letter)].append(mark)
    best = best_slots(view.state, cards) or ()
    pieces = [view.piece(slot) for slot in best]
    return Row(
        seat,
        tuple(tuple(sorted(cell, key=lambda mark: mark.year)) for cell in cells),
        view.hidden(seat),
        "".join(sorted(piece.letter or "" for piece in pieces)),
        min((piece.year for piece in pieces if piece.year is not None), default=None),
        best,
    )


def _tops(view: View) -> tuple[Top, ...]:
    found = []
    for number, window in enumerate(view.state.windows):
        if window:
            piece = view.piece(window[0])
            found.append(Top(number, window[0], piece.letter or "?", piece.year or 0, len(window)))
    return tuple(found)
