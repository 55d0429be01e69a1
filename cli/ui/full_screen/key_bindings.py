"""The actions of keys, the entries of the menu, and the methods called for what a person does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.events import Key

from p2p_hoity.rules import Choice, View

from ...words.presence_sentences import ROUND_LOST
from ...words.translation import _
from .layout import ONLOOKERS, Desk
from .stage import Stage

NUMBERS: Final = {str(number): number or 10 for number in range(10)}
"""The number of the entry that each digit picks."""
KEYS: Final = {
    "up": "choose('move', -1)",
    "k": "choose('move', -1)",
    "down": "choose('move', 1)",
    "j": "choose('move', 1)",
    "left": "choose('walk', -1)",
    "right": "choose('walk', 1)",
    "space": "choose('toggle')",
    " ": "choose('toggle')",
    "enter": "seal",
    "i": "page('pieces')",
    "l": "page('log')",
    "r": "page('rules')",
    "o": "page('proofs')",
    "p": "page('links')",
    "?": "page('help')",
    "#": "page('numbers')",
    "h": "page('advice')",
    "t": "talk",
    "w": "wait",
    "a": "bot",
    "c": "copy",
    "d": "copy_code",
    "x": "qr",
    "q": "menu",
    "escape": "menu",
    **{digit: f"choose('pick', {number})" for digit, number in NUMBERS.items()},
}
OVER_A_PAGE: Final[Mapping[str, str]] = {
    key: action for key, action in KEYS.items() if action.startswith("page")
}
"""The actions of keys that work while a page is open."""


def key_of(event: Key) -> str:
    """Return the character that was typed, or the name of the key.

    Args:
        event: The key.

    Returns:
        The character or name.
    """
    return event.character if event.is_printable and event.character else event.key


Offer = tuple[str, str]
"""An entry of the menu: its word for the program, and its words for people."""


def options(stage: Stage, desk: Desk, rings: bool) -> list[Offer]:
    """Return the entries that the menu has now.

    Args:
        stage: What is shown.
        desk: The state of this person's screen.
        rings: Whether the terminal rings when it is this person's turn.

    Returns:
        The entries. The first entry means to stay at the table.
    """
    if desk.lesson is not None:
        return [
            ("stay", _("stay at the table")),
            ("leave", _("leave the lesson")),
            *_look(stage),
        ]
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
    return [
        ("stay", _("stay at the table")),
        *_leave(stage, desk),
        pace,
        ("bell", bell),
        theme,
        *found,
    ]


def _look(stage: Stage) -> list[Offer]:
    """Return the menu entries for the look of the screen: the pace of reveals, and the theme."""
    pace = _("show reveals all at once") if stage.staged else _("show reveals step by step")
    return [("pace", pace), ("theme", _("switch between light and dark"))]


def _leave(stage: Stage, desk: Desk) -> list[Offer]:
    """Return the menu entry to leave, and in a game also the entry to let a bot play."""
    if stage.scene.is_over:
        return [("leave", _("leave the table"))]
    if not stage.scene.game:
        return [("leave", _("leave; no game has begun"))]
    if stage.scene.seat is None:
        return [("leave", _("stop watching"))]
    bot = _("take your seat back from the bot") if desk.autopilot else _("let a bot play on")
    gone = _("leave for now: the others are told, and you can come back")
    return [("leave", f"{gone}. {_(ROUND_LOST)}"), ("bot", bot)]


class Hands:
    """The methods that the screen calls when the player does something, such as send a message.

    They run in Textual's event loop. In this base class they do nothing. A replay uses the base
    class, because nobody plays there.
    """

    def answer(self, choice: Choice, view: View) -> None:
        """Answer the open question with a choice.

        Args:
            choice: The choice.
            view: The view on which it was made.
        """

    def talk(self, words: str | int) -> None:
        """Send a chat message.

        Args:
            words: The text, or the number of a phrase.
        """

    def wait_longer(self) -> None:
        """Ask for more time for the awaited seats."""

    def leave(self) -> None:
        """Leave the table for now."""

    def hand_over(self, to_bot: bool) -> None:
        """Give the seat to a bot, or take it back.

        Args:
            to_bot: Whether the bot plays from now on.
        """

    def come_back(self) -> None:
        """Take the seat again after an absence."""

    def reply(self, yes: bool) -> None:
        """Answer a question with yes or no.

        Args:
            yes: The answer.
        """

    def keep(self, light: bool, bell: bool, staged: bool) -> None:
        """Store the person's settings of the screen.

        Args:
            light: Whether the screen is light.
            bell: Whether the terminal rings when it is the person's turn.
            staged: Whether reveals are shown step by step.
        """
