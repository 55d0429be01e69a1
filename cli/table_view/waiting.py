"""What a person reads while nothing is asked: who is awaited, and what happens at the timeout."""

from __future__ import annotations

from typing import Final

from p2p_hoity.presentation.scene import Scene
from p2p_hoity.presentation.screen_updates import Attending
from protocol.units import Seconds

from ..words.presence_sentences import GONE_FOR_GOOD, THINKING
from ..words.translation import FIRST_SECOND, _, clock
from .seats import names_of, since
from .stage import Stage

PATIENT: Final[Seconds] = 15.0
"""The seconds after which the screen suggests that a seat without a link has moved."""
CALM: Final[Seconds] = 20.0
"""The seconds before the screen says what a timeout brings. It says so at once if a link is lost.
"""


def absence(scene: Scene) -> str:
    """Return that the others go on without this person's seat, "" if the seat is present."""
    if not scene.is_away:
        return ""
    if not scene.may_rejoin:
        return _(GONE_FOR_GOOD)
    return _("The others go on without you. Enter takes your seat again.")


def awaited_others(stage: Stage) -> str:
    """Return which other seats are awaited, and for how long, "" for none."""
    now = stage.scene.clock
    if now is None or not (others := now.awaited - {stage.scene.seat}):
        return ""
    words = _("waiting for {who} · {waited}")
    if now.waited < FIRST_SECOND:
        words = _("waiting for {who}")
    waited = since(now.waited, stage.scene.is_late)
    return words.format(who=names_of(stage, others), waited=waited)


def lost_seats(stage: Stage) -> str:
    """Return what to do about seats that may have another address now.

    It is "" if there are none, or if the wait has just begun.
    """
    found, now = stage.scene.lost_seats, stage.scene.clock
    if not found or now is None or now.waited < PATIENT:
        return ""
    if stage.scene.moved is not None:
        return _("p shows a ticket for those who cannot reach you.")
    if stage.scene.is_resumed and stage.scene.is_alone:
        return _("Nobody can be reached: p says what to do if they moved, or finished without you.")
    words = _("p says what to do if {who} came back at another address.")
    return words.format(who=names_of(stage, found))


def at_timeout(stage: Stage) -> str:
    """Return what happens when the step times out, "" if there is no need to say so yet."""
    now = stage.scene.clock
    there = stage.scene.attendance
    if now is None or (
        now.waited < CALM and all(there[seat] is Attending.LINKED for seat in now.awaited)
    ):
        return ""
    if not now.muster.begun:
        words = _("In {left} the table ends: the game has not begun.")
    elif now.muster.is_short:
        return _("The game waits for them: it cannot go on with fewer seats.")
    elif not now.muster.goes_on:
        return _(THINKING).format(who=names_of(stage, now.muster.thinking))
    elif now.left <= 0:
        words = _(
            "Their time is over. The game goes on without them as soon as enough seats agree."
        )
    elif stage.scene.seat is None:
        words = _("In {left} the game goes on without them, if enough agree.")
    else:
        words = _("In {left} the game goes on without them, if enough agree. w waits longer.")
    left = clock(now.left)
    return words.format(left=f"≤ {left}" if stage.scene.is_late else left)
