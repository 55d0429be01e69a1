"""What only one person's screen has: talk that ages, and whom this person has muted."""

from support.moments import asked_for, begun

from cli.table_view.desk import FRESH, ONLOOKERS, Desk, is_muted, recent_talk
from cli.ui.full_screen.info_pages import page
from p2p_hoity.presentation import screen_updates as updates


def test_what_was_said_ages_and_no_plain_question_is_shown_before_the_reveal_is_over() -> None:
    shown = asked_for(begun(), "place", 2)
    shown.hear(updates.Said(1, "Ada", "psst"))
    assert "psst" in shown.text()
    shown.step(200)
    assert "psst" not in shown.text()
    assert "psst" in "".join(line.plain for line in page("log", shown.stage, Desk(), 70)[1])
    shown = begun(staged=True).revealing()
    shown.desk.answers = "Another game? y or n"
    assert "Another" not in shown.lines()[-1]
    shown.stage.hurry()
    assert "Another" in shown.lines()[-1]


def test_talk_is_recent_for_so_many_lines_of_the_log_and_from_who_is_not_muted() -> None:
    shown, desk = begun(), Desk()
    shown.hear(updates.Said(1, "Ada", "one"), updates.Said(2, "Bruno", "two"))
    assert [one.words for one in recent_talk(shown.stage, desk)] == ["one", "two"]
    desk.muted = {1}
    assert [one.words for one in recent_talk(shown.stage, desk)] == ["two"]
    shown.stage.told += FRESH
    assert [one.words for one in recent_talk(shown.stage, desk)] == ["two"]
    shown.stage.told += 1
    assert recent_talk(shown.stage, desk) == []


def test_onlookers_are_muted_together_and_seats_one_by_one() -> None:
    seat, onlooker = updates.Said(1, "Ada", "x"), updates.Said(None, "Oskar", "x")
    for muted, found in (
        (set[int](), (False, False)),
        ({1}, (True, False)),
        ({ONLOOKERS}, (False, True)),
        ({0, 2}, (False, False)),
    ):
        desk = Desk(muted=muted)
        assert (is_muted(desk, seat), is_muted(desk, onlooker)) == found
