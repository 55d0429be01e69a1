"""A seat's part in a change of epoch: wish, halt, propose, accept, seal; and coming back."""

from __future__ import annotations

from typing import Final

from ..bounds import Quota
from ..chain import transition
from ..chain.chain_state import Kind, Node
from ..consensus import absence
from ..consensus.epoch_votes import held_says
from ..wire.signed_messages import Accept, Back, Close, Halt, Late, Lock, Message, Say, SealVote
from .effects import TOO_MANY_FAULTS, Broken
from .seat_state import SeatState
from .step_progress import tell_waiting

LONG_EPOCH: Final[Quota] = 2000
"""Inputs after which an epoch is closed although nothing is wrong. A halt lists at most 4096, each
faulty seat may have signed two of each of its own, and steps go on until the halts are signed."""


def late(state: SeatState) -> bool:
    """Wish the next epoch when the step timed out, a fault is proven or a seat asks back.

    SPEC: [E-3].
    """
    if not state.has_begun:
        return False
    if state.table.strict:
        _pause(state)
        return False
    if _end_without_quorum(state) or not _has_reason(state):
        return False
    return state.signer.sign(Late(state.signer.promise + 1))


def _pause(state: SeatState) -> None:
    """Tell the player of a timeout at a strict table, where only a fault ends the game ([E-9])."""
    if state.finished:
        return
    if state.timers.is_out(state.tip) or state.peers.all_left():
        tell_waiting(state)
    proof = next(iter(state.judge.proofs.values()), None)
    if proof is not None:
        state.judge.end_by_faults(Broken(proof.code, proof.seat))


def _end_without_quorum(state: SeatState) -> bool:
    """End the table if so many seats are at fault that no chain can grow, whoever comes back.

    SPEC: [E-9].
    """
    spare, judge, banned = state.table.seats - state.table.quorum, state.judge, state.tip.banned
    if state.finished or state.tip.want.kind is Kind.RESULT:
        return False
    if len(banned | set(judge.proofs)) <= spare:
        return False
    proofs = [p for p in judge.proofs.values() if judge.is_effective(p)]
    if len(banned | {p.seat for p in proofs}) <= spare:
        return False
    seat, code = (proofs[-1].seat, proofs[-1].code) if proofs else _last_banned(state)
    judge.end_by_faults(Broken(code, seat))
    return True


def _last_banned(state: SeatState) -> tuple[int, str]:
    """Return seat and code of a fault that the last base found, or the chain itself.

    The code is TOO_MANY_FAULTS if an earlier base found it.
    """
    found = state.log.votes.highest_open(1)
    if found is not None and found[1].faults:
        return found[1].faults[-1]
    if state.tip.convictions:
        return state.tip.convictions[-1].seat, state.tip.convictions[-1].code
    return min(state.tip.banned), TOO_MANY_FAULTS


def _has_reason(state: SeatState) -> bool:
    """Return whether there is a reason to wish the next epoch ([E-3], [E-17])."""
    signer, timers, view, tip = state.signer, state.timers, state.log.view, state.tip
    if not signer.is_standing:
        return timers.now - timers.halted >= signer.back_off()
    if state.finished:
        return state.judge.is_unsettled()
    can_time_out = not transition.stands_still(tip) and signer.ran_out()
    if can_time_out and timers.now - view.entered >= signer.back_off():
        tell_waiting(state)
        return True
    if state.judge.has_proof() or absence.returning(view.base, state.log.store.backs()):
        return True
    is_long = (tip.step - view.base.step) * state.table.seats >= LONG_EPOCH
    return is_long and transition.may_go_on(tip)


# Halting


def halt(state: SeatState) -> bool:
    """Return when t seats wish a higher epoch, sign nothing of a lower one any more ([E-4])."""
    wish = state.log.votes.common_wish()
    if wish <= state.signer.promise or not state.has_begun or state.seat is None:
        return False
    if state.signer.is_quiet or not reports_all(state, wish):
        return False
    state.signer.raise_promise(wish)
    return state.signer.sign(own_halt(state, wish))


