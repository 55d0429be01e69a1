"""End notices of the seats, and how long a seat serves the others once its own end is final.

A seat whose end is final needs nothing more of anyone, and says so in a signed notice that goes
round. Another seat may need votes until its own end is final. So a seat stays until it has the
notice of every other present seat. Three bounds end the wait for seats that send none: one step
timeout in which no epoch changes; while the epoch changes, one proposer turn of every seat; and the
longest back-off and a step timeout in which no turn follows another.
"""

from __future__ import annotations

from ..chain.chain_state import SETUP
from ..wire import signed_notices
from ..wire.signed_notices import OVER, EndNotice
from . import fault_judge
from .seat_state import Core, State


def take(core: Core, notice: EndNotice, peer: bytes | None) -> bool:
    """Store a notice that a linked node has sent.

    Args:
        core: The node's state.
        notice: The notice as it was read.
        peer: The id of the node that sent it, 32 bytes.

    Returns:
        Whether it is new, and so is to be passed on.

    Raises:
        Invalid: If its seat has not signed it at this table.

    SPEC: [E-29].
    """
    seat = notice.seat
    known = core.ends.over if notice.is_over else core.ends.setup
    if seat == core.seat or seat in known or (core.has_begun and not notice.is_over):
        return False
    signed_notices.check_end_notice(notice, core.table.id, core.table.ids)
    if notice.is_over and seat in core.links and peer != core.table.ids[seat]:
        return False  # it may have been signed before a backup was restored
    known[seat] = notice
    if not notice.is_over:
        core.ends.received[seat] = core.clocks.now
    return True


def tell(core: Core, peer: bytes | None) -> None:
    """Send a node that asks the notices stored here ([E-29])."""
    stored = core.ends.setup if core.tip.want.kind in SETUP else core.ends.over
    for _, notice in sorted(stored.items()):
        core.send(notice, peer)


def tell_end(core: Core) -> bool:
    """Sign that this seat's end is final, and send it to all ([E-29]). A rule of the seat."""
    if core.seat is not None and core.state is State.FINISHED and core.seat not in core.ends.over:
        announce(core, OVER)
    return False


def announce(core: Core, reason: str, about: int | None = None) -> None:
    """Sign an end notice and send it to all; nothing, while the journal is replayed.

    Args:
        core: The node's state.
        reason: OVER, or the code by which this seat ends the table in setup.
        about: The seat that the code is about, if any.
    """
    if core.seat is None or core.who is None or core.replaying:
        return
    notice = signed_notices.sign_end_notice(core.who, core.table.id, core.seat, reason, about)
    (core.ends.over if notice.is_over else core.ends.setup)[core.seat] = notice
    core.send(notice, None)


def note_link(core: Core, seat: int) -> None:
    """Forget that a seat's end was final: over a new link it may be an older copy of itself.

    After this node's own end the first such link of each seat starts the wait anew ([E-19]).
    """
    core.ends.over.pop(seat, None)
    if core.finished:
        core.ends.first_links.setdefault(seat, core.clocks.now)


def may_leave(core: Core) -> bool:
    """Return whether this node may leave the table.

    It may once the table has ended without a result, or its end is final and the others need
    nothing more of it. A node without a seat is needed by nobody.

    SPEC: [E-19].
    """
    if not core.finished:
        return core.broken is not None
    if core.seat is None:
        return True
    if has_served(core):
        return True
    return all_have_ended(core) and not _needs_base(core)


def all_have_ended(core: Core) -> bool:
    """Return whether the end is final for every other present seat, by its own notice."""
    return core.tip.present - {core.seat} <= core.ends.over.keys()


def _needs_base(core: Core) -> bool:
    """Return whether a base is to find a fault first, while enough seats are linked for one."""
    linked = len(core.links & core.tip.present) + 1
    return fault_judge.is_unsettled(core) and linked >= core.table.quorum


def has_served(core: Core) -> bool:
    """Return whether this seat has stayed long enough for seats that send no notice ([E-19])."""
    clocks = core.clocks
    if clocks.over is None:
        return False
    since = max(clocks.over, core.view.entered, *core.ends.first_links.values())
    if clocks.now - since < clocks.times.step / 1000:
        return False
    if core.is_standing and core.votes.common_wish() <= core.view.epoch:
        return True
    turns = core.promise - core.view.epoch
    is_last_over = clocks.now - clocks.halted >= clocks.grace(core.fruitless)
    had_turns = turns > core.table.seats or (turns == core.table.seats and is_last_over)
    return had_turns or _has_stopped_changing(core, since)


def _has_stopped_changing(core: Core, since: float) -> bool:
    """Return whether no promise has followed for so long that t seats cannot want an epoch.

    A halted seat requests the next epoch after one back-off. If t seats did, this promise would
    have risen. Else all others have left, and a faulty one that stayed would keep this seat here.
    """
    times = core.clocks.times
    longest = (times.cap + times.step) / 1000
    return core.clocks.now - max(since, core.clocks.halted) >= longest
