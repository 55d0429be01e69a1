"""The rules by which a seat takes part in a change of epoch, from request to commit vote.

Each of the rules returns whether it signed a message.
"""

from __future__ import annotations

from typing import Final

from ..chain import transition
from ..chain.chain_state import Kind, Node
from ..consensus import absence
from ..consensus.epoch_votes import stored_inputs
from ..units import Quota
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

LONG_EPOCH: Final[Quota] = 4000
"""The number of step inputs after which an epoch is ended although nothing is wrong ([E-17]).

It counts two inputs of each of t - 1 seats to a step, as if they had signed every input twice. An
epoch promise lists at most 4096 inputs. The rest is for the steps until it is signed.
"""


def request(state: SeatState) -> bool:
    """Request the next epoch if there is a reason for it ([E-3]).

    On a strict table no epoch is requested: the game pauses at a timeout and ends at a fault.
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
    """Tell the driver of a timeout on a strict table, and end it if a fault is proven ([E-9])."""
    if state.finished:
        return
    if state.timers.is_out(state.tip) or state.peers.all_left():
        tell_waiting(state)
    proof = next(iter(state.judge.proofs.values()), None)
    if proof is not None:
        state.judge.end_by_faults(Broken(proof.code, proof.seat))


def _end_without_quorum(state: SeatState) -> bool:
    """End the table if the seats without a fault are fewer than a quorum ([E-9]).

    The chain can then never grow again. Return whether the table has ended now.
    """
    spare, judge, banned = state.table.seats - state.table.quorum, state.judge, state.tip.banned
    # No step follows `result`, and the inputs to it can still make the end final ([E-9], 3).
    if state.finished or state.tip.want.kind is Kind.RESULT:
        return False
    # At most n - t, because the others are a quorum then and the chain can grow.
    if len(banned | set(judge.proofs)) <= spare:
        return False
    # This is costly, so it is done only if all proofs together would suffice.
    proofs = [p for p in judge.proofs.values() if judge.is_effective(p)]
    if len(banned | {p.seat for p in proofs}) <= spare:
        return False
    seat, code = (proofs[-1].seat, proofs[-1].code) if proofs else _last_banned(state)
    judge.end_by_faults(Broken(code, seat))
    return True


def _last_banned(state: SeatState) -> tuple[int, str]:
    """Return the seat that was banned last, and the code of its fault.

    Without a known fault, it is the lowest banned seat with `TOO_MANY_FAULTS`.
    """
    found = state.log.votes.highest_committed(1)
    if found is not None and found[1].faults:
        return found[1].faults[-1]
    if state.tip.convictions:
        return state.tip.convictions[-1].seat, state.tip.convictions[-1].code
    return min(state.tip.banned), TOO_MANY_FAULTS


def _has_reason(state: SeatState) -> bool:
    """Return whether there is a reason to request the next epoch ([E-3], [E-17])."""
    signer, timers, followed, tip = state.signer, state.timers, state.log.followed, state.tip
    if not signer.is_standing:
        # The change under way first gets its time, or each request would cut off its proposer.
        return timers.now - timers.promised_at >= signer.back_off()
    if state.finished:
        return state.judge.is_unsettled()
    # Where the chain stands still, a further epoch would make nobody give an input.
    can_time_out = not transition.stands_still(tip) and signer.ran_out()
    # The time doubles with each epoch that failed, so that slow links suffice at last.
    if can_time_out and timers.now - followed.entered >= signer.back_off():
        tell_waiting(state)
        return True
    # Rejoins by the base, because the next base is computed with who may rejoin there.
    if state.judge.has_proof() or absence.rejoining(followed.base, state.log.store.rejoins()):
        return True
    most_in_step = state.table.seats + state.table.quorum - 1
    is_long = (tip.step - followed.base.step) * most_in_step >= LONG_EPOCH
    return is_long and transition.may_go_on(tip)


# Promises


def promise(state: SeatState) -> bool:
    """Sign an epoch promise if a quorum requests an epoch above the own promise ([E-4])."""
    request = state.log.votes.quorum_request()
    if request <= state.signer.promise or not state.has_begun or state.seat is None:
        return False
    # The cheap check first: the other one builds the tree of all inputs.
    if state.signer.is_quiet or not reports_all(state, request):
        return False
    # First, because it makes the claim which step timed out, and the promise reports the claim.
    state.signer.raise_promise(request)
    return state.signer.sign(own_promise(state, request))


def _stands_on(state: SeatState, epoch: int) -> tuple[QuorumCertificate | None, int, Node]:
    """Return the highest quorum certificate below `epoch`, with its epoch and node.

    Without one, return None, 0 and the node with which epoch 0 begins.
    """
    certificate = state.log.votes.highest_certificate(epoch)
    under = certificate.epoch if certificate else 0
    return (
        certificate,
        under,
        state.log.votes.base(under, certificate.base if certificate else None),
    )


def reports_all(state: SeatState, epoch: int) -> bool:
    """Return whether this seat's epoch promise would name all that the seat must report ([E-4]).

    If not, the seat must not sign it. What is missing is asked for.
    """
    _, under, base = _stands_on(state, epoch)
    told = {m.hash for m in stored_inputs(base, state.log.store, under)}
    own = (m for m in state.log.store.by_seat(state.seat) if m.hash not in told)
    # A promise that omits an own input or commit vote would prove this seat at fault.
    return not any(_must_report(state, m, under, base.step) for m in own)


def _must_report(state: SeatState, message: Message, under: int, first: int) -> bool:
    """Return whether this seat's epoch promise has to list its own message.

    `under` is the epoch of the promise's quorum certificate, which begins at the step `first`. If
    the message is of a higher epoch, the new-epoch messages of that epoch are to be asked for.
    """
    statement = message.statement
    if not isinstance(statement, StepInput | CommitVote):
        return False
    if statement.epoch > under:
        state.log.store.want_new_epoch(statement.epoch)
        return True
    return isinstance(statement, StepInput) and statement.epoch == under and statement.step >= first


def own_promise(state: SeatState, epoch: int) -> EpochPromise:
    """Return the epoch promise that this seat has to sign for an epoch ([E-4])."""
    certificate, under, base = _stands_on(state, epoch)
    inputs = {m.hash for m in stored_inputs(base, state.log.store, under)}
    proofs = {p.hashes for p in state.judge.proofs.values() if p.seat not in base.banned}
    rejoins = [
        m.hash
        for m in state.log.store.rejoins()  # A lower count was used for an earlier base.
        if isinstance(m.statement, Rejoin)
        and m.seat not in base.present
        and m.statement.count >= base.absences[m.seat]
    ]
    # Only the claim of the certificate's epoch: any other would make the promise malformed.
    return EpochPromise(
        epoch,
        certificate,
        tuple(sorted(inputs)),
        state.signer.timeout_claims.get(under),
        tuple(sorted(rejoins)),
        tuple(sorted(proofs)),
    )


# Proposals and votes


def propose(state: SeatState) -> bool:
    """Sign a new-epoch message if this seat is the proposer and stores enough promises ([E-5])."""
    epoch = state.signer.promise
    if state.seat is None or epoch == 0 or epoch == state.log.followed.epoch:
        return False
    # Once for an epoch: with a further promise the message would be another one, an equivocation.
    if epoch % state.table.seats != state.seat or state.log.has_signed(state.seat, NewEpoch, epoch):
        return False
    promises = state.log.votes.promises(epoch)
    if len(promises) < state.table.quorum or waits_for_promises(state, epoch, len(promises)):
        return False
    best = state.log.votes.best_promises(promises)
    return best is not None and state.signer.sign(NewEpoch(epoch, tuple(m.hash for m in best)))


def waits_for_promises(state: SeatState, epoch: int, stored: int) -> bool:
    """Return whether the proposer waits for more promises than the quorum that it has ([E-5]).

    It waits half a back-off for the seats that request this epoch or the next one. A seat that
    requests a later epoch sends no promise for this one. `stored` promises are there.
    """
    # Asked in any case, because the first call starts the time of the wait.
    is_early = state.timers.waits_as_proposer(state.signer.promise)
    requests = state.log.votes.requests().values()
    willing = sum(1 for request in requests if epoch <= request <= epoch + 1)
    return stored < willing and is_early


def prepare(state: SeatState) -> bool:
    """Sign a prepare vote for what a valid new-epoch message proposes ([E-6])."""
    return _vote(state, PrepareVote)


def commit(state: SeatState) -> bool:
    """Sign a commit vote for a proposal that has prepare votes of a quorum ([E-7])."""
    return _vote(state, CommitVote)


def _vote(state: SeatState, kind: type[PrepareVote | CommitVote]) -> bool:
    """Sign a vote for the highest epoch for which one is due, and promise that epoch.

    Return whether it was signed.
    """
    votes, signer = state.log.votes, state.signer
    if state.seat is None or signer.is_quiet:
        return False
    # The highest first: its vote raises the promise, so that a lower epoch gets none any more.
    for epoch in sorted(votes.new_epochs, reverse=True):
        if epoch < max(1, signer.promise) or state.log.has_signed(state.seat, kind, epoch):
            continue
        # Only a faulty proposer signs several. The commit vote follows the quorum, not this one.
        first = next(iter(votes.new_epochs[epoch]))
        digest = first if kind is PrepareVote else votes.base_with_votes(PrepareVote, epoch)
        if digest is not None:
            # First, as in `promise`: it makes the claim about the epoch left ([E-6], [E-7]).
            signer.raise_promise(epoch)
            return signer.sign(kind(epoch, digest))
    return False


# Rejoins


def sign_rejoin(state: SeatState) -> None:
    """Sign a rejoin, if this seat is absent, may rejoin, and its player wants to ([E-8])."""
    seat, node = state.seat, state.tip
    if seat is not None and state.signer.wants_to_rejoin and absence.may_rejoin(node, seat):
        state.signer.sign(Rejoin(node.absences[seat]))
