"""Quotas of memory: what a node keeps of what others send, within bounds.

SPEC: [M-8], [M-11], [M-14], [M-15].

Kept are: what is wanted by hash and what is one's own; inputs of the epochs from the one stood in
to one above the promise, a few steps ahead at most; epoch requests, epoch promises, new-epoch
messages and votes from the epoch stood in to a little above what a quorum requests, and of each
seat the highest epoch request only. Of anything further ahead only each seat's highest epoch
request or vote is kept, as an epoch request. Of inputs that lie off the followed chain only so many
bytes of each seat are kept. Whatever is turned away here is asked for again, by `Sync` or by hash,
once it is near or something needs it.
"""

from __future__ import annotations

from typing import Final

from ..bounds import Quota
from ..wire.signed_messages import CommitVote, EpochRequest, Message, PrepareVote, Rejoin, StepInput
from .seat_state import SeatState

AHEAD: Final[Quota] = 8
"""How many steps ahead of the followed chain an input may be to be kept."""
EPOCHS_AHEAD: Final[Quota] = 2
"""How far above the epoch that a quorum requests an epoch may be."""
ABSENCES_AHEAD: Final[Quota] = 2
"""How far above the absences of a seat that this node knows of a rejoin of it may count."""
LOOSE: Final[Quota] = 1 << 20
"""Bytes of one seat's inputs off the followed chain that are kept; an honest one makes far
fewer."""
WANTED: Final[Quota] = 2 << 20
"""Bytes of one seat's such inputs that are kept in an epoch because one seat's epoch promises name
them.

Honest ones name legal inputs, of a few hundred bytes, and a proof. Each seat's epoch promises have
room of their own: those of a faulty seat could otherwise use up what honest ones need.
"""
ACCUSED: Final[Quota] = 3 * WANTED
"""The same for what is named by epoch promises and new-epoch messages that its epoch promises
accuse: all that a seat may hold because the epoch promises of up to two faulty seats named it."""


def is_worth_keeping(state: SeatState, message: Message) -> bool:
    """Return whether to keep a message; an epoch request or vote too far ahead is only noted.

    SPEC: [M-11], [M-14].
    """
    if message.seat == state.seat:
        return True
    statement = message.statement
    if isinstance(statement, StepInput) and len(statement.body) > state.table.max_body:
        return False
    if message.hash in state.log.store.wants:
        return not _is_loose(state, message) or _is_granted(state, message)
    if isinstance(statement, Rejoin):
        known = state.tip.absences[message.seat] + ABSENCES_AHEAD if state.has_begun else 0
        return statement.count <= max(state.table.header.terms.rejoins, known)
    if isinstance(statement, StepInput):
        epochs = range(state.log.view.epoch, state.signer.promise + 2)
        if statement.epoch not in epochs or statement.step > state.tip.step + AHEAD:
            return False
        # There is room if its seat has said little, if it is on the followed chain, or if little of
        # what its seat has said is off that chain.
        store, size = state.log.store, len(message.payload)
        if store.input_bytes.get(message.seat, 0) + size <= LOOSE or not _is_loose(state, message):
            return True
        loose = (m for m in store.inputs_by(message.seat) if _is_loose(state, m))
        return size + sum(len(m.payload) for m in loose) <= LOOSE
    if isinstance(statement, EpochRequest) and statement.epoch <= state.log.store.requests.get(
        message.seat, 0
    ):
        return False
    if statement.epoch <= state.log.votes.quorum_request() + EPOCHS_AHEAD:
        return statement.epoch >= state.log.view.epoch
    if isinstance(statement, EpochRequest | PrepareVote | CommitVote):
        state.log.votes.note_far(message)
    return False


def _is_granted(state: SeatState, message: Message) -> bool:
    """Return whether a seat whose epoch promises name a message has room left for it, which it
    takes.

    SPEC: [M-15].
    """
    size, epoch = len(message.payload), state.log.view.epoch
    claims = sorted(state.log.store.claims.get(message.hash, {(None, False)}), key=repr)
    return any(
        state.peers.grant((epoch, message.seat, claim), size, ACCUSED if claim[1] else WANTED)
        for claim in claims
    )


def _is_loose(state: SeatState, message: Message) -> bool:
    """Return whether it is an input of this epoch or a later one that is not on the followed chain.

    A second version that makes the first proof against its signer is not: it leads to a ban.
    """
    step_input, versions = message.statement, state.log.store.versions(message.identity)
    if not isinstance(step_input, StepInput) or step_input.epoch < state.log.view.epoch:
        return False
    is_second = len(versions) == 1 and versions[0].hash != message.hash
    if is_second and message.seat in state.tip.present - set(state.judge.proofs):
        return False
    return step_input.on not in state.log.view.path
