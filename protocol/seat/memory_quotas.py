"""Memory quotas: which messages of others a seat stores, within bounds.

Messages that were asked for by hash are stored, and own messages. Of the rest these are stored:

- inputs of epochs from the current one to one above the promise, at most a few steps ahead;
- epoch requests, promises, new-epoch messages and votes, at most a little above the epoch that t
  seats request;
- of each seat, the epoch request or vote of the highest epoch above that.

Of the inputs of one seat that are off the followed chain, only a number of bytes is stored. A
message that is not stored is asked for again once it is within these bounds, or once something that
is stored names it.

SPEC: [M-8], [M-11], [M-14], [M-15].
"""

from __future__ import annotations

from typing import Final

from ..bounds import Quota
from ..wire.signed_messages import CommitVote, EpochRequest, Message, PrepareVote, Rejoin, StepInput
from .seat_state import SeatState

AHEAD: Final[Quota] = 8
"""The steps that an input may be ahead of the followed chain to be stored."""
EPOCHS_AHEAD: Final[Quota] = 2
"""The number by which an epoch may be above the one that t seats request."""
ABSENCES_AHEAD: Final[Quota] = 2
"""The number by which the count of a rejoin may be above the absences of its seat here."""
LOOSE: Final[Quota] = 1 << 20
"""The bytes of one seat's inputs off the followed chain that are stored.

An honest seat makes far fewer.
"""
WANTED: Final[Quota] = 2 << 20
"""The bytes of such inputs of one seat that are stored in an epoch for one seat's promises.

Epoch promises of honest seats name legal inputs, of a few hundred bytes, and one proof. Each seat's
promises have a quota of their own, so that those of a faulty seat do not use up what the promises
of honest seats need.
"""
ACCUSED: Final[Quota] = 3 * WANTED
"""The same quota for messages named by promises that the seat's own promises accuse.

So much may be stored for one seat because the epoch promises of up to two faulty seats named it.
"""


def is_worth_keeping(state: SeatState, message: Message) -> bool:
    """Return whether to store a message, by its epoch and step, its length and the quotas.

    Of an epoch request or vote that is too far ahead the requested epoch is kept all the same.

    Args:
        state: The state of the seat.
        message: A message that is not stored, whose signature is valid.

    Returns:
        Whether to store it.

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
        epochs = range(state.log.followed.epoch, state.signer.promise + 2)
        if statement.epoch not in epochs or statement.step > state.tip.step + AHEAD:
            return False
        # There is room if few bytes of its seat are stored, if it is on the followed chain, or if
        # few bytes of its seat are off that chain.
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
        return statement.epoch >= state.log.followed.epoch
    if isinstance(statement, EpochRequest | PrepareVote | CommitVote):
        state.log.votes.note_far(message)
    return False


def _is_granted(state: SeatState, message: Message) -> bool:
    """Take the bytes of a message from a quota, and return whether there was room for it.

    Each seat whose epoch promises name the message has such a quota.

    SPEC: [M-15].
    """
    size, epoch = len(message.payload), state.log.followed.epoch
    claims = sorted(state.log.store.claims.get(message.hash, {(None, False)}), key=repr)
    return any(
        state.peers.grant((epoch, message.seat, claim), size, ACCUSED if claim[1] else WANTED)
        for claim in claims
    )


def _is_loose(state: SeatState, message: Message) -> bool:
    """Return whether a message is an input of this epoch or a later one off the followed chain.

    A second version that makes the first proof against its signer does not count, because it leads
    to a ban.
    """
    step_input, versions = message.statement, state.log.store.versions(message.identity)
    if not isinstance(step_input, StepInput) or step_input.epoch < state.log.followed.epoch:
        return False
    is_second = len(versions) == 1 and versions[0].hash != message.hash
    if is_second and message.seat in state.tip.present - set(state.judge.proofs):
        return False
    return step_input.on not in state.log.followed.path
