"""The end of a table in setup, before the game begins, and how it is announced."""

from __future__ import annotations

from ..chain.chain_state import SETUP, Kind, Node
from ..fault_codes import FAULTS
from ..wire.signed_notices import EndNotice
from . import effects
from .effects import Broken
from .fault_judge import SETTLES
from .seat_state import SeatState
from .step_progress import tell_waiting


def end_setup(state: SeatState) -> bool:
    """End the table if a seat is at fault or absent in setup, unless the game can still begin.

    The seat applies this rule after each event ([N-6]). The effect `Broken` names the seat that is
    at fault or absent.

    Once this seat has confirmed the deck, the other seats can still begin the game ([D-3]). Then
    the table is not ended, and the driver is told which seats are awaited. The same holds for a
    resumed seat that does not know yet whether it has confirmed the deck.

    Args:
        state: The state of the seat.

    Returns:
        Always False, because no other rule has to run again after this one.
    """
    node = state.tip
    if node.want.kind is Kind.ENDED:
        guilty = node.convictions[-1] if node.convictions else None
        _end_and_announce(
            state, Broken(guilty.code, guilty.seat) if guilty else Broken(effects.DEAD_KEYS)
        )
    elif node.want.kind in SETUP:
        said = state.log.has_input(state.seat, node.step) or state.signer.inquiry is not None
        committed = node.want.kind is Kind.DECK_OK and said
        broken = _why_setup_ends(state, node, committed)
        if broken is not None and committed:
            tell_waiting(state)
        elif broken is not None:
            _end_and_announce(state, broken)
    return False


def _why_setup_ends(state: SeatState, node: Node, committed: bool) -> Broken | None:
    """Return the reason why the table ends in setup, None if it does not end.

    The reason is a proven fault, an end notice, a refusal, a departure or a step timeout.
    `committed` says whether this seat has confirmed the deck; a fault is then no reason.
    """
    if state.judge.all_proofs() and not committed:
        proof = state.judge.settled_proof()
        return None if proof is None else Broken(proof.code, proof.seat)
    if (known := _known_end(state)) is not None:
        return known
    if state.timers.is_out(node) and (awaited := state.awaited()):
        return Broken(effects.SILENT_SEAT, min(awaited - {state.seat} or awaited))
    return None


def _known_end(state: SeatState) -> Broken | None:
    """Return why notices of other seats end the table in setup, or None if no notice ends it.

    If a seat that still owed an input of setup leaves, its departure ends the table one second
    later ([E-27]). Within this second the other seats receive the departure, too.
    """
    if state.judge.refuser is not None:
        return Broken(effects.SEAT_LEFT, state.judge.refuser)
    if (announced := _announced_end(state)) is not None:
        return announced
    first = state.table.first_step
    away = [word.seat for word in state.peers.away() if word.step < first and not state.has_begun]
    settled = state.timers.now - SETTLES
    gone = [seat for seat in away if state.peers.departures.since(seat) <= settled]
    return Broken(effects.SEAT_LEFT, min(gone)) if gone else None


def _announced_end(state: SeatState) -> Broken | None:
    """Return the end of the table that another seat has announced in setup, or None ([E-30]).

    Of several notices the first counts. A notice about a fault counts only a second after it was
    received, so that the proof of the fault can arrive first. The attribute `by` of the result is
    the seat that announced the end. If this seat has itself observed why the table ended, `by` is
    None.
    """
    for seat, notice in state.judge.setup_ends.items():
        is_due = notice.reason not in FAULTS or state.judge.is_settled_end(seat)
        if seat != state.seat and is_due:
            by = None if _sees_itself(state, notice) else seat
            return Broken(notice.reason, notice.about, by)
    return None


def _sees_itself(state: SeatState, notice: EndNotice) -> bool:
    """Return whether this seat has itself observed why another seat ended the table in setup.

    If the notice names a silent seat, the step for which that seat is awaited must have timed out
    here. If the notice names a seat that left, the departure of that seat must be stored here.
    """
    if notice.reason == effects.SILENT_SEAT:
        return notice.about in state.awaited() and state.timers.is_out(state.tip)
    return notice.reason == effects.SEAT_LEFT and notice.about in {
        w.seat for w in state.peers.away()
    }


def _end_and_announce(state: SeatState, broken: Broken) -> None:
    """End the table in setup, and send the others an end notice ([E-30])."""
    state.signer.announce_end(broken.code, broken.seat)
    state.judge.end(broken)


def is_unsure_of_deck(state: SeatState) -> bool:
    """Return whether this seat has confirmed the deck and may stop waiting for the other seats.

    While other seats have not confirmed the deck, this seat does not know whether the game begins.
    It may stop waiting after twice the step timeout, or when the table has ended for another seat,
    or when a seat has left or is proven at fault. The game may still begin later ([D-3]).

    Args:
        state: The state of the seat.

    Returns:
        Whether the seat may stop waiting.
    """
    timers, tip = state.timers, state.tip
    if state.seat is None or state.broken is not None or tip.want.kind is not Kind.DECK_OK:
        return False
    awaited = state.awaited()
    waited = timers.left(tip) <= -timers.timeout(tip)
    is_over = waited or _known_end(state) is not None or state.judge.settled_proof() is not None
    return is_over and bool(awaited) and state.seat not in awaited


def give_up(state: SeatState) -> None:
    """Tell the driver, by an effect `Broken`, why this seat no longer waits for the others.

    Args:
        state: The state of the seat.
    """
    proof = next(iter(state.judge.all_proofs()), None)
    if proof is not None:
        state.outbox.emit(Broken(proof.code, proof.seat))
        return
    silent = Broken(effects.SILENT_SEAT, min(state.awaited(), default=None))
    state.outbox.emit(_why_setup_ends(state, state.tip, committed=True) or silent)
