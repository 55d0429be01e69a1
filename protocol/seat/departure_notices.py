"""Leaving for now, and being back: the words of a seat, how they are signed, kept and told."""

from __future__ import annotations

from ..crypto.identities import Identity
from ..wire import codec, peer_frames, signed_notices
from ..wire.signed_notices import MAX_NUMBER, Leave
from .effects import LeftForNow, Record, Send
from .seat_state import Core, State


def leave(core: Core) -> bool:
    """Sign that this seat leaves, record it, send it, and sign nothing more; whether it was said.

    A seat that is silent or at its end has nothing to say; nor has one that has left too often.

    SPEC: [E-24].
    """
    if core.seat is None or core.who is None or core.state not in (State.STANDING, State.HALTED):
        return False
    number = core.leaves.number(core.seat)
    number += 2 if number % 2 else 1
    if number >= MAX_NUMBER:
        return False
    _say(core, core.seat, core.who, number)
    core.has_left = True
    return True


def come_back(core: Core) -> bool:
    """Sign that this seat is here again, if its last word was that it leaves.

    SPEC: [E-28].
    """
    last = core.leaves.last(core.seat) if core.seat is not None else None
    if core.replaying or core.who is None or last is None or last.says_back:
        return False
    if core.state in (State.STANDING, State.HALTED, State.FINISHED):
        _say(core, last.seat, core.who, last.number + 1)
    return False


def _say(core: Core, seat: int, who: Identity, number: int) -> None:
    """Sign such a word for where this seat stands, record it and send it."""
    node, epoch = core.tip, core.view.epoch
    step = node.step + core.has_said(node.step)
    word = signed_notices.sign_leave(who, core.table.id, seat, number, epoch, step, node.digest)
    _keep_own(core, word)
    frame = peer_frames.encode_frame(word)
    core.emit(Record(codec.encode((b"", (), frame))))
    core.emit(Send(frame))


def replay(core: Core, record: bytes) -> None:
    """An own word in the journal: the seat is back, and counts on from there."""
    word = peer_frames.parse_frame(record)
    if isinstance(word, Leave):
        _keep_own(core, word)


def _keep_own(core: Core, word: Leave) -> None:
    """For its number: to oneself one is never away."""
    core.leaves.keep(word, core.clocks.now)
    core.leaves.note_link(word.seat)


def take(core: Core, word: Leave) -> bool:
    """Keep a word and whether to pass it on; Invalid unless its seat has signed it.

    One whose number is not above the one held is not read any further, so that a replay costs
    nothing. One's own only counts on.

    SPEC: [L-23].
    """
    if word.number <= core.leaves.number(word.seat):
        return False
    signed_notices.check_leave(word, core.table.id, core.table.ids)
    if word.seat == core.seat:
        _keep_own(core, word)
        return False
    core.leaves.keep(word, core.clocks.now)
    return True


def tell(core: Core, peer: bytes | None) -> None:
    """Whoever asks where this node stands is told who is away or back, itself too ([L-23])."""
    own = core.leaves.last(core.seat) if core.has_left and core.seat is not None else None
    for word in (*core.away(), *core.leaves.returns(), *([own] if own else [])):
        core.send(word, peer)


def tell_left(core: Core) -> bool:
    """Tell the driver of each leave once, when it first holds."""
    for word in core.leaves.news(core.away()) if not core.replaying else ():
        core.emit(LeftForNow(word.seat))
    return False
