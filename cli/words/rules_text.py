"""The rules of the game in brief, as text for one screen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from p2p_hoity.rules import LETTERS, Edition

from .card_names import category
from .edition_text import VARIANTS, action_choice, card_lines, detective_in_hall, detective_rank
from .translation import N_, _, listed

WIDTH: Final = 96

AIM: Final = N_(
    "AIM You gather curiosities, the Collectibles (pieces, for short), and exhibit them. The game"
    " ends with the round in which a figure reaches the Dinner Banquet, and a last exhibit of"
    " everyone. The figure that is then furthest on the score track wins, whichever reached the"
    " Banquet first."
)
CARDS: Final = N_(
    "CARDS Four secret Collectibles and eight Action cards: four Cash, two Thieves, a Detective, an"
    " Exhibit. Everyone's Action cards are public; so is every Collectible bought, stolen or"
    " shown."
)
WHERE: Final = N_(
    "1 WHERE Everyone picks Castle or Auction Hall in secret; all Place cards are shown together."
    " While both windows are empty, everyone is in the Castle."
)
HALL: Final = N_(
    "2 AUCTION HALL Play Cash or a Thief. The largest Cash buys the open Collectible of either"
    " window and goes to the cash register, unless exactly one Thief is there: he takes it for"
    " good. Other cards go home. Then the next Collectible of that window is turned up."
)
CASTLE: Final = N_("3 CASTLE {when} Play Exhibit, Thief or Detective, settled in this order:")
SHOWN_LATE: Final = N_("The Castle's Actions are shown after the sale.")
EXHIBITS: Final = N_(
    "- Exhibits: three or more Collectibles, letters in an unbroken run, repeats allowed (AAA,"
    " AABBC, CDEE; not AB, not BCE). More Collectibles win; of equally large"
    " exhibits that with the older oldest Collectible, then with the older next-oldest, and so on,"
    " last with the lower letter. The best two move by the larger and the smaller number of the"
    " octagon where the leader stood before anyone moved."
)
THIEVES: Final = N_(
    "- Thieves: the highest number first, each must take one Collectible of its choice out of every"
    " exhibit."
)
DETECTIVES: Final = N_(
    "- Detectives: if there are Thieves too, these go to prison, the lowest number first, and keep"
    " their loot; every Detective moves as many fields as its rank on the track. Figures on one"
    " field share the better rank, and the ranks behind it are left out: 1, 2, 2, 2, 5."
)
PRISON: Final = N_(
    "- Prison: as many cells as seats. A newcomer enters cell 1 and pushes the others on; who is"
    " pushed out of the last cell goes home."
)
END: Final = N_(
    "END When a round ends with a figure on a Banquet field, all Collectibles are opened: the best"
    " exhibit moves 8, the second-best 4. A figure stops at the last field of the track. The"
    " furthest figure wins; of figures on one field that with the better final exhibit; if neither"
    " has one, they share the win."
)
ABSENT: Final = N_(
    "ABSENT Who stops answering sits out and keeps everything; the rules make the choices he still"
    " owes, and he may come back for the next round, as often as the terms allow."
)
TWO: Final = N_(
    "TWO SEATS {variants} One of these two is played; the manual's standard rules for two are not"
    " offered."
)
READING: Final = N_(
    "READING A Thief must take, where the first rulebook says that he may. The manual's list of"
    " prison cells is read as the order in which Thieves enter."
)


def paragraphs(edition: Edition) -> list[str]:
    """Return the rules of an edition, including those in which editions differ."""
    where, when = _(WHERE), action_choice(edition)
    if edition.switches.action_choice == "together":
        where, when = f"{where} {when}", _(SHOWN_LATE)
    variants = " ".join(map(_, VARIANTS.values()))
    return [
        _(AIM),
        _(CARDS),
        where,
        f"{_(HALL)} {detective_in_hall(edition)}",
        _(CASTLE).format(when=when),
        _(EXHIBITS),
        _(THIEVES),
        f"{_(DETECTIVES)} {detective_rank(edition)}",
        _(PRISON),
        _(END),
        _(ABSENT),
        _(TWO).format(variants=variants),
        _(READING),
        _categories(edition),
        " ".join(map(_with_full_stop, card_lines(edition))),
    ]


def lines(edition: Edition, width: int | None) -> Iterator[str]:
    """Return the rules of an edition as lines, at most `WIDTH` columns wide."""
    columns = min(WIDTH, width or WIDTH)
    for paragraph in paragraphs(edition):
        yield from textwrap.wrap(paragraph, columns, subsequent_indent="  ")


def _with_full_stop(line: str) -> str:
    return line if line.endswith(".") else line + "."


def _categories(edition: Edition) -> str:
    words = [f"{letter} {category(edition, letter)}".rstrip() for letter in LETTERS]
    return _("LETTERS {categories}").format(categories=listed(words))
