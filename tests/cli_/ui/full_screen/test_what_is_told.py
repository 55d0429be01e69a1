"""What stands beside the game: talk behind its end, cut pages, whom a line is for."""

import pytest
from support.moments import MOMENTS, Shown, asked_for, begun, over

from cli.table_view.desk import ONLOOKERS, Desk
from cli.table_view.headline import headline
from cli.table_view.main_menu import options
from cli.ui.full_screen.colours import CUT
from cli.ui.full_screen.info_pages import PLAYING, page
from cli.ui.full_screen.layout import header, health
from cli.ui.full_screen.question_panel import question
from cli.ui.lines.line_screen import LineScreen
from cli.words import translation
from cli.words.card_names import run_letters
from cli.words.presence_sentences import seat_request, victory, won
from cli.words.translation import LANGUAGES
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending
from p2p_hoity.presentation.staging import Remark
from p2p_hoity.rules import theft_options

SMALL = (80, 24)


@pytest.mark.parametrize("moment", ["over", "again", "not-again", "ended"])
def test_what_is_said_behind_the_end_is_heard(moment: str) -> None:
    shown = MOMENTS[moment]()
    for number in range(9):
        shown.hear(updates.Said(1, "Ada", f"well played {number}"))
    lines = shown.lines()
    assert [line.strip() for line in lines[-4:-1]] == [
        f"» Ada: well played {number}" for number in (6, 7, 8)
    ]


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


def test_whom_the_program_stays_for_is_told_behind_the_last_reveal() -> None:
    shown = begun()
    shown.stage.staged = True
    shown.revealing()
    assert shown.stage.scene.table is not None
    over = updates.GameOver(shown.stage.scene.table, None, (), None)  # type: ignore[arg-type]
    shown.hear(over, updates.Unconfirmed(frozenset({1}), 299.0))
    assert shown.stage.scene.unconfirmed is None
    shown.stage.hurry()
    assert shown.stage.scene.unconfirmed is not None


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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["Bruno", "Maximiliane", "W" * 24])
def test_a_plain_question_is_read_whole(language: str, name: str) -> None:
    translation.speak(language)
    shown = MOMENTS["seat-request"]()
    shown.desk.answers = seat_request(name, "MLIL-DCD5-6CF4-OPNQ-DKLO")
    lines = shown.lines()
    assert len(lines) == SMALL[1]
    at = next(number for number, line in enumerate(lines) if line.startswith(f" {name}"))
    assert " ".join(" ".join(lines[at:]).split()) == shown.desk.answers


def test_talk_that_has_no_row_is_told_of_in_the_title_and_muted_talk_nowhere() -> None:
    shown = asked_for(begun(6), "action", 9)
    shown.hear(updates.Said(0, "Iris", "mine", is_own=True))
    assert "» talk: l" not in shown.text()
    shown.hear(updates.Said(1, "Ada", "hello"))
    assert "hello" not in shown.text()
    assert "» talk: l" in shown.lines()[0]
    assert "» talk: l" not in shown.text(120, 40)
    shown.desk.muted.add(1)
    assert "» talk: l" not in shown.text()
    shown = asked_for(begun(), "action", 3)
    shown.hear(updates.Said(1, "Ada", "hello"))
    shown.hear(Remark("news"))
    shown.desk.muted.add(2)
    before = shown.text()
    shown.hear(updates.Said(2, "Bruno", "psst"))
    assert shown.text() == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("language", LANGUAGES)
