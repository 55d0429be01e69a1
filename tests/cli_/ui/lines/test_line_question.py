"""Questions at the line prompt, answered by typed lines, and talk in between."""

from dataclasses import replace

import pytest
import trio
import trio.testing
from support.at_prompt import answer, asked, desk
from support.cli_stage import NICKNAMES, referee, until
from support.limits import LIMIT

from cli.ui.lines.line_question import LineTalk
from cli.ui.lines.stdin_lines import END, INTERRUPT, STRAYS
from cli.ui.screen_options import MOST_REQUESTS, Box
from cli.words import board_text, choice_names
from cli.words.board_text import own_slots
from cli.words.card_names import Names
from cli.words.chat_phrases import PHRASES
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import View, happenings
from p2p_hoity.table.playing.player_requests import PlayerRequest, Talk


async def test_a_choice_is_confirmed_before_it_is_sealed() -> None:
    choice, here = await answer(asked("place"), "place", "2", "")
    assert choice == 1
    assert here.heard("Auction Hall? No undo: Enter or y confirms")
    choice, here = await answer(asked("place"), "place", "2", "n", "1", "y")
    assert choice == 0
    assert sum("Where do you go?" in line for line in here.said) == 2


def began(number: int) -> happenings.RoundBegan:
    return happenings.RoundBegan(number, (0, 1, 2), (), None)


async def test_the_log_is_told_again_and_a_rounds_first_question_shows_ones_own() -> None:
    view = asked("place")
    names = Names(view.state.edition, NICKNAMES, view.seat)
    async with desk(view) as here:
        here.prompt._screen.follow(updates.Happened((began(1),), view))
        await here.begin(here.seat.choose, view, "place", False)
    own = board_text.own(view, names)
    assert here.said[: len(own)] == own
    assert len(own) == 1
    assert not here.heard("Register")
    async with desk(view) as here:
        for number in (1, 2, 3):
            here.prompt._screen.follow(updates.Happened((began(number),), view))
        await here.types("l")
        assert here.said == ["Round 2", "Round 3"]


@pytest.mark.parametrize("allowed", [True, False])
async def test_hints_are_given_against_ones_own_bots_only(allowed: bool) -> None:
    view = asked("place")
    async with desk(view) as here:
        here.seat.is_among_own_bots = allowed
        await here.types("hint")
        await here.begin(here.seat.choose, view, "place", False)
        await here.types("HINT")
    assert here.said.count(choice_names.NOT_NOW) == here.said.count(choice_names.HINTS) == allowed
    assert here.said.count(choice_names.NOT_HERE) == (0 if allowed else 2)
    assert sum("Where do you go?" in line for line in here.said) == 2


async def test_nonsense_is_asked_again_and_for_ever() -> None:
    for nonsense in ("0", "3", "x", "-1", "1 2", "٣", "9" * 30):
        choice, here = await answer(asked("place"), "place", nonsense, "1", "what", "y")
        assert choice == 0
        assert here.heard("Please type a number from 1 to 2"), nonsense
        assert here.heard("Enter or y confirms")
    choice, _ = await answer(asked("place"), "place", *["x"] * 3 * STRAYS, "1", "y")
    assert choice == 0


async def test_every_numbered_choice_is_legal_and_words_choose_as_numbers_do() -> None:
    for kind in ("action", "window", "exhibit"):
        view = asked(kind)
        choice, _ = await answer(view, kind, "2", "y")
        assert choice == view.legal(kind)[1]
    for typed in ("hall", "Auktionshaus", "sala de subastas"):
        assert (await answer(asked("place"), "place", typed, "y"))[0] == 1


