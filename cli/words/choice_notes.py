"""The notes beside the options of a question: what each choice would bring, by what is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from p2p_hoity import rules
from p2p_hoity.rules import ActionKind, Choice, Edition, Place, View, best_slots, strength

from .card_names import Names, held_numbers
from .piece_notes import bought, opened, stolen
from .translation import N_, _, listed

ORDINALS: Final = (N_("1st"), N_("2nd"), N_("3rd"), N_("4th"), N_("5th"), N_("6th"))


def ordinal(number: int) -> str:
    """Return the word for a rank among exhibits, from 1 to 6."""
    return _(ORDINALS[number - 1])


def note(view: View, kind: str, choice: Choice, names: Names) -> str:
    """Return what a choice would bring the player, "" if there is nothing to say.

    Of a theft, the choice may also be a part: the slot of a single piece.
    """
    if kind == "turn" and isinstance(choice, tuple):
        return _action(view, names, Place(choice[0]), choice[1])
    if kind == "place" and isinstance(choice, int):
        return _castle(view, names) if choice == Place.CASTLE else _hall(view, names)
    if kind == "action" and isinstance(choice, int) and view.seat is not None:
        where = view.state.places[view.seat]
        return "" if where is None else _action(view, names, where, choice)
    if kind == "window" and isinstance(choice, int) and (window := view.state.windows[choice]):
        return bought(view, window[0], names)
    if kind == "exhibit" and isinstance(choice, tuple):
        return opened(view, choice)
    if kind == "theft":
        return stolen(view, (choice,) if isinstance(choice, int) else choice, names)
    return ""


def leading(view: View) -> int:
    """Return the field on which the leader stood when the round (or its Castle phase) began.

    It decides how far this round's best exhibits move figures. Between rounds, and after the last
    one, it is where the leader stands.
    """
    state = view.state
    return max(state.figures if state.phase in NO_ROUND else state.before)


NO_ROUND: Final = (rules.Phase.ROUND, rules.Phase.FINAL, rules.Phase.OVER)


def octagon(view: View) -> tuple[int, int]:
    """Return how many fields the best and the second-best exhibit of this round move."""
    return octagon_at(view.state.edition, leading(view))


def octagon_at(edition: Edition, field: int) -> tuple[int, int]:
    """Return how many fields the best two exhibits move if the leading figure is on this field."""
    return edition.octagons[min(field, len(edition.octagons) - 1)]


def _castle(view: View, names: Names) -> str:
    """Return the note on going to the Castle."""
    best, second = octagon(view)
    if best_slots(view.state, view.mine()) is None:
        return _("you have no valid exhibit; Thieves steal, Detectives jail")
    text = _("exhibits pay +{best} / +{second}; Thieves steal, Detectives jail")
    return text.format(best=best, second=second)


def _hall(view: View, names: Names) -> str:
    """Return the note on going to the Auction Hall."""
    state = view.state
    tops = [view.piece(window[0]) for window in state.windows if window]
    shown = " · ".join(f"{piece.letter} {piece.year}" for piece in tops)
    text = _("the largest Cash buys one of {pieces}")
    return text.format(pieces=shown)


def _action(view: View, names: Names, where: Place, card: int) -> str:
    tellers = HALL if where == Place.AUCTION_HALL else CASTLE
    return tellers[view.state.kind(card)](view, names, card)


# Auction Hall


def _cash(view: View, names: Names, card: int) -> str:
    """Return the note on playing Cash."""
    others = others_at(view, Place.AUCTION_HALL)
    cash = {seat: max(held_numbers(view, seat, ActionKind.CASH), default=0) for seat in others}
    rivals = sorted((seat for seat in others if cash[seat]), key=lambda seat: -cash[seat])
    if rivals:
        found = listed(f"{names.nicknames[seat]} {cash[seat]}" for seat in rivals)
        return _("the largest buys; others up to {rivals}").format(rivals=found)
    thieves = [seat for seat in others if held_numbers(view, seat, ActionKind.THIEF)]
    if thieves:
        who = listed(names.nicknames[seat] for seat in thieves)
        return _("buys; may steal the Cash: {who}").format(who=who)
    return _("buys: nobody else here has Cash")


def _hall_thief(view: View, names: Names, card: int) -> str:
    """Return the note on a Thief in the Auction Hall, which is the same for all."""
    others = others_at(view, Place.AUCTION_HALL)
    if not any(may_play(view, seat, ActionKind.CASH) for seat in others):
        return _("no gain: nobody else here has Cash")
    return _("as the only Thief takes the Cash; no jail here")


def _hall_detective(view: View, names: Names, card: int) -> str:
    return _("does nothing here")


# Castle


def _castle_thief(view: View, names: Names, card: int) -> str:
    """Return the note on a Thief in the Castle."""
    if not any(_may_show(view, seat) for seat in others_at(view, Place.CASTLE)):
        return _("no loot: nobody else can exhibit here")
    number = view.state.edition.number(card)
    others = others_at(view, Place.CASTLE)
    if any(
        other > number for seat in others for other in held_numbers(view, seat, ActionKind.THIEF)
    ):
        return _("picks after higher Thieves; jail by Detective")
    return _("first pick of all; jail by Detective")


def _castle_detective(view: View, names: Names, card: int) -> str:
    """Return the note on a Detective in the Castle."""
    if not any(may_play(view, seat, ActionKind.THIEF) for seat in others_at(view, Place.CASTLE)):
        return _("no gain: nobody else here has a Thief")
    state = view.state
    if state.edition.switches.detective_rank == "before":
        text = _("if a Thief is here +{rank}, your rank")
        return text.format(rank=state.ranks(state.before or state.figures)[view.seat or 0])
    text = _("if a Thief is here +{rank}, exhibits move first")
    return text.format(rank=state.ranks(state.figures)[view.seat or 0])


def _castle_exhibit(view: View, names: Names, card: int) -> str:
    """Return the note on an Exhibit card."""
    best = best_slots(view.state, view.mine())
    if best is None:
        return _("you have no valid exhibit")
    letters = "".join(sorted(view.piece(slot).letter or "?" for slot in best))
    return f"{letters}: {placing(view, best, names)}"


def placing(view: View, slots: Sequence[int], names: Names) -> str:
    """Return in words an exhibit's rank among the known ones in the Castle, and what it brings."""
    ahead = [names.nicknames[seat] for seat in rivals_ahead(view, slots)]
    larger, smaller = octagon(view)
    if not any(_may_show(view, seat) for seat in others_at(view, Place.CASTLE)):
        return _("nobody else can exhibit here: +{fields}").format(fields=larger)
    if not ahead:
        hidden = _hidden(view)
        if not hidden:
            return _("beats every exhibit here: +{fields}").format(fields=larger)
        text = _("largest known: +{fields}; {number} hidden here")
        return text.format(fields=larger, number=hidden)
    gains = (larger, smaller)
    place = len(ahead) + 1
    fields = gains[place - 1] if place <= len(gains) else 0
    text = _("{place} (+{fields}) against the best of {who}; at most +{most}")
    return text.format(place=ordinal(place), fields=fields, who=listed(ahead), most=larger)


