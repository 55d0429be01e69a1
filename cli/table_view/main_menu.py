"""The entries of a screen's menu: stay, leave, a bot, the look of the screen, and whom to mute."""

from __future__ import annotations

from ..words.presence_sentences import ROUND_LOST
from ..words.translation import _
from .desk import ONLOOKERS, Desk
from .stage import Stage

Offer = tuple[str, str]
"""An entry of the menu: its word for the program, and its words for people."""


def options(stage: Stage, desk: Desk, rings: bool) -> list[Offer]:
    """Return the entries that the menu has now. The first one means to stay at the table."""
    if desk.lesson is not None:
        return [("stay", _("stay at the table")), *leaving(stage, desk), *_look(stage)]
    bell = _("turn the bell off") if rings else _("turn the bell on")
    pace, theme = _look(stage)
    found = []
    for seat, name in enumerate(stage.names.nicknames if stage.names else ()):
        if seat != stage.scene.seat:
            text = _("hear {who} again") if seat in desk.muted else _("mute {who}")
            found.append((f"mute {seat}", text.format(who=name)))
    if any(one.seat is None for one in stage.scene.talk):
        words = _("hear onlookers again") if ONLOOKERS in desk.muted else _("mute onlookers")
        found.append((f"mute {ONLOOKERS}", words))
    stay = ("stay", _("stay at the table"))
    return [stay, *leaving(stage, desk), pace, ("bell", bell), theme, *found]


def _look(stage: Stage) -> list[Offer]:
    """Return the menu entries for the look of the screen: the pace of reveals, and the theme."""
    pace = _("show reveals all at once") if stage.staged else _("show reveals step by step")
    return [("pace", pace), ("theme", _("switch between light and dark"))]


def leaving(stage: Stage, desk: Desk) -> list[Offer]:
    """Return the menu entry to leave, and in a game also the entry to let a bot play."""
    if desk.lesson is not None:
        return [("leave", _("leave the lesson"))]
    if stage.scene.is_over:
        return [("leave", _("leave the table"))]
    if not stage.scene.game:
        return [("leave", _("leave; no game has begun"))]
    if stage.scene.seat is None:
        return [("leave", _("stop watching"))]
    bot = _("take your seat back from the bot") if desk.autopilot else _("let a bot play on")
    gone = _("leave for now: the others are told, and you can come back")
    return [("leave", f"{gone}. {_(ROUND_LOST)}"), ("bot", bot)]
