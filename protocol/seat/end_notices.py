"""End notices of the seats, and how long a seat stays at the table after the end of the game.

Once a seat knows that the end of the game is final, it needs nothing from the other seats. It says
so in a signed notice, which is passed on to all. A seat that does not know this yet may still need
the votes of the others. So each seat stays until it has the notice of every other present seat, and
of every absent seat that is linked with it: such a seat still hears how the game ends.

If notices are missing, the seat leaves as soon as one of these times has passed:

1. one step timeout without a change of epoch;
2. during a change of epoch, one turn of every seat as proposer;
3. the longest wait for a change of epoch plus one step timeout. The time starts again whenever this
   seat promises a higher epoch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..units import PeerId, Seconds
from ..wire.signed_notices import OVER, EndNotice, check_notice
from .seat_state import SeatState
from .signer import SigningState


def take(state: SeatState, notice: EndNotice, peer: PeerId | None) -> bool:
    """Store an end notice from a peer, and return whether to pass it on as new ([E-29]).

    Raises:
        Invalid: If the notice is not signed by the seat that it names, for this table.
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

    As a rule (`seat_machine.Rule`) it returns that no other one has to run again.
    """
    is_told = state.seat is None or state.seat in state.judge.ends
    if not is_told and state.signer.state is SigningState.FINISHED:
        state.signer.announce_end(OVER)
    return False


@dataclass(frozen=True)
class LastWait:
    """The reason for which a seat with a final end still stays at the table.

    Attributes:
        seats: The seats whose end notice is missing. Empty if the seat waits for a change of epoch
            that bans a faulty seat.
        left: After so many seconds the seat may leave in any case. It is more if an epoch changes,
            or a seat is linked for the first time since the end.
    """

    seats: frozenset[int]
    left: Seconds


def may_leave(state: SeatState) -> bool:
    """Return whether this program may disconnect from the table for good ([E-19])."""
    if not state.finished:
        return state.broken is not None
    return last_wait(state) is None


def last_wait(state: SeatState) -> LastWait | None:
    """Return for whom and for how long this seat still stays after its end is final ([E-19]).

    Return None if the seat may leave, or if its end is not final.
    """
    if not state.finished or state.seat is None or (left := served_in(state)) <= 0:
        return None
    seats = awaited_ends(state)
    linked = len(state.peers.links & state.tip.present) + 1
    needs_base = state.judge.is_unsettled() and linked >= state.table.quorum
    return LastWait(seats, left) if seats or needs_base else None


def awaited_ends(state: SeatState) -> frozenset[int]:
    """Return the seats whose end notice this seat still waits for ([E-19], 1).

    An absent seat without a link may never come back, and a banned one is owed nothing.
    """
    owed = state.tip.present | (state.peers.links - state.tip.banned)
    return frozenset(owed - {state.seat} - state.judge.ends.keys())


def served_in(state: SeatState) -> Seconds:
    """Return in how many seconds this seat has stayed long enough after the end of the game.

    They hold if until then no epoch changes and no seat is linked for the first time. 0 or less if
    it has stayed long enough, infinity before its end is final.

    SPEC: [E-19], 2 to 4.
    """
    timers, promise, followed = state.timers, state.signer.promise, state.log.followed
    if timers.over is None:
        return math.inf
    since = max(timers.over, followed.entered, *timers.first_links.values())
    served = since + timers.times.step / 1000
    turns = promise - followed.epoch
    # If the promised epoch stays the same for so long, it does not change any more.
    ends = [max(since, timers.promised_at) + (timers.times.cap + timers.times.step) / 1000]
    if state.signer.is_standing and state.log.votes.quorum_request() <= followed.epoch:
        ends.append(served)
    if turns > state.table.seats:
        ends.append(served)
    if turns == state.table.seats:
        ends.append(max(served, timers.promised_at + state.signer.back_off()))
    return min(ends) - timers.now
