"""The board in sentences, as a screen reader says it: no columns, no signs, every number named."""

from __future__ import annotations

from collections.abc import Iterable

from p2p_hoity.rules import LETTERS, Phase, Place, View

from . import card_names
from .board_text import rank
from .card_names import Names, Row, grid
from .happening_sentences import where, window_line
from .translation import _, listed


def board(view: View, names: Names) -> list[str]:
    """Return everything on the table that a seat may know, in sentences."""
    if view.state.phase is Phase.DEAL:
        return [_("The cards are not dealt yet.")]
    names.look(view)
    lines = [_("Round {round}").format(round=view.state.round) + "."]
    for seat in card_names.own_first(view):
        lines += of_seat(view, names, seat)
    return [*lines, *_elsewhere(view, names), *_windows(view, names)]


def of_seat(view: View, names: Names, seat: int) -> list[str]:
    """Return the sentences about one seat: its figure, its cards, its Place, its Collectibles."""
    names.look(view)
    state = view.state
    cards = sorted((state.action_card(one) for one in state.hands[seat]), key=rank)
    text = _("{who}: {where}, rank {rank}; in hand {cards}.")
    told = text.format(
        who=names.seat(seat),
        where=where(names, state.figures[seat]),
        rank=state.ranks(state.figures)[seat],
        cards=_all(map(card_names.card, cards)),
    )
    row = next(row for row in grid(view).rows if row.seat == seat)
    return [told, *_place(view, seat), "  " + _pieces(row)]


def own(view: View, names: Names) -> list[str]:
    """Return the seat's own Collectibles and best exhibit, no line for an onlooker."""
    if view.seat is None:
        return []
    return [_("Your Collectibles:") + " " + _pieces(grid(view).rows[0])]


def _place(view: View, seat: int) -> list[str]:
    """Return the sentence about where a seat is in this round, if that is known."""
    state = view.state
    place, action = state.places[seat], state.actions[seat]
    if seat not in state.present:
        return ["  " + _("Absent.")]
    if place is None:
        return []
    if action is None:
        inside = place is Place.CASTLE
        return ["  " + (_("In the Castle.") if inside else _("In the Auction Hall."))]
    text = _("In the Castle with {card}.")
    if place is not Place.CASTLE:
        text = _("In the Auction Hall with {card}.")
    return ["  " + text.format(card=card_names.card(state.action_card(action)))]


def _pieces(row: Row) -> str:
    """Return the sentences about the Collectibles of a row of the grid, and its best exhibit."""
    marks = [(letter, m) for letter, cell in zip(LETTERS, row.cells, strict=True) for m in cell]
    known, secret = (
        [f"{letter}{mark.year}" for letter, mark in marks if mark.is_secret is is_secret]
        for is_secret in (False, True)
    )
    told = [_("open: {pieces}").format(pieces=_all(known))]
    if secret:
        told.append(_("secret: {pieces}").format(pieces=_all(secret)))
    if row.unknown:
        told.append(_("hidden: {number}").format(number=row.unknown))
    text = _("best exhibit: {letters}, oldest {year}") if row.best else _("no exhibit yet")
    return "; ".join((*told, text.format(letters=row.best, year=row.oldest))) + "."


def _all(words: Iterable[str]) -> str:
    """Return words with commas between them, or that there are none, for which a sign is mute."""
    found = list(words)
    return listed(found) if found else _("none")


def _elsewhere(view: View, names: Names) -> list[str]:
    """Return the sentences about the octagon, the cash register and the prison."""
    state, octagon = view.state, names.paying()
    lines = []
    if octagon is not None:
        text = _("The best exhibit moves {larger} fields, the second-best {smaller}.")
        lines.append(text.format(larger=octagon[0], smaller=octagon[1]))
    cash = _all(card_names.card(state.action_card(one)) for one in state.register)
    lines.append(_("In the cash register: {cash}.").format(cash=cash))
    text, cells = _("{thief} of {who}"), []
    for one in state.prison:
        thief = card_names.card(state.action_card(one))
        cells.append(text.format(thief=thief, who=names.short(state.owner(one))))
    text = _("In the prison, of {size} cells, from the first cell on: {thieves}.")
    return [*lines, text.format(size=state.seats, thieves=_all(cells))]


def _windows(view: View, names: Names) -> list[str]:
    """Return the sentences about the windows of the Auction Hall."""
    return [
        window_line(names, number, tuple(map(view.piece, window)))
        for number, window in enumerate(view.state.windows, 1)
    ]
