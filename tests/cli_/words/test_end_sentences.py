"""How a table ended, who has won, and where its transcript is, in words."""

from pathlib import Path

import pytest
from support.line_screen import said_of

from cli.words.card_names import Names
from cli.words.end_sentences import kept_as, no_other_game, victory, won
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending
from p2p_hoity.rules import Standing
from p2p_hoity.storage.home import Home


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
    ("unwilling", "by_bot", "mine", "why"),
    [
        ({1}, True, Attending.LINKED, "not agreed: Ada"),
        ({0}, False, Attending.LINKED, "you did not agree"),
        ({0}, True, Attending.LINKED, "a bot was playing your seat, so you did not agree"),
        ({0, 1}, False, Attending.LINKED, "not agreed: Ada; you did not agree"),
        ({0}, True, Attending.ABSENT, "you were not at the table at the end, and were not asked"),
    ],
)
def test_why_the_same_people_do_not_play_again_is_true_of_oneself(
    unwilling: set[int], by_bot: bool, mine: Attending, why: str
) -> None:
    names = Names(load(), ("Iris", "Ada", "Bruno"), 0)
    told = no_other_game(unwilling, 0, by_bot, (mine,), names.shorts)
    assert told == f"No other game with the same people: {why}."


def test_a_game_of_this_home_is_checked_by_its_name_any_other_by_its_path(home: Home) -> None:
    name, elsewhere = "0123456789abcdef", Path("else/transcripts/0123456789abcdef.hoity")
    for path, shown in ((home.transcripts / elsewhere.name, name), (elsewhere, elsewhere)):
        assert kept_as(path)[1] == f"Check it with: hoity verify {shown}"


def test_a_fault_and_an_end_name_whose_doing_it_was_or_who_was_awaited() -> None:
    for code, seat, words in (
        ("silent-seat", 1, "a seat fell silent before the game began. Who was awaited: "),
        ("silent-seat", None, "a seat fell silent before the game began."),
        ("seat-left", 1, "a seat left before the game began. Who has left: "),
    ):
        who = "" if seat is None else "seat 1 (purple)."
        (said,) = said_of(updates.Ended(code, seat))
        assert said == f"The table has ended without a result: {words}{who}"
    assert said_of(updates.Ended("bad-shuffle", 1)) == [
        "The table has ended without a result because seat 1 (purple) cheated:"
        " the proof of its shuffle is invalid (bad-shuffle)."
    ]
    (said,) = said_of(updates.Ended("silent-seat", 1, 2))
    assert said == (
        "The table has ended without a result. seat 2 (green) announced it: a seat fell silent"
        " before the game began (silent-seat). Your own program has not seen that. seat 2 (green)"
        " says that it was seat 1 (purple)."
    )
    own, other = (" ".join(said_of(updates.Accused(n, "equivocation"))) for n in (0, 1))
    assert "a proof against your own seat (equivocation)" in own
    assert "two places" in own
    assert " cheated: it signed two" in other
    assert "your own" not in other
