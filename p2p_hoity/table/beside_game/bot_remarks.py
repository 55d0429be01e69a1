"""The phrases that a bot says now and then to people: at the start, about thefts, and at the end.

All peers hear of a theft at the same moment, but a person's screen shows it step by step. So that
no phrase tells it sooner, the bot waits until the seats have chosen again.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from random import Random
from typing import Final

from ...presentation import screen_updates as updates
from ...rules import Happening, happenings


class Phrase(IntEnum):
    """The phrases that bots say, by their numbers in the chat."""

    HELLO = 0
    WELL_PLAYED = 1
    WHAT_A_THIEF = 2
    GOOD_LUCK = 4
    THANK_YOU = 6
    SORRY = 7
    UNEXPECTED = 8
    GOODBYE = 11


AT_START: Final = (Phrase.HELLO, Phrase.GOOD_LUCK)
AS_THIEF: Final = (Phrase.THANK_YOU, Phrase.SORRY)
AS_OWNER: Final = (Phrase.WHAT_A_THIEF, Phrase.UNEXPECTED)
AT_END: Final = (Phrase.WELL_PLAYED, Phrase.GOODBYE)
AT_THEFT: Final = 0.6
"""The probability that a bot remarks on a theft on which it may."""
QUIET: Final = 3
"""The rounds from a phrase of any seat in which the bots say nothing about thefts."""


class Remarks:
    """What one bot says: it hears the updates of its seat, and returns the phrases in time."""

    def __init__(self, rng: Random) -> None:
        self._rng, self._seat, self._others = rng, -1, 1
        self._begin()

    def _begin(self) -> None:
        self._round = self._spoken = self._theft = 0
        self._due: tuple[int, Phrase] | None = None

    def hear(self, update: updates.Update) -> Phrase | None:
        """Hear an update, and return what the bot says now, None for nothing."""
        match update:
            case updates.Started(table, seat):
                self._begin()
                self._seat, self._others = -1 if seat is None else seat, table.seats - 1
            case updates.Said():
                self._spoken, self._due = self._round, None
            case updates.Happened(items):
                return self._happened(items)
            case updates.GameOver():
                return self._one_of_all(AT_END)
        return None

    def _happened(self, items: Sequence[Happening]) -> Phrase | None:
        """Follow the rounds and the thefts of this seat, and return what is to be said now."""
        said = None
        for item in items:
            match item:
                case happenings.Setup():
                    said = self._one_of_all(AT_START)
                case happenings.RoundBegan(number):
                    self._round = number
                case happenings.Stolen(thief, _, owner) if self._theft < self._round:
                    self._theft = self._round
                    self._consider(thief, owner)
                case happenings.PlaceShown() | happenings.ActionShown() if self._is_time():
                    said = self._taken()
        return said

    def _one_of_all(self, phrases: Sequence[Phrase]) -> Phrase | None:
        """Return a phrase as often as makes one phrase if all other seats are bots."""
        return self._rng.choice(phrases) if self._rng.random() * self._others < 1 else None

    def _consider(self, thief: int, owner: int) -> None:
        """Decide whether the first theft of a round is worth a phrase, said in the next round."""
        # All bots know who may speak, so that they do not speak all at once.
        by_thief = (self._round + thief + owner) % 2 == 0
        if self._seat != (thief if by_thief else owner):
            return
        phrases = AS_THIEF if by_thief else AS_OWNER
        is_time = self._round - self._spoken >= QUIET
        if is_time and self._due is None and self._rng.random() < AT_THEFT:
            self._due = self._round, self._rng.choice(phrases)

    def _is_time(self) -> bool:
        return self._due is not None and self._due[0] < self._round

    def _taken(self) -> Phrase | None:
        """Return the phrase about a theft of an earlier round, which is said now."""
        due, self._due = self._due, None
        self._spoken = self._round
        return None if due is None else due[1]
