"""The result: who is waited for behind it, and why there is no other game."""

from support.moments import begun, over

from cli.table_view.result import again, result_rows
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending
from p2p_hoity.rules import happenings


def test_the_end_says_for_whom_the_program_stays_until_it_stays_no_more() -> None:
    shown, waits = over(), "Waiting for Ada"
    assert waits not in shown.text()
    shown.hear(updates.Unconfirmed(frozenset({1}), 299.0))
    told = " ".join(shown.text().split())
    assert f"{waits} (purple) to confirm it, for at most 5 minutes. You may leave: your" in told
    shown.desk.hint = "Enter or q leaves the table."
    assert waits not in shown.text()
    shown.desk.hint = ""
    assert waits in shown.text()
    shown.hear(updates.Again(frozenset({1}), frozenset()))
    assert waits not in shown.text()


def test_who_did_not_agree_to_another_game_is_told_the_truth() -> None:
    shown = over().hear(updates.Again(frozenset({1, 2}), frozenset({0, 3})))
    assert "not agreed: Clara; you did not agree." in shown.text()
    shown.desk.autopilot = True
    assert "not agreed: Clara; a bot was playing your seat, so you did not agree." in shown.text(
        120, 40
    )
    shown.desk.has_replied = True
    assert "not agreed: Clara; you did not agree." in shown.text(100, 30)
    shown.there(Attending.ABSENT)
    assert "you were not at the table at the end" in shown.text(120, 40)


def test_each_row_has_the_last_exhibit_in_its_order_and_what_it_gained() -> None:
    shown = over()
    rows = result_rows(shown.stage)
    assert [row.standing for row in rows] == list(shown.driver.state.standings or ())
    finals = [item for item in shown.driver.record if isinstance(item, happenings.FinalExhibit)]
    assert finals
    for final in finals:
        (row,) = [row for row in rows if row.standing.seat == final.seat]
        assert sorted(map(str, row.pieces)) == sorted(map(str, final.pieces))
        marks = [(piece.letter, piece.year) for piece in row.pieces]
        assert marks == sorted(marks)
    at = max(n for n, item in enumerate(shown.driver.record) if item == finals[0])
    moved = [one for one in shown.driver.record[at:] if isinstance(one, happenings.FigureMoved)]
    assert {row.standing.seat: row.gained for row in rows if row.gained} == {
        one.seat: one.fields for one in moved
    }
    assert result_rows(begun().stage) == []


def test_who_plays_another_game_and_who_is_awaited_is_told_once_one_is_asked() -> None:
    shown = over(3)
    assert again(shown.stage) == ""
    shown.hear(updates.Again(frozenset({1}), frozenset()))
    told = "Another game with the same people: Ada ✓ · awaited: You, Bruno"
    assert again(shown.stage) == told
    shown.hear(updates.Again(frozenset({0, 1, 2}), frozenset()))
    assert again(shown.stage).endswith(" ✓ · awaited: –")
