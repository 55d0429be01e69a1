"""Who plays a seat: the person at a window, or the bot in their place, and who follows whom."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import trio
import trio.testing
from support.at_prompt import Bot, asked
from support.screened import table

from cli.ui.person_seat import PersonSeat, Window
from cli.ui.screen_options import MOST_REQUESTS, ScreenOptions
from cli.words.table_terms import TableOffer
from p2p_hoity import rules
from p2p_hoity.game_adapter import table_name
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.playing.player_requests import WaitLonger


class Paper(Window):
    """A window that notes what it is asked, and answers nothing by itself."""

    def __init__(self, seat: PersonSeat) -> None:
        super().__init__(seat)
        self.noted: list[str] = []
        self.answer = trio.Event()
        self.skips = False

    async def _note(self, word: str) -> None:
        self.noted.append(word)
        await self.answer.wait()

    def tell(self, update: updates.Update) -> None:
        self.noted.append(type(update).__name__)

    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        raise NotImplementedError

    def show_terms(self, offer: TableOffer) -> None:
        raise NotImplementedError

    def takes_only(self, view: rules.View, kind: rules.Kind, choice: rules.Choice) -> bool:
        self.noted.append("only")
        return self.skips

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        await self._note("choose")
        return view.legal(kind)[0]

    async def agree(self) -> bool:
        await self._note("agree")
        return False

    async def admit(self, nickname: str, key: str | None) -> bool:
        await self._note("admit")
        return False

    async def again(self, seconds: float) -> bool:
        await self._note("again")
        return False

    async def returning(self) -> None:
        await self._note("returning")


def sat(**options: Any) -> tuple[PersonSeat, Paper]:
    """Return a seat, whose bot takes the last legal choice, with its window."""
    seat = PersonSeat(ScreenOptions([].append, **options), Paper, Bot())
    assert isinstance(seat.window, Paper)
    return seat, seat.window


Act = Callable[[PersonSeat], None]
VIEW = asked("place")
FIRST, LAST = VIEW.legal("place")[0], VIEW.legal("place")[-1]
QUESTIONS: Any = {
    "choose": lambda seat: seat.choose(VIEW, "place", False),
    "agree": lambda seat: seat.agree(),
    "admit": lambda seat: seat.admit("Bob", None),
    "again": lambda seat: seat.again(),
    "returning": lambda seat: seat.returning(),
}
BY_WINDOW: Any = {
    "choose": FIRST,
    "agree": False,
    "admit": False,
    "again": False,
    "returning": None,
}
BY_BOT: Any = {"choose": LAST, "agree": True, "again": True, "returning": None}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_question_ends_with_the_answer_of_the_window(question: str) -> None:
    seat, paper = sat()
    paper.answer.set()
    assert await QUESTIONS[question](seat) == BY_WINDOW.get(question)
    assert paper.noted == [question]


async def found_after(question: str, *acts: Act) -> tuple[Any, PersonSeat]:
    """Ask something, and do this while it is open. Return the answer, or the question if none."""
    seat, _paper = sat()
    found = [question]

    async def ask() -> None:
        found[0] = await QUESTIONS[question](seat)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        for act in acts:
            await trio.testing.wait_all_tasks_blocked()
            act(seat)
        await trio.testing.wait_all_tasks_blocked(0.05)
        nursery.cancel_scope.cancel()
    return found[0], seat


@pytest.mark.parametrize("question", QUESTIONS)
async def test_who_takes_over_during_a_question_answers_it(question: str) -> None:
    """But for a guest who wants a seat: of this the person decides, whoever plays."""
    found, seat = await found_after(question, lambda seat: seat.hand_over(True))
    assert isinstance(seat.window, Paper)
    if question in BY_BOT:
        assert found == BY_BOT[question]
        assert seat.window.noted == [question]
    else:
        assert found == question
        assert seat.window.noted == [question] * 2


@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_question_is_asked_anew_at_another_window(question: str) -> None:
    windows: list[Paper] = []

    def move(seat: PersonSeat) -> None:
        windows.append(Paper(seat))
        windows[0].answer.set()
        seat.move_to(windows[0])

    found, seat = await found_after(question, move)
    assert found == BY_WINDOW.get(question)
    assert seat.window is windows[0]
    assert windows[0].noted == [question]


async def test_a_seat_taken_back_while_the_bot_waits_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Paper, "pause", lambda paper: 60.0)
    seat, paper = sat(auto=True)
    paper.answer.set()

    async def take_back() -> None:
        await trio.testing.wait_all_tasks_blocked()
        seat.hand_over(False)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(take_back)
        assert await seat.choose(VIEW, "place", False) == FIRST


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("skips", [True, False])
async def test_an_only_choice_is_made_unasked_where_the_window_says_so(
    skips: bool, again: bool
) -> None:
    only = replace(VIEW, state=VIEW.state.but(windows=((), ())))
    seat, paper = sat()
    paper.skips = skips
    paper.answer.set()
    assert await seat.choose(only, "place", again) == only.legal("place")[0]
    is_asked = again or not skips
    assert paper.noted == ["only"] * (not again) + ["choose"] * is_asked


async def test_a_bot_of_a_seat_without_a_person_asks_nothing() -> None:
    seat, paper = sat(auto=True)
    assert await seat.choose(VIEW, "place", False) == LAST
    assert await seat.again()
    await seat.returning()
    assert paper.noted == []


async def test_the_game_and_what_the_player_wants_reach_the_node() -> None:
    seat, paper = sat()
    bound = table(3)
    assert seat.table_name == ""
    seat.tell(updates.Started(bound, 0))
    assert seat.table_name == table_name(bound)
    assert paper.noted == ["Started"]
    assert [seat.request(WaitLonger()) for _ in range(MOST_REQUESTS + 1)][-2:] == [True, False]
    assert await seat.next_request() == WaitLonger()
    seat.say("a program is told nothing of this")
    assert paper.noted == ["Started"]


async def test_a_question_is_open_until_it_is_answered_or_the_next_one_is() -> None:
    seat, paper = sat()
    assert seat.open is None
    old = trio.CancelScope()
    other = replace(VIEW)

    async def ask(view: rules.View, scope: trio.CancelScope) -> None:
        with scope:
            await seat.choose(view, "place", False)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask, VIEW, old)
        await trio.testing.wait_all_tasks_blocked()
        assert seat.open == (VIEW, "place")
        nursery.start_soon(ask, other, trio.CancelScope())
        await trio.testing.wait_all_tasks_blocked()
        old.cancel()
        await trio.testing.wait_all_tasks_blocked()
        assert seat.open is not None
        assert seat.open[0] is other
        paper.answer.set()
    assert seat.open is None
