"""The rules in one screen, in our own words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from p2p_hoity.rules import LETTERS, Edition

from .cards import listed
from .editions import VARIANTS, edition_lines
from .lingo import N_, _, language

WIDTH = 96


PARAGRAPHS = (
    N_(
        "AIM You collect curiosities. Be furthest on the score track when the first figure reaches"
        " the Dinner Banquet."
    ),
    N_(
        "CARDS Four secret Collectibles and eight Action cards: four Cash, two Thieves, a"
        " Detective, an Exhibit. Everyone's Action cards are public; so is every Collectible"
        " bought or stolen."
    ),
    N_(
        "1 WHERE Everyone picks Castle or Auction Hall in secret; all Place cards are shown"
        " together."
    ),
    N_(
        "2 AUCTION HALL Play Cash or a Thief. The largest Cash buys the open Collectible of either"
        " window and goes to the cash register, unless exactly one Thief is there: he takes it for"
        " good. Other cards go home. Then the next Collectible is turned up."
    ),
    N_("3 CASTLE Play Exhibit, Thief or Detective, settled in this order:"),
    N_(
        "- Exhibits: three or more Collectibles, letters in an unbroken run, repeats allowed (AAA,"
        " AABBC, CDEE; not AB, not BCE). More Collectibles win, then the older oldest piece. The"
        " best two move by the larger and the smaller number of the octagon where the leader"
        " stood."
    ),
    N_("- Thieves: the highest number first, each takes one Collectible out of every exhibit."),
    N_(
        "- Detectives: if there are Thieves too, these go to prison, the lowest number first, and"
        " keep their loot; every Detective moves as many fields as its rank on the track."
    ),
    N_(
        "- Prison: as many cells as seats. A newcomer enters cell 1 and pushes the others on; who"
        " is pushed out of the last cell goes home."
    ),
    N_(
        "END When a round ends with a figure on a Banquet field, all Collectibles are opened: the"
        " best exhibit moves 8, the second-best 4. The furthest figure wins, then the better final"
        " exhibit."
    ),
    N_(
        "ABSENT Who stops answering sits out and keeps everything; the rules make the choices he"
        " still owes, and he may come back for the next round, as often as the terms allow."
    ),
)


def lines(edition: Edition, width: int | None) -> Iterator[str]:
    """The screen, wrapped at so many columns, or where it reads well."""
    columns = min(WIDTH, width or WIDTH)
    for paragraph in PARAGRAPHS:
        text = _(paragraph)
        yield from textwrap.wrap(text, columns, subsequent_indent="  ")
    two = _("TWO SEATS {variants}").format(variants=" ".join(map(_, VARIANTS.values())))
    yield from textwrap.wrap(two, columns, subsequent_indent="  ")
    yield from textwrap.wrap(_categories(edition), columns, subsequent_indent="  ")
    yield from textwrap.wrap(" ".join(_sentences(edition)), columns, subsequent_indent="  ")


def _sentences(edition: Edition) -> list[str]:
    return [line if line.endswith(".") else line + "." for line in edition_lines(edition)]


def _categories(edition: Edition) -> str:
    words = []
    for letter in LETTERS:
        names = edition.categories.get(letter, {})
        name = names.get(language()) or names.get("en")
        words.append(f"{letter} {name}" if name else letter)
    return _("LETTERS {categories}").format(categories=listed(words))
