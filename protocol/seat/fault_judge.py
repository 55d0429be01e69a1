"""Proofs of misbehaviour one seat holds: which counts, when it is told, what it is good for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..bounds import Seconds
from ..chain.chain_state import Kind
from ..consensus import followed_chain, new_epoch
from ..consensus.followed_chain import Proof
from ..consensus.new_epoch import Base
from ..wire.signed_messages import Message
from .effects import Broken, Guilty
from .seat_state import Core

SETTLES: Final[Seconds] = 1.0
"""Seconds after the first proof against a seat in which a graver one may still come in, so that all
seats name the same fault; they are also what a table that ends before the game needs to pass on,
a fault or a leave."""


def judge_fresh(core: Core) -> bool:
    """Convict whoever is proven at fault by what was held since the last turn."""
    fresh, core.fresh = core.fresh, []
    for message in fresh:
        judge(core, message)
    return False


def judge_again(core: Core, messages: Iterable[Message]) -> None:
    """Have what is held judged where the chain stands now: at once, or when the rules go on."""
    core.fresh.extend(messages)
    if not core.hands_out:
        judge_fresh(core)


def judge(core: Core, message: Message) -> None:
    """Convict the signer if what is held now proves a fault of his."""
    if message.seat in core.tip.banned:
        return
    proof = followed_chain.find_fault(message, core.store, core.view)
    if proof is not None:
        convict(core, proof)


def convict(core: Core, proof: Proof) -> None:
    """Keep the first proof of a seat's fault, or what shows the same fault whole."""
    if proof.seat == core.seat:
        _hear_accusation(core, proof)
        return
    known = core.proofs.get(proof.seat)
    if known is None or followed_chain.supersedes(proof, known):
        core.proofs[proof.seat] = proof
        core.proven_at.setdefault(proof.seat, core.clocks.now)


def _hear_accusation(core: Core, proof: Proof) -> None:
    """What others hold proves this very seat at fault: its player is told, once."""
    if core.replaying:
        return
    if core.accusation is None or followed_chain.supersedes(proof, core.accusation):
        core.accusation = proof
        core.proven_at.setdefault(proof.seat, core.clocks.now)
    if proof.seat not in core.told_guilty:
        tell_guilt(core, proof.seat, proof.code)


def tell_guilt(core: Core, seat: int, code: str) -> None:
    """Tell of a seat at fault, unless this very fault was told."""
    if core.told_guilty.get(seat) != code:
        core.told_guilty[seat] = code
        core.emit(Guilty(seat, code))


def tell_guilty(core: Core) -> bool:
    """Tell of each seat proven at fault, once no other code is to be expected."""
    for seat, proof in core.proofs.items():
        if is_settled(core, seat):
            tell_guilt(core, seat, proof.code)
    return False


def end_by_faults(core: Core, broken: Broken) -> None:
    """End the table, having told of every seat that is proven at fault."""
    for seat, proof in core.proofs.items():
        tell_guilt(core, seat, proof.code)
    core.end(broken)


def tell_base_faults(core: Core, base: Base) -> None:
    """What a sealed base finds is the same for all, whatever each has seen first."""
    for seat, code in base.faults if not core.replaying else ():
        tell_guilt(core, seat, code)


def is_settled(core: Core, seat: int) -> bool:
    """Whether a proof against this seat is held for long enough."""
    return core.clocks.now - core.proven_at.get(seat, core.clocks.now) >= SETTLES


def settled_proof(core: Core) -> Proof | None:
    """The first proof that counts, if it is held for long enough."""
    return next((proof for proof in proofs_of(core) if is_settled(core, proof.seat)), None)


def proofs_of(core: Core) -> list[Proof]:
    """What ends a table before the game: proofs against others, then one against this very seat,
    which the others see too. An accused seat must not name who fell silent on account of it."""
    own = [] if core.accusation is None else [core.accusation]
    return [*core.proofs.values(), *own]


def broken_by(proof: Proof) -> Broken:
    """The end of a table by a proven fault."""
    return Broken(proof.code, proof.seat)


def has_proof(core: Core) -> bool:
    """Whether a present seat is proven at fault in a way that the next base will find ([E-3])."""
    if core.tip.present & core.tip.banned:
        return True
    return any(
        seat in core.tip.present and is_effective(core, proof)
        for seat, proof in core.proofs.items()
    )


def is_unsettled(core: Core) -> bool:
    """Whether a fault is proven that no sealed base holds yet, though the game is over ([E-23])."""
    return has_proof(core) and core.view.base.want.kind is not Kind.RESULT


def is_effective(core: Core, proof: Proof) -> bool:
    """Whether a base on the followed chain will find this fault."""
    if proof.code not in ("bad-halt", "bad-close"):
        return followed_chain.is_effective(proof, core.view)
    return new_epoch.is_bad_form(core.table, proof.messages[0], core.votes)
