"""The notes on Collectibles: which exhibits they would make or break, and what an exhibit opens.

They tell what is known to the reader: hidden pieces of others may complete a run all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from p2p_hoity.rules import Cards, View, best_slots, strength

from .card_names import Names, code, run_letters
from .translation import _


def bought(view: View, slot: int, names: Names) -> str:
    """Return what a piece for sale would do for the reader, and for the rival it helps most."""
    own = gain(view, (slot,))
    rival = _rival(view, slot)
    if rival is None:
        return own
    who, letters = rival
    text = _("{own}; {who} would have {letters}")
    return text.format(own=own, who=names.nicknames[who], letters=letters)


def stolen(view: View, slots: Sequence[int], names: Names) -> str:
    """Return what loot of one piece or several would make, and what it leaves to the owners."""
    parts = [gain(view, slots)]
    for seat, held in enumerate(view.state.collectibles):
        taken = set(slots) & set(held)
        if taken:
            parts.append(_loss(view, seat, taken, names))
    return "; ".join(parts)


def opened(view: View, slots: Sequence[int]) -> str:
    """Return the pieces of an exhibit, and apart from them those that are secret before it."""
    secret = dict(view.private)
    ordered = sorted(slots, key=view.mine().__getitem__)
    seen, new = (
        " ".join(code(view.piece(slot)) for slot in ordered if (slot in secret) is is_secret)
        for is_secret in (False, True)
    )
    if not new:
        return seen
    told = _("opens your secret {pieces}").format(pieces=new)
    return f"{seen}; {told}" if seen else told


def gain(view: View, slots: Iterable[int]) -> str:
    """Return what pieces in these deck slots would make of the reader's best exhibit."""
    before, more = view.mine(), _known(view, slots)
    after = {**before, **more}
    old, new = _best(view, before), _best(view, after)
    if not new:
        return _("no exhibit with it yet")
    if not old or len(new) > len(old):
        return _("makes {letters}").format(letters=_letters(view, new))
    if strength(view.state.edition, new.values()) < strength(view.state.edition, old.values()):
        oldest = min(view.piece(slot).year or 0 for slot in new)
        text = _("makes {letters}, oldest {year}")
        return text.format(letters=_letters(view, new), year=oldest)
    return _("no better exhibit")


def _loss(view: View, seat: int, taken: Iterable[int], names: Names) -> str:
    """Return what a theft of these pieces leaves of the best known exhibit of their owner."""
    held, who = view.held(seat), names.nicknames[seat]
    old = _best(view, held)
    new = _best(view, {slot: card for slot, card in held.items() if slot not in taken})
    if not new:
        return _("leaves {who} no known exhibit").format(who=who)
    left = _letters(view, new)
    if len(new) == len(old):
        return _("{who} keeps {letters}").format(who=who, letters=left)
    # More than the stolen pieces are lost if a letter is gone from the middle of the run.
    if len(old) - len(new) > 1:
        return _("breaks the run of {who}: {letters} is left").format(who=who, letters=left)
    return _("leaves {who} {letters}").format(who=who, letters=left)


def _rival(view: View, slot: int) -> tuple[int, str] | None:
    """Return whose best known exhibit would become larger by a piece, and best of all, with it."""
    found = []
    for seat in view.state.present - {view.seat}:
        held = view.held(seat)
        new = _best(view, {**held, **_known(view, (slot,))})
        if len(new) > len(_best(view, held)):
            found.append((strength(view.state.edition, new.values()), seat, _letters(view, new)))
    if not found:
        return None
    _strength, seat, letters = min(found)
    return seat, letters


def _known(view: View, slots: Iterable[int]) -> Cards:
    cards = view.cards
    return {slot: cards[slot] for slot in slots if slot in cards}


def _best(view: View, cards: Cards) -> Mapping[int, int]:
    """Return the best exhibit among Collectibles by slot. It is empty if there is none."""
    return {slot: cards[slot] for slot in best_slots(view.state, cards) or ()}


def _letters(view: View, exhibit: Iterable[int]) -> str:
    return run_letters(view.piece(slot).letter for slot in exhibit)
