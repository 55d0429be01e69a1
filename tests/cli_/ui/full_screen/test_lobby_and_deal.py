"""The screens that ask nothing: while the table fills, and at the deal."""

from support.moments import MOMENTS

from cli.table_view.stage import Stage, keys_of
from cli.ui.full_screen.info_pages import page
from cli.ui.full_screen.lobby_and_deal import deal, lobby
from p2p_hoity.coded_errors import because
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.gathering.invite_by_code import CodesCode


def test_a_lobby_that_a_window_cannot_hold_says_where_the_rest_is() -> None:
    shown = MOMENTS["seat-request"]()
    assert "# shows the rest" in shown.lines()[-2]
    rest = [line.plain.strip() for line in page("numbers", shown.stage, shown.desk, 70)[1]]
    for paper in shown.desk.papers:
        assert paper[:60] in "\n".join(rest)
    assert "# shows the rest" not in shown.text(120, 60)


def test_who_is_seated_stands_there_and_a_place_for_everyone_who_is_awaited() -> None:
    stage = Stage()
    assert [line.plain for line in lobby(stage, 80, ("the terms",))][-1].strip() == "the terms"
    stage.hear(updates.Joined(("Iris", "Ada"), 3))
    told = [line.plain.strip() for line in lobby(stage, 80, ())]
    assert told[:4] == ["Seated 2 of 3", "1  Iris", "2  Ada", "3  …"]


def test_a_code_stands_there_with_its_key_and_without_one_why_there_is_none() -> None:
    stage = Stage()
    for update, words, has_key in (
        (updates.OfferedCode("7-lantern-walrus", "r:1", 600.0, None), "7-lantern-walrus@r:1", True),
        (updates.NoCode(because(CodesCode.GUESSED_AT, relay="r:1", words=3)), "r:1", False),
    ):
        stage.hear(update)
        told = " ".join(line.plain for line in lobby(stage, 80, ()))
        assert words in told
        assert ("d copies it" in told) is has_key


def test_the_deal_shows_how_far_it_has_come_and_every_key() -> None:
    shown = MOMENTS["deal"]()
    told = [line.plain for line in deal(shown.stage, 80)]
    assert told[1].split()[-1] == "4/9"
    assert told[1].count("█") == round(40 * 4 / 9)
    assert any("shuffling the deck" in line for line in told)
    for nickname, key in keys_of(shown.stage.scene):
        assert any(nickname in line and key[:20] in line for line in told)
    assert deal(Stage(), 80) == []


def test_what_became_of_the_last_guest_stands_below_the_seats() -> None:
    stage = Stage()
    stage.hear(updates.Joined(("Iris",), 3))
    before = len(lobby(stage, 80, ()))
    stage.hear(updates.Admitted("Zoe", False))
    assert stage.lobby_note
    told = [line.plain for line in lobby(stage, 80, ())]
    assert len(told) == before + 1
    assert any("Zoe" in line for line in told)
