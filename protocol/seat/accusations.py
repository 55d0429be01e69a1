"""The accusations one seat can prove: which counts, when it is told, and what it is good for."""

from __future__ import annotations

from typing import Final

from ..chain.state import Kind
from ..consensus import view, view_change
from ..consensus.view import Proof
from ..consensus.view_change import Base
from .core import Desk
from .effects import Broken

SETTLES: Final = 1.0
"""Seconds after the first proof against a seat in which a graver one may still come in, so that all
seats name the same fault; they are also what a table that ends before the game needs to pass on."""


def tell_guilty(desk: Desk) -> bool:
    """Tell of each seat proven at fault, once no other code is to be expected."""
    for seat, proof in desk.proofs.items():
        if is_settled(desk, seat):
            desk.tell_guilt(seat, proof.code)
    return False


def end_by_faults(desk: Desk, broken: Broken) -> None:
    """End the table, having told of every seat that is proven at fault."""
    for seat, proof in desk.proofs.items():
        desk.tell_guilt(seat, proof.code)
    desk.end(broken)


def tell_base_faults(desk: Desk, base: Base) -> None:
    """What a sealed base finds is the same for all, whatever each has seen first."""
    for seat, code in base.faults if not desk.replaying else ():
        desk.tell_guilt(seat, code)


def is_settled(desk: Desk, seat: int) -> bool:
    """Whether a proof against this seat is held for long enough."""
    return desk.clocks.now - desk.proven_at.get(seat, desk.clocks.now) >= SETTLES


def settled_proof(desk: Desk) -> Proof | None:
    """The first proof that counts, if it is held for long enough."""
    return next((proof for proof in proofs_of(desk) if is_settled(desk, proof.seat)), None)


def proofs_of(desk: Desk) -> list[Proof]:
    """What ends a table before the game: proofs against others, then one against this very seat,
    which the others see too. An accused seat must not name who fell silent on account of it."""
    own = [] if desk.accusation is None else [desk.accusation]
    return [*desk.proofs.values(), *own]


def broken_by(proof: Proof) -> Broken:
    """The end of a table by a proven fault."""
    return Broken(proof.code, proof.seat)


def has_proof(desk: Desk) -> bool:
    """Whether a present seat is proven at fault in a way that the next base will find."""
    if desk.tip.present & desk.tip.banned:
        return True
    return any(
        seat in desk.tip.present and is_effective(desk, proof)
        for seat, proof in desk.proofs.items()
    )


def is_unsettled(desk: Desk) -> bool:
    """Whether a fault is proven that no sealed base holds yet, though the game is over."""
    return has_proof(desk) and desk.view.base.want.kind is not Kind.RESULT


def is_effective(desk: Desk, proof: Proof) -> bool:
    """Whether a base on the followed chain will find this fault."""
    if proof.code not in ("bad-halt", "bad-close"):
        return view.is_effective(proof, desk.view)
    return view_change.is_bad_form(desk.table, proof.messages[0], desk.ballot)
