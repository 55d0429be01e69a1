"""A seat's part in a change of epoch: request, promise, propose, prepare and commit; and
rejoining."""

from __future__ import annotations

from typing import Final

from ..bounds import Quota
from ..chain import transition
from ..chain.chain_state import Kind, Node
from ..consensus import absence
from ..consensus.epoch_votes import stored_inputs
from ..wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    PrepareVote,
    QuorumCertificate,
    Rejoin,
    StepInput,
)
from .effects import TOO_MANY_FAULTS, Broken
from .seat_state import SeatState
from .step_progress import tell_waiting

LONG_EPOCH: Final[Quota] = 2000
"""Inputs after which an epoch is closed although nothing is wrong. An epoch promise lists at most
4096, each faulty seat may have signed two of each of its own, and steps go on until the epoch
promises are signed."""


def request(state: SeatState) -> bool:
    """Request the next epoch when the step timed out, a fault is proven or a seat asks to rejoin.

    SPEC: [E-3].
    """
    if not state.has_begun:
        return False
    if state.table.strict:
        _pause(state)
        return False
    if _end_without_quorum(state) or not _has_reason(state):
        return False
    return state.signer.sign(EpochRequest(state.signer.promise + 1))


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
    found = state.log.votes.highest_committed(1)
    if found is not None and found[1].faults:
        return found[1].faults[-1]
    if state.tip.convictions:
        return state.tip.convictions[-1].seat, state.tip.convictions[-1].code
    return min(state.tip.banned), TOO_MANY_FAULTS


def _has_reason(state: SeatState) -> bool:
    """Return whether there is a reason to request the next epoch ([E-3], [E-17])."""
    signer, timers, view, tip = state.signer, state.timers, state.log.view, state.tip
    if not signer.is_standing:
        return timers.now - timers.promised_at >= signer.back_off()
    if state.finished:
        return state.judge.is_unsettled()
    can_time_out = not transition.stands_still(tip) and signer.ran_out()
    if can_time_out and timers.now - view.entered >= signer.back_off():
        tell_waiting(state)
        return True
    if state.judge.has_proof() or absence.rejoining(view.base, state.log.store.rejoins()):
        return True
    is_long = (tip.step - view.base.step) * state.table.seats >= LONG_EPOCH
    return is_long and transition.may_go_on(tip)


# Halting


def promise(state: SeatState) -> bool:
    """Return when t seats request a higher epoch, sign nothing of a lower one any more ([E-4])."""
    request = state.log.votes.quorum_request()
    if request <= state.signer.promise or not state.has_begun or state.seat is None:
        return False
    if state.signer.is_quiet or not reports_all(state, request):
        return False
    state.signer.raise_promise(request)
    return state.signer.sign(own_promise(state, request))


def _stands_on(state: SeatState, epoch: int) -> tuple[QuorumCertificate | None, int, Node]:
    """Return the quorum certificate that an epoch promise of `epoch` names, with its epoch and
    base."""
    certificate = state.log.votes.highest_certificate(epoch)
    under = certificate.epoch if certificate else 0
    return (
        certificate,
        under,
        state.log.votes.base(under, certificate.base if certificate else None),
    )


def reports_all(state: SeatState, epoch: int) -> bool:
    """Return whether an epoch promise of `epoch` would hold all own inputs and commit votes it
    must; else ask."""
    _, under, base = _stands_on(state, epoch)
    told = {m.hash for m in stored_inputs(base, state.log.store, under)}
    own = (m for m in state.log.store.by_seat(state.seat) if m.hash not in told)
    return not any(_must_report(state, m, under, base.step) for m in own)


def _must_report(state: SeatState, message: Message, under: int, first: int) -> bool:
    statement = message.statement
    if not isinstance(statement, StepInput | CommitVote):
        return False
    if statement.epoch > under:
        state.log.store.want_new_epoch(statement.epoch)
        return True
    return isinstance(statement, StepInput) and statement.epoch == under and statement.step >= first


def own_promise(state: SeatState, epoch: int) -> EpochPromise:
    """Return the quorum certificate, the inputs stored on its base, the step timeout there, rejoins
    and proofs.

    SPEC: [E-4].
    """
    certificate, under, base = _stands_on(state, epoch)
    inputs = {m.hash for m in stored_inputs(base, state.log.store, under)}
    proofs = {p.hashes for p in state.judge.proofs.values() if p.seat not in base.banned}
    rejoins = [
        m.hash
        for m in state.log.store.rejoins()  # those that the base does not answer yet
        if isinstance(m.statement, Rejoin)
        and m.seat not in base.present
        and m.statement.count >= base.absences[m.seat]
    ]
    return EpochPromise(
        epoch,
        certificate,
        tuple(sorted(inputs)),
        state.signer.timeout_claims.get(under),
        tuple(sorted(rejoins)),
        tuple(sorted(proofs)),
    )


# Proposing and voting


def propose(state: SeatState) -> bool:
    """Propose a base out of t epoch promises, if it is this seat's turn ([E-5])."""
    epoch = state.signer.promise
    if state.seat is None or epoch == 0 or epoch == state.log.view.epoch:
        return False
    if epoch % state.table.seats != state.seat or state.log.has_signed(state.seat, NewEpoch, epoch):
        return False
    promises = state.log.votes.promises(epoch)
    if len(promises) < state.table.quorum or waits_for_promises(state, epoch, len(promises)):
        return False
    best = state.log.votes.best_promises(promises)
    return best is not None and state.signer.sign(NewEpoch(epoch, tuple(m.hash for m in best)))


def waits_for_promises(state: SeatState, epoch: int, held: int) -> bool:
    """Return whether to wait for more epoch promises: of seats that request this epoch or the next
    ([E-5])."""
    is_early = state.timers.waits_as_proposer(state.signer.promise)
    requests = state.log.votes.requests().values()
    willing = sum(
        1 for request in requests if epoch <= request <= epoch + 1
    )  # further on no epoch promise comes
    return held < willing and is_early


def prepare(state: SeatState) -> bool:
    """Vote first for the base of a valid new-epoch message ([E-6])."""
    return _vote(state, PrepareVote)


def commit(state: SeatState) -> bool:
    """Vote then for a base with prepare votes of t seats ([E-7])."""
    return _vote(state, CommitVote)


def _vote(state: SeatState, kind: type[PrepareVote | CommitVote]) -> bool:
    """Sign a vote of this kind for the highest epoch that allows one."""
    votes, signer = state.log.votes, state.signer
    if state.seat is None or signer.is_quiet:
        return False
    for epoch in sorted(votes.new_epochs, reverse=True):
        if epoch < max(1, signer.promise) or state.log.has_signed(state.seat, kind, epoch):
            continue
        first = next(iter(votes.new_epochs[epoch]))
        digest = first if kind is PrepareVote else votes.carried(PrepareVote, epoch)
        if digest is not None:
            signer.raise_promise(epoch)
            return signer.sign(kind(epoch, digest))
    return False


# Coming back


def sign_rejoin(state: SeatState) -> None:
    """Ask to be let in again, if this seat is absent and its player wants it ([E-8])."""
    seat, node = state.seat, state.tip
    if seat is not None and state.signer.wants_to_rejoin and absence.may_rejoin(node, seat):
        state.signer.sign(Rejoin(node.absences[seat]))
