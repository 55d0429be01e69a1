"""How long a seat stays at the table after the end of the game, and for whom.

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

from ..units import Seconds
from .seat_state import SeatState


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
    # With fewer linked seats no base can be made that bans the faulty one.
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
    # Only the first link of each seat, or a faulty one could hold this seat by linking again.
    since = max(timers.over, followed.entered, *timers.first_links.values())
    served = since + timers.times.step / 1000
    turns = promise - followed.epoch
    # If the promised epoch stays the same for so long, it does not change any more.
    ends = [max(since, timers.promised_at) + (timers.times.cap + timers.times.step) / 1000]
    # A change of epoch that a quorum requests may need the votes of this seat ([E-19]).
    if state.signer.is_standing and state.log.votes.quorum_request() <= followed.epoch:
        ends.append(served)
    # Every seat has been the proposer by then: more turns would bring nothing new.
    if turns > state.table.seats:
        ends.append(served)
    # The last proposer has its turn only until the back-off is over.
    if turns == state.table.seats:
        ends.append(max(served, timers.promised_at + state.signer.back_off()))
    return min(ends) - timers.now
