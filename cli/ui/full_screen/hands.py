"""What passes between the screen and the player: updates one way, what hands do the other way."""

from __future__ import annotations

from typing import Protocol

from textual.message import Message

from p2p_hoity.rules import Choice, View
from p2p_hoity.session.updates import Update


class Hands(Protocol):
    """What the person at the screen can do; called in Textual's loop."""

    def answer(self, choice: Choice, view: View) -> None:
        """Seal a choice that was made on this view."""

    def talk(self, words: str | int) -> None:
        """Say something."""

    def wait_longer(self) -> None:
        """Give who is awaited longer."""

    def leave(self) -> None:
        """Leave for now."""

    def hand_over(self, to_bot: bool) -> None:
        """Let a bot play, or take the seat again."""

    def come_back(self) -> None:
        """Take the seat again after an absence."""

    def reply(self, yes: bool) -> None:
        """Say yes or no to what was asked plainly."""


class Told(Message):
    """One update for the screen."""

    def __init__(self, update: Update) -> None:
        super().__init__()
        self.update = update


class Nobody:
    """No hands: at a replay nothing is decided."""

    def answer(self, choice: Choice, view: View) -> None:
        """Nothing."""

    def talk(self, words: str | int) -> None:
        """Nothing."""

    def wait_longer(self) -> None:
        """Nothing."""

    def leave(self) -> None:
        """Nothing."""

    def hand_over(self, to_bot: bool) -> None:
        """Nothing."""

    def come_back(self) -> None:
        """Nothing."""

    def reply(self, yes: bool) -> None:
        """Nothing."""
