"""Tests of the plain prompt: a person typing lines, and what the seat then does."""

from dataclasses import replace

import pytest
import trio
import trio.testing
from support.at_prompt import Desk, answer, asked, desk, is_in_vain
from support.cli_stage import NICKNAMES, referee, until
from support.limits import LIMIT
from support.screened import table

from cli.exit_codes import Trouble, leaves
from cli.ui.lines import line_ticket
from cli.ui.lines.line_question import FIRST_HINT
from cli.ui.lines.stdin_lines import CONTINUED, END, INTERRUPT, STRAYS
from cli.words import board_text, choice_names
from cli.words.board_text import own_slots
from cli.words.card_names import Names
from p2p_hoity import rules
from p2p_hoity.coded_errors import because
from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Scene
from p2p_hoity.rules import View, happenings
from p2p_hoity.table.gathering.invite_by_code import CodesCode
from p2p_hoity.table.playing.player_interface import WaitLonger


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
        here.seat.has_hints = allowed
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
    assert choice == tuple(slots[0] for slots in options)
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
    view = asked("place")
    async with desk(view) as here:
        await here.begin(here.seat.choose, view, "place", True)
        assert here.heard("since the step is repeated")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("b", "Register"),
        ("h", "Action cards in hand:"),
        ("i", "Your Collectibles:"),
        ("i zz", "No Collectible is called zz."),
        ("r", "2 AUCTION HALL"),
        ("proofs", "Nothing is proven yet."),
        ("c", "There is no ticket here to copy."),
        ("code", "There is no code here to copy."),
        ("qr", "There is no ticket here to show."),
        ("?", "q leaves; the game can be resumed"),
        ("help", "q leaves; the game can be resumed"),
        ("Hilfe", "q leaves; the game can be resumed"),
        ("board", "Register"),
        ("tablero", "Register"),
        ("Stücke zz", "No Collectible is called zz."),
        ("Tipp", "against your own bots only"),
    ],
)
async def test_commands_answer_in_the_middle_of_a_question(command: str, words: str) -> None:
    choice, here = await answer(asked("place"), "place", command, "1", "")
    assert choice == 0
    assert here.heard(words)
    assert sum("Where do you go?" in line for line in here.said) == 2


async def test_before_the_deal_there_is_nothing_to_show() -> None:
    async with desk(None) as here:
        for command in ("b", "h", "i", "i B1649", "r"):
            await here.types(command)
            assert here.said == ["The cards are not dealt yet."], command
            here.said.clear()


async def test_what_is_typed_before_the_question_is_no_answer() -> None:
    view = asked("place")
    async with desk(view) as here:
        await here.types("1")
        assert here.heard("It is not your turn to choose now")
        await here.begin(here.seat.choose, view, "place", False)
        assert here.found == []


async def test_the_seat_is_handed_over_in_the_middle_of_a_question_but_not_by_one_key() -> None:
    for lines in (("a", "y"), ("q", "3")):
        choice, here = await answer(asked("place"), "place", *lines)
        assert choice == 1
        assert here.seat.by_bot
        assert here.heard("A bot plays your seat")
        assert here.left == []
    for second in ("n", ""):
        choice, here = await answer(asked("place"), "place", "a", "what", second, "1", "y")
        assert choice == 0
        assert not here.seat.by_bot
        for words in ("Give your seat to a bot?", "Where do you go?"):
            assert sum(words in line for line in here.said) == 2


@pytest.mark.parametrize("line", ["a", ""])
async def test_the_bot_chooses_until_the_seat_is_taken_back(line: str) -> None:
    view = asked("place")
    async with desk(view, autopilot=True) as here:
        assert await here.seat.choose(view, "place", False) == 1
        assert here.said == []
        here.prompt.tell(updates.Again(frozenset(), frozenset({0})))
        assert here.heard("a bot was playing your seat")
        await here.types(line)
        assert not here.seat.by_bot
        assert here.heard("The seat is yours again.")


async def test_leaving_asks_what_it_means_and_may_be_taken_back() -> None:
    for word in ("q", "QUIT", "exit", "salir", "ende", INTERRUPT, END):
        choice, here = await answer(asked("place"), "place", word, "9", "1", "1", "y")
        assert choice == 0
        assert here.left == []
        assert sum("leave for now" in line for line in here.said) == 2, word
        assert sum("back in the next round" in line for line in here.said) == 2, word


@pytest.mark.parametrize(
    ("begun", "answered", "left"),
    [
        *((True, word, ["you left"]) for word in ("2", "leave", "y")),
        *((False, word, ["you left"] if word else []) for word in ("y", "")),
        (False, "n", []),
    ],
)
async def test_leaving_asks_once_more(begun: bool, answered: str, left: list[str]) -> None:
    """Before the game there is no bot to play on."""
    async with desk(asked("place") if begun else None) as here:
        await here.types("q")
        assert here.left == []
        await here.types(answered)
        assert here.left == left
        assert begun or not here.heard("bot")


