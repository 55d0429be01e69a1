"""The names on the cards in the language spoken, and the grid of all Collectibles.

A run of letters is read along a row, a threat down a column; names are looked up elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from p2p_hoity.confusable_names import twins_among
from p2p_hoity.rules import LETTERS, ActionCard, ActionKind, Edition, Piece, Place, View, best_slots

from .translation import N_, _, language

COLOUR_WORDS: Final = frozenset(
    {N_("black"), N_("red"), N_("blue"), N_("green"), N_("purple"), N_("beige")}
)
KIND_WORDS: Final = {
    ActionKind.CASH: N_("Cash"),
    ActionKind.THIEF: N_("Thief"),
    ActionKind.DETECTIVE: N_("Detective"),
    ActionKind.EXHIBIT: N_("Exhibit"),
}
VARIANT_WORDS: Final = frozenset({N_("surprise"), N_("confrontation")})
PLACE_WORDS: Final = {Place.CASTLE: N_("Castle"), Place.AUCTION_HALL: N_("Auction Hall")}


def colour(name: str) -> str:
    """Return a colour's name."""
    return _(name) if name in COLOUR_WORDS else name


def place(where: Place) -> str:
    """Return a Place's name."""
    return _(PLACE_WORDS[where])


def card(action: ActionCard) -> str:
    """Return an Action card's name and number, without its colour; Cash counts thousands."""
    kind = _(KIND_WORDS[action.kind])
    return kind if action.number is None else f"{kind} {action.number}"


def coloured_card(action: ActionCard) -> str:
    """Return an Action card's name and the colour it belongs to."""
    return f"{card(action)} ({colour(action.colour)})"


def code(piece: Piece) -> str:
    """Return a Collectible by letter and year, as in B1926; a question mark if it is hidden."""
    return "?" if piece.card is None else f"{piece.letter}{piece.year}"


def listed(words: Iterable[str]) -> str:
    """Return words with commas between them; a dash for none."""
    return ", ".join(words) or "–"


def told_apart(nicknames: Sequence[str]) -> tuple[str, ...]:
    """Return the nicknames, with the seat's number where two could be taken for one another: no
    file is judged by that, but whoever reads it must know who is who."""
    if twins_among(nicknames) is None:
        return tuple(nicknames)
    text = _("{nickname} [seat {number}]")
    return tuple(text.format(nickname=n, number=i) for i, n in enumerate(nicknames, 1))


class Names:
    """What seats and Collectibles are called at one table.

    `nicknames` by seat; `mine` is the seat looking on, None for an onlooker.
    """

    def __init__(self, edition: Edition, nicknames: Sequence[str], mine: int | None = None) -> None:
        self.edition = edition
        self.nicknames = told_apart(nicknames)
        self.mine = mine
        self.colours: tuple[str, ...] = ()
        self.before: tuple[int, ...] = ()
        """The figures when this round began: the octagon under the first of them pays."""

    def look(self, view: View) -> None:
        """Take the colours of the seats from a view, once they are drawn."""
        drawn = view.state.colours
        self.colours = tuple(self.edition.colours[k].name for k in drawn)
        self.before = self.before or view.state.before

    def paying(self) -> tuple[int, int] | None:
        """Return the octagon that pays this round's exhibits; None on the Banquet."""
        field = max(self.before, default=0)
        return None if self.edition.in_banquet(field) else self.edition.octagons[field]

    def short(self, seat: int) -> str:
        """Return a seat in as few letters as can be."""
        return _("You") if seat == self.mine else self.nicknames[seat]

    def shorts(self, seats: Iterable[int]) -> str:
        """Several seats so."""
        return listed(self.short(seat) for seat in seats)

    def seat(self, seat: int) -> str:
        """Return a seat by nickname and colour."""
        notes = [colour(self.colours[seat])] if seat < len(self.colours) else []
        if seat == self.mine:
            notes.append(_("you"))
        return f"{self.nicknames[seat]} ({', '.join(notes)})" if notes else self.nicknames[seat]

    def seats(self, seats: Iterable[int]) -> str:
        """Several seats."""
        return listed(self.seat(seat) for seat in seats)

    def piece(self, piece: Piece) -> str:
        """Return a Collectible: letter, year (or number) and name; hidden ones have none."""
        if piece.card is None:
            return _("a hidden Collectible")
        return self.collectible(piece.card)

    def collectible(self, index: int) -> str:
        """Return the Collectible with this index in the edition."""
        item = self.edition.collectibles[index]
        name = _("“{name}”").format(name=item.name(language()))
        return f"{item.letter} {item.year} {name}"

    def pieces(self, pieces: Iterable[Piece]) -> str:
        """Several Collectibles, those of one letter together."""
        ordered = sorted(pieces, key=lambda p: (p.letter or "Z", p.year or 0))
        return listed(self.piece(piece) for piece in ordered)

    def field(self, field: int) -> str:
        """Return a field of the score track with its octagon."""
        return field_name(self.edition, field)


def field_name(edition: Edition, field: int) -> str:
    """Return a field of this edition's score track in words."""
    if field == 0:
        return _("the Club Room")
    if edition.in_banquet(field):
        number = field - len(edition.octagons) + 1
        return _("field {field} (Banquet {number})").format(field=field, number=number)
    larger, smaller = edition.octagons[field]
    return _("field {field} (octagon {larger}/{smaller})").format(
        field=field, larger=larger, smaller=smaller
    )


def run_letters(letters: Iterable[str | None]) -> str:
    """Return the letters of an exhibit in one word, as in AABC; a question mark if hidden."""
    return "".join(sorted(letter or "?" for letter in letters))


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

    rows: tuple[Row, ...]
    tops: tuple[Top, ...]


def held_numbers(view: View, seat: int, kind: ActionKind) -> list[int]:
    """Return the numbers of the Action cards of a kind in a hand; 0 for a card without one."""
    held = map(view.state.action_card, view.state.hands[seat])
    return sorted(card.number or 0 for card in held if card.kind is kind)


def own_first(view: View) -> list[int]:
    """Return the seats in the order in which they are shown: one's own first."""
    return sorted(range(view.state.seats), key=lambda seat: (seat != view.seat, seat))


def category(edition: Edition, letter: str) -> str:
    """Return what is collected under a letter, in the language spoken; empty if nothing is said."""
    found = edition.categories.get(letter, {})
    return found.get(language()) or found.get("en") or ""


def grid(view: View) -> Grid:
    """Return the grid that this view may know."""
    found = []
    for number, window in enumerate(view.state.windows):
        if window:
            piece = view.piece(window[0])
            found.append(Top(number, window[0], piece.letter or "?", piece.year or 0, len(window)))
    return Grid(tuple(_row(view, seat) for seat in own_first(view)), tuple(found))


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
