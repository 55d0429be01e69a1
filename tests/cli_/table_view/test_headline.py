"""The headline: what is revealed now, what is asked, and of whom."""

from support.moments import asked_for, begun

from cli.table_view.headline import headline
from cli.ui.full_screen.seats_and_pieces import TAKEN
from p2p_hoity.presentation import screen_updates as updates


def test_the_title_and_the_clock_while_a_bot_plays_and_when_one_is_back() -> None:
    shown = asked_for(begun(), "place", 3)
    assert "your choice 4:48" in shown.text()
    assert headline(shown.stage) == "ROUND 3 · choose your Place"
    assert headline(shown.stage, by_bot=True) == "ROUND 3 · everyone picks a Place"
    shown.desk.autopilot = True
    assert "choose your Place" not in shown.text()
    shown.desk.autopilot = False
    shown.hear(updates.Resumed(shown.view))
    shown.ask("place")
    assert "your choice ≤ 4:48" in shown.text()
    shown.hear(updates.ChoiceTaken("place", shown.view.legal("place")[0]))
    shown.ask("place")
    assert "your choice 4:48" in shown.text()


def test_a_reveal_stands_beside_the_table_of_its_moment_and_the_header_names_it() -> None:
    shown, seen = begun(staged=True), []
    while not shown.driver.state.prison:
        shown.stage.hurry()
        shown.step()
    while shown.stage.advance():
        drawn = " ".join(shown.text().split())
        marks = ("B Bruno 0", "B Bruno 4", "Castle T11", "[1 —]", "[1 I T11]")
        seen.append((headline(shown.stage), *(mark for mark in marks if mark in drawn)))
    assert seen == [
        ("ROUND 5 · the Thieves take their loot", "B Bruno 0", "Castle T11", "[1 —]"),
        *[("ROUND 5 · the figures move", "B Bruno 4", "Castle T11", "[1 —]")] * 2,
        ("ROUND 5 · Thieves go to prison", "B Bruno 4", "[1 I T11]"),
    ]
    assert headline(shown.stage) == "ROUND 6 · everyone picks a Place"
    assert "Castle" not in shown.text()
    shown.revealing().stage.advance()
    assert headline(shown.stage) == "ROUND 6 · the Places are shown"
    shown = asked_for(begun(seed=2), "theft", 4)
    assert TAKEN in shown.text()
    shown.stage.staged = True
    shown.hear(updates.Happened(tuple(shown.driver.record[-1:]), shown.view))
    assert TAKEN not in shown.text()
