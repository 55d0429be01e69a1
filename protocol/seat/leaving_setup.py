"""How a seat that has confirmed the deck leaves if the others do not confirm ([D-9] to [D-11]).

A seat confirms the deck by its input to `deck.ok`. Once it has, the game may begin for others: for
whoever stores the inputs of all seats. So a faulty seat could hold back its input, make one honest
seat leave, and then begin the game with the others. Leaving is therefore agreed on:

1. A seat that waits in vain *gives up*: it signs a departure.
2. Once it stores the *words* of a quorum, departures or end notices, its *leaving* begins. The
   words are passed on, so it begins for all honest seats within the time of one frame.
3. If the last input still comes, a seat whose leaving has not begun plays. In round k of the
   leaving, it plays if it stores the inputs of k other seats to the `deal`.
4. After n - t + 1 rounds it leaves.

This is the authenticated broadcast of Dolev and Strong (1983), in which the inputs to the `deal`
are the signatures. With at most n - t faulty seats, and frames that take less than half a round,
either all honest seats play or all leave.
"""

from __future__ import annotations

from ..chain.chain_state import Kind
from ..wire.signed_messages import StepInput
from . import effects
from .effects import Broken, EndAnnounced
from .fault_judge import SETTLES
from .seat_state import SeatState
from .step_progress import tell_waiting


def is_confirmed(state: SeatState) -> bool:
    """Return whether the game may begin without this program, which has confirmed the deck.

    For an onlooker, any seat's confirmation counts. A resumed seat that does not know yet what it
    has signed counts as confirmed.
    """
    if state.tip.want.kind is not Kind.DECK_OK:
        return False
    return state.signer.inquiry is not None or state.log.has_input(state.seat, state.tip.step)


def departed(state: SeatState) -> set[int]:
    """Return the seats that left setup at least `SETTLES` seconds ago and owe an input ([E-27])."""
    settled, since = state.timers.now - SETTLES, state.peers.departures.since
    # A departure with a later step is of a seat that has confirmed the deck, and may return.
    owing = (word.seat for word in state.peers.away() if word.step < state.table.first_step)
    return {seat for seat in owing if since(seat) <= settled}


def wait_for_deck(state: SeatState) -> bool:
    """Give up, return, or leave. Return whether the seat has returned, and may give its `deal`."""
    wait, now = state.deck_wait, state.timers.now
    if state.outbox.is_replaying or not (wait.gave_up or is_confirmed(state)):
        return False
    if state.tip.want.kind is Kind.DECK_OK:
        _tell_announced(state)
        _give_up(state)
    elif _may_return(state):
        wait.go_back()
        state.signer.go_back()
        return True
    if wait.gave_up and (state.table.strict or len(_words(state)) >= state.table.quorum):
        wait.begin_leaving(now)
    if wait.gave_up and wait.is_over(bool(state.peers.links), now):
        state.judge.end(Broken(effects.UNCONFIRMED, _missing(state)))
    return False


def _tell_announced(state: SeatState) -> None:
    """Tell the driver, once for each notice, that a seat says that it has ended the table."""
    for notice in state.judge.all_setup_ends():
        if notice.seat != state.seat and state.deck_wait.is_news(notice):
            state.outbox.emit(EndAnnounced(notice.seat, notice.reason, notice.about))


def _give_up(state: SeatState) -> None:
    """Sign a departure once this seat waits in vain, and tell the player who is awaited."""
    wait, timers, node = state.deck_wait, state.timers, state.tip
    # First, so that departures which came before `deck.ok` count among the words below.
    state.peers.note_given_up()
    if timers.is_out(node):
        tell_waiting(state)
    is_late = timers.left(node) <= -timers.timeout(node)
    if is_late or _knows_of_end(state) or len(_words(state)) >= state.table.quorum:
        wait.give_up()
    if wait.gave_up and state.seat is not None and not state.signer.has_left:
        state.signer.depart()  # Signed later if this seat may not sign yet.


def _knows_of_end(state: SeatState) -> bool:
    """Return whether a seat that has not confirmed has itself shown that it will not ([D-9], 2)."""
    judge = state.judge
    proven = {seat for seat in judge.proofs if judge.is_settled(seat)}
    elsewhere = {  # These have confirmed another deck.
        message.seat
        for message in state.log.store.inputs(0, state.tip.step)
        if isinstance(message.statement, StepInput) and message.statement.on != state.tip.digest
    }
    shown = judge.setup_ends.keys() | departed(state) | proven | elsewhere | {judge.refuser}
    return bool(shown & (state.awaited() - {state.seat}))


def _words(state: SeatState) -> set[int]:
    """Return the seats whose word is stored that they do not wait, or have ended the table."""
    # A word counts for good, even if its seat has returned or contradicts it. A faulty seat could
    # else show it to one seat and withdraw it from the others.
    own = {state.seat} if state.deck_wait.gave_up and state.seat is not None else set()
    return state.judge.setup_ends.keys() | state.peers.departures.given_up.keys() | own


def _may_return(state: SeatState) -> bool:
    """Return whether a seat that has given up gives its input to the `deal` ([D-10])."""
    node, needed = state.tip, state.deck_wait.deals_needed(state.timers.now)
    if state.seat is None or state.log.followed.epoch > 0:  # In a later epoch a quorum has gone on.
        return True
    # Legal or not: an input is here only a signature that its seat plays, and judging takes time.
    deals = {
        message.seat
        for message in state.log.store.inputs(0, node.step)
        if isinstance(message.statement, StepInput) and message.statement.on == node.digest
    }
    return needed is not None and len(deals - {state.seat}) >= needed


def _missing(state: SeatState) -> int | None:
    """Return a seat that has not confirmed and is at fault, or else silent. None if none is."""
    if state.tip.want.kind is not Kind.DECK_OK:
        return None
    awaited = state.awaited() - {state.seat}
    # Who has said that it has ended or left is not named, since another one may be the cause.
    return min(awaited & state.judge.proofs.keys() or awaited - _words(state), default=None)
