"""What each seat does now, or why it does nothing, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from p2p_hoity.presentation.scene import Scene
from p2p_hoity.presentation.screen_updates import Attending
from p2p_hoity.rules import Seal, expected

from ...words.error_sentences import meaning
from ...words.translation import _, clock
from .stage import Stage

DONE: Final = "✓"
Tone = Literal["plain", "dim", "good", "warn", "bad", "turn"]
"""How words are meant, so that a screen can colour them. `turn`: it is this person's turn."""


@dataclass(frozen=True)
class Notice:
    """Words about the state of the table.

    Attributes:
        words: The words.
        tone: How they are meant.
    """

    words: str
    tone: Tone


def presence(scene: Scene, seat: int) -> Attending:
    """Return whether a seat is present, as far as it matters to this person.

    An onlooker has few links, and hears of seats through others. So a seat without a link counts
    as linked for an onlooker.

    Args:
        scene: The state of the table.
        seat: The seat.

    Returns:
        Whether it is linked, unlinked, departed, absent or banned.
    """
    there = scene.attendance[seat] if seat < len(scene.attendance) else Attending.LINKED
    is_heard = scene.seat is None and there is Attending.UNLINKED
    return Attending.LINKED if is_heard else there


def status(stage: Stage, seat: int) -> Notice:
    """Return what a seat does now, or why it does nothing.

    Args:
        stage: What is shown.
        seat: The seat.

    Returns:
        The words and their tone. The words are "" if there is nothing to say.
    """
    scene, there = stage.scene, presence(stage.scene, seat)
    if there is Attending.BANNED or seat in scene.faults:
        code = scene.faults.get(seat)
        words = _("CHEATED: {why}").format(why=meaning(code)) if code else _("banned")
        return Notice(words, "bad")
    if there is Attending.ABSENT:
        return Notice(_("absent"), "warn")
    if seat == scene.seat and scene.question is not None:
        return _own(scene)
    if stage.is_revealing and there is Attending.LINKED:
        return Notice("", "dim")  # The scene is already at the step after the reveal.
    if scene.is_over or scene.clock is None or seat not in scene.clock.awaited:
        return _resting(scene, seat, there)
    if there is Attending.LINKED and _has_sealed(scene, seat):
        return _resting(scene, seat, there)
    if seat == scene.seat:
        return Notice("…", "dim")
    return _awaited(there, scene.clock.waited)


def _own(scene: Scene) -> Notice:
    """Return the status of this person's own seat while a choice is asked of it."""
    now = scene.clock
    left = clock(now.left) if now is not None and not now.muster.strict else ""
    left = f"≤ {left}" if left and scene.is_late else left
    return Notice(_("your choice {left}").format(left=left).rstrip(), "turn")


def _awaited(there: Attending, waited: float) -> Notice:
    """Return the status of a seat that is awaited for `waited` seconds."""
    if there is Attending.LINKED:
        return Notice(_("thinking… {waited}").format(waited=clock(waited)), "plain")
    if there is Attending.LEFT:
        return Notice(_("left for now"), "warn")
    return Notice(_("link lost {waited}").format(waited=clock(waited)), "warn")


def _resting(scene: Scene, seat: int, there: Attending) -> Notice:
    """Return the status of a seat that is not awaited."""
    if there is Attending.LEFT:
        return Notice(_("left for now"), "warn")
    if there is Attending.UNLINKED and seat != scene.seat:
        return Notice(_("link lost"), "warn")
    if _has_sealed(scene, seat):
        return Notice(_("sealed") + f" {DONE}", "good")
    is_out = scene.view is not None and seat in scene.view.state.resting
    return Notice(_("sits this round out") if is_out else "", "dim")


def _has_sealed(scene: Scene, seat: int) -> bool:
    """Return whether a seat has sealed a choice that is not shown yet."""
    if seat == scene.seat and scene.sealed is not None:
        return True
    if scene.view is None or not scene.is_dealt or scene.clock is None:
        return False
    due, now = expected(scene.view.state), scene.clock
    if isinstance(due, Seal) and seat in due.seats:
        return now.is_opening or seat not in now.awaited
    return seat in scene.view.state.sealed
