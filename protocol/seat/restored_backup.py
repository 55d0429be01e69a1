"""Recovery of a seat from its journal: it asks first, and signs above a floor.

After an old journal was restored, a liar may be the only one to hold what this seat signed since,
and show it once the seat has signed something else of that identity: an honest seat would stand
convicted. What it cannot know of, it signed in an epoch that some honest seat has wished or stood
next to, so that a floor above the wishes of a quorum keeps clear of it.
"""

from __future__ import annotations

from ..wire import peer_frames
from ..wire.signed_messages import Late, Message
from . import catch_up, end_notices
from .effects import Cautious, Silenced
from .seat_state import Core, Inquiry
from .signer import record_floor


def inquire(core: Core) -> bool:
    """Go on once enough have told; whether it was now ([E-10], [E-22])."""
    inquiry = core.inquiry
    if inquiry is None or core.replaying or not _is_over(core, inquiry):
        return False
    if inquiry.cautious and core.table.strict and inquiry.certain:
        _say_silenced(core, inquiry)
        return False
    core.inquiry = None
    if inquiry.cautious:
        core.floor = max(core.floor, 0 if core.table.strict else floor(core))
        record_floor(core, core.floor)
    return True


def _is_over(core: Core, inquiry: Inquiry) -> bool:
    others = core.tip.present - {core.seat}
    seconds = core.clocks.times.step / 1000 + core.clocks.grace()
    return inquiry.is_over(others, core.table.quorum - 1, core.clocks.now, seconds)


def _say_silenced(core: Core, inquiry: Inquiry) -> None:
    """No epoch of a strict table can be left behind: what was forgotten may stand there still."""
    if not inquiry.silenced:
        inquiry.silenced = True
        core.emit(Silenced())


def floor(core: Core) -> int:
    """The lowest epoch in which nothing forgotten can stand; fewer than t liars cannot lift it.

    SPEC: [E-22].
    """
    return max(core.promise + 1, core.view.epoch + 1, core.votes.common_wish() + 2)


def be_cautious(core: Core, certain: bool) -> None:
    """Sign nothing until the others have told, then above a floor; commit nothing unasked again.

    `certain`: the journal lacks something that this seat has signed. The journal remembers it.

    SPEC: [E-22].
    """
    if core.seat is None:
        return
    known = core.inquiry
    if known is None:
        known = core.inquiry = Inquiry(core.clocks.now)
    known.certain = known.certain or certain
    if not known.cautious:
        known.cautious, known.began = True, core.clocks.now
        core.forget_choices()
        core.emit(Cautious())
        record_floor(core, None)
        catch_up.ask_own(core)


def is_forgotten(core: Core, message: Message) -> bool:
    """Whether this is a statement of this seat's own that it does not know of ([E-22])."""
    if message.seat != core.seat or core.replaying or message.hash in core.store:
        return False
    late = message.statement
    return not isinstance(late, Late) or late.epoch > core.store.highest_late(core.seat)


def hear(core: Core, told: peer_frames.Told, peer: bytes | None) -> None:
    """A linked seat has told what it holds of this one, or a part of it."""
    inquiry = core.inquiry
    if inquiry is None or peer not in core.table.ids:
        return
    seat = core.table.ids.index(peer)
    if not told.more:
        inquiry.told.add(seat)
    elif inquiry.goes_on_after(seat, told.last):
        core.send(peer_frames.Own(told.last), peer)


def link_up(core: Core, peer: bytes, again: bool) -> None:
    """A node is linked: a seat of the table is asked what it holds of this one; unless it was
    linked until now, `again`, it is back if it has left."""
    if peer not in core.table.ids:
        return
    seat = core.table.ids.index(peer)
    core.links.add(seat)
    if not again:
        core.leaves.note_link(seat)
        end_notices.note_link(core, seat)
    catch_up.ask_own_of(core, seat)


def link_down(core: Core, peer: bytes) -> None:
    """A node is linked no more."""
    if peer in core.table.ids:
        core.links.discard(core.table.ids.index(peer))
