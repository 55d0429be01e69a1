"""Tests of talk in the line prompt: what is typed, what is shown, and whom one does not hear."""

import pytest
import trio
from support.at_prompt import asked, desk, is_in_vain, prompt_window
from support.limits import LIMIT

from cli.ui.lines.line_question import LineTalk
from cli.ui.lines.line_screen import LineScreen
from cli.ui.screen_options import MOST_REQUESTS, Box, ScreenOptions
from cli.words.chat_phrases import PHRASES
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.playing.player_interface import PlayerRequest, Talk, WaitLonger


def prompt() -> tuple[LineTalk, Box[PlayerRequest], list[str]]:
    said: list[str] = []
    wishes = Box[PlayerRequest](MOST_REQUESTS)
    return LineTalk(said.append, wishes.put), wishes, said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("t nice pipes", "nice pipes"),
        ("T  well ", "well"),
        ("t 1", 0),
        ("t 12", 11),
        ("t 13", "13"),
        ("t 0", "0"),
        ("t -1", "-1"),
        ("t 3 thieves", "3 thieves"),
        ("t ٣", "٣"),
        ("t " + "9" * 5000, "9" * 5000),
    ],
)
async def test_words_and_phrases_are_said(line: str, words: str | int) -> None:
    talk, wishes, said = prompt()
    assert talk.takes(line)
    assert await wishes.next() == Talk(words)
    assert said == []


def test_other_lines_are_no_talk_and_a_bare_t_lists_the_phrases() -> None:
    talk, _, said = prompt()
    for line in ("", "1", "tt", "take", "thief 10", "map", "y", "wait"):
        assert not talk.takes(line), line
    assert said == []
    assert talk.takes("t")
    assert len(said) == len(PHRASES)
    assert said[1].split(" ", 3)[2:] == ["2", "Well played."]


async def test_a_voice_is_muted_for_oneself_and_heard_again() -> None:
    talk, _, said = prompt()
    bob, eve = updates.Said(1, "Bob Bee", "x"), updates.Said(None, "ABCD-EFGH", "x")
    assert talk.hears(bob)
    talk.takes("m Bob Bee")
    talk.takes("m ABCD-EFGH")
    assert not talk.hears(bob)
    assert not talk.hears(eve)
    talk.takes("m")
    assert said[-1] == "Muted: ABCD-EFGH, Bob Bee"
    talk.takes("m Bob Bee")
    assert talk.hears(bob)
    assert said[-1] == "Bob Bee is heard again."


async def test_too_many_wishes_are_forgotten(autojump_clock: trio.testing.MockClock) -> None:
    seat = prompt_window(ScreenOptions([].append)).seat
    for number in range(MOST_REQUESTS + 5):
        assert seat.request(WaitLonger()) is (number < MOST_REQUESTS)
    for _ in range(MOST_REQUESTS):
        await seat.next_request()
    assert await is_in_vain(seat.next_request)


def test_what_is_said_stands_behind_the_name_that_was_proven() -> None:
    said: list[str] = []
    screen = LineScreen(said.append)
    screen(updates.Said(1, "Bob", "nice: Ada: pipes"))
    screen(updates.Said(None, "ABCD-EFGH", 2))
    assert said == ["» Bob: nice: Ada: pipes", "» onlooker ABCD-EFGH: What a thief!"]


@pytest.mark.parametrize("patient", [False, True])
async def test_talk_is_heard_while_something_else_is_asked(patient: bool) -> None:
    async with desk(asked("place"), patient=patient) as here:
        await here.type.send("t hello")
        with trio.fail_after(LIMIT):
            assert await here.seat.next_request() == Talk("hello")
        here.prompt.tell(updates.Said(1, "Bob", "hello"))
        await here.types("m Bob")
        here.prompt.tell(updates.Said(1, "Bob", "you there?"))
        assert here.heard("Bob: hello")
        assert not here.heard("you there?")


@pytest.mark.parametrize(("line", "wanted"), [("y", True), ("", True), ("n", False), ("q", False)])
async def test_a_person_is_asked_for_another_game(line: str, wanted: bool) -> None:
    async with desk(asked("place")) as here:
        await here.types("")  # typed before the question, it is no answer to it
        await here.begin(here.seat.again)
        await here.types(line)
        assert here.found == [wanted]
        assert here.heard("Another game with the same people?")
        assert here.left == []


@pytest.mark.parametrize("early", [False, True])
async def test_whose_input_ends_wants_no_other_game(early: bool) -> None:
    async with desk(asked("place"), autopilot=early) as here:
        if early:
            here.type.close()
            await trio.testing.wait_all_tasks_blocked()
        await here.begin(here.seat.again)
        here.type.close()
        await trio.testing.wait_all_tasks_blocked()
        assert here.found == [False]
        assert here.left == []


async def test_an_onlooker_talks_and_is_told_how(capsys: pytest.CaptureFixture[str]) -> None:
    screen = prompt_window(ScreenOptions([].append, looks_on=True))
    for line in ("t bravo", "", "what", "m Bob"):
        await screen._hear(line)
    screen.tell(updates.Said(1, "Bob", "you there?"))
    screen.tell(updates.Said(2, "Cleo", "hello"))
    assert await screen.seat.next_request() == Talk("bravo")
    shown = capsys.readouterr().out
    assert "t WORDS" in shown
    assert "Cleo: hello" in shown
    assert "you there?" not in shown
