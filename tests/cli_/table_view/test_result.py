"""The result: who is waited for behind it, and why there is no other game."""

from support.moments import over

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending


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
