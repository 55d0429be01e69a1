"""Replay of a journal: what a seat held and signed, record by record, signing nothing."""

from __future__ import annotations

from ..wire import codec, peer_frames, signed_messages
from ..wire.signed_messages import Say
from . import departure_notices
from .seat_state import Core, Inquiry, PlayerChoice
from .signer import hold


def replay(core: Core, record: bytes) -> None:
    """Take in one record: (message, openings made for it, note of the choice behind it), or the
    floor, or an own leave, in place of the note if the message is empty. A machine without a seat,
    which only looks how far the game came, takes in the messages alone.
    """
    raw, openings, note = codec.decode(record, peer_frames.MAX_FRAME)
    if isinstance(note, bytes):
        departure_notices.replay(core, note)
        return
    if not raw:
        _replay_floor(core, note)
        return
    message = signed_messages.parse(raw, core.table.id, core.table.ids)
    if core.seat is None:
        hold(core, message)
        return
    for commitment, choice, nonce in openings:
        core.secrets.openings[commitment] = (choice, nonce)
    if note is not None and isinstance(message.statement, Say):
        digest, name, choice = note
        core.player_choices[message.statement.step, name] = PlayerChoice(digest, choice)
    hold(core, message)


def _replay_floor(core: Core, floor: int | None) -> None:
    if floor is not None:
        core.floor, core.inquiry = floor, None
    elif core.seat is not None:
        core.inquiry = Inquiry(core.clocks.now, cautious=True)
        core.forget_choices()


def end(core: Core) -> None:
    """The journal is read: ask anew what is to be asked, and tell nothing twice."""
    core.asked = None
    core.take()
    if core.seat is not None and core.inquiry is None:
        core.inquiry = Inquiry(core.clocks.now)
    if core.broken is not None:
        core.emit(core.broken)
