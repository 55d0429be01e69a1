"""How a seat that has confirmed the deck waits for the others, and leaves if they do not confirm.

A seat confirms the deck by its input to `deck.ok`. Once it has, the game may begin for others: for
whoever stores the inputs of all seats. So a faulty seat could hold back its input, make one honest
seat leave, and then begin the game with the others. Leaving is therefore agreed on:

1. A seat that waits in vain *gives up*: it signs a departure ([D-9]).
2. Once it stores the *words* of a quorum, departures or end notices, its *leaving* begins. The
   words are passed on, so it begins for all honest seats within the time of one frame.
3. If the last input still comes, a seat whose leaving has not begun plays. In round k of the
   leaving, it plays if it stores the inputs of k other seats to the `deal` ([D-10]).
4. After n - t + 1 rounds it leaves.

This is the authenticated broadcast of Dolev and Strong (1983), in which the inputs to the `deal`
are the signatures. With at most n - t faulty seats, and frames that take less than half a round,
either all honest seats play or all leave.
"""

from __future__ import annotations

from typing import Final

from ..bounds import Seconds
from ..chain.chain_state import Kind
from ..wire.signed_messages import StepInput
from . import effects
from .effects import Broken, EndAnnounced
from .fault_judge import SETTLES
from .seat_state import SeatState
from .step_progress import tell_waiting
from .timeouts import ROUND, rounds

ALONE: Final[Seconds] = 12.0
"""The seconds without any link after which a seat that has given up leaves."""
LINGER: Final[Seconds] = 2.5
"""The seconds for which a seat passes on what it stores before it leaves a strict table."""


def is_confirmed(state: SeatState) -> bool:
    """Return whether the game may begin without this node, although it lacks some confirmations.

    That is so once the seat has confirmed the deck, for an onlooker once any seat has. A resumed
    seat that does not know yet what it signed may have confirmed it.
    """
    if state.tip.want.kind is not Kind.DECK_OK:
        return False
    return state.signer.inquiry is not None or state.log.has_input(state.seat, state.tip.step)


def wait_for_deck(state: SeatState) -> bool:
    """Give up the wait for the others, return, or leave, as [D-9] to [D-11] say."""
    wait = state.deck_wait
    if state.outbox.is_replaying or not (wait.gave_up or is_confirmed(state)):
        return False
    if state.tip.want.kind is Kind.DECK_OK:
        state.peers.note_given_up()
        _tell_announced(state)
        _give_up(state)
    elif _may_return(state):
        wait.gave_up = state.signer.has_left = False
        return True
    if wait.gave_up:
        _begin_leaving(state)
        _leave(state)
    return False


# Giving up


def _give_up(state: SeatState) -> None:
    """Sign a departure once this seat waits in vain, and tell the player who is awaited."""
    wait, timers, node = state.deck_wait, state.timers, state.tip
    if timers.is_out(node):
        tell_waiting(state)
    is_late = timers.left(node) <= -timers.timeout(node)
    if is_late or _ended(state) or len(_words(state)) >= state.table.quorum:
        wait.gave_up = True
    if wait.gave_up and state.seat is not None and not state.signer.has_left:
        state.signer.depart()  # Signed later if this seat may not sign yet.


def _ended(state: SeatState) -> bool:
    """Return whether a seat that has not confirmed has itself shown that it will not ([D-9] 2)."""
    judge, settled = state.judge, state.timers.now - SETTLES
    departed = {
        word.seat
        for word in state.peers.away()
        if word.step <= state.tip.step and state.peers.departures.since(word.seat) <= settled
    }
    proven = {seat for seat in judge.proofs if judge.is_settled(seat)}
    shown = judge.setup_ends.keys() | departed | proven | {judge.refuser}
    return bool(shown & (state.awaited() - {state.seat}))


def _words(state: SeatState) -> set[int]:
    """Return the seats whose word is stored that they do not wait, or have ended the table.

    A word counts for good, even if its seat has returned since or contradicts it. A faulty seat
    could otherwise show it to one seat and withdraw it from the others.
    """
    own = {state.seat} if state.deck_wait.gave_up and state.seat is not None else set()
    return state.judge.setup_ends.keys() | state.peers.departures.given_up.keys() | own


def _tell_announced(state: SeatState) -> None:
    """Tell the driver, once for each notice, that a seat says that it has ended the table."""
    for notice in state.judge.all_setup_ends():
        if notice.seat != state.seat and notice not in state.deck_wait.told:
            state.deck_wait.told.add(notice)
            state.outbox.emit(EndAnnounced(notice.seat, notice.reason, notice.about))


# Leaving


def _begin_leaving(state: SeatState) -> None:
    """Note when the words of a quorum were first stored. On a strict table none are needed."""
    if state.deck_wait.leaving_since is None:
        is_agreed = state.table.strict or len(_words(state)) >= state.table.quorum
        state.deck_wait.leaving_since = state.timers.now if is_agreed else None


def _may_return(state: SeatState) -> bool:
    """Return whether this seat gives its input to the `deal` although it has given up ([D-10])."""
    since = state.deck_wait.leaving_since
    goes_on = state.log.followed.epoch > 0  # A quorum has gone on.
    if since is None or goes_on or state.table.strict or state.seat is None:
        return True
    number = int((state.timers.now - since) / ROUND) + 1
    return number <= rounds(state.table) and len(_dealt(state)) >= number


def _dealt(state: SeatState) -> set[int]:
    """Return the other seats of which an input to the first `deal` is stored, legal or not."""
    node = state.tip
    return {
        message.seat
        for message in state.log.store.inputs(0, node.step)
        if isinstance(message.statement, StepInput)
        and message.statement.on == node.digest
        and message.seat != state.seat
    }


def _leave(state: SeatState) -> None:
    """End the wait for this program once its leaving is over ([D-11])."""
    wait, now = state.deck_wait, state.timers.now
    if state.peers.links or wait.alone_since is None:
        wait.alone_since = None if state.peers.links else now
    seconds = LINGER if state.table.strict else rounds(state.table) * ROUND
    is_over = wait.leaving_since is not None and now - wait.leaving_since >= seconds
    is_alone = wait.alone_since is not None and now - wait.alone_since >= ALONE
    if is_over or is_alone:
        state.judge.end(Broken(effects.UNCONFIRMED, _missing(state)))


def _missing(state: SeatState) -> int | None:
    """Return a seat that has not confirmed and is at fault, or else silent. None if none is.

    A seat that has said that it has ended or left is not named, since another one may be the cause.
    """
    if state.tip.want.kind is not Kind.DECK_OK:
        return None
    awaited = state.awaited() - {state.seat}
    return min(awaited & state.judge.proofs.keys() or awaited - _words(state), default=None)
