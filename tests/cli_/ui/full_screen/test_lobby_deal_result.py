"""The screens that ask nothing: while the table fills, and at the end."""

import pytest
from support.moments import MOMENTS, over

from cli.table_view.headline import headline
from cli.ui.full_screen.info_pages import page
from cli.words.card_names import run_letters
from cli.words.presence_sentences import victory, won
from p2p_hoity.presentation import screen_updates as updates


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("seats", [4, 5, 6])
def test_who_plays_again_is_read_behind_any_talk(seats: int, seed: int) -> None:
    shown = over(seats, seed=seed)
    shown.hear(updates.Again(frozenset({0}), frozenset()))
    for number in range(9):
        shown.hear(updates.Said(1, "Ada", f"well played {number}"))
    assert "Another game with the same people: You ✓" in shown.text()
    assert "well played 8" in shown.text()


@pytest.mark.parametrize("seats", range(3, 7))
def test_the_end_names_the_winner_every_last_exhibit_and_the_file(seats: int) -> None:
    shown = over(seats)
    assert shown.stage.names is not None
    standings, text = shown.driver.state.standings, shown.text()
    assert headline(shown.stage) == victory(standings, shown.stage.names)
    assert won(standings, shown.stage.names) in text
    assert f"Transcript: {shown.stage.scene.transcript}" in text
    for one in standings:
        letters = run_letters(shown.driver.state.piece(slot).letter for slot in one.exhibit)
        assert letters in text


def test_a_lobby_that_a_window_cannot_hold_says_where_the_rest_is() -> None:
    shown = MOMENTS["seat-request"]()
    assert "# shows the rest" in shown.lines()[-2]
    rest = [line.plain.strip() for line in page("numbers", shown.stage, shown.desk, (), 70)[1]]
    for paper in shown.desk.papers:
        assert paper[:60] in "\n".join(rest)
    assert "# shows the rest" not in shown.text(120, 60)