@pytest.mark.parametrize("word", ["q", "ende", INTERRUPT])
async def test_once_the_result_is_there_nothing_is_lost_by_leaving_so_nothing_is_asked(
    word: str,
) -> None:
    async with desk(None) as here:
        here.prompt.tell(updates.GameOver(table(3), None, (), None))  # type: ignore[arg-type]
        here.prompt.tell(updates.Unconfirmed(frozenset({1}), 60.0))
        await here.types(word)
        assert here.left == ["you left"]
        assert not here.heard("leave for now")


async def test_a_second_ctrl_c_or_the_end_of_the_input_leaves_at_once() -> None:
    for both in ((INTERRUPT, INTERRUPT), (INTERRUPT, END), (END, END)):
        async with desk(asked("place")) as here:
            await here.types(*both)
            assert here.left == ["you left"]
    async with desk(asked("place")) as here:
        here.type.close()
        await trio.testing.wait_all_tasks_blocked()
        assert here.left == ["the input has ended"]
        assert not here.seat.by_bot


async def test_after_the_terminal_is_back_the_open_question_is_said_again() -> None:
    choice, here = await answer(asked("place"), "place", CONTINUED, "1", "y")
    assert choice == 0
    assert sum("Where do you go?" in line for line in here.said) == 2
    async with desk(asked("place")) as idle:
        await idle.types(CONTINUED)
        assert idle.said == []


async def test_a_hosts_ticket_is_copied_and_shown_and_a_code_while_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_for: list[str] = []
    for way in ("copy", "show_qr"):
        monkeypatch.setattr(line_ticket, way, lambda text, *_done: asked_for.append(text))
    async with desk(None) as here:
        here.prompt.ticket.word = "hoity3abc"
        await here.types("c", "qr")
        here.prompt.tell(updates.OfferedCode("7-lantern-walrus", "relay.example:4646", 600.0, None))
        await here.types("code")
        here.prompt.tell(updates.NoCode(because(CodesCode.GUESSED_AT, relay="r:1", words=3)))
        await here.types("code")
    assert asked_for == ["hoity3abc", "hoity3abc", "7-lantern-walrus@relay.example:4646"]


@pytest.mark.parametrize(
    ("handed_over", "typed", "yes"),
    [(False, ("", "x", "y"), True), (False, ("", "n"), False), (True, ("n",), False)],
)
async def test_guests_are_let_in_by_words(
    handed_over: bool, typed: tuple[str, ...], yes: bool
) -> None:
    async with desk(None) as here:
        await here.begin(here.seat.admit, "Bob", "ABCD")
        if handed_over:
            here.prompt._hand_over()
            await trio.testing.wait_all_tasks_blocked()
        for line in typed:
            assert here.found == []
            await here.types(line)
        assert here.found == [yes]


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


async def test_an_absent_player_comes_back_with_enter_and_the_bot_by_itself() -> None:
    async with desk(asked("place")) as here:
        await here.begin(here.seat.returning)
        assert not here.found
        await here.types("")
        assert here.found
    async with desk(asked("place"), autopilot=True) as here:
        await here.seat.returning()
        assert here.said == []


@pytest.mark.parametrize(
    ("line", "agreed", "autopilot"),
    [("", True, False), ("y", True, False), ("n", False, False), ("", True, True)],
)
async def test_terms_are_agreed_to(line: str, agreed: bool, autopilot: bool) -> None:
    """Enter agrees while the bot has the seat, too; at nonsense the same is asked again."""
    async with desk(None, autopilot) as here:
        await here.begin(here.seat.agree)
        await here.types("maybe")
        assert here.said == ["Sit down? Enter or y; n leaves."] * 2
        await here.types(line)
        assert here.found == [agreed]
        assert here.seat.by_bot is autopilot


# Lines from a file or a pipe.


async def from_a_file(view: View, *lines: str) -> tuple[list[rules.Choice], Desk]:
    """Return the choices of a seat whose lines were all written beforehand, until it leaves."""
    async with desk(view, patient=True) as here:
        for line in lines:
            await here.type.send(line)
        here.type.close()
        await trio.testing.wait_all_tasks_blocked()
        assert here.said == []
        while not here.left and len(here.found) < 100:
            await here.begin(here.seat.choose, view, "place", False)
    return here.found, here


async def test_lines_of_a_file_wait_for_their_questions(autojump_clock: object) -> None:
    found, here = await from_a_file(asked("place"), "2", "y", "1", "n", "2", "", "1", "y")
    assert found == [1, 1, 0]
    assert here.left == ["the input has ended"]
    lines = ["b"] * (STRAYS - 2) + ["1", "y"]
    found, here = await from_a_file(asked("place"), *lines, *lines)
    assert found == [0, 0]
    assert here.left == ["the input has ended"]
    found, here = await from_a_file(asked("place"), "1", "y", "q", "2", "y")
    assert found[:1] == [0]
    assert here.left[0] == "you left"


