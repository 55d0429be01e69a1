"""Tests of what bots say: now and then, no sooner than a screen has shown what it is about."""

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cli.words.chat_phrases import PHRASES
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import Place, happenings
from p2p_hoity.table.beside_game.bot_remarks import (
    AS_OWNER,
    AS_THIEF,
    AT_END,
    AT_START,
    QUIET,
    Phrase,
    Remarks,
)

THIEF = load().action_cards[4]
SHOWN = happenings.PlaceShown(0, Place.CASTLE)
SETUP = cast(Any, object.__new__(happenings.Setup))
OVER = cast(Any, object.__new__(updates.GameOver))


class Talkative(random.Random):
    """Randomness that always lets a bot speak, or never."""

    def __init__(self, speaks: bool = True) -> None:
        super().__init__(1)
        self.speaks = speaks

    def random(self) -> float:
        return 0.0 if self.speaks else 0.999


def remarks(seat: int | None = 1, speaks: bool = True) -> Remarks:
    found = Remarks(Talkative(speaks))
    found.hear(updates.Started(cast(Any, SimpleNamespace(seats=4)), seat))
    return found


def tell(bot: Remarks, *items: Any) -> Phrase | None:
    return bot.hear(updates.Happened(items, cast(Any, None)))


def begun(number: int) -> happenings.RoundBegan:
    return happenings.RoundBegan(number, (0, 1, 2, 3), (), None)


def theft(thief: int, owner: int) -> happenings.Stolen:
    return happenings.Stolen(thief, THIEF, owner, happenings.Piece(3, 5, "A", 1700))


def test_the_numbers_are_those_of_the_phrases() -> None:
    words = {phrase: PHRASES[phrase] for phrase in Phrase}
    assert words[Phrase.HELLO] == "Hello, everybody."
    assert words[Phrase.WELL_PLAYED] == "Well played."
    assert words[Phrase.WHAT_A_THIEF] == "What a thief!"
    assert words[Phrase.GOOD_LUCK] == "Good luck."
    assert words[Phrase.THANK_YOU] == "Thank you."
    assert words[Phrase.SORRY] == "I am sorry."
    assert words[Phrase.UNEXPECTED] == "I did not see that coming."
    assert words[Phrase.GOODBYE] == "Good game. Goodbye."


def test_it_speaks_at_the_start_and_at_the_end() -> None:
    bot = remarks()
    assert tell(bot, SETUP) in AT_START
    assert bot.hear(OVER) in AT_END
    silent = remarks(speaks=False)
    assert tell(silent, SETUP) is silent.hear(OVER) is None


@pytest.mark.parametrize(
    ("thief", "owner", "phrases"), [(1, 2, AS_THIEF), (3, 1, AS_OWNER), (1, 3, None), (2, 3, None)]
)
def test_a_theft_is_remarked_on_in_the_next_round(
    thief: int, owner: int, phrases: tuple[Phrase, ...] | None
) -> None:
    bot = remarks()
    tell(bot, begun(QUIET))
    assert tell(bot, theft(thief, owner)) is None
    assert tell(bot, SHOWN) is None  # the same round
    assert tell(bot, begun(QUIET + 1)) is None
    said = tell(bot, SHOWN, SHOWN)
    assert said in phrases if phrases else said is None
    assert tell(bot, SHOWN) is None


def test_nobody_speaks_soon_after_a_phrase() -> None:
    bot = remarks()
    tell(bot, begun(QUIET))
    tell(bot, theft(1, 2))
    bot.hear(updates.Said(0, "Ana", "well"))
    tell(bot, begun(QUIET + 1))
    assert tell(bot, SHOWN) is None  # Somebody else has spoken.
    tell(bot, theft(1, 3))
    tell(bot, begun(2 * QUIET))
    assert tell(bot, SHOWN) is None
    tell(bot, theft(1, 3))
    tell(bot, begun(2 * QUIET + 1))
    assert tell(bot, SHOWN) in AS_THIEF


def test_of_several_thefts_in_a_round_only_the_first_is_remarked_on() -> None:
    """Of it either the thief speaks or the owner, and all know which of them."""
    bots = {seat: remarks(seat) for seat in range(4)}
    said = []
    for items in ([begun(QUIET), theft(1, 2), theft(1, 3), theft(0, 3)], [begun(QUIET + 1), SHOWN]):
        said = [seat for seat, bot in bots.items() if tell(bot, *items) is not None]
    assert said == [1]


def test_a_new_game_begins_anew_and_an_onlooker_is_in_no_theft() -> None:
    bot = remarks(seat=None)
    tell(bot, begun(QUIET), theft(0, 1), begun(QUIET + 1))
    assert tell(bot, SHOWN) is None
    bot = remarks()
    tell(bot, begun(QUIET), theft(1, 0))
    bot.hear(updates.Started(cast(Any, SimpleNamespace(seats=4)), 1))
    assert tell(bot, begun(QUIET + 1), SHOWN) is None