def _stands_on(state: SeatState, epoch: int) -> tuple[Lock | None, int, Node]:
    """Return the lock that a halt of `epoch` names, with its epoch and base."""
    lock = state.log.votes.highest_lock(epoch)
    under = lock.epoch if lock else 0
    return lock, under, state.log.votes.base(under, lock.base if lock else None)


def reports_all(state: SeatState, epoch: int) -> bool:
    """Return whether a halt of `epoch` would hold all own says and seals it must; else ask."""
    _, under, base = _stands_on(state, epoch)
    told = {m.hash for m in held_says(base, state.log.store, under)}
    own = (m for m in state.log.store.by_seat(state.seat) if m.hash not in told)
    return not any(_must_report(state, m, under, base.step) for m in own)


def _must_report(state: SeatState, message: Message, under: int, first: int) -> bool:
    statement = message.statement
    if not isinstance(statement, Say | SealVote):
        return False
    if statement.epoch > under:
        state.log.store.want_close(statement.epoch)
        return True
    return isinstance(statement, Say) and statement.epoch == under and statement.step >= first


def own_halt(state: SeatState, epoch: int) -> Halt:
    """Return the lock, the says stored on its base, the step timeout there, backs and proofs.

    SPEC: [E-4].
    """
    lock, under, base = _stands_on(state, epoch)
    says = {m.hash for m in held_says(base, state.log.store, under)}
    proofs = {p.hashes for p in state.judge.proofs.values() if p.seat not in base.banned}
    backs = [
        m.hash
        for m in state.log.store.backs()  # those that the base does not answer yet
        if isinstance(m.statement, Back)
        and m.seat not in base.present
        and m.statement.count >= base.absences[m.seat]
    ]
    return Halt(
        epoch,
        lock,
        tuple(sorted(says)),
        state.signer.expired.get(under),
        tuple(sorted(backs)),
        tuple(sorted(proofs)),
    )


# Proposing and voting


def propose(state: SeatState) -> bool:
    """Propose a base out of t halts, if it is this seat's turn ([E-5])."""
    epoch = state.signer.promise
    if state.seat is None or epoch == 0 or epoch == state.log.view.epoch:
        return False
    if epoch % state.table.seats != state.seat or state.log.has_signed(state.seat, Close, epoch):
        return False
    halts = state.log.votes.halts(epoch)
    if len(halts) < state.table.quorum or waits_for_halts(state, epoch, len(halts)):
        return False
    best = state.log.votes.best_halts(halts)
    return best is not None and state.signer.sign(Close(epoch, tuple(m.hash for m in best)))


def waits_for_halts(state: SeatState, epoch: int, held: int) -> bool:
    """Return whether to wait for more halts: of seats that wish this epoch or the next ([E-5])."""
    is_early = state.timers.waits_as_proposer(state.signer.promise)
    wishes = state.log.votes.wishes().values()
    willing = sum(1 for wish in wishes if epoch <= wish <= epoch + 1)  # further on no halt comes
    return held < willing and is_early


def accept(state: SeatState) -> bool:
    """Vote first for the base of a valid close ([E-6])."""
    return _vote(state, Accept)


def seal(state: SeatState) -> bool:
    """Vote then for a base with t accepts ([E-7])."""
    return _vote(state, SealVote)


def _vote(state: SeatState, kind: type[Accept | SealVote]) -> bool:
    """Sign a vote of this kind for the highest epoch that allows one."""
    votes, signer = state.log.votes, state.signer
    if state.seat is None or signer.is_quiet:
        return False
    for epoch in sorted(votes.closes, reverse=True):
        if epoch < max(1, signer.promise) or state.log.has_signed(state.seat, kind, epoch):
            continue
        first = next(iter(votes.closes[epoch]))
        digest = first if kind is Accept else votes.carried(Accept, epoch)
        if digest is not None:
            signer.raise_promise(epoch)
            return signer.sign(kind(epoch, digest))
    return False


# Coming back


def sign_back(state: SeatState) -> None:
    """Ask to be let in again, if this seat is absent and its player wants it ([E-8])."""
    seat, node = state.seat, state.tip
    if seat is not None and state.signer.wants_back and absence.may_return(node, seat):
        state.signer.sign(Back(node.absences[seat]))
