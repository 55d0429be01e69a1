"""Recovery of a seat: it replays its journal, then asks the others which messages it signed.

If the journal is an old copy, it lacks the messages that the seat signed later. The seat could then
sign a message that contradicts a missing message for the same epoch and step. Another seat that has
both messages could prove the seat at fault.

So the seat first asks the others for the messages that it has signed. If its journal proves old,
the seat signs nothing below its *floor*, an epoch above every epoch in which it can have signed
anything.
"""

from __future__ import annotations

from ..units import PeerId
from ..wire import codec, peer_frames, signed_messages
from ..wire.signed_messages import StepInput
from ..wire.signed_notices import Departure, EndNotice
from .effects import Broken
from .seat_state import SeatState
from .signer import PlayerChoice


def replay(state: SeatState, record: bytes) -> None:
    """Apply one record of the journal to the state of the seat. Nothing is signed meanwhile.

    A record has a signed message of any seat, the openings of the commitments in it, and the
    player's choice to which the message commits. Instead of a message, a record may have a
    departure or end notice of this seat, or the lowest epoch in which this seat may sign. An
    onlooker, which has no seat, uses only the messages.

    Args:
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
        elif isinstance(word, EndNotice):
            state.judge.keep_end(word)
            state.judge.end(Broken(word.reason, word.about))
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
    """Sign a notice that the seat is back, if its last notice says that it left ([E-28]).

    This function is called after each event.

    Returns:
        Always False: the other rules of the seat need not be applied again.
    """
    state.signer.come_back()
    return False


def inquire(state: SeatState) -> bool:
    """Let a resumed seat sign again when enough other seats have answered ([E-10], [E-22]).

    The other seats answer which messages of this seat they store. This is called after each event.
    There is one exception. If the journal of the seat certainly lacks messages of this seat, and
    every decision at the table needs all seats, the seat never signs again.

    Returns:
        True if the seat had to wait, and may sign from now on.
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
    """Return the lowest epoch in which a seat with an old journal may sign messages again.

    In this epoch and above, the seat cannot have signed a message that the journal lacks.

    Returns:
        The highest of three epochs: one above the epoch that the seat has promised, one above its
        current epoch, and two above the highest epoch that a quorum of seats has requested.

    SPEC: [E-22].
    """
    log = state.log
    return max(state.signer.promise + 1, log.followed.epoch + 1, log.votes.quorum_request() + 2)


def hear(state: SeatState, told: peer_frames.Told, peer: PeerId | None) -> None:
    """Handle the end of a peer's answer to the request for messages that this seat has signed.

    If the peer stores more of these messages, ask it for the next part. If not, note that it has
    answered completely.

    Args:
        told: The frame that ends the answer. It has the hash of the last message sent, and says
            whether more messages are left.
    """
    inquiry, seat = state.signer.inquiry, state.peers.seat_of(peer)
    if inquiry is not None and seat is not None and inquiry.hear(seat, told):
        state.outbox.send(peer_frames.Own(told.last), peer)
