"""The end in words: who has won and by how much, and why the same people do not play again."""

import pytest

from cli.words.cards import Names
from cli.words.updates import no_other_game, victory, won
from p2p_hoity.editions import load
from p2p_hoity.rules import Standing


@pytest.mark.parametrize(
    ("ends", "mine", "head", "told"),
    [
        ([(1, 2, 46), (2, 1, 39)], 0, "Bruno wins", " with field 46, 7 fields ahead of Ada."),
        ([(1, 0, 40), (2, 1, 39)], 0, "You win", " with field 40, 1 field ahead of Ada."),
        ([(1, 0, 40), (2, 1, 39)], None, "Iris wins", " with field 40, 1 field ahead of Ada."),
        (
            [(1, 2, 40), (2, 0, 40), (2, 1, 40)],
            0,
            "Bruno wins",
            " with field 40, level with Iris, Ada, by the better final exhibit.",
        ),
        (
            [(1, 0, 40), (1, 2, 40), (3, 1, 9)],
            0,
            "Shared first rank: You, Bruno",
            ", with field 40.",
        ),
    ],
)
def test_who_has_won_is_said_with_the_margin(
    ends: list[tuple[int, int, int]], mine: int | None, head: str, told: str
) -> None:
    names = Names(load(), ("Iris", "Ada", "Bruno"), mine)
    standings = [Standing(*end, ()) for end in ends]
    assert victory(standings, names) == head
    assert won(standings, names) == head + told


@pytest.mark.parametrize(
    ("others", "is_mine", "by_bot", "was_there", "why"),
    [
        ("Ada", False, True, True, "no yes from Ada"),
        ("", True, False, True, "you did not agree"),
        ("", True, True, True, "a bot held your seat, so you did not agree"),
        ("Ada", True, False, True, "no yes from Ada; you did not agree"),
        ("", True, True, False, "you were not at the table at the end, and were not asked"),
    ],
)
def test_why_the_same_people_do_not_play_again_is_true_of_oneself(
    others: str, is_mine: bool, by_bot: bool, was_there: bool, why: str
) -> None:
    told = no_other_game(others, is_mine, by_bot, was_there)
    assert told == f"No other game with the same people: {why}."
