"""The deal: how far it has come, what its step does, and what to know before leaving."""

from dataclasses import replace

import pytest
from support.moments import Shown, begun

from cli.table_view.deal import STAGES, progress, step_words, warnings
from cli.table_view.stage import Stage
from p2p_hoity.presentation.scene import Scene
from protocol import Kind, effects


def at_stage(kind: Kind | None) -> Shown:
    """Return a table of four in this step of the deal, in which the third seat is awaited."""
    shown = begun()
    shown.stage.scene = replace(shown.stage.scene, stage=kind)
    shown.wait({2}, begun=False)
    return shown


@pytest.mark.parametrize(
    ("steps", "seats", "found"), [(0, 4, (0, 9)), (4, 4, (4, 9)), (9, 4, (9, 9)), (12, 2, (7, 7))]
)
def test_a_deal_has_a_step_for_each_shuffle_and_five_more(
    steps: int, seats: int, found: tuple[int, int]
) -> None:
    assert progress(replace(Scene(), steps=steps), seats) == found


def test_each_step_of_the_deal_has_words_and_a_shuffle_names_who_shuffles() -> None:
    told = [step_words(at_stage(kind).stage) for kind in STAGES]
    assert len(set(told)) == len(STAGES)
    assert step_words(at_stage(Kind.SHUFFLE).stage) == "shuffling the deck and proving it: Bruno"
    untimed = at_stage(Kind.SHUFFLE)
    untimed.stage.scene = replace(untimed.stage.scene, clock=None)
    assert step_words(untimed.stage).endswith(": …")
    for kind in (None, Kind.SEAL):
        assert step_words(at_stage(kind).stage) == ""


@pytest.mark.parametrize(
    ("confirmed", "left", "is_told"),
    [(True, 150.0, True), (True, 151.0, False), (False, 1.0, False)],
)
def test_that_the_game_may_begin_without_who_leaves_is_told_once_half_the_time_is_over(
    confirmed: bool, left: float, is_told: bool
) -> None:
    shown = at_stage(Kind.DECK_OK)
    shown.wait({2}, 300.0 - left, left, begun=False, has_confirmed=confirmed)
    told = warnings(shown.stage)
    assert len(told) == is_told
    for words in told:
        assert "The deck is not yet confirmed by Bruno" in words
        assert f"hoity resume {shown.stage.scene.game}" in words


@pytest.mark.parametrize("confirmed", [True, False])
def test_an_end_that_another_seat_announces_is_told_at_once(confirmed: bool) -> None:
    shown = at_stage(Kind.DECK_OK)
    shown.wait({2}, 0.0, 300.0, begun=False, has_confirmed=confirmed)
    shown.hear(effects.EndAnnounced(1, "silent-seat", 2))
    first, *more = warnings(shown.stage)
    assert first.startswith("Ada says that the table has ended")
    assert len(more) == confirmed


def test_before_there_is_a_table_nothing_is_told() -> None:
    assert warnings(Stage()) == []
