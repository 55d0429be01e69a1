"""End notices of the seats, and how long a seat stays after its own end of the game is final.

A seat whose end is final needs nothing from others, and says so in a signed notice that is passed
on. Another seat may still need votes to make its own end final. So a seat stays until it has the
notice of every other present seat.

For seats that send none the wait has three bounds:

1. one step timeout in which no epoch changes;
2. while the epoch changes, one turn of every seat as proposer;
3. the longest back-off and one step timeout in which the promise does not rise.
"""

from __future__ import annotations

from ..wire.signed_notices import OVER, EndNotice, check_notice
from .seat_state import SeatState
from .signer import SigningState


def take(state: SeatState, notice: EndNotice, peer: bytes | None) -> bool:
    """Store an end notice that a peer has sent.

    Args:
        state: The state of the seat.
        notice: The notice, whose signature has not been verified.
        peer: The id of the peer, 32 bytes.

    Returns:
        Whether it is new, and so has to be passed on.

    Raises:
        Invalid: If the seat that it names has not signed it at this table.

    SPEC: [E-29].
    """
    seat = notice.seat
    known = state.judge.ends if notice.is_over else state.judge.setup_ends
    if seat == state.seat or seat in known or (state.has_begun and not notice.is_over):
        return False
    check_notice(notice, state.table.id, state.table.ids)
    if notice.is_over and seat in state.peers.links and peer != state.table.ids[seat]:
        # Its seat may have signed it before it restored a backup.
        return False
    state.judge.keep_end(notice)
    return True


def tell_end(state: SeatState) -> bool:
    """Sign the end notice `over` and send it to all, once the end is final ([E-29]).

    The seat applies this rule after each event.

    Args:
        state: The state of the seat.

    Returns:
        Always False: no other rule depends on it.
    """
    is_told = state.seat is None or state.seat in state.judge.ends
    if not is_told and state.signer.state is SigningState.FINISHED:
        state.signer.announce_end(OVER)
    return False


def may_leave(state: SeatState) -> bool:
    """Return whether this program may disconnect from the table for good.

    It may if the table has ended without a result. It may also once its end is final and the others
    need nothing more of it. That includes votes for a base that finds a fault, if enough seats are
    linked for one. Nobody needs an onlooker.

    Args:
        state: The state of the seat.

    Returns:
        Whether it may.

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
    """Return whether this seat has stayed long enough for seats that send no notice ([E-19]).

    Args:
        state: The state of the seat.

    Returns:
        Whether it has.
    """
    timers, promise, followed = state.timers, state.signer.promise, state.log.followed
    if timers.over is None:
        return False
    since = max(timers.over, followed.entered, *timers.first_links.values())
    if timers.now - since < timers.times.step / 1000:
        return False
    if state.signer.is_standing and state.log.votes.quorum_request() <= followed.epoch:
        return True
    turns = promise - followed.epoch
    is_last_over = timers.now - timers.promised_at >= state.signer.back_off()
    had_turns = turns > state.table.seats or (turns == state.table.seats and is_last_over)
    return had_turns or _has_stopped_changing(state, since)


def _has_stopped_changing(state: SeatState, since: float) -> bool:
    """Return whether the promise has not risen for so long that t seats cannot want another epoch.

    A seat between epochs requests the next one after a back-off. If t seats did so, this promise
    would have risen. So all others have left, and a faulty one could keep this seat here.
    """
    times = state.timers.times
    longest = (times.cap + times.step) / 1000
    return state.timers.now - max(since, state.timers.promised_at) >= longest
