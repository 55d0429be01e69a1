"""The screen of lines. It prints every update as sentences, and the table's state on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import View
from protocol import effects

from ... import printing
from ...words import presence_sentences
from ...words.card_names import Names
from ...words.translation import _
from ...words.update_sentences import REMARKS, FollowedTable, Telling, sentences

WEIGHTY: Final = (
    updates.Halfway,
    updates.SeatsTimedOut,
    updates.Paused,
    updates.Extended,
    effects.SeatLeft,
    effects.EndAnnounced,
    updates.Accused,
    updates.Moved,
    updates.TicketTaken,
)
"""The updates after which an open question is printed again."""
BREAKING_IN: Final = (updates.Linked, updates.Unlinked, updates.RelayState, *WEIGHTY)
"""The updates that may arrive while a person is typing, and begin on a new line."""
Say = Callable[[str], None]
"""A function that prints one line."""


class LineScreen(FollowedTable):
    """A screen that prints each update in sentences, and pages of the table's state on request.

    `is_confirmed` tells that the player has just confirmed a choice, which is then not printed
    again. `in_sentences` has everything told in whole sentences, as a screen reader says it.
    """

    def __init__(self, say: Say, options: str = "") -> None:
        """Make a screen. `options`, such as `--plain `, stand in the commands that it shows."""
        super().__init__()
        self.say = say
        self._options = options
        self.is_confirmed = self.by_bot = self.in_sentences = False
        self._owes_awaited = False
        self._told = ""

    @property
    def view(self) -> View | None:
        """The game as this seat may see it."""
        return self.scene.view

    @property
    def typed_game(self) -> str:
        """The words to type after `hoity resume`: options and id of the game. "" before a game."""
        return Telling(self.names, self.scene, self._options).game

    def names_in_game(self) -> Names:
        """Return the names of the seats and cards.

        Raises:
            RuntimeError: If no game has begun. Nothing is asked then.
        """
        if self.names is None:
            raise RuntimeError("a choice is asked for before a game has begun")
        return self.names

    def note(self, words: str) -> None:
        """Print a message that is no part of the game, in brackets."""
        self.say(f"  [{words}]")

    def __call__(self, update: updates.Update) -> None:
        """Take in an update and print its sentences."""
        before = self.follow(update)
        self._take(update)
        telling = Telling(
            self.names, before, self._options, self.by_bot, printing.width, self.in_sentences
        )
        if isinstance(update, updates.ChoiceTaken) and self.is_confirmed:
            # After `_take`, which clears this flag for every choice that is taken.
            self._owes_awaited, self.is_confirmed = True, False
            return
        is_remark = type(update) in REMARKS
        for line in sentences(update, telling):
            # Mostly that a seat has left, and then why the game waits.
            if is_remark and line == self._told:
                continue
            (self.note if is_remark else self.say)(line)
            self._told = line

    def _take(self, update: updates.Update) -> None:
        """Print with a `Clock`, once after each choice of this player, which seats still choose."""
        if isinstance(update, updates.Clock):
            self._tell_awaited(update)
        # These tell the same, or that the wait is over.
        if isinstance(update, updates.Happened | updates.Awaited | updates.ChoiceTaken):
            self._owes_awaited = False

    def _tell_awaited(self, update: updates.Clock) -> None:
        """After this player's choice, print once which other seats have not chosen yet, if any."""
        self._owes_awaited &= not update.is_opening
        if self.names is None or not self._owes_awaited:
            return
        others = update.awaited - {self.names.mine}
        if others and self.names.mine not in update.awaited:
            who = presence_sentences.awaited(others, self.scene.attendance, self.names)
            self.note(_("sealed; awaited: {who}").format(who=who))
            self._owes_awaited = False


def is_news(update: updates.Update) -> bool:
    """Return whether an update may arrive while a person is typing, and begins on a new line."""
    # If a better link to the same peer has taken its place, nothing is lost.
    is_replaced = isinstance(update, updates.Unlinked) and update.reason.code == LinkCode.REPLACED
    return isinstance(update, BREAKING_IN) and not is_replaced
