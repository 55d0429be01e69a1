"""Recovery of a seat from a restored backup: it asks first, and signs above a floor.

After an old journal was restored, a faulty seat may be the only one to hold what this seat signed
since, and show it once the seat has signed something else of that identity: an honest seat would
stand convicted. What it cannot know of, it signed in an epoch that some honest seat has wished or
stood next to, so that a floor above the wishes of a quorum keeps clear of it.
"""

from __future__ import annotations

from ..wire import peer_frames
from . import catch_up
from .seat_state import SeatState


def inquire(state: SeatState) -> bool:
    """Go on once enough have told; return whether it was now ([E-10], [E-22]).

    No epoch of a strict table can be left behind. What was forgotten may stand there still, so that
    a seat that surely has forgotten something signs nothing any more.
    """
    inquiry, strict = state.signer.inquiry, state.table.strict
    if inquiry is None or state.outbox.is_replaying:
        return False
    others = state.tip.present - {state.seat}
    seconds = state.timers.times.step / 1000 + state.timers.grace()
    if not inquiry.is_over(others, state.table.quorum - 1, state.timers.now, seconds):
        return False
    if inquiry.cautious and strict and inquiry.certain:
        state.signer.say_silenced()
        return False
    state.signer.go_on((0 if strict else floor(state)) if inquiry.cautious else None)
    return True


def floor(state: SeatState) -> int:
    """Return the lowest epoch in which nothing forgotten can stand.

    Fewer than t faulty seats cannot lift it.

    SPEC: [E-22].
    """
    log = state.log
    return max(state.signer.promise + 1, log.view.epoch + 1, log.votes.common_wish() + 2)


def be_cautious(state: SeatState, certain: bool) -> None:
    """Sign nothing until the others have told, then above a floor; commit nothing unasked again.

    Args:
        state: The node's state.
        certain: Whether the journal surely lacks something that this seat has signed.

    SPEC: [E-22].
    """
    if state.signer.be_cautious(certain):
        catch_up.ask_own(state)


def hear(state: SeatState, told: peer_frames.Told, peer: bytes | None) -> None:
    """Take in what a linked seat has told of this one's statements, or a part of it."""
    inquiry, seat = state.signer.inquiry, state.peers.seat_of(peer)
    if inquiry is not None and seat is not None and inquiry.hear(seat, told):
        state.outbox.send(peer_frames.Own(told.last), peer)
