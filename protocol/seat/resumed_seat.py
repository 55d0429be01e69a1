"""Recovery of a seat: it replays its journal, then asks the others which messages it signed.

If the journal is an old copy, the seat could sign a message that contradicts a later one, and
another seat that has both could prove it at fault. `resume_inquiry` says how it waits. A rule
returns whether all rules of the seat have to run again (`seat_machine.Rule`).
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
    player's choice to which the message commits. Instead of a message, it may have a departure or
    end notice of this seat, or its floor. An onlooker uses only the messages.

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
            # Or the seat would play on against the notice that it has signed.
            state.judge.end(Broken(word.reason, word.about))
        return
    if not raw:
        signer.restore_floor(note)
        return
    message = signed_messages.parse(raw, state.table.id, state.table.ids)
    if state.seat is not None:
        for commitment, choice, nonce in openings:
            signer.secrets.restore_opening(commitment, choice, nonce)
        if note is not None and isinstance(message.statement, StepInput):
            digest, name, choice = note
            # Not as shown to others: the later inputs in the journal mark it so.
            signer.choose(message.statement.step, name, PlayerChoice(digest, choice))
    signer.store(message)


def come_back(state: SeatState) -> bool:
    """Sign a notice that the seat is back, if its last notice says that it left ([E-28])."""
    state.signer.come_back()
    return False


def inquire(state: SeatState) -> bool:
    """Let a resumed seat sign again when enough other seats have answered ([E-10], [E-22])."""
    inquiry, strict = state.signer.inquiry, state.table.strict
    if inquiry is None or state.outbox.is_replaying:
        return False
    others = state.tip.present - {state.seat}
    seconds = state.timers.times.step / 1000 + state.timers.back_off()
    if not inquiry.is_over(others, state.table.quorum - 1, state.timers.now, seconds):
        return False
    # A strict table has no floor: its epoch never changes. So this seat never signs again.
    if inquiry.cautious and strict and inquiry.certain:
        state.signer.say_silenced()
        return False
    state.signer.go_on((0 if strict else floor(state)) if inquiry.cautious else None)
    return True


def floor(state: SeatState) -> int:
    """Return the lowest epoch in which the seat cannot have signed what its journal lacks.

    SPEC: [E-22].
    """
    log = state.log
    # What the seat forgot is of an epoch that a quorum requested. Some honest seat stood at most
    # one epoch below it.
    return max(state.signer.promise + 1, log.followed.epoch + 1, log.votes.quorum_request() + 2)


def hear(state: SeatState, told: peer_frames.Told, peer: PeerId | None) -> None:
    """Handle the end of a peer's answer, and ask for the next part of it if there is one."""
    inquiry, seat = state.signer.inquiry, state.peers.seat_of(peer)
    if inquiry is not None and seat is not None and inquiry.hear(seat, told):
        state.outbox.send(peer_frames.Own(told.last), peer)
