"""The screen after the end, in every size and kind of end."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.moments import MOMENTS, SIZES, over

from cli.table_view.headline import headline
from cli.words.card_names import run_letters
from cli.words.end_sentences import victory, won
from cli.words.moment_sentences import moments
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.figure_paths import figure_paths


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


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_the_end_shows_the_path_of_every_seat_and_what_decided_the_game(
    seats: int, size: tuple[int, int]
) -> None:
    shown = over(seats)
    lines, names = [line.rstrip() for line in shown.lines(*size)], shown.stage.names
    assert names is not None
    for path in figure_paths(shown.stage.scene.record):
        rows = [line for line in lines if f" {path.end} " in line and "▁" in line]
        assert rows
    text = " ".join(" ".join(lines).split())
    for told in moments(shown.stage.scene, names):
        assert told in text
    assert "hoity replay hoity-7d42.hoity" in text


def test_the_highest_bar_is_the_end_of_the_foremost_figure_and_no_path_falls() -> None:
    shown = over()
    for line in shown.lines():
        path = line.rstrip().rpartition(" ")[2]
        if path.startswith("▁"):
            assert list(path) == sorted(path)
    assert [line.rstrip()[-1] for line in shown.lines() if "▁" in line].count("█") == 1


def test_what_has_no_room_is_left_out_whole_and_the_result_never() -> None:
    shown = over(6)
    assert "PIECES" not in shown.text(80, 24)
    assert "Round 23" in shown.text(80, 24)
    assert "PIECES" in shown.text(120, 40)


def test_a_table_without_a_result_says_why_how_far_it_came_and_where_its_file_is() -> None:
    shown = MOMENTS["ended"]()
    told = shown.text()
    assert "a seat fell silent" in told
    assert "RANK" not in told
    assert "PATH" in told
    assert "Transcript" not in told
    shown.stage.scene = replace(shown.stage.scene, transcript=Path("a.hoity"))
    assert "Check it with: hoity verify a.hoity" in shown.text()
    assert "hoity replay" not in shown.text()


def test_a_table_that_ends_before_the_deal_has_no_paths() -> None:
    shown = MOMENTS["deal"]().hear(updates.Ended("silent-seat", 1))
    assert "a seat fell silent" in shown.text()
    assert "PATH" not in shown.text()


def test_the_tally_is_told_from_the_second_game_on() -> None:
    shown = over()
    assert "Of 1 games" not in shown.text()
    shown.stage.scene = replace(shown.stage.scene, games=3, wins={"Iris": 1, "Bruno": 2})
    assert "Of 3 games: Bruno 2, Iris 1." in shown.text()


def test_who_cheated_is_told_at_the_end() -> None:
    shown = over()
    shown.hear(updates.Accused(2, "two-chains"))
    assert "Proven to have cheated: Bruno." in shown.text()
