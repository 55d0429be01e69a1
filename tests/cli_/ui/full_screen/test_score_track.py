"""The score track: figures on their fields, what octagons bring, and where the Banquet begins."""

from dataclasses import replace

import pytest
from support.moments import Shown, begun

from cli.table_view.stage import Stage
from cli.ui.full_screen.score_track import SEVERAL, track
from p2p_hoity.rules import View
from p2p_hoity.rules.happenings import PlaceShown


def drawn(figures: tuple[int, ...], width: int = 80, rows: int = 8, lead: int = -1) -> list[str]:
    """Return the track with the figures on these fields, in a round that began with this lead."""
    shown = standing(figures, lead)
    return [line.plain for line in track(shown.stage, width, rows)]


def standing(figures: tuple[int, ...], lead: int = -1) -> Shown:
    """Return a table in its first round with the figures on these fields."""
    shown = begun(len(figures)).until(PlaceShown)
    state = shown.view.state
    before = figures if lead < 0 else (lead,) * len(figures)
    view: View = replace(shown.view, state=state.but(figures=figures, before=before))
    shown.stage.scene = replace(shown.stage.scene, view=view)
    return shown


def test_before_the_game_there_is_no_track() -> None:
    assert track(Stage(), 80, 8) == []


def test_each_figure_stands_on_its_field_and_free_fields_show_their_octagons() -> None:
    scale, first, second = drawn((0, 3, 7), rows=3)
    edition = begun(3).view.state.edition
    assert scale.startswith(" 0    5    10")
    assert first[1] == "I"
    assert first[4] == "A"
    assert first[8] == "B"
    for field in (1, 2, 5, 6):
        best, other = edition.octagons[field]
        assert (first[field + 1], second[field + 1]) == (str(best), str(other))


def test_the_banquet_begins_behind_the_last_octagon() -> None:
    edition = begun(3).view.state.edition
    first = len(edition.octagons)
    scale, line, below = drawn((0, 0, first + 1), rows=4)[:3]
    assert f"|{first} Banquet" in scale
    assert line[first + 1] == below[first + 1] == "|"
    assert line[first + 2 :] == "=B" + "=" * (edition.last_field - first - 1)
    assert not below[first + 2 :].strip()


@pytest.mark.parametrize(
    ("rows", "figures"), [(4, ["I", "A", "B"]), (3, ["I", SEVERAL]), (2, [SEVERAL])]
)
def test_figures_on_one_field_are_stacked_if_there_is_room_and_else_one_sign(
    rows: int, figures: list[str]
) -> None:
    _scale, *lines = drawn((5, 5, 5), rows=rows)
    assert [line[6] for line in lines] == figures


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (80, "octagon at 7: +{best} / +{second}"),
        (100, "octagon at 7: best +{best}, second-best +{second}"),
    ],
)
def test_the_octagon_is_that_where_the_leader_stood_before_anyone_moved(
    width: int, words: str
) -> None:
    best, second = begun(3).view.state.edition.octagons[7]
    assert words.format(best=best, second=second) in drawn((0, 9, 4), width, lead=7)[0]


def test_the_track_has_as_many_lines_whatever_is_stacked() -> None:
    for figures in ((0, 0, 0), (0, 3, 7), (5, 5, 9)):
        for rows in (2, 3, 7):
            assert len(drawn(figures, rows=rows)) == rows


def test_once_the_leader_is_at_the_banquet_no_octagon_is_named() -> None:
    first = len(begun(3).view.state.edition.octagons)
    assert "the Banquet is reached" in drawn((0, 0, first))[0]
    assert "octagon" in drawn((0, 0, first - 1))[0]
