"""How a seat is marked everywhere on the screen: a letter of its own, its colour, and its name."""

from __future__ import annotations

from collections.abc import Sequence

from p2p_hoity.rules import Seal, expected
from p2p_hoity.session.updates import Presence

from ...words.durations import clock
from ...words.lingo import _
from ...words.reasons import meaning
from .ink import Line, cells, text
from .scene import Scene

YOU = "►"
DONE = "✓"
POINTER = "▸"


def letters(nicknames: Sequence[str]) -> tuple[str, ...]:
    """One mark a seat: the first letter of its nickname that no seat before it has, else its
    number."""
    found: list[str] = []
    for seat, nickname in enumerate(nicknames):
        own = (one.upper() for one in nickname if one.isalnum() and cells(one.upper()) == 1)
        found.append(next((one for one in own if one not in found), str(seat + 1)))
    return tuple(found)


def seat_style(scene: Scene, seat: int, ground: str = "") -> str:
    """The style of a seat's colour; bright before colours are drawn."""
    colours = scene.names.colours if scene.names else ()
    name = f"seat.{colours[seat]}" if seat < len(colours) else "bright"
    return f"*{name} on {ground}" if ground else f"*{name}"


def name_of(scene: Scene, seat: int) -> str:
    """The nickname; one's own seat is You."""
    if scene.names is None:
        return str(seat + 1)
    return _("You") if seat == scene.seat else scene.names.nicknames[seat]


def status(scene: Scene, seat: int) -> Line:
    """What this seat does now, or why it does nothing."""
    there = scene.attendance[seat] if seat < len(scene.attendance) else Presence.LINKED
    if scene.seat is None and there is Presence.UNLINKED:
        there = Presence.LINKED  # an onlooker has few links, and hears of seats through others
    clock_now = scene.clock
    if there is Presence.BANNED or seat in scene.faults:
        code = scene.faults.get(seat)
        words = _("CHEATED: {why}").format(why=meaning(code)) if code else _("banned")
        return text(words, "bad")
    if there is Presence.ABSENT:
        return text(_("absent"), "warn")
    if seat == scene.seat and scene.question is not None:
        return _own(scene)
    if scene.is_revealing and there is Presence.LINKED:
        return Line()  # what is known of it is of the step behind the reveal
    if scene.is_over or clock_now is None or seat not in clock_now.awaited:
        return _resting(scene, seat, there)
    if there is Presence.LINKED and _has_sealed(scene, seat):
        return _resting(scene, seat, there)
    if seat == scene.seat:
        return text("…", "dim")
    return _awaited(there, clock_now.waited)


def _own(scene: Scene) -> Line:
    now = scene.clock
    left = clock(now.left) if now is not None and not now.muster.strict else ""
    left = f"≤ {left}" if left and scene.is_late else left
    return text(f"{YOU} ", "title").add(_("your choice {left}").format(left=left).rstrip(), "title")


def _awaited(there: Presence, waited: float) -> Line:
    words, style = {
        Presence.LINKED: (_("thinking… {waited}"), "plain"),
        Presence.UNLINKED: (_("link lost {waited}"), "warn"),
        Presence.LEFT: (_("left for now"), "warn"),
    }[there]
    return text(words.format(waited=clock(waited)), style)


def _resting(scene: Scene, seat: int, there: Presence) -> Line:
    if there is Presence.LEFT:
        return text(_("left for now"), "warn")
    if there is Presence.UNLINKED and seat != scene.seat:
        return text(_("link lost"), "warn")
    return text(_doing(scene, seat), "good" if _has_sealed(scene, seat) else "dim")


def _has_sealed(scene: Scene, seat: int) -> bool:
    """Whether this seat has sealed a choice that is not shown yet."""
    if seat == scene.seat and scene.sealed is not None:
        return True
    if scene.view is None or not scene.is_dealt or scene.clock is None:
        return False
    due, now = expected(scene.view.state), scene.clock
    if isinstance(due, Seal) and seat in due.seats:
        return now.is_opening or seat not in now.awaited
    return seat in scene.view.state.sealed


def _doing(scene: Scene, seat: int) -> str:
    if _has_sealed(scene, seat):
        return _("sealed") + f" {DONE}"
    state = scene.view.state if scene.view else None
    if state is not None and seat in state.resting:
        return _("sits this round out")
    return ""
