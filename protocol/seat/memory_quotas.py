"""Memory quotas: the limits within which a seat stores messages of other seats.

A seat stores its own messages, and messages that it has asked for by hash. It also stores:

- step inputs that are at most a few steps ahead, from the current epoch up to the epoch after the
  promised one;
- messages of epoch changes, if their epoch is at most a little above the highest epoch that a
  quorum of seats requests;
- for each seat, the epoch request or vote with the highest epoch beyond this limit.

Inputs off the followed chain are stored only up to a number of bytes for each seat. A message that
was not stored is asked for again once it is within these limits, or once a stored message names it.

SPEC: [M-8], [M-11], [M-14], [M-15].
"""

from __future__ import annotations

from typing import Final

from ..units import Quota
from ..wire.signed_messages import CommitVote, EpochRequest, Message, PrepareVote, Rejoin, StepInput
from .seat_state import SeatState

AHEAD: Final[Quota] = 8
"""The number of steps by which a stored input may be ahead of the followed chain."""
EPOCHS_AHEAD: Final[Quota] = 2
"""The number by which a message's epoch may exceed the highest epoch that t seats request."""
ABSENCES_AHEAD: Final[Quota] = 2
"""The number by which a rejoin's count may exceed the number of absences of its seat known here."""
LOOSE: Final[Quota] = 1 << 20
"""The most bytes that are stored of one seat's inputs off the chain.

An honest seat signs far fewer.
"""
WANTED: Final[Quota] = 2 << 20
"""The most bytes of one seat's inputs off the chain that one seat can have stored in an epoch.

It names them in its epoch promises. Those of honest seats name legal inputs, of a few hundred
bytes, and one proof. Each naming seat has a quota of its own, so that a faulty one does not use up
what the promises of honest seats need.
"""
ACCUSED: Final[Quota] = 3 * WANTED
"""The same quota for inputs named by an epoch promise that another promise calls malformed.

It is larger because promises of up to two further faulty seats may have named the inputs.
"""


def is_worth_keeping(state: SeatState, message: Message) -> bool:
    """Return whether a valid message is within the limits to be stored ([M-11], [M-14]).

    An epoch request or vote of an epoch that is too far ahead is only noted as one that its seat
    requests.
    """
    # Without any limit: what this seat has signed binds it, also if its journal has lost it.
    if message.seat == state.seat:
        return True
    statement = message.statement
    # Before the wanted ones: an epoch promise of a faulty seat may name inputs of any length
    # ([M-8]).
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
    # It changes nothing, and a faulty seat could have one stored for every lower epoch.
    if isinstance(statement, EpochRequest) and statement.epoch <= state.log.store.requests.get(
        message.seat, 0
    ):
        return False
    if statement.epoch <= state.log.votes.quorum_request() + EPOCHS_AHEAD:
        return statement.epoch >= state.log.followed.epoch
    # Only short kinds, because one of each seat is kept, however far ahead it is.
    if isinstance(statement, EpochRequest | PrepareVote | CommitVote):
        state.log.votes.note_far(message)
    return False


def _is_granted(state: SeatState, message: Message) -> bool:
    """Charge the bytes of a message to a quota. Return False if none has room ([M-15]).

    Each seat whose epoch promise names the message has a quota for messages of this signer, and a
    larger one if another promise calls that one malformed. What none names has a quota, too.
    """
    size, epoch = len(message.payload), state.log.followed.epoch
    # By `repr`, because the seat in a claim may be None, which does not compare with a number.
    claims = sorted(state.log.store.claims.get(message.hash, {(None, False)}), key=repr)
    # The first quota with room is charged and no other: with a list each of them would be.
    return any(
        state.peers.grant((epoch, message.seat, claim), size, ACCUSED if claim[1] else WANTED)
        for claim in claims
    )


def _is_loose(state: SeatState, message: Message) -> bool:
    """Return whether an input of this epoch or a later one is off the followed chain.

    Return False for an input that conflicts with a stored one, if the conflict is the first proof
    of a fault of a present seat.
    """
    step_input, versions = message.statement, state.log.store.versions(message.identity)
    if not isinstance(step_input, StepInput) or step_input.epoch < state.log.followed.epoch:
        return False
    is_second = len(versions) == 1 and versions[0].hash != message.hash
    # A faulty seat that has used up its quota could else contradict itself without a proof ([M-15],
    # 3).
    if is_second and message.seat in state.tip.present - set(state.judge.proofs):
        return False
    return step_input.on not in state.log.followed.path
