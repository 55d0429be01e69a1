"""What the menu behind Escape offers: stay, leave for now, a bot, settings, mute."""

from __future__ import annotations

from ...words.lingo import _
from ...words.presence import ROUND_LOST
from .frame import ONLOOKERS, Desk
from .scene import Scene

Offer = tuple[str, str]
"""A word for the program, and words for people."""


def options(scene: Scene, desk: Desk, rings: bool) -> list[Offer]:
    """Everything it offers now; to stay is the first."""
    if desk.lesson is not None:
        return [("stay", _("stay")), ("leave", _("leave the lesson")), *_look(scene)]
    bell = _("turn the bell off") if rings else _("turn the bell on")
    pace, theme = _look(scene)
    return [
        ("stay", _("stay")),
        *_leave(scene, desk),
        pace,
        ("bell", bell),
        theme,
        *_mutes(scene, desk),
    ]


def _look(scene: Scene) -> list[Offer]:
    pace = _("show reveals all at once") if scene.staged else _("show reveals step by step")
    return [("pace", pace), ("theme", _("switch between light and dark"))]


def _leave(scene: Scene, desk: Desk) -> list[Offer]:
    if scene.is_over:
        return [("leave", _("leave the table"))]
    if not scene.table_name:
        return [("leave", _("leave; no game has begun"))]
    if scene.seat is None:
        return [("leave", _("stop watching"))]
    bot = _("take your seat back from the bot") if desk.autopilot else _("let a bot play on")
    gone = _("leave for now; the others are told, the game is kept")
    return [("leave", f"{gone}. {_(ROUND_LOST)}"), ("bot", bot)]


def _mutes(scene: Scene, desk: Desk) -> list[Offer]:
    found = []
    for seat, name in enumerate(scene.names.nicknames if scene.names else ()):
        if seat != scene.seat:
            text = _("hear {who} again") if seat in desk.muted else _("mute {who}")
            found.append((f"mute {seat}", text.format(who=name)))
    if any(one.seat is None for one in scene.talk):
        words = _("hear onlookers again") if ONLOOKERS in desk.muted else _("mute onlookers")
        found.append((f"mute {ONLOOKERS}", words))
    return found
