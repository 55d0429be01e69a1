"""What happened in few lines: one for all Places, one for all Actions, one for all that moved.

`happening_sentences` has a sentence for each happening; this is what is read while one plays.
Names of Collectibles are looked up elsewhere: here they are letter and year.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from p2p_hoity.rules import Happening, Place, happenings

from . import happening_sentences
from .card_names import Names, card, code, listed, place, run_letters
from .table_terms import title
from .translation import _

Many = Sequence[Any]
BETWEEN: Final = " · "
UNSAID: Final = (happenings.DetectiveRanked, happenings.CashPaid)
"""What the next line says too, or the board shows."""


def story(names: Names, items: Iterable[Happening]) -> list[str]:
    """Return the lines of some happenings, in their order. Those of one kind stand together."""
    worth = (
        one for one in items if happening_sentences.noteworthy(one) and not isinstance(one, UNSAID)
    )
    lines: list[str] = []
    for kind, group in groupby(worth, type):
        items = list(group)
        if kind in TOGETHER:
            lines += TOGETHER[kind](names, items)
        else:
            lines += [
                line for one in items for line in happening_sentences.tell(names, one).splitlines()
            ]
    return lines


def _setup(names: Names, items: Many) -> list[str]:
    for it in items:
        happening_sentences.tell(names, it)  # the names take the colours from it
    seats = (f"{names.short(seat)} {_(colour)}" for seat, colour in enumerate(names.colours))
    tops = [(n, w) for it in items for n, w in enumerate(it.windows, 1) if w]
    text = _("window {number}: {piece} of {size}")
    windows = (text.format(number=n, piece=code(w[0]), size=len(w)) for n, w in tops)
    return [
        _("Edition {edition}. {seats}").format(edition=title(names.edition), seats=listed(seats)),
        _capital(BETWEEN.join(windows)),
    ]


def _round(names: Names, items: Many) -> list[str]:
    """Its number, where each figure stands, and what is not chosen in it."""
    lines = []
    for it in items:
        head = _("Round {round}").format(round=it.round)
        lines.append(BETWEEN.join([head, *_fields(names)]))
        lines += happening_sentences.tell(names, it).splitlines()[1:]
    return lines


def _fields(names: Names) -> list[str]:
    """Return the figures, the first first, and the octagon under it."""
    order = sorted(range(len(names.before)), key=lambda seat: (-names.before[seat], seat))
    fields = [f"{names.short(seat)} {names.before[seat]}" for seat in order]
    octagon = names.paying()
    if octagon is not None:
        fields.append(_("octagon {larger}/{smaller}").format(larger=octagon[0], smaller=octagon[1]))
    return fields


def _round_ended(names: Names, items: Many) -> list[str]:
    """Nothing: the next round begins with the fields, and so does the end."""
    for it in items:
        happening_sentences.tell(names, it)
    return []


def _places(names: Names, items: Many) -> list[str]:
    found = []
    for where in (Place.CASTLE, Place.AUCTION_HALL):
        seats = [it.seat for it in items if it.place == where]
        if seats:
            found.append(f"{place(where)}: {names.shorts(seats)}")
    return [BETWEEN.join(found)]


def _actions(names: Names, items: Many) -> list[str]:
    found = []
    for where in (Place.AUCTION_HALL, Place.CASTLE):
        played = [f"{names.short(it.seat)} {card(it.card)}" for it in items if it.place == where]
        if played:
            found.append(f"{place(where)}: {listed(played)}")
    return [BETWEEN.join(found)]


def _sale(names: Names, items: Many) -> list[str]:
    text = _("Sale: {who} {piece} from window {window} for {cash}")
    return [
        text.format(
            who=names.short(it.seat),
            piece=code(it.took),
            window=it.window + 1,
            cash=card(it.paid),
        )
        for it in items
    ]


def _cash_stolen(names: Names, items: Many) -> list[str]:
    text = _("Stolen from the cash register: {cash} ({owner} → {who})")
    return [
        text.format(who=names.short(it.seat), cash=card(it.cash), owner=names.short(it.owner))
        for it in items
    ]


def _turned_up(names: Names, items: Many) -> list[str]:
    text = _("Window {number} turns up {piece}")
    found = (text.format(number=it.window + 1, piece=code(it.piece)) for it in items)
    return [BETWEEN.join(found)]


def _exhibits(names: Names, items: Many) -> list[str]:
    found = sorted(items, key=lambda it: it.placing)
    return [_("Exhibits: {exhibits}").format(exhibits=listed(_exhibit(names, it) for it in found))]


def _final(names: Names, items: Many) -> list[str]:
    found = sorted(items, key=lambda it: it.placing)
    text = _("Final exhibits: {exhibits}")
    return [text.format(exhibits=listed(_exhibit(names, it) for it in found))]


def _exhibit(names: Names, it: happenings.ExhibitShown | happenings.FinalExhibit) -> str:
    oldest = min((piece.year for piece in it.pieces if piece.year is not None), default=None)
    letters = run_letters(piece.letter for piece in it.pieces)
    return f"{it.placing} {names.short(it.seat)} {letters} {oldest or '?'}"


def _moved(names: Names, items: Many) -> list[str]:
    """Who moved for the same reason together; the octagon that paid once."""
    octagon, found = names.paying(), list[str]()
    for why, group in groupby(items, lambda it: it.why):
        movers = listed(
            f"{names.short(it.seat)} +{it.fields} → {_field(names, it.end)}" for it in group
        )
        found.append(f"{_(why)}: {movers}")
    told = BETWEEN.join(found)
    if octagon is None or not any(it.why in happening_sentences.BY_OCTAGON for it in items):
        return [_capital(told)]
    text = _("At octagon {larger}/{smaller} {moves}")
    return [text.format(larger=octagon[0], smaller=octagon[1], moves=told)]


def _field(names: Names, field: int) -> str:
    """Return a field by its number; one of the Banquet is called so."""
    return names.field(field) if names.edition.in_banquet(field) else str(field)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _returned(names: Names, items: Many) -> list[str]:
    text = _("Back to hand: {cards}")
    cards = listed(f"{names.short(it.seat)} {card(it.card)}" for it in items)
    return [text.format(cards=cards)]


def _stolen(names: Names, items: Many) -> list[str]:
    text = _("{piece} ({owner} → {who})")
    found = (
        text.format(who=names.short(it.seat), piece=code(it.piece), owner=names.short(it.owner))
        for it in items
    )
    return [_("Stolen: {thefts}").format(thefts=listed(found))]


def _imprisoned(names: Names, items: Many) -> list[str]:
    thieves = listed(f"{names.short(it.seat)} {card(it.thief)}" for it in items)
    return [_("To prison: {thieves}").format(thieves=thieves)]


def _hands(names: Names, items: Many) -> list[str]:
    return [f"{names.short(it.seat)}: {' '.join(map(code, it.pieces))}" for it in items]


TOGETHER: Final[Mapping[type[Happening], Callable[[Names, Many], list[str]]]] = {
    happenings.Setup: _setup,
    happenings.RoundBegan: _round,
    happenings.RoundEnded: _round_ended,
    happenings.PlaceShown: _places,
    happenings.ActionShown: _actions,
    happenings.Returned: _returned,
    happenings.Sale: _sale,
    happenings.CashStolen: _cash_stolen,
    happenings.TurnedUp: _turned_up,
    happenings.ExhibitShown: _exhibits,
    happenings.FinalExhibit: _final,
    happenings.FigureMoved: _moved,
    happenings.Stolen: _stolen,
    happenings.Imprisoned: _imprisoned,
    happenings.HandOpened: _hands,
}
"""What is told together; everything else is told in the sentences of `happening_sentences`."""
