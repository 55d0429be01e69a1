"""What only one person's screen has: talk that ages, and whom this person has muted."""

from support.moments import asked_for, begun

from cli.table_view.desk import Desk
from cli.ui.full_screen.info_pages import page
from p2p_hoity.presentation import screen_updates as updates


def test_what_was_said_ages_and_no_plain_question_is_shown_before_the_reveal_is_over() -> None:
    shown = asked_for(begun(), "place", 2)
    shown.hear(updates.Said(1, "Ada", "psst"))
    assert "psst" in shown.text()
    shown.step(200)
    assert "psst" not in shown.text()
    assert "psst" in "".join(line.plain for line in page("log", shown.stage, Desk(), (), 70)[1])
    shown = begun(staged=True).revealing()
    shown.desk.answers = "Another game? y or n"
    assert "Another" not in shown.lines()[-1]
    shown.stage.hurry()
    assert "Another" in shown.lines()[-1]
