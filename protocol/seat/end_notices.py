"""End notices of the seats, and how long a seat serves the others once its own end is final.

A seat whose end is final needs nothing more of anyone, and says so in a signed notice that goes
round. Another seat may need votes until its own end is final. So a seat stays until it has the
notice of every other present seat. Three bounds end the wait for seats that send none: one step
timeout in which no epoch changes; while the epoch changes, one proposer turn of every seat; and the
longest back-off and a step timeout in which no turn follows another.
"""

from __future__ import annotations

from ..wire.signed_notices import OVER, EndNotice, check_notice
from .seat_state import SeatState
from .signer import SigningState


def take(state: SeatState, notice: EndNotice, peer: bytes | None) -> bool:
    """Store a notice that a linked node has sent.

    Args:
        state: The node's state.
        notice: The notice as it was read.
        peer: The id of the node that sent it, 32 bytes.

    Returns:
        Whether it is new, and so is to be passed on.

    Raises:
        Invalid: If its seat has not signed it at this table.

    SPEC: [E-29].
    """
    seat = notice.seat
    known = state.judge.ends if notice.is_over else state.judge.setup_ends
    if seat == state.seat or seat in known or (state.has_begun and not notice.is_over):
        return False
    check_notice(notice, state.table.id, state.table.ids)
    if notice.is_over and seat in state.peers.links and peer != state.table.ids[seat]:
        return False  # it may have been signed before a backup was restored
    state.judge.keep_end(notice)
    return True


def tell_end(state: SeatState) -> bool:
    """Sign that this seat's end is final, and send it to all ([E-29]). A rule of the seat."""
    is_told = state.seat is None or state.seat in state.judge.ends
    if not is_told and state.signer.state is SigningState.FINISHED:
        state.signer.announce_end(OVER)
    return False


def may_leave(state: SeatState) -> bool:
    """Return whether this node may leave the table.

    It may once the table has ended without a result, or its end is final and the others need
    nothing more of it: no base is to find a fault first, while enough seats are linked for one. A
    node without a seat is needed by nobody.

    SPEC: [E-19].
    """
    if not state.finished:
        return state.broken is not None
    if state.seat is None or has_served(state):
        return True
    linked = len(state.peers.links & state.tip.present) + 1
    needs_base = state.judge.is_unsettled() and linked >= state.table.quorum
    return state.judge.all_have_ended() and not needs_base


def has_served(state: SeatState) -> bool:
    """Return whether this seat has stayed long enough for seats that send no notice ([E-19])."""
    timers, promise, view = state.timers, state.signer.promise, state.log.view
    if timers.over is None:
        return False
    since = max(timers.over, view.entered, *timers.first_links.values())
    if timers.now - since < timers.times.step / 1000:
        return False
    if state.signer.is_standing and state.log.votes.quorum_request() <= view.epoch:
        return True
    turns = promise - view.epoch
    is_last_over = timers.now - timers.promised_at >= state.signer.back_off()
    had_turns = turns > state.table.seats or (turns == state.table.seats and is_last_over)
    return had_turns or _has_stopped_changing(state, since)


def _has_stopped_changing(state: SeatState, since: float) -> bool:
    """Return whether no promise has followed for so long that t seats cannot want an epoch.

    A promised seat requests the next epoch after one back-off. If t seats did, this promise would
    have risen. Else all others have left, and a faulty one that stayed would keep this seat here.
    """
    times = state.timers.times
    longest = (times.cap + times.step) / 1000
    return state.timers.now - max(since, state.timers.promised_at) >= longest
