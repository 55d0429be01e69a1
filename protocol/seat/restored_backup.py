"""Recovery of a seat: its journal is replayed, it asks first, and signs above a floor if need be.

After an old journal was restored, a faulty seat may be the only one to hold what this seat signed
since, and show it once the seat has signed something else of that identity: an honest seat would
stand convicted. What it cannot know of, it signed in an epoch that some honest seat has requested
or stood next to, so that a floor above the epochs that a quorum requests keeps clear of it.
"""

from __future__ import annotations

from ..wire import codec, peer_frames, signed_messages
from ..wire.signed_messages import StepInput
from ..wire.signed_notices import Departure
from .seat_state import SeatState
from .signer import PlayerChoice


def replay(state: SeatState, record: bytes) -> None:
    """Take in one record of the journal; nothing is signed.

    A record holds a message, the openings made for it, and a note of the choice behind it. If the
    message is empty, the floor or an own departure notice stands in place of the note. A machine
    without a seat, which only looks how far the game came, takes in the messages alone.
    """
    raw, openings, note = codec.decode(record, peer_frames.MAX_FRAME)
    signer = state.signer
    if isinstance(note, bytes):
        word = peer_frames.parse_frame(note)
        if isinstance(word, Departure):
            state.peers.keep_own(word)
        return
    if not raw:
        signer.restore_floor(note)
        return
    message = signed_messages.parse(raw, state.table.id, state.table.ids)
    if state.seat is not None:
        for commitment, choice, nonce in openings:
            signer.secrets.keep_opening(commitment, choice, nonce)
        if note is not None and isinstance(message.statement, StepInput):
            digest, name, choice = note
            signer.choose(message.statement.step, name, PlayerChoice(digest, choice))
    signer.hold(message)


def come_back(state: SeatState) -> bool:
    """Sign that this seat is here again, if its last notice says that it leaves ([E-28])."""
    state.signer.come_back()
    return False


def inquire(state: SeatState) -> bool:
    """Go on once enough have told; return whether it was now ([E-10], [E-22]).

    No epoch of a strict table can be left behind. What was forgotten may stand there still, so that
    a seat that surely has forgotten something signs nothing any more.
    """
    inquiry, strict = state.signer.inquiry, state.table.strict
    if inquiry is None or state.outbox.is_replaying:
        return False
    others = state.tip.present - {state.seat}
    seconds = state.timers.times.step / 1000 + state.timers.back_off()
    if not inquiry.is_over(others, state.table.quorum - 1, state.timers.now, seconds):
        return False
    if inquiry.cautious and strict and inquiry.certain:
        state.signer.say_silenced()
        return False
    state.signer.go_on((0 if strict else floor(state)) if inquiry.cautious else None)
    return True


def floor(state: SeatState) -> int:
    """Return the lowest epoch in which nothing forgotten can stand.

    Fewer than t faulty seats cannot lift it.

    SPEC: [E-22].
    """
    log = state.log
    return max(state.signer.promise + 1, log.view.epoch + 1, log.votes.quorum_request() + 2)


def hear(state: SeatState, told: peer_frames.Told, peer: bytes | None) -> None:
    """Take in what a linked seat has told of this one's statements, or a part of it."""
    inquiry, seat = state.signer.inquiry, state.peers.seat_of(peer)
    if inquiry is not None and seat is not None and inquiry.hear(seat, told):
        state.outbox.send(peer_frames.Own(told.last), peer)
