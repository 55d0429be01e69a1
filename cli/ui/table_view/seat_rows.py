"""The table of the seats in the order in which they are shown, each with what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from p2p_hoity.rules import ActionCard, ActionKind, Place
from p2p_hoity.rules.happenings import CashStolen, Sale

from ...words import card_names
from ...words.translation import _
from .seat_names import name_of
from .seat_status import Notice, status
from .stage import Stage


@dataclass(frozen=True)
class SeatRow:
    """What is shown of a seat.

    Attributes:
        seat: The seat.
        name: Its nickname, or the word for `You`.
        colour: The name of its colour. "" if no colours are known yet.
        field: The field on which its figure stands.
        rank: The rank of its figure.
        place: The Place in which it is this round, in one word. "" if it is not shown yet.
        action: The Action card that it has shown. None if it has shown none yet.
        gained: What it got in the Auction Hall this round, in few letters. "" if it got nothing.
        hand: By kind the numbers of the Action cards in its hand. A card without one counts as 0.
        status: What it does now.
    """

    seat: int
    name: str
    colour: str
    field: int
    rank: int
    place: str
    action: ActionCard | None
    gained: str
    hand: Mapping[ActionKind, list[int]]
    status: Notice


def seat_rows(stage: Stage) -> list[SeatRow]:
    """Return a row for each seat, this person's first.

    Args:
        stage: What is shown.

    Returns:
        The rows. They are empty before the game has begun.
    """
    view, names = stage.scene.view, stage.names
    if view is None or names is None:
        return []
    state, ranks = view.state, view.state.ranks(view.state.figures)
    words = {None: "", Place.CASTLE: _("Castle"), Place.AUCTION_HALL: _("Hall")}
    rows = []
    for seat in card_names.own_first(view):
        shown = state.actions[seat]
        row = SeatRow(
            seat,
            name_of(stage, seat),
            card_names.colour(names.colours[seat]) if seat < len(names.colours) else "",
            state.figures[seat],
            ranks[seat],
            words[state.places[seat]],
            None if shown is None else state.action_card(shown),
            _gained(stage.scene.doings.get(seat)),
            {kind: card_names.held_numbers(view, seat, kind) for kind in ActionKind},
            status(stage, seat),
        )
        rows.append(row)
    return rows


def _gained(doing: Sale | CashStolen | None) -> str:
    """Return in few letters what a seat got in the Auction Hall this round.

    For example, `10→B1926` means that Cash 10 has bought the piece B1926, and `+10` that Cash 10
    was stolen.
    """
    match doing:
        case Sale(_, paid, _, took):
            return f"{paid.number}→{took.letter}{took.year}"
        case CashStolen(cash=cash):
            return f"+{cash.number}"
    return ""


def short_card(card: ActionCard, wide: bool = False) -> str:
    """Return an Action card in few letters.

    Args:
        card: The card.
        wide: Whether there is room for the whole name instead of its first letter.

    Returns:
        The name and number.
    """
    kind = _(card_names.KIND_WORDS[card.kind])
    if wide:
        return kind if card.number is None else f"{kind} {card.number}"
    return f"{kind[0]}{card.number or ''}"
