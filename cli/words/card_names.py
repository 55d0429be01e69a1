"""The names of the cards in the chosen language, and the grid of all Collectibles.

The grid has a row for each seat and a column for each letter. So a seat's runs of letters are seen
along its row, and all pieces of one letter in a column. A slot is a position in the deck, and a
window is a pile of Collectibles in the Auction Hall.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from p2p_hoity.confusable_names import twins_among
from p2p_hoity.rules import LETTERS, ActionCard, ActionKind, Edition, Piece, Place, View, best_slots

from .translation import N_, _, language, listed

COLOUR_WORDS: Final = (
    *(N_("black"), N_("red"), N_("blue"), N_("green"), N_("purple"), N_("beige")),
    *(N_("white"), N_("yellow"), N_("orange"), N_("pink"), N_("brown"), N_("grey")),
)
"""The colours that have a look and a translation: those of the shipped editions, and others."""
KIND_WORDS: Final = {
    ActionKind.CASH: N_("Cash"),
    ActionKind.THIEF: N_("Thief"),
    ActionKind.DETECTIVE: N_("Detective"),
    ActionKind.EXHIBIT: N_("Exhibit"),
}
VARIANT_WORDS: Final = frozenset({N_("surprise"), N_("confrontation")})
PLACE_WORDS: Final = {Place.CASTLE: N_("Castle"), Place.AUCTION_HALL: N_("Auction Hall")}


def colour(name: str) -> str:
    """Return a colour in the chosen language. One that is not among `COLOUR_WORDS` stays."""
    return _(name) if name in COLOUR_WORDS else name


def place(where: Place) -> str:
    """Return the name of a Place."""
    return _(PLACE_WORDS[where])


def card(action: ActionCard) -> str:
    """Return the name and number of an Action card, without its colour. Cash is in thousands."""
    kind = _(KIND_WORDS[action.kind])
    return kind if action.number is None else f"{kind} {action.number}"


def coloured_card(action: ActionCard) -> str:
    """Return the name and number of an Action card, with its colour."""
    return f"{card(action)} ({colour(action.colour)})"


def code(piece: Piece) -> str:
    """Return a Collectible as letter and year, such as B1926, or `?` if it is hidden."""
    return "?" if piece.card is None else f"{piece.letter}{piece.year}"


def told_apart(nicknames: Sequence[str]) -> tuple[str, ...]:
    """Return nicknames that differ for a reader: if two look alike, all get their seat's number."""
    if twins_among(nicknames) is None:
        return tuple(nicknames)
    text = _("{nickname} [seat {number}]")
    return tuple(text.format(nickname=n, number=i) for i, n in enumerate(nicknames, 1))


class Names:
    """The names of the seats and the Collectibles at one table.

    Attributes:
        mine: The seat of the reader. None for an onlooker.
        colours: The colour of each seat. Empty before they are drawn.
        before: The field of each seat's figure when this round began. Empty if not known yet.
    """

    def __init__(self, edition: Edition, nicknames: Sequence[str], mine: int | None = None) -> None:
        self.edition = edition
        self.nicknames = told_apart(nicknames)
        self.mine = mine
        self.colours: tuple[str, ...] = ()
        self.before: tuple[int, ...] = ()

    def look(self, view: View) -> None:
        """Store the colours of the seats and, unless they are known, the fields of the figures."""
        drawn = view.state.colours
        self.colours = tuple(self.edition.colours[k].name for k in drawn)
        self.before = self.before or view.state.before

    def paying(self) -> tuple[int, int] | None:
        """Return how many fields the best and the second-best exhibit move in this round.

        It is None if the foremost figure stands on the Banquet.
        """
        field = max(self.before, default=0)
        return None if self.edition.in_banquet(field) else self.edition.octagons[field]

    def short(self, seat: int) -> str:
        """Return the nickname of a seat, or the translated word `You` for the own seat."""
        return _("You") if seat == self.mine else self.nicknames[seat]

    def shorts(self, seats: Iterable[int]) -> str:
        """Return several seats by their nicknames alone, with commas between them."""
        return listed(self.short(seat) for seat in seats)

    def seat(self, seat: int) -> str:
        """Return a seat by its nickname and colour."""
        notes = [colour(self.colours[seat])] if seat < len(self.colours) else []
        if seat == self.mine:
            notes.append(_("you"))
        return f"{self.nicknames[seat]} ({', '.join(notes)})" if notes else self.nicknames[seat]

    def seats(self, seats: Iterable[int]) -> str:
        """Return several seats by their nicknames and colours, with commas between them."""
        return listed(self.seat(seat) for seat in seats)

    def piece(self, piece: Piece) -> str:
        """Return a Collectible by its letter, year and name. A hidden one has no name."""
        if piece.card is None:
            return _("a hidden Collectible")
        return self.collectible(piece.card)

    def collectible(self, index: int) -> str:
        """Return a Collectible of the edition by its letter, year and name."""
        item = self.edition.collectibles[index]
        name = _("“{name}”").format(name=item.name(language()))
        return f"{item.letter} {item.year} {name}"

    def pieces(self, pieces: Iterable[Piece]) -> str:
        """Return several Collectibles, ordered by letter and year, with commas between them."""
        ordered = sorted(pieces, key=lambda p: (p.letter or "Z", p.year or 0))
        return listed(self.piece(piece) for piece in ordered)

    def field(self, field: int) -> str:
        """Return a field of the score track as `field_name` does."""
        return field_name(self.edition, field)


