"""Recovery of a seat after a crash: its journal is replayed, and it says that it is here again."""

from __future__ import annotations

from ..wire import codec, peer_frames, signed_messages
from ..wire.signed_messages import Say
from ..wire.signed_notices import Leave
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
        if isinstance(word, Leave):
            state.peers.keep_own(word)
        return
    if not raw:
        signer.restore_floor(note)
        return
    message = signed_messages.parse(raw, state.table.id, state.table.ids)
    if state.seat is not None:
        for commitment, choice, nonce in openings:
            signer.secrets.keep_opening(commitment, choice, nonce)
        if note is not None and isinstance(message.statement, Say):
            digest, name, choice = note
            signer.choose(message.statement.step, name, PlayerChoice(digest, choice))
    signer.hold(message)


def end(state: SeatState) -> None:
    """Go on once the journal is read: ask anew what is to be asked, and tell nothing twice."""
    state.outbox.end_replay()
    state.signer.forget_asked()
    state.signer.begin_inquiry()
    if state.broken is not None:
        state.outbox.emit(state.broken)


def come_back(state: SeatState) -> bool:
    """Sign that this seat is here again, if its last notice says that it leaves ([E-28])."""
    state.signer.come_back()
    return False
