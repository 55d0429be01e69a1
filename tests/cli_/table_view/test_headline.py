"""The headline: what is revealed now, what is asked, and of whom."""

from dataclasses import replace
from types import SimpleNamespace
from typing import get_args

import pytest
from support.moments import MOMENTS, asked_for, begun, over

from cli.table_view.headline import ASKED, DOING, headline
from cli.table_view.stage import Stage
from cli.ui.full_screen.seats_and_pieces import TAKEN
from cli.words.end_sentences import victory
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import Kind, Phase
from protocol import Kind as StepKind


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
    assert "thinking… ≥ 0:12" in shown.text()
    node = SimpleNamespace(step=50, want=SimpleNamespace(kind=StepKind.BARRIER))
    shown.hear(updates.ChainGrew(node, node, 0.0))  # type: ignore[arg-type]
    shown.ask("place")
    assert "your choice 4:48" in shown.text()
    assert "≥" not in shown.text()


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


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("terms", "The table fills"),
        ("deal", "The deal"),
        ("place", "ROUND 3 · choose your Place"),
        ("action-hall", "ROUND 4 · Auction Hall: choose your Action"),
        ("action-castle", "ROUND 4 · Castle: choose your Action"),
        ("ended", "The table has ended"),
    ],
)
def test_what_happens_now_stands_there_in_few_words(moment: str, words: str) -> None:
    assert headline(MOMENTS[moment]().stage) == words


def test_before_anybody_is_there_nothing_stands_there() -> None:
    assert headline(Stage()) == ""


@pytest.mark.parametrize("is_counted", [True, False])
def test_behind_the_end_stands_who_has_won_if_it_was_counted(is_counted: bool) -> None:
    shown = over()
    assert shown.stage.names is not None
    standings = shown.driver.state.standings
    told = victory(standings, shown.stage.names)
    if not is_counted:
        shown.stage.scene, told = replace(shown.stage.scene, standings=()), "The game is over"
    assert headline(shown.stage) == told


def test_every_kind_of_choice_every_phase_and_every_reveal_has_words() -> None:
    named = {phase for phases, _words in DOING for phase in phases}
    silent = {Phase.DEAL, Phase.ROUND, Phase.CASTLE, Phase.DETECTIVES}  # they ask for no choice
    assert set(Phase) - named == silent
    assert set(ASKED) | {"action"} == set(get_args(Kind))
