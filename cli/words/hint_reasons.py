"""One reason for the choice that a hint recommends, in terms of what lies open on the table.

The bot itself has no words for its reasons. Each sentence is a fact about the table that speaks for
the choice, so that a beginner learns what to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from p2p_hoity.rules import ActionKind, Choice, Place, View, best_slots

from .card_names import Names, held_numbers
from .choice_notes import may_play, note, others_at, rivals_ahead
from .translation import _, count, listed


def reason(view: View, kind: str, choice: Choice, names: Names) -> str:
    """Return a sentence that speaks for a choice, or a note on what it brings, "" for none."""
    return _reason(view, kind, choice, names) or note(view, kind, choice, names)


def _reason(view: View, kind: str, choice: Choice, names: Names) -> str:
    """Return a fact that speaks for a choice, "" if none of those that are looked for holds."""
    if view.seat is None:
        return ""
    if kind == "place":
        return _castle(view, names) if choice == Place.CASTLE else _hall(view, names)
    if kind in ("action", "turn"):
        where: int | None = view.state.places[view.seat]
        card = choice
        if kind == "turn":
            where, card = cast("tuple[int, int]", choice)
        action = ActionKind(view.state.kind(cast("int", card)))
        tellers = HALL if where == Place.AUCTION_HALL else CASTLE
        return tellers[action](view, names, cast("int", card)) if action in tellers else ""
    if kind == "exhibit":
        return _exhibit(view, names, cast("tuple[int, ...]", choice))
    return ""


def _castle(view: View, names: Names) -> str:
    """Return why one may go to the Castle."""
    best = best_slots(view.state, view.mine())
    if best is not None and not rivals_ahead(view, best):
        return _("your exhibit is the largest that is known")
    return _guests(view, names, Place.CASTLE, ActionKind.EXHIBIT) or ""


def _hall(view: View, names: Names) -> str:
    """Return why one may go to the Auction Hall."""
    own = max(held_numbers(view, view.seat or 0, ActionKind.CASH), default=0)
    if own > _largest(view, Place.AUCTION_HALL, ActionKind.CASH):
        return _("nobody else can pay more than you")
    if best_slots(view.state, view.mine()) is None:
        return _("you have no valid exhibit yet")
    return _guests(view, names, Place.AUCTION_HALL, ActionKind.CASH)


def _cash(view: View, names: Names, card: int) -> str:
    """Return why one may play Cash."""
    most = _largest(view, Place.AUCTION_HALL, ActionKind.CASH)
    is_largest = view.state.edition.number(card) > most
    return _("nobody else here can pay more") if is_largest else ""


def _hall_thief(view: View, names: Names, card: int) -> str:
    """Return why one may play a Thief in the Auction Hall."""
    if not _with(view, Place.AUCTION_HALL, ActionKind.THIEF):
        return _("nobody else here has a Thief, so that yours would be the only one")
    return _guests(view, names, Place.AUCTION_HALL, ActionKind.CASH)


def _castle_thief(view: View, names: Names, card: int) -> str:
    """Return why one may play a Thief in the Castle."""
    if not _with(view, Place.CASTLE, ActionKind.DETECTIVE):
        return _("nobody else here has a Detective")
    return _guests(view, names, Place.CASTLE, ActionKind.EXHIBIT)


def _detective(view: View, names: Names, card: int) -> str:
    """Return why one may play the Detective in the Castle."""
    found = _with(view, Place.CASTLE, ActionKind.THIEF)
    number = sum(len(held_numbers(view, seat, ActionKind.THIEF)) for seat in found)
    if not number:
        return ""
    words = count(
        "{number} Thief may be played here", "{number} Thieves may be played here", number
    )
    return words.format(number=number)


def _exhibit_card(view: View, names: Names, card: int) -> str:
    """Return why one may play the Exhibit."""
    best = best_slots(view.state, view.mine())
    if best is not None and not rivals_ahead(view, best):
        return _("no exhibit that is known here is larger than yours")
    if not _with(view, Place.CASTLE, ActionKind.THIEF):
        return _("nobody else here has a Thief")
    return ""


def _exhibit(view: View, names: Names, slots: tuple[int, ...]) -> str:
    """Return why one may show this exhibit."""
    best = best_slots(view.state, view.mine())
    if best is not None and len(best) > len(slots):
        return _("no Thief can take what is not shown")
    if not _with(view, Place.CASTLE, ActionKind.THIEF):
        return _("no Thief is here who could take a piece of it")
    return "" if rivals_ahead(view, slots) else _("no exhibit that is known here is larger")


def _guests(view: View, names: Names, where: Place, kind: ActionKind) -> str:
    """Return who may play a kind of Action in a Place, "" if nobody may."""
    found = _with(view, where, kind)
    text = _("{who} may show an exhibit, from which a Thief can take a piece")
    if kind is ActionKind.CASH:
        text = _("{who} may pay Cash, which a Thief can take")
    return text.format(who=listed(map(names.short, found))) if found else ""


def _with(view: View, where: Place, kind: ActionKind) -> list[int]:
    """Return the other seats that are or may be in a Place and may play a kind of Action."""
    return [seat for seat in others_at(view, where) if may_play(view, seat, kind)]


def _largest(view: View, where: Place, kind: ActionKind) -> int:
    """Return the largest number of the cards of a kind that others may play in a Place."""
    found = (held_numbers(view, seat, kind) for seat in others_at(view, where))
    return max((number for numbers in found for number in numbers), default=0)


Teller = Callable[[View, Names, int], str]
HALL: Final[Mapping[ActionKind, Teller]] = {
    ActionKind.CASH: _cash,
    ActionKind.THIEF: _hall_thief,
}
CASTLE: Final[Mapping[ActionKind, Teller]] = {
    ActionKind.THIEF: _castle_thief,
    ActionKind.DETECTIVE: _detective,
    ActionKind.EXHIBIT: _exhibit_card,
}
"""For each kind of Action the function that returns why one may play it in the Castle."""
