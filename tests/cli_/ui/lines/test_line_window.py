"""A seat at the line prompt, played at or looked on: what is shown, typed and left."""

import pytest
import trio
import trio.testing
from support.at_prompt import Desk, answer, asked, desk, is_in_vain, prompt_window
from support.at_screen import screen_window
from support.cli_stage import NICKNAMES, referee
from support.limits import LIMIT
from support.screened import table

from cli.exit_codes import Trouble, leaves
from cli.local import settings
from cli.ui.lines.line_question import FIRST_HINT
from cli.ui.lines.line_window import LineWindow
from cli.ui.lines.stdin_lines import CONTINUED, END, INTERRUPT, STRAYS
from cli.ui.screen_options import ScreenOptions
from cli.words import board_text
from cli.words.card_names import Names
from cli.words.table_terms import TableOffer
from p2p_hoity import rules
from p2p_hoity.coded_errors import because
from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Scene
from p2p_hoity.rules import View
from p2p_hoity.rules.happenings import PlaceShown
from p2p_hoity.storage.home import Home
from p2p_hoity.table.playing.player_requests import Talk, WaitLonger

TABLE = table(3)


@pytest.mark.parametrize("at_terminal", [True, False])
def test_the_ticket_stands_below_the_terms_in_lines_of_its_own(
    at_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: at_terminal)
    seat = prompt_window(ScreenOptions(lambda reason: None))
    assert isinstance(TABLE.game, HoityToity)
    seat.show_ticket("HOITY1-WORD", TableOffer(TABLE.header.terms, TABLE.game, ("Iris",)))
    said = capsys.readouterr().out
    assert said.index("Seats: 3; seated so far: Iris") < said.index("HOITY1-WORD")
    assert ("Type c to copy it" in said) is at_terminal


