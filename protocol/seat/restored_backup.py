"""Recovery of a seat: the replay of its journal, and the inquiry that follows.

After an old journal was restored, a faulty seat may be the only one that stores a later statement
of this seat. It could show that statement once this seat has signed another one of the same
identity, and an honest seat would be convicted.

Such a statement was signed in an epoch that some honest seat has requested, or next to which it
stood. A floor above the epochs that a quorum requests is above all of them.
"""

from __future__ import annotations

from ..wire import codec, peer_frames, signed_messages
from ..wire.signed_messages import StepInput
from ..wire.signed_notices import Departure
from .seat_state import SeatState
from .signer import PlayerChoice


def replay(state: SeatState, record: bytes) -> None:
    """Apply one record of the journal. Nothing is signed meanwhile.

    A record contains a message, the openings made for it, and a note of the choice behind it. If
    the message is empty, the floor or an own departure notice takes the place of the note. A
    machine without a seat, which only reads how far a game came, uses the messages alone.

    Args:
        state: The state of the seat.
        record: The record, as the driver read it from the disk.

    Raises:
        Invalid: If the record or its message is malformed.
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
    signer.store(message)


def come_back(state: SeatState) -> bool:
    """Sign a return if the seat's last notice is a departure ([E-28]).

    The seat applies this rule after each event.

    Args:
        state: The state of the seat.

    Returns:
        Always False: no other rule depends on it.
    """
    state.signer.come_back()
    return False


def inquire(state: SeatState) -> bool:
    """Let a resumed seat sign again once enough others have answered ([E-10], [E-22]).

    The seat applies this rule after each event. No epoch of a strict table can be left. A forgotten
    statement may be of the current epoch there. So a seat that surely has forgotten one signs
    nothing any more.

    Args:
        state: The state of the seat.

    Returns:
        Whether the wait has ended now.
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
    """Return the lowest epoch of which no forgotten statement of this seat can be.

    Fewer than t faulty seats cannot raise it.

    Args:
        state: The state of the seat.

    Returns:
        The highest of three epochs: one above the promise, one above the current epoch, and two
        above the one that t seats request.

    SPEC: [E-22].
    """
    log = state.log
    return max(state.signer.promise + 1, log.followed.epoch + 1, log.votes.quorum_request() + 2)


def hear(state: SeatState, told: peer_frames.Told, peer: bytes | None) -> None:
    """Handle the end of a peer's answer to `own`, and ask for the next part if there is one.

    Args:
        state: The state of the seat.
        told: The frame with which the answer ends.
        peer: The id of the peer, 32 bytes.
    """
    inquiry, seat = state.signer.inquiry, state.peers.seat_of(peer)
    if inquiry is not None and seat is not None and inquiry.hear(seat, told):
        state.outbox.send(peer_frames.Own(told.last), peer)
