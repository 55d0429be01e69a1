"""The actions of keys, and the methods that are called for what a person does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from textual.events import Key

from p2p_hoity.rules import Choice, View

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
    "b": "page('recap')",
    "r": "page('rules')",
    "o": "page('proofs')",
    "p": "page('links')",
    "?": "page('help')",
    "#": "page('numbers')",
    "h": "page('advice')",
    "s": "picture",
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
    """Return the character that was typed, or the name of the key."""
    return event.character if event.is_printable and event.character else event.key


class Hands(Protocol):
    """The methods that the screen calls, in Textual's event loop, for what the player does."""

    def answer(self, choice: Choice, view: View) -> None:
        """Answer the open question with a choice that was made on a view."""

    def talk(self, words: str | int) -> None:
        """Send a chat message: a text, or the phrase with a number."""

    def wait_longer(self) -> None:
        """Ask for more time for the awaited seats."""

    def leave(self) -> None:
        """Leave the table for now."""

    def hand_over(self, to_bot: bool) -> None:
        """Give the seat to a bot, or take it back."""

    def come_back(self) -> None:
        """Take the seat again after an absence."""

    def reply(self, yes: bool) -> None:
        """Answer a question with yes or no."""

    def keep(self, light: bool, bell: bool, staged: bool) -> None:
        """Store the person's settings: light colours, the bell, and reveals step by step."""