async def test_what_is_picked_is_chosen() -> None:
    view = until(referee(2, variant="surprise"), "turn", 0)
    choice, here = await answer(view, "turn", "1", "y")
    assert choice == view.legal("turn")[0]
    assert here.heard("  1  Castle, ")
    view = until(referee(5, seed=3), "theft", 1)
    options = rules.theft_options(view.state)
    lines = ["1"] * sum(len(slots) > 1 for slots in options)
    choice, _ = await answer(view, "theft", *lines, "y")
    assert choice == tuple(min(slots, key=view.cards.__getitem__) for slots in options)
    view.check("theft", choice)
    view = asked("exhibit")
    wanted = view.legal("exhibit")[-1]
    assert isinstance(wanted, tuple)
    slots = own_slots(view)
    picked = " ".join(str(slots.index(slot) + 1) for slot in wanted)
    choice, here = await answer(view, "exhibit", "p 1", "p 1 99", "p", f"p {picked}", "y")
    assert choice == wanted
    assert here.heard("The rules forbid that")
    assert here.heard("99 stands for none of your Collectibles, or for several")
    _, here = await answer(view, "exhibit", "p 1 2", "1", "y")
    assert here.heard("The rules forbid that: an exhibit is of three or more Collectibles.")


async def test_a_choice_with_one_answer_is_made_and_said_and_one_begun_afresh_too() -> None:
    view = asked("place")
    only = View(replace(view.state, windows=((), ())), view.seat, view.private)
    async with desk(only) as here:
        assert await here.seat.choose(only, "place", False) == 0
        assert here.heard("Only one choice is legal and is made for you: Castle")
        here.prompt.tell(updates.ChoiceTaken("place", 0))
        assert not here.heard("chosen:")
    view = asked("place")
    async with desk(view) as here:
        await here.begin(here.seat.choose, view, "place", True)
        assert here.heard("since the step is repeated")


async def test_what_is_typed_before_the_question_is_no_answer() -> None:
    view = asked("place")
    async with desk(view) as here:
        await here.types("1")
        assert here.heard("It is not your turn to choose now")
        await here.begin(here.seat.choose, view, "place", False)
        assert here.found == []


async def test_leaving_asks_what_it_means_and_may_be_taken_back() -> None:
    for word in ("q", "QUIT", "exit", "salir", "ende", INTERRUPT, END):
        choice, here = await answer(asked("place"), "place", word, "9", "1", "1", "y")
        assert choice == 0
        assert here.left == []
        assert sum("leave for now" in line for line in here.said) == 2, word
        assert sum("back in the next round" in line for line in here.said) == 2, word


async def test_a_question_that_is_dropped_or_ends_late_silences_no_other() -> None:
    view = asked("place")
    async with desk(view) as here:
        scope = trio.CancelScope()

        async def ask() -> None:
            with scope:
                await here.seat.choose(view, "place", False)

        await here.begin(ask)
        scope.cancel()
        await trio.testing.wait_all_tasks_blocked()
        await here.types("1")
        assert here.heard("It is not your turn to choose now")
    async with desk(view) as here:
        old = trio.CancelScope()

        async def first() -> None:
            with old:
                await here.seat.choose(view, "place", False)

        async def second() -> rules.Choice:
            old.cancel()
            return await here.seat.choose(view, "place", False)

        await here.begin(first)
        await here.begin(second)
        await here.types("2", "y")
        assert here.found == [None, 1]


def prompt() -> tuple[LineTalk, Box[PlayerRequest], list[str]]:
    said: list[str] = []
    wishes = Box[PlayerRequest](MOST_REQUESTS)
    others = ["Bob Bee", "Bert", "ABCD-EFGH"]
    return LineTalk(said.append, wishes.put, lambda: others), wishes, said


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
    assert len(said) == len(PHRASES) + 1
    assert said[-1] == "Say one by its number, as in: t 3"
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


def test_only_those_who_are_here_are_muted_and_the_beginning_of_a_name_is_enough() -> None:
    talk, _, said = prompt()
    for line in ("m Zed", "m b"):
        talk.takes(line)
        name = line[2:]
        words = f"Nobody here has the name {name}. The others are: Bob Bee, Bert, ABCD-EFGH"
        assert said[-1] == words
    for line in ("m bo", "m abcd"):
        talk.takes(line)
    talk.takes("m")
    assert said[-1] == "Muted: ABCD-EFGH, Bob Bee"
    talk.takes("m BOB")
    assert said[-1] == "Bob Bee is heard again."


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