@pytest.mark.parametrize(("typed", "answer"), [("y", True), ("n", False)])
async def test_who_answers_after_the_screen_has_failed_does_so_in_lines(
    typed: str, answer: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    window = screen_window(ScreenOptions(lambda reason: None))
    line = LineWindow(window.seat)
    window.seat.move_to(line)
    found: list[bool] = []

    async def answers() -> None:
        found.append(await window.seat.agree())
        found.append(await window.seat.admit("Bob", "ABCD"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(line.hear)
        nursery.start_soon(answers)
        for _question in range(2):
            await trio.testing.wait_all_tasks_blocked()
            await line.typed.send(typed)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert found == [answer, answer]
    said = capsys.readouterr().out
    assert said.index("Sit down?") < said.index("Bob")


Shown = pytest.CaptureFixture[str]


# Looking on.


def watching() -> tuple[LineWindow, list[str]]:
    left: list[str] = []
    watch = prompt_window(ScreenOptions(left.append, looks_on=True))
    driver = referee(3)
    driver.step(40)
    watch._screen.names = Names(driver.state.edition, NICKNAMES[:3])
    watch._screen.follow(updates.Happened((), rules.view(driver.state, None)))
    return watch, left


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("b", "Register"),
        ("H", "Action cards in hand:"),
        ("i", "In the windows:"),
        ("i zz", "No Collectible is called zz."),
        ("r", "2 AUCTION HALL"),
        ("proofs", "Nothing is proven yet."),
        ("?", "q leaves"),
        ("castle", "q leaves"),
        ("a", "q leaves"),
        ("b x", "Nobody here has the name x. The seats are: Ana, Bob, Cleo"),
        ("b bo", "Bob ("),
        ("h x", "q leaves"),
    ],
)
async def test_a_key_shows_its_page(line: str, words: str, capsys: Shown) -> None:
    watch, left = watching()
    await watch._hear(line)
    assert words in capsys.readouterr().out
    assert left == []


async def test_q_leaves_and_an_empty_line_says_nothing(capsys: Shown) -> None:
    for line in ("q", "QUIT", "exit"):
        watch, left = watching()
        await watch._hear("")
        assert capsys.readouterr().out == ""
        await watch._hear(line)
        assert left == ["you left"]


async def test_the_end_of_the_input_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, left = watching()

    async def ended(lines: trio.MemorySendChannel[str], *_given: object) -> None:
        lines.close()

    monkeypatch.setattr("cli.ui.lines.line_window.forward_input", ended)
    await watch.listen()
    assert left == ["the input has ended"]


# Another game, and talk.


@pytest.mark.parametrize(("line", "wanted"), [("y", True), ("", True), ("n", False), ("q", False)])
async def test_a_person_is_asked_for_another_game(line: str, wanted: bool) -> None:
    async with desk(asked("place")) as here:
        await here.types("")  # typed before the question, it is no answer to it
        await here.begin(here.seat.again)
        await here.types(line)
        assert here.found == [wanted]
        assert here.heard("Another game with the same people, within")
        assert here.said[-1].endswith(" s? Y/n")
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
    screen._screen.names = Names(asked("place").state.edition, NICKNAMES)
    for line in ("t bravo", "", "what", "m Bob"):
        await screen._hear(line)
    screen.tell(updates.Said(1, "Bob", "you there?"))
    screen.tell(updates.Said(2, "Cleo", "hello"))
    assert await screen.seat.next_request() == Talk("bravo")
    shown = capsys.readouterr().out
    assert "t WORDS" in shown
    assert "Cleo: hello" in shown
    assert "you there?" not in shown


# At a question.


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


async def test_everything_is_told_in_sentences_if_wanted_and_the_next_time_too(home: Home) -> None:
    view = asked("place")
    async with desk(view) as here:
        await here.begin(here.seat.choose, view, "place", False)
        for word, kept, told in (
            ("sentences", True, ", you): the Club Room, rank 1"),
            ("Sätze", False, "Register –"),
        ):
            here.said.clear()
            await here.types(word, "b")
            assert settings.load(home).sentences is kept
            assert here.heard("in whole sentences." if kept else "in few words.")
            assert here.heard(told)
            here.prompt.tell(updates.Happened((PlaceShown(1, rules.Place.CASTLE),), view))
            assert here.heard(") goes to the Castle.") is kept
    seat = prompt_window(ScreenOptions([].append, sentences=True))
    assert seat._screen.in_sentences


async def test_an_onlooker_may_want_sentences_too(home: Home, capsys: Shown) -> None:
    watch, left = watching()
    await watch._hear("sentences")
    await watch._hear("b")
    assert "The best exhibit moves" in capsys.readouterr().out
    assert left == []


async def test_who_comes_back_is_shown_the_board() -> None:
    view = asked("place")
    async with desk(view) as here:
        here.prompt.tell(updates.Resumed(view, tuple(referee(3).step().news)))
        assert here.heard("Register")
        here.said.clear()
        await here.begin(here.seat.choose, view, "place", False)
        assert "Where do you go?" in here.said[0]


async def test_before_the_deal_there_is_nothing_to_show() -> None:
    async with desk(None) as here:
        for command in ("b", "h", "i", "i B1649", "r"):
            await here.types(command)
            assert here.said == ["The cards are not dealt yet."], command
            here.said.clear()


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


async def test_a_question_is_said_again_after_all_but_an_answer_and_at_enter_alone() -> None:
    for line, said in (
        ("", []),
        ("zzz", ["Please type a number from 1 to 2, or the words of an answer. ? helps."]),
        ("m Bob", ["Bob is muted for you."]),
        ("t hello", []),
        ("proofs", ["  Nothing is proven yet."]),
    ):
        async with desk(asked("place")) as here:
            await here.begin(here.seat.choose, asked("place"), "place", False)
            start = next(at for at, one in enumerate(here.said) if "Where do you go?" in one)
            question = here.said[start:]
            here.said.clear()
            await here.types(line)
            assert here.said == [*said, *question], line
            await here.types("1", "maybe")
            assert here.said[-2:] == ["Castle? No undo: Enter or y confirms, n chooses again."] * 2
    for first, typed, hint in (("q", "9", "1, 2 or 3"), ("a", "what", "y or n")):
        async with desk(asked("place")) as here:
            await here.types(first)
            asking = list(here.said)
            await here.types("", first, typed)
            assert here.said[-len(asking) - 1 :] == [f"Please answer {hint}.", *asking]


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


# Leaving.


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


# Other questions.


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
        assert here.said == ["Sit down? Y/n", "Please answer y or n.", "Sit down? Y/n"]
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


# What is said again.


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


# Waiting longer.


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