def field_name(edition: Edition, field: int) -> str:
    """Return a field of an edition's score track in words, such as `field 12 (octagon 4/2)`.

    Field 0 is the Club Room, and fields of the Banquet have a number there. An octagon says how
    many fields the figures of the best and the second-best exhibit move.
    """
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
    """Return the letters of an exhibit as one sorted word, such as AABC. A hidden one is `?`."""
    return "".join(sorted(letter or "?" for letter in letters))


@dataclass(frozen=True)
class Mark:
    """A known Collectible, as it is shown in the grid of seats and letters.

    Attributes:
        is_secret: Whether only the owner sees the Collectible.
    """

    slot: int
    year: int
    is_secret: bool = False


@dataclass(frozen=True)
class Row:
    """The row of the grid for the Collectibles of one seat, as far as they are known.

    Attributes:
        cells: The known Collectibles by letter, each cell with the oldest first.
        unknown: The number of hidden Collectibles.
        best: The letters of the best exhibit among the known Collectibles. "" if there is none.
        oldest: The year of the best exhibit's oldest piece. None if there is no exhibit.
        slots: The slots of the best exhibit's pieces.
    """

    seat: int
    cells: tuple[tuple[Mark, ...], ...]
    unknown: int
    best: str
    oldest: int | None
    slots: tuple[int, ...]


@dataclass(frozen=True)
class Top:
    """The top Collectible of a window.

    Attributes:
        window: The window, 0 or 1.
        letter: Its letter. `?` if it is hidden.
        year: Its year. 0 if it is hidden.
        size: The number of Collectibles in the window, this one included.
    """

    window: int
    slot: int
    letter: str
    year: int
    size: int


@dataclass(frozen=True)
class Grid:
    """The Collectibles as one seat may know them, by seat and letter, and those for sale.

    Attributes:
        rows: A row for each seat, the own one first.
        tops: The top Collectible of each window that is not empty.
    """

    rows: tuple[Row, ...]
    tops: tuple[Top, ...]


def held_numbers(view: View, seat: int, kind: ActionKind) -> list[int]:
    """Return the numbers of a hand's Action cards of a kind, rising. One without a number has 0."""
    held = map(view.state.action_card, view.state.hands[seat])
    return sorted(card.number or 0 for card in held if card.kind is kind)


def own_first(view: View) -> list[int]:
    """Return the seats in the order in which they are shown: the view's own seat first."""
    return sorted(range(view.state.seats), key=lambda seat: (seat != view.seat, seat))


def category(edition: Edition, letter: str) -> str:
    """Return what is collected under a letter, in the chosen language or in English, or ""."""
    found = edition.categories.get(letter, {})
    return found.get(language()) or found.get("en") or ""


def grid(view: View) -> Grid:
    """Return the Collectibles of each seat by letter, and the top one of each window.

    Collectibles that the seat does not know are only counted.
    """
    found = []
    for number, window in enumerate(view.state.windows):
        if window:
            piece = view.piece(window[0])
            found.append(Top(number, window[0], piece.letter or "?", piece.year or 0, len(window)))
    return Grid(tuple(_row(view, seat) for seat in own_first(view)), tuple(found))


def _row(view: View, seat: int) -> Row:
    """Return the row of a seat in the grid: its known Collectibles by letter, and best exhibit."""
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