def _hidden(view: View) -> int:
    """Return how many hidden Collectibles those have who may show an exhibit in the Castle."""
    rivals = [seat for seat in others_at(view, Place.CASTLE) if _may_show(view, seat)]
    return sum(view.hidden(seat) for seat in rivals)


def rivals_ahead(view: View, slots: Sequence[int]) -> list[int]:
    """Return the other seats, rising, whose known Collectibles allow a better exhibit here."""
    edition, cards = view.state.edition, view.cards
    mine = strength(edition, [cards[slot] for slot in slots])
    found = []
    for seat in others_at(view, Place.CASTLE):
        if not _may_show(view, seat):
            continue
        known = view.held(seat)
        best = best_slots(view.state, known)
        if best is not None and strength(edition, [known[s] for s in best]) < mine:
            found.append(seat)
    return found


def _may_show(view: View, seat: int) -> bool:
    return may_play(view, seat, ActionKind.EXHIBIT)


def may_play(view: View, seat: int, kind: ActionKind) -> bool:
    """Return whether a seat has played a kind of Action in this round, or still may play it."""
    state = view.state
    played = state.actions[seat]
    if played is not None:
        return state.kind(played) == kind
    return bool(held_numbers(view, seat, kind))


def others_at(view: View, where: Place) -> list[int]:
    """Return the other seats in a Place. Before Places are shown, all other seats may be there."""
    state = view.state
    known = any(place is not None for place in state.places)
    found = state.at(where) if known else tuple(range(state.seats))
    return [seat for seat in found if seat != view.seat and _acts(view, seat)]


def _acts(view: View, seat: int) -> bool:
    """Return whether a seat acts in this round: absent or sitting out only if it has played."""
    return view.state.active(seat) or view.state.actions[seat] is not None


Teller = Callable[[View, Names, int], str]
HALL: Final[Mapping[ActionKind, Teller]] = {
    ActionKind.CASH: _cash,
    ActionKind.THIEF: _hall_thief,
    ActionKind.DETECTIVE: _hall_detective,
    ActionKind.EXHIBIT: _hall_detective,
}
CASTLE: Final[Mapping[ActionKind, Teller]] = {
    ActionKind.CASH: _hall_detective,
    ActionKind.THIEF: _castle_thief,
    ActionKind.DETECTIVE: _castle_detective,
    ActionKind.EXHIBIT: _castle_exhibit,
}
"""For each kind of Action card the function that returns its note in the Castle."""