def test_talk_without_a_row_cuts_nothing_and_a_theft_is_read_whole(
    language: str,
) -> None:
    translation.speak(language)
    shown = asked_for(begun(6), "action", 10)
    shown.hear(updates.Said(1, "Ada", "hello"))
    first = header(shown.stage, SMALL[0], is_unseen=True).plain
    assert "» " in first
    assert headline(shown.stage) in first
    assert first.endswith(health(shown.stage, wide=False).plain)
    for seed in range(1, 30):
        shown = asked_for(begun(6, seed), "theft", 4)
        if len(theft_options(shown.driver.state)) > 1:
            break
    found = shown.desk.menu
    assert found is not None
    for group in theft_options(shown.driver.state):
        found.mark(group[0])
    whole, narrow = (
        [line.plain for line in question(shown.stage, found, SMALL[0], rows)] for rows in (20, 3)
    )
    for lines in (whole, narrow):
        assert not any(CUT in line for line in lines)
        for slot in found.picked:
            assert str(shown.view.piece(slot).year) in "".join(lines)
    assert whole[0].lstrip().startswith("←")
    assert narrow[0].lstrip().startswith("←") is (len(whole) <= 3)


@pytest.mark.parametrize("may_rejoin", [True, False])
def test_a_way_back_is_offered_only_where_there_is_one(may_rejoin: bool) -> None:
    shown = MOMENTS["sealed"]()
    shown.hear(updates.Away(may_rejoin))
    assert ("Enter takes your seat again" in shown.text()) is may_rejoin
    assert ("By the terms you cannot come back any more" in shown.text()) is not may_rejoin
    lines = list[str]()
    LineScreen(lines.append)(updates.Away(may_rejoin))
    assert any("cannot come back any more" in line for line in lines) is not may_rejoin


def test_a_lobby_that_a_window_cannot_hold_says_where_the_rest_is() -> None:
    shown = MOMENTS["seat-request"]()
    assert "# shows the rest" in shown.lines()[-2]
    rest = [line.plain.strip() for line in page("numbers", shown.stage, shown.desk, (), 70)[1]]
    for paper in shown.desk.papers:
        assert paper[:60] in "\n".join(rest)
    assert "# shows the rest" not in shown.text(120, 60)


def test_onlookers_are_muted_together_and_heard_again() -> None:
    shown = MOMENTS["place"]()

    def offers() -> dict[str, str]:
        return dict(options(shown.stage, shown.desk, True))

    assert f"mute {ONLOOKERS}" not in offers()
    shown.hear(updates.Said(None, "Oskar", "take A"))
    shown.hear(updates.Said(1, "Ada", "do not"))
    assert offers()[f"mute {ONLOOKERS}"] == "mute onlookers"
    assert "take A" in shown.text(100, 30)
    shown.desk.muted.add(ONLOOKERS)
    assert "take A" not in shown.text(100, 30)
    assert "do not" in shown.text(100, 30)
    log = "".join(line.plain for line in page("log", shown.stage, shown.desk, (), 70)[1])
    assert "take A" not in log
    assert "do not" in log
    assert offers()[f"mute {ONLOOKERS}"] == "hear onlookers again"


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


def test_an_onlooker_is_told_of_no_lost_links_and_no_keys_of_players() -> None:
    shown = MOMENTS["watched"]()
    seats = (Attending.LINKED, *[Attending.UNLINKED] * 3)
    shown.hear(updates.Attendance(seats))
    assert "4/4 linked" in health(shown.stage, wide=True).plain
    played = MOMENTS["place"]()
    played.hear(updates.Attendance(seats))
    assert "1/4 linked" in health(played.stage, wide=True).plain

    def keys(one: Shown) -> set[str]:
        lines = [line.plain for line in page("help", one.stage, Desk(), (), 90)[1]]
        return {line[:13].strip() for line in lines}

    assert keys(played) >= PLAYING
    assert not keys(shown) & PLAYING
    for one, waits_longer in ((played, True), (shown, False)):
        one.desk.menu = None
        one.wait({1}, 100.0, 200.0)
        assert ("w waits longer" in one.text()) is waits_longer
        assert "goes on without them" in one.text()
        pieces = "".join(line.plain for line in page("pieces", one.stage, Desk(), (), 90)[1])
        assert ("only you see it" in pieces) is waits_longer
