"""Before all rules of a seat that takes its place again: ask first, and sign above the floor.

After an old journal was restored, a liar may be the only one to hold what this seat signed since,
and show it once the seat has signed something else of that identity: an honest seat would stand
convicted. What it cannot know of, it signed in an epoch that some honest seat has wished or stood
next to, so that a floor above the wishes of a quorum keeps clear of it.
"""

from __future__ import annotations

from ..wire import frames
from ..wire.messages import Late, Message
from . import sync
from .core import Desk
from .effects import Cautious, Silenced
from .inquiry import Inquiry


def inquire(desk: Desk) -> bool:
    """Go on once enough have told; whether it was now."""
    inquiry = desk.inquiry
    if inquiry is None or desk.replaying or not _is_over(desk, inquiry):
        return False
    if inquiry.cautious and desk.table.strict and inquiry.certain:
        _say_silenced(desk, inquiry)
        return False
    desk.inquiry = None
    if inquiry.cautious:
        desk.floor = max(desk.floor, 0 if desk.table.strict else floor(desk))
        desk.record_floor(desk.floor)
    return True


def _is_over(desk: Desk, inquiry: Inquiry) -> bool:
    others = desk.tip.present - {desk.seat}
    if not inquiry.cautious:
        return inquiry.has_asked(others, desk.clocks.now, desk.clocks.grace())
    enough = desk.table.quorum - 1
    return inquiry.has_waited(others, enough, desk.clocks.now, desk.clocks.times.step / 1000)


def _say_silenced(desk: Desk, inquiry: Inquiry) -> None:
    """No epoch of a strict table can be left behind: what was forgotten may stand there still."""
    if not inquiry.silenced:
        inquiry.silenced = True
        desk.emit(Silenced())


def floor(desk: Desk) -> int:
    """The lowest epoch in which nothing forgotten can stand; fewer than t liars cannot lift it."""
    return max(desk.promise + 1, desk.view.epoch + 1, desk.ballot.common_wish() + 2)


def be_cautious(desk: Desk, certain: bool) -> None:
    """Sign nothing until the others have told, then above a floor; commit nothing unasked again.

    `certain`: the journal lacks something that this seat has signed. The journal remembers it.
    """
    if desk.seat is None:
        return
    known = desk.inquiry
    if known is None:
        known = desk.inquiry = Inquiry(desk.clocks.now)
        known.since = desk.clocks.now if desk.links else None
    known.certain = known.certain or certain
    if not known.cautious:
        known.cautious, known.began = True, desk.clocks.now
        desk.forget_choices()
        desk.emit(Cautious())
        desk.record_floor(None)
        sync.ask_own(desk)


def is_forgotten(desk: Desk, message: Message) -> bool:
    """Whether this is a statement of this seat's own that it does not know of."""
    if message.seat != desk.seat or desk.replaying or message.hash in desk.store:
        return False
    late = message.statement
    return not isinstance(late, Late) or late.epoch > desk.store.highest_late(desk.seat)


def hear(desk: Desk, told: frames.Told, peer: bytes | None) -> None:
    """A linked seat has told what it holds of this one, or a part of it."""
    inquiry = desk.inquiry
    if inquiry is None or peer not in desk.table.ids:
        return
    seat = desk.table.ids.index(peer)
    if not told.more:
        inquiry.told.add(seat)
    elif inquiry.goes_on_after(seat, told.last):
        desk.send(frames.Own(told.last), peer)


def link_up(desk: Desk, peer: bytes) -> None:
    """A node is linked: a seat of the table is asked what it holds of this one."""
    if peer not in desk.table.ids:
        return
    seat, inquiry = desk.table.ids.index(peer), desk.inquiry
    desk.links.add(seat)
    if inquiry is not None and inquiry.since is None and seat in desk.tip.present:
        inquiry.since = desk.clocks.now
    sync.ask_own_of(desk, seat)


def link_down(desk: Desk, peer: bytes) -> None:
    """A node is linked no more."""
    if peer in desk.table.ids:
        desk.links.discard(desk.table.ids.index(peer))
    if desk.inquiry is not None and not desk.links & desk.tip.present:
        desk.inquiry.since = None  # nobody is left who could tell