async def test_a_file_may_hand_the_seat_over_for_good(autojump_clock: object) -> None:
    view = asked("place")
    async with desk(view, patient=True) as here:
        await here.type.send("a")
        here.type.close()
        assert await here.seat.choose(view, "place", False) == 1
        await trio.testing.wait_all_tasks_blocked()
        assert here.left == []
        assert here.seat.by_bot


@pytest.mark.parametrize("line", ["", "9", "n", "b", "a", "wait", "r"])
async def test_a_pipe_that_never_chooses_is_given_up(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says the same line again and again."""
    view = asked("place")

    async def play(here: Desk) -> None:
        while True:
            await here.seat.choose(view, "place", False)
            await trio.lowlevel.checkpoint()

    async def feed() -> None:
        async with desk(view, patient=True) as here, trio.open_nursery() as nursery:
            monkeypatch.setattr(Scene, "game", "feed")
            nursery.start_soon(play, here)
            while True:
                await here.type.send(line)

    with pytest.raises(BaseExceptionGroup) as raised:
        await feed()
    troubles = [one for one in leaves(raised.value) if isinstance(one, Trouble)]
    assert [trouble.exit_code for trouble in troubles] == [2]
    assert "too many lines of the input (20) were no choice" in str(troubles[0])
    assert "hoity resume feed" in str(troubles[0])


async def test_who_is_away_hears_again_how_to_come_back_behind_pages_and_pauses() -> None:
    view = asked("place")
    async with desk(view) as here:
        await here.begin(here.seat.choose, view, "place", False)
        await here.begin(here.seat.returning)
        here.said.clear()
        await here.types("b")
        assert here.said[-1] == "Press Enter to come back to the table."
        assert not here.heard("Where do you go?")
    async with desk(asked("place")) as here:
        await here.begin(here.seat.returning)
        here.said.clear()
        here.prompt.tell(updates.Paused(frozenset({1}), 60.0, updates.Muster(3, 2, 1)))
        assert here.heard("Still nothing from")
        assert here.said[-1] == "Press Enter to come back to the table."
        here.prompt.tell(updates.Linked("Bob"))
        assert here.said[-1] == "  [linked to Bob]"
        here.prompt.tell(updates.Linked("Bob", "relay+8.0.0.1:4646"))
        assert here.said[-1] == "  [linked to Bob through the relay 8.0.0.1:4646]"


async def test_a_newcomer_hears_of_help_once_and_sees_the_whole_table_once() -> None:
    view = asked("place")
    _, here = await answer(view, "place", "?", "1", "y")
    assert sum(line == FIRST_HINT for line in here.said) == 1
    assert here.heard("`hoity rules`")
    assert here.heard("An octagon, such as 4/2, says how far exhibits move")
    _, here = await answer(view, "place", "1", "y")
    names = Names(view.state.edition, NICKNAMES, view.seat)
    assert all(here.said.count(line) == 1 for line in set(board_text.board(view, names)))
    async with desk(view) as here:
        here.prompt.tell(updates.Resumed(view))
        assert here.heard("Register")
        assert here.said[-1] == FIRST_HINT
        here.said.clear()
        await here.begin(here.seat.choose, view, "place", False)
        assert here.said[0].startswith("Where do you go?")


@pytest.mark.parametrize("word", ["wait", "w", "WARTEN", "esperar"])
async def test_wait_is_heard_at_any_time(word: str) -> None:
    async with desk(asked("place"), patient=True) as here:
        await here.type.send(word)
        await here.type.send("1")
        with trio.fail_after(LIMIT):
            assert await here.seat.next_request() == WaitLonger()
        assert not here.heard("Nothing is asked")


@pytest.mark.parametrize(
    ("autopilot", "begun", "words"),
    [
        (False, True, None),
        (True, True, "never waits longer"),
        (False, False, "Nobody else is awaited now."),
    ],
)
async def test_a_wait_is_heard_once_and_not_from_a_bots_seat_nor_who_has_no_game(
    autopilot: bool, begun: bool, words: str | None, autojump_clock: trio.testing.MockClock
) -> None:
    async with desk(asked("place") if begun else None, autopilot) as here:
        await here.type.send("wait")
        if words is None:
            await here.seat.next_request()
        assert await is_in_vain(here.seat.next_request)
        assert words is None or here.heard(words)


async def test_news_that_break_into_a_question_stand_apart_and_it_is_said_again() -> None:
    async with desk(asked("place")) as here:
        here.prompt.tell(updates.Linked("Bob"))
        assert here.said == ["  [linked to Bob]"]
    view = asked("place")
    async with desk(view) as here:
        await here.begin(here.seat.choose, view, "place", False)
        here.said.clear()
        here.prompt.tell(updates.Halfway(frozenset({1}), 30.0, 30.0, updates.Muster(3, 2, 2)))
        assert here.said[0] == ""
        assert here.said[1].startswith("  [Nothing was received from")
        assert any("Where do you go?" in line for line in here.said[2:])
        here.said.clear()
        here.prompt.tell(updates.Unlinked("Bob", because(LinkCode.REPLACED)))
        here.prompt.tell(updates.Awaited(frozenset({1}), 10.0, 20.0))
        assert len(here.said) == 1
