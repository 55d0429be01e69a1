"""What each key does at the table, by the name of an action of the application."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.events import Key

NUMBERS: Final = {str(number): number or 10 for number in range(10)}
"""The entry that a digit picks."""
KEYS: Final = {
    "up": "move(-1)",
    "k": "move(-1)",
    "down": "move(1)",
    "j": "move(1)",
    "left": "walk(-1)",
    "right": "walk(1)",
    "space": "tick",
    " ": "tick",
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
    **{digit: f"pick({number})" for digit, number in NUMBERS.items()},
}
OVER_A_PAGE: Final[Mapping[str, str]] = {
    key: action for key, action in KEYS.items() if action.startswith("page")
}
"""What does not wait until a page is closed."""


def key_of(event: Key) -> str:
    """What was typed, or the name of the key."""
    return event.character if event.is_printable and event.character else event.key
