"""The end of a table in setup, before the game begins, and how it is announced.

A seat that has confirmed the deck does not end the table. It waits, as `leaving_setup` says. A rule
returns whether all rules of the seat have to run again (`seat_machine.Rule`).
"""

from __future__ import annotations

from ..chain.chain_state import SETUP, Kind, Node
from ..fault_codes import FAULTS
from ..wire.signed_notices import EndNotice
from . import effects
from .effects import Broken
from .leaving_setup import departed, is_confirmed
from .seat_state import SeatState


def end_setup(state: SeatState) -> bool:
    """End the table if a seat is at fault or absent in setup ([N-6])."""
    node = state.tip
    broken = None
    if node.want.kind is Kind.ENDED:
        guilty = node.convictions[-1] if node.convictions else None
        broken = Broken(guilty.code, guilty.seat) if guilty else Broken(effects.DEAD_KEYS)
    elif node.want.kind in SETUP and not is_confirmed(state):
        broken = _why_setup_ends(state, node)
    if broken is not None:
        # Who was only told repeats nothing: the notice of the other seat was passed on as it is. A
        # departure accuses nobody, and tells those who have confirmed that this seat will not.
        # Neither does a seat that does not know yet whether it has confirmed.
        if broken.by is None and state.signer.inquiry is None:
            state.signer.announce_end(broken.code, broken.seat)
        else:
            state.signer.depart()
        # Last: at an ended table a seat signs nothing, not even its departure.
        state.judge.end(broken)
    return False


def _why_setup_ends(state: SeatState, node: Node) -> Broken | None:
    """Return the reason why the table ends in setup, None if it does not end.

    It is a proven fault, an end notice, a refusal, a departure or a step timeout. After a resume it
    is only a timeout: an old journal may lack that this seat has confirmed the deck.
    """
    if state.signer.inquiry is not None:
        silent = _silent(state) if state.timers.is_out(node) else frozenset()
        return Broken(effects.SILENT_SEAT, min(silent)) if silent else None
    if state.judge.all_proofs():
        # Until the proof is settled nothing else ends the table: all seats are to name this fault.
        proof = state.judge.settled_proof()
        return None if proof is None else Broken(proof.code, proof.seat)
    if (known := _known_end(state)) is not None:
        return known
    if state.timers.is_out(node) and (silent := _silent(state)):
        return Broken(effects.SILENT_SEAT, min(silent))
    return None


def _silent(state: SeatState) -> frozenset[int]:
    """Return the awaited seats that may be named as silent: none that has said that it has ended.

    If only such seats are awaited, one of their notices ends the table within a second.
    """
    awaited = state.awaited()
    return (awaited - {state.seat} or awaited) - state.judge.setup_ends.keys()


def _known_end(state: SeatState) -> Broken | None:
    """Return why notices of other seats end the table in setup, or None if no notice ends it."""
    if state.judge.refuser is not None:
        return Broken(effects.SEAT_LEFT, state.judge.refuser)
    if (announced := _announced_end(state)) is not None:
        return announced
    # A departure counts only a second later ([E-27]), when the other seats have it, too.
    gone = departed(state)
    return Broken(effects.SEAT_LEFT, min(gone)) if gone else None


def _announced_end(state: SeatState) -> Broken | None:
    """Return the end of the table that another seat has announced in setup, or None ([E-30]).

    Two different notices of one seat prove that it lies. Otherwise the first one counts. `by` of
    the result is None if this seat has itself observed why the table ended.
    """
    others = {seat: found for seat, found in state.judge.setup_ends.items() if seat != state.seat}
    for seat, found in others.items():
        if len(found) > 1:
            return Broken("equivocation", seat)
    for seat, (notice, *_) in others.items():
        # The proof of a fault may still arrive within a second.
        if notice.reason not in FAULTS or state.judge.is_settled_end(seat):
            by = None if _sees_itself(state, notice) else seat
            return Broken(notice.reason, notice.about, by)
    return None


def _sees_itself(state: SeatState, notice: EndNotice) -> bool:
    """Return whether this seat has itself observed why another seat ended the table in setup.

    A silent seat must have timed out here, or the departure of a seat that left be stored here.
    """
    if notice.reason == effects.SILENT_SEAT:
        return notice.about in _silent(state) and state.timers.is_out(state.tip)
    return notice.reason == effects.SEAT_LEFT and notice.about in {
        w.seat for w in state.peers.away()
    }
