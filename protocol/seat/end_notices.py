"""End notices of the seats, and how long a seat stays at the table after the end of the game.

Once a seat knows that the end of the game is final, it needs nothing from the other seats. It says
so in a signed notice, which is passed on to all. A seat that does not know this yet may still need
the votes of the others. So each seat stays until it has the notice of every other present seat.

If notices are missing, the seat leaves as soon as one of these times has passed:

1. one step timeout without a change of epoch;
2. during a change of epoch, one turn of every seat as proposer;
3. the longest wait for a change of epoch plus one step timeout. The time starts again whenever this
   seat promises a higher epoch.
"""

from __future__ import annotations

from ..wire.signed_notices import OVER, EndNotice, check_notice
from .seat_state import SeatState
from .signer import SigningState


def take(state: SeatState, notice: EndNotice, peer: bytes | None) -> bool:
    """Store an end notice from a peer, in which a seat says that its game or table has ended.

    Args:
        state: The state of the seat.
        notice: The notice, whose signature has not been verified.
        peer: The id of the peer, 32 bytes.

    Returns:
        Whether the notice is new, and so has to be passed on.

    Raises:
        Invalid: If the notice is not signed by the seat that it names, for this table.

    SPEC: [E-29].
    """
    seat, is_late = notice.seat, state.has_begun and not notice.is_over
    if seat == state.seat or is_late or state.judge.is_known_end(notice):
        return False
    check_notice(notice, state.table.id, state.table.ids)
    if notice.is_over and seat in state.peers.links and peer != state.table.ids[seat]:
        # Its seat may have signed it before it restored a backup.
        return False
    state.judge.keep_end(notice)
    return True


def tell_end(state: SeatState) -> bool:
    """Tell all peers by a signed notice once the game's end is final for this seat ([E-29]).

    The seat applies this rule after each event.

    Args:
        state: The state of the seat.

    Returns:
        Always False, because no other rule has to run again after this one.
    """
    is_told = state.seat is None or state.seat in state.judge.ends
    if not is_told and state.signer.state is SigningState.FINISHED:
        state.signer.announce_end(OVER)
    return False


def may_leave(state: SeatState) -> bool:
    """Return whether this program may disconnect from the table for good.

    The program may disconnect if the table has ended without a result. After a finished game, it
    may disconnect once the other seats need no more votes of this seat, or once this seat has
    stayed long enough. An onlooker's program need not stay after a finished game.

    Args:
        state: The state of the seat.

    Returns:
        Whether the program may disconnect.

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
    """Return whether this seat has stayed long enough after the end of the game ([E-19]).

    A seat stays because other seats may still need its votes.

    Args:
        state: The state of the seat.

    Returns:
        Whether this seat may leave even if some seats have not sent their end notices.
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
    """Return whether this seat's promised epoch has stayed the same for a long time.

    A long time is the longest back-off plus one step timeout. The time counts from the last rise
    of the promised epoch, or from `since` if that is later. `since` is in seconds of the driver's
    clock.
    """
    times = state.timers.times
    longest = (times.cap + times.step) / 1000
    return state.timers.now - max(since, state.timers.promised_at) >= longest
