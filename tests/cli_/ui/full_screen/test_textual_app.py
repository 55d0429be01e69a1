"""The application through Textual's pilot: whole games by keys and by mouse, and mishaps."""

import asyncio
import io
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from support.at_screen import Script, Sitting, screen_window, seated, sit
from support.running import running
from support.sampling import sample
from support.screened import Company, short, table
from textual.containers import VerticalScroll
from textual.widgets import OptionList

from cli.commands.options import TableOptions
from cli.commands.play import checked_terms
from cli.exit_codes import INTERRUPTED, Trouble
from cli.local import settings
from cli.table_view.desk import ONLOOKERS
from cli.table_view.menu import Menu
from cli.table_view.stage import Stage
from cli.ui import person_seat
from cli.ui.full_screen import full_window, info_pages
from cli.ui.full_screen.full_window import FullWindow
from cli.ui.full_screen.info_pages import Choices, Page, Picture
from cli.ui.full_screen.layout import frame
from cli.ui.full_screen.textual_app import TableApp
from cli.ui.lines.line_window import LineWindow
from cli.ui.person_seat import PersonSeat
from cli.ui.screen_options import ScreenOptions
from cli.words import choice_names, translation
from cli.words.error_sentences import sentence
from cli.words.table_terms import TableOffer
from p2p_hoity import rules
from p2p_hoity.coded_errors import because
from p2p_hoity.editions.load_edition import load
from p2p_hoity.game_adapter import read_game
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import Found, Wanted, judge
from p2p_hoity.reachability.pcp_and_nat_pmp import RouterCode
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.storage.private_files import private_folder
from p2p_hoity.table.playing.player_interface import Player, Talk, WaitLonger
from p2p_hoity.table.playing.session import Outcome

PAGES = pytest.mark.sampled(1)
WAYS_OUT = pytest.mark.sampled(2)


def menu_of(at: Sitting) -> Menu:
    """What is asked."""
    assert at.app.desk.menu is not None
    return at.app.desk.menu


Shown = pytest.CaptureFixture[str]


def by_keys(rng: random.Random) -> Script:
    """A whole game by the keyboard alone."""

    async def answer(at: Sitting) -> None:
        menu = menu_of(at)
        if menu.kind == "theft":
            for _walk in menu.slots:
                await at.strike("space", "right")
        elif rng.random() < 0.5:
            await at.strike(str(rng.randint(1, min(9, len(menu.entries)))))
        else:
            await at.strike(*["down"] * rng.randint(1, len(menu.entries)))
        await at.strike("enter")

    return playing(answer)


def playing(answer: Script) -> Script:
    """A whole game, each question of which is answered so."""

    async def play(at: Sitting) -> None:
        while await at.asked():
            before = len(at.company.asked)
            await answer(at)
            await at.until(
                lambda b=before: at.done.done() or len(at.company.asked) > b  # type: ignore[misc]
            )

    return play


def by_mouse(rng: random.Random) -> Script:
    """A whole game by the mouse alone."""

    async def answer(at: Sitting) -> None:
        menu = menu_of(at)
        if menu.kind == "theft":
            for group in rules.theft_options(menu.view.state):
                await at.app.run_action(f"choose('mark', {rng.choice(group)})")
        elif menu.kind == "exhibit":
            await at.click(f"1 {menu.entries[0].words}")
        else:
            lines = [f"{n} {e.words[:20]}" for n, e in enumerate(menu.entries, 1)]
            await at.click(rng.choice([line for line in lines if line in at.text]))
        await at.click(translation._("Enter"))

    return playing(answer)


@pytest.fixture
def window() -> FullWindow:
    """A seat at a screen that is not drawn yet."""
    return screen_window(ScreenOptions(lambda reason: None))


def broken(*_: object) -> None:
    """Draw nothing and fail."""
    raise RuntimeError("drawn badly")


GAMES = [
    (2, "surprise", (80, 24), "en"),
    (2, "confrontation", (200, 60), "de"),
    (3, None, (100, 30), "es"),
    (4, None, (80, 24), "en"),
    (5, None, (120, 40), "de"),
    (6, None, (80, 24), "es"),
]


@pytest.mark.parametrize(
    ("seats", "variant", "size", "language", "hands", "edition"),
    [
        *sample([(*game, by_keys, short) for game in GAMES], 1, "games by keys"),
        *sample([(*game, by_mouse, short) for game in GAMES], 1, "games by mouse"),
        pytest.param(4, None, (120, 40), "en", by_keys, load, marks=pytest.mark.nightly),
    ],
)
def test_a_whole_game(
    seats: int, variant: Any, size: tuple[int, int], language: str, hands: Any, edition: Any
) -> None:
    """At night also on the whole track."""
    company = Company(seats, seed=seats, variant=variant, edition=edition())
    translation.speak(language)
    sitting = sit(hands(random.Random(7)), company, size)
    assert sitting.done.result().value == "finished"
    assert sitting.app.stage.scene.standings is not None
    assert {"action", "turn"} & set(company.asked)


@seated()
async def test_nothing_is_sealed_by_enter_alone_or_by_keys_typed_before(at: Sitting) -> None:
    await at.press("enter", "enter", "space", "enter")
    assert at.company.asked == ["place"]
    assert "Nothing is picked yet" in at.text
    at.app.is_asking = False  # as long as the question is not there
    await at.press("1", "enter")
    assert menu_of(at).cursor is None
    assert at.company.asked == ["place"]


@WAYS_OUT
@seated()
async def test_every_way_out_asks_and_stay_loses_nothing(at: Sitting) -> None:
    for key in ("escape", "q", "ctrl+c", "ctrl+d"):
        await at.press(key)
        assert isinstance(at.app.screen, Choices)
        leave = at.app.screen.query_one(OptionList).get_option("leave")
        assert "you are back in the next round at the earliest" in str(leave.prompt)
        await at.press("enter")  # stay
        assert not isinstance(at.app.screen, Choices)
        assert at.wishes == []
        assert at.left == []
        await at.press(key, "escape")
        assert at.app.desk.menu is not None


@WAYS_OUT
@pytest.mark.parametrize(
    "keys", [("q", "down", "enter"), ("q", "2", "9", "enter"), ("ctrl+c", "ctrl+c")], ids=" ".join
)
@seated()
async def test_leaving_takes_more_than_one_key(at: Sitting, keys: tuple[str, ...]) -> None:
    await at.press(*keys[:-1])
    assert at.left == []
    await at.press(keys[-1])
    await at.until(lambda: at.left)
    assert at.left == ["you left"]


@WAYS_OUT
@seated(lambda: Company(3, pace=0.02))
async def test_a_bot_plays_on_and_the_seat_is_taken_back_even_before_it_plays(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_window, "PAUSE", 50.0)
    at.app._hand_over(True)
    await at.until(lambda: at.app.desk.menu is None)
    await at.press("a")
    await at.asked()
    assert at.company.asked == ["place"]
    monkeypatch.setattr(full_window, "PAUSE", 0.05)
    await at.press("a")
    assert isinstance(at.app.screen, Choices)
    await at.press("enter")
    await at.until(lambda: len(at.company.asked) > 6)
    await at.press("a")
    await at.asked()
    await at.until(lambda: at.app.desk.menu is not None)


@seated(lambda: Company(3, pace=0.02))
async def test_a_bot_that_stands_in_does_not_wait_where_time_runs_out(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert at.app.stage.scene.clock is not None
    monkeypatch.setattr(full_window, "PAUSE", at.app.stage.scene.clock.left / 4)
    at.app._hand_over(True)
    await at.until(lambda: len(at.company.asked) > 1)
    at.seat.tell(updates.Started(table(3), 0))
    await at.until(lambda: not at.app.desk.autopilot)


@seated()
async def test_a_question_that_replaces_another_outlives_its_end_and_an_only_choice_is_said(
    at: Sitting,
) -> None:
    before = menu_of(at).view
    now = replace(before)
    at.app.ask(now, "place", True)
    at.app.close_question(before)
    assert at.app.desk.menu.view is now
    await at.until(lambda: at.app.is_asking and "your choice" in at.text)
    at.app.close_question(now)
    assert at.app.desk.menu is None
    at.app.ask(now, "place", True)
    await at.until(lambda: at.app.is_asking and "your choice" in at.text)
    alone = replace(now, state=now.state.but(windows=((), ())))
    assert await at.seat.choose(alone, "place", False) == 0
    await at.until(lambda: "You have no other choice:" in at.app.stage.log)


class Anew(Company):
    """A table whose epoch changes while a person thinks.

    Each question is asked four times, the next before the one before it has ended.

    Attributes:
        last: The view of the last question of the four, once that has been asked.
    """

    last: rules.View | None = None

    async def _ask(self, player: Player, kind: rules.Kind) -> None:
        view, found = self.view(), list[rules.Choice]()
        if not view.legal(kind):
            return
        self.asked.append(kind)

        async def choose(seen: rules.View, scope: trio.CancelScope) -> None:
            with scope:
                self.tell(updates.Choosing(seen, kind, False))
                self.clock({self.mine})
                found.append(await player.choose(seen, kind, False))

        async with trio.open_nursery() as nursery:
            for _time in range(3):
                scope = trio.CancelScope()
                nursery.start_soon(choose, replace(view), scope)
                await trio.sleep(0.03)
                scope.cancel()
            last = replace(view)
            nursery.start_soon(choose, last, trio.CancelScope())
            self.last = last
        self.tell(updates.ChoiceTaken(kind, found[0]))
        self.referee.plan = {(kind, self.mine): found[0]}


@seated(lambda: Anew(3), asked=False)
async def test_who_is_asked_anew_is_asked_at_the_screen(at: Sitting) -> None:
    company = at.company
    assert isinstance(company, Anew)

    def is_last() -> bool:
        found = at.app.desk.menu
        return at.app.is_asking and found is not None and found.view is company.last

    for number in range(1, 4):
        await at.until(lambda number=number: len(company.asked) == number and is_last())
        assert "your choice" in at.text
        await at.press("2", "enter")
    await at.until(lambda: len(company.asked) > 3)


@seated(size=(80, 24))
async def test_talk_is_typed_on_the_smallest_screen_and_phrases_are_numbers(at: Sitting) -> None:
    before = at.text
    await at.press("t")
    assert at.text == before
    await at.press(*"well 1", "enter")
    await at.press("t", "2", "enter")
    await at.press("t", "x", "escape")
    await at.press("w")
    await at.until(lambda: len(at.wishes) == 3)
    assert at.wishes == [Talk("well 1"), Talk(1), WaitLonger()]


@PAGES
@seated()
async def test_a_page_is_written_for_the_width_it_has(at: Sitting) -> None:
    for _line in range(60):
        at.app.remark("all of this happened some time ago, " * 3)
    for size, key in product([(80, 24), (100, 30), (140, 40)], "ilr?#"):
        await at.resize(*size)
        await at.press(key)
        shown = at.app.screen
        assert isinstance(shown, Page)
        assert "Nothing yet." not in [line.plain for line in shown.shown]
        scroll = shown.query_one(VerticalScroll)
        widest = max(line.width for line in shown.shown)
        assert widest <= scroll.scrollable_content_region.width
        if key == "l":
            await at.until(lambda scroll=scroll: scroll.scroll_offset.y == scroll.max_scroll_y)
        else:
            assert scroll.scroll_offset.y == 0
        await at.press("escape")


@seated(size=(100, 40))
async def test_talk_can_be_read_again_but_that_of_a_muted_seat(at: Sitting) -> None:
    at.seat.tell(updates.Said(1, "Ada", "psst"))
    await at.until(lambda: "psst" in at.text)
    at.app._chosen("mute 1")
    await at.until(lambda: "psst" not in at.text)
    at.app._chosen("mute 1")
    await at.until(lambda: "psst" in at.text)
    for number in range(30):
        at.seat.tell(updates.Said(1, "Ada", f"word {number}"))
    await at.until(lambda: "word 29" in at.text)
    _title, lines = info_pages.page("log", at.app.stage, at.app.desk, (), 60)
    assert [line.plain for line in lines].count("» Ada: word 0") == 1
    at.app.desk.muted = {1}
    _title, lines = info_pages.page("log", at.app.stage, at.app.desk, (), 60)
    assert not any("word" in line.plain for line in lines)


@PAGES
@seated()
async def test_pages_open_and_close_and_a_key_over_one_turns_or_picks(at: Sitting) -> None:
    for key in sample("ilroph?#", 2, "keys of pages"):
        await at.press(key)
        assert isinstance(at.app.screen, Page)
        await at.press("escape")
        assert not isinstance(at.app.screen, Page)
        await at.press(key)
        other = "h" if key == "i" else "i"
        await at.press(other)
        assert at.app.screen.name == {"h": "advice", "i": "pieces"}[other]
        await at.press("a", "t", "w")
        assert isinstance(at.app.screen, Page)
        await at.press(key)
        assert at.app.screen.name != other
        await at.press(key)
        assert len(at.app.screen_stack) == 1
    await at.press("i", "9", "0")
    assert isinstance(at.app.screen, Page)
    assert menu_of(at).cursor is None
    await at.press("escape", "h", "2")  # but a number picks over a hint
    assert len(at.app.screen_stack) == 1
    assert menu_of(at).cursor == 1
    assert at.company.asked == ["place"]
    await at.press("enter")
    await at.until(lambda: len(at.company.asked) > 1)


@PAGES
@pytest.mark.parametrize("key", ["h", "escape"])
@seated()
async def test_what_opened_under_a_page_is_answered_once_it_is_seen(at: Sitting, key: str) -> None:
    await at.press(key)
    before = at.app.desk.menu
    at.window._do(at.company.run_out)
    await at.until(lambda: at.app.desk.menu not in (None, before))
    await at.press("2")
    assert len(at.app.screen_stack) == 2
    await at.strike("escape", "2", "enter")
    await at.asked()
    assert at.company.asked == ["place", "action"]
    assert menu_of(at).cursor is None
    await at.press("2", "enter")
    await at.until(lambda: len(at.company.asked) > 2)


@pytest.mark.parametrize("allowed", [True, False])
@seated(asked=False)
async def test_a_hint_is_shown_against_ones_own_bots_only(at: Sitting, allowed: bool) -> None:
    at.seat.has_hints = allowed
    await at.asked()
    await at.press("h")
    shown = at.app.screen
    assert isinstance(shown, Page)
    words = "\n".join(line.plain for line in shown.shown)
    assert (choice_names.HINTS in words) == allowed
    assert (choice_names.NOT_HERE in words) != allowed


@seated()
async def test_the_screen_is_resized_and_what_is_not_seen_is_not_answered(at: Sitting) -> None:
    await at.resize(60, 15)
    assert "80 × 24" in " ".join(at.text.split())
    await at.press("1", "enter")
    assert len(at.company.asked) == 1
    for size in ((120, 40), (40, 10), (200, 60), (80, 24)):
        await at.resize(*size)
    await at.press("1", "enter")
    await at.until(lambda: len(at.company.asked) > 1)


class Wishing(Company):
    """A company whose people wait for each other behind the end, before the next game begins."""

    said: bool | None = None

    async def _play(self, player: Player, tell: Callable[[updates.Update], None]) -> str:
        found = await super()._play(player, tell)
        self.said = await player.again()
        tell(updates.Again(frozenset({self.mine}), frozenset()))
        await trio.sleep_forever()
        return found


@WAYS_OUT
@seated(lambda: Wishing(3, edition=short()), asked=False)
async def test_who_has_said_yes_to_another_game_can_still_leave(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_window, "PAUSE", 0.0)
    await at.asked()
    at.app._hand_over(True)
    await at.until(lambda: at.app.desk.answers)
    await at.press("y")
    await at.until(lambda: at.company.said)  # type: ignore[attr-defined]
    await at.press("q", "down", "enter")
    await at.until(lambda: at.left)
    bound = table(3, names=at.company.names[:3])
    at.seat.tell(updates.Started(bound, 0))
    assert not at.window.is_left


def test_an_onlooker_can_leave_behind_the_end() -> None:
    left: list[str] = []
    window = screen_window(ScreenOptions(left.append, looks_on=True))

    async def watch() -> None:
        window._token = trio.lowlevel.current_trio_token()
        for update in (updates.Started(table(3), None), ENDS["with a result"]):
            window.app.stage.hear(update)
        window.leave()
        await trio.testing.wait_all_tasks_blocked()

    trio.run(watch)
    assert len(left) == 1


def test_what_is_said_is_in_the_log_and_behind_the_game_in_the_terminal(capsys: Shown) -> None:
    async def script(at: Sitting) -> None:
        await at.asked()
        at.seat.say("The bot Ada has stopped")
        await at.until(lambda: "The bot Ada has stopped" in at.app.stage.log)
        assert not any("stopped" in words for words in at.app.desk.papers)

    sat = sit(script, Company(3))
    assert "saved" not in capsys.readouterr().out
    sat.window._is_done = True
    sat.seat.say("claimed")
    assert "claimed" in capsys.readouterr().out


def test_who_is_muted_on_the_screen_is_muted_in_the_lines_that_replace_it(
    window: FullWindow, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    window.app.stage.hear(updates.Started(table(3), 0))
    for number, name in enumerate(("Iris", "Ada", "Bruno")):
        window.app.stage.hear(updates.Said(number, name, "psst"))
    window.app.stage.hear(updates.Said(None, "Oskar", "psst"))
    window.app.desk.muted = {1, ONLOOKERS}
    assert window._muted == {"Ada", "Oskar"}
    monkeypatch.setattr(full_window, "LineWindow", Lines)
    monkeypatch.setattr("sys.stdin", io.StringIO())

    async def fail() -> None:
        window._failed = trio.Event()
        window._failed.set()
        await window._take_over(window._failed)
        capsys.readouterr()
        for name in ("Ada", "Bruno"):
            window.seat.tell(updates.Said(1, name, "again"))

    trio.run(fail)
    told = capsys.readouterr().out
    assert "Bruno: again" in told
    assert "Ada" not in told


def reveal(stage: Stage) -> None:
    """Have the stage show a beat."""
    stage._staging = replace(stage._staging, is_shown=True)
    stage.beat = ("shown just now",)


@seated(asked=False)
async def test_a_question_that_is_void_before_its_reveal_is_over_does_not_rise(at: Sitting) -> None:
    await at.until(lambda: at.app.desk.menu is not None)
    stage, asked = at.app.stage, at.app.desk.menu
    assert asked is not None
    reveal(stage)
    stage.hear(updates.Choosing(asked.view, asked.kind, False))
    stage.close_question()
    at.app.close_question(asked.view)
    stage.hurry()
    assert stage.scene.question is None
    assert at.app.desk.menu is None


@pytest.mark.parametrize("is_old", [True, False])
@seated()
async def test_a_clock_that_runs_out_hurries_its_own_step_only(at: Sitting, is_old: bool) -> None:
    company, stage = at.company, at.app.stage
    clock = updates.Clock(frozenset({1}), 290.0, 10.0, 300.0, updates.Muster(3, 2, 3))
    at.app.hear(clock)
    stage.scene = replace(stage.scene, is_clock_of_step=not is_old)
    reveal(stage)
    at.app._beating = True
    view = company.view()
    at.app.hear(updates.ChoiceTaken("place", view.legal("place")[0]))
    assert stage.is_revealing is is_old


@seated(lambda: Company(3, seed=2), staged=True, asked=False)
async def test_a_reveal_is_hurried_by_any_key(at: Sitting) -> None:
    await at.until(lambda: at.app.desk.menu is not None)
    await at.press("x")
    await at.asked()
    await at.press("1", "enter")
    await at.until(lambda: at.app.stage.is_revealing)
    await at.press("x")
    await at.until(lambda: not at.app.stage.is_revealing)


@seated()
async def test_a_proven_fault_is_shown_in_full(at: Sitting) -> None:
    at.seat.tell(updates.Accused(1, "two-chains"))
    await at.until(lambda: isinstance(at.app.screen, Page))
    assert at.app.stage.alarm is None
    await at.press("i", "1", "h")
    assert isinstance(at.app.screen, Page)
    assert at.app.screen.name is None
    await at.press("escape")
    assert not isinstance(at.app.screen, Page)
    assert "CHEATED" in at.text


@seated()
async def test_a_yes_or_no_is_asked_and_answered_in_any_language(at: Sitting) -> None:
    found: list[bool] = []

    async def ask() -> None:
        found.append(await at.seat.again())

    for number, key in enumerate("yjsn", 1):
        at.window._do(lambda: trio.lowlevel.spawn_system_task(ask))
        await at.until(lambda: at.app.desk.answers)
        assert "same people" in at.text
        await at.press(key)
        await at.until(lambda number=number: len(found) == number)
    assert found == [True, True, True, False]


@seated()
async def test_how_long_an_answer_may_take_is_counted_down(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_seat, "ANSWER", 1.05)
    monkeypatch.setattr(full_window, "COUNTED", 0.01)
    at.window._do(lambda: trio.lowlevel.spawn_system_task(at.seat.again))
    await at.until(lambda: "within 2 s" in at.text)
    await at.until(lambda: "within 1 s" in at.text)
    assert not at.app.desk.has_replied
    await at.press("n")
    await at.until(lambda: "same people" not in at.text)
    assert at.app.desk.has_replied


class Lines(LineWindow):
    """A line prompt in whose seat a bot sits, and at which nobody types."""

    def __init__(self, seat: PersonSeat) -> None:
        super().__init__(seat)
        seat.hand_over(True)
        self.told: list[updates.Update] = []
        self.said: list[str] = []

    def say(self, words: str) -> None:
        self.said.append(words)

    async def agree(self) -> bool:
        return True

    async def again(self, seconds: float) -> bool:
        return True

    def tell(self, update: updates.Update) -> None:
        self.told.append(update)
        super().tell(update)

    async def listen(self) -> None:
        return


@WAYS_OUT
def test_a_screen_that_fails_yields_to_lines(
    window: FullWindow, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setattr(full_window, "LineWindow", Lines)
    company = Company(3, edition=short())

    async def game() -> str:
        async def fail() -> None:
            while len(company.asked) < 2:
                await trio.sleep(0.01)
                if window.app.is_asking:
                    window.app.simulate_key("1")
                    window.app.simulate_key("enter")
            monkeypatch.setattr(window.app, "_frame", broken)
            window.app._board.draw = broken  # type: ignore[assignment]

        async with running(fail):
            return await company.play(window.seat, window.seat.tell)

    found = asyncio.run(window.host(game, headless=True))
    assert found.unwrap() == "finished"
    assert isinstance(window.seat.window, Lines)
    assert isinstance(window.seat.window.told[0], updates.Started)
    assert isinstance(window.seat.window.told[1], updates.Resumed)
    captured = capsys.readouterr()
    assert "goes on at the line prompt" in captured.err
    assert "Traceback" not in captured.out + captured.err


def test_an_error_of_the_peer_comes_out_of_the_application(window: FullWindow) -> None:
    async def fails() -> None:
        raise ValueError("no table")

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(window.host(fails, headless=True)).unwrap()
    assert caught.group_contains(ValueError, match="no table")


ENDS: Any = {
    "with a result": updates.GameOver(table(3), None, (), None),  # type: ignore[arg-type]
    "without": updates.Ended("too-many-faults", None),
}


@pytest.mark.parametrize("end", ENDS)
def test_how_a_table_ended_stays_until_it_is_read(window: FullWindow, end: str) -> None:
    async def over() -> str:
        window.seat.tell(updates.Started(table(3), 0))
        window.seat.tell(ENDS[end])
        return "over"

    async def read() -> str:
        running = asyncio.create_task(window.host(over, headless=True))
        while not window.is_over:
            await asyncio.sleep(0.005)
        assert not running.done()
        window.app.simulate_key("enter")
        return (await asyncio.wait_for(running, 20)).unwrap()

    assert asyncio.run(read()) == "over"


@pytest.mark.parametrize("is_over", [True, False])
def test_a_signal_closes_a_screen_whose_peer_does_not_hear_it(
    is_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the end the peer has ended, and the peer of an onlooker heeds no signals."""
    left: list[str] = []
    window = screen_window(ScreenOptions(left.append))
    monkeypatch.setattr(window, "host", partial(window.host, headless=True))

    async def main() -> str:
        if not is_over:
            signal.raise_signal(signal.SIGTERM)
        while not (is_over or left):
            await trio.sleep(0.005)
        return "over"

    def show_hint() -> None:
        signal.raise_signal(signal.SIGTERM)

    if is_over:
        monkeypatch.setattr(window.app, "redraw", show_hint)
    assert window.run(main) == "over"
    assert left == ([] if is_over else ["you left"])
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_the_seat_is_left_before_there_is_a_game() -> None:
    left: list[str] = []
    window = screen_window(ScreenOptions(left.append))

    async def fills() -> None:
        while not left:
            await trio.sleep(0.005)
        raise Trouble(left[0], INTERRUPTED)

    async def leave() -> None:
        running = asyncio.create_task(window.host(fills, headless=True))
        while not window.app.is_running:
            await asyncio.sleep(0.005)
        window.app.simulate_key("q")
        while not isinstance(window.app.screen, info_pages.Choices):
            await asyncio.sleep(0.005)
        window.app.simulate_key("down")
        window.app.simulate_key("enter")
        while not left:
            await asyncio.sleep(0.005)
        found = await asyncio.wait_for(running, 20)
        with pytest.raises(ExceptionGroup) as caught:
            found.unwrap()
        assert caught.group_contains(Trouble, match="you left")

    asyncio.run(leave())
    assert left == ["you left"]


@pytest.mark.parametrize(
    ("rings", "watched", "heard"), [(True, False, 1), (True, True, 0), (False, False, 0)]
)
@seated()
async def test_the_bell_rings_when_it_is_ones_turn_and_nobody_looks(
    at: Sitting, rings: bool, watched: bool, heard: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bells: list[int] = []
    monkeypatch.setattr(TableApp, "bell", lambda app: bells.append(1))
    at.app.rings = rings
    (at.app.on_app_focus if watched else at.app.on_app_blur)()
    asked = len(at.company.asked)
    await at.press("1", "enter")
    await at.until(lambda: len(at.company.asked) > asked and at.app.is_asking)
    assert len(bells) == heard


def test_how_the_screen_is_wanted_is_kept_in_the_home(window: FullWindow) -> None:
    async def script(at: Sitting) -> None:
        await at.asked()
        settings.keep(own_home(), settings.Settings(bots="easy"))  # chosen with the screen up
        for word in ("theme", "bell", "pace"):
            at.app._chosen(word)

    assert window.app.rings
    assert not screen_window(ScreenOptions(lambda reason: None, bell=False)).app.rings
    private_folder(own_home().path)
    sit(script, Company(3))
    kept = settings.load()
    assert kept.bots == "easy"
    assert (kept.light, kept.bell, kept.staged) == (True, False, True)
    later = screen_window(ScreenOptions(lambda reason: None))
    assert later.app.theme == "textual-light"
    assert not later.app.rings


@seated()
async def test_ticket_and_code_are_copied_and_shown_as_a_picture(at: Sitting) -> None:
    await at.press("d")
    assert at.app.clipboard == ""  # there is no code
    at.app.stage.hear(updates.OfferedCode("7-lantern-walrus", "relay.example:4646", 600.0, None))
    await at.press("d")
    assert at.app.clipboard == "7-lantern-walrus@relay.example:4646"
    await at.press("x")
    assert not isinstance(at.app.screen, Picture)  # there is no ticket yet
    at.app.ticket = "hoity3" + "a" * 190
    await at.press("c")
    assert at.app.clipboard == at.app.ticket
    await at.press("x")
    assert isinstance(at.app.screen, Picture)
    await at.press("x")
    assert not isinstance(at.app.screen, Picture)


def test_behind_the_screen_stands_how_it_ended(window: FullWindow, capsys: Shown) -> None:
    standings = tuple(rules.Standing(rank, rank % 3, 40 - rank, ()) for rank in (1, 2, 3))
    path, hear = Path("game.hoity"), window.app.stage.hear
    hear(updates.Started(table(3), 0))
    hear(updates.Ended("silent-seat", 1))
    window.seat.end(Outcome(None, code="silent-seat", seat=1))
    assert "Ada" in capsys.readouterr().out
    hear(updates.GameOver(table(3), None, standings, path))  # type: ignore[arg-type]
    window.seat.end(Outcome(path, standings))
    told = capsys.readouterr().out
    assert "1 Ada 39 · 2 Bruno 38 · 3 Iris 37" in told
    assert "Ada wins with field 39, 1 field ahead of Bruno." in told
    assert "hoity verify game.hoity" in told


@pytest.mark.parametrize("asked", ["agree", "again"])
def test_a_plain_question_goes_on_in_lines(
    window: FullWindow, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_window, "LineWindow", Lines)

    async def ask() -> bool:
        async def fail() -> None:
            while not window.app.desk.answers:
                await trio.sleep(0.01)
            window.app._board.draw = broken  # type: ignore[assignment]
            window.app.call_later(window.app.redraw)

        async with running(fail):
            window.seat.say("the ticket")
            return await (window.seat.agree() if asked == "agree" else window.seat.again())

    assert asyncio.run(window.host(ask, headless=True)).unwrap() is True
    assert isinstance(window.seat.window, Lines)
    assert window.seat.window.said == ["the ticket"]


def test_a_host_sees_on_the_least_screen_how_far_its_ticket_leads(window: FullWindow) -> None:
    terms = checked_terms(TableOptions(6), b"h" * 32)
    found = Found(("192.168.1.5:4646",), trouble=(because(RouterCode.SILENT),))
    for ticket, what in (("", found), ("hoity3better", replace(found, mapped="81.2.69.142:4646"))):
        word = "hoity3" + "a" * 190
        window.app.desk.papers = ()
        window.show_ticket(word, TableOffer(terms, read_game(terms), ("Ana",)))
        judged = judge(what, Wanted(lan=True))
        window.seat.tell(updates.Reached(judged.scope, judged.reasons, ticket))
        shown = [str(line.plain) for line in frame(window.app.stage, window.app.desk, 80, 24)]
        joined = " ".join(" ".join(shown).split())
        assert (ticket or word)[:70] in joined
        assert all(sentence(reason) in joined for reason in judged.reasons), shown
        assert window.app.ticket == (ticket or word)
        assert joined.count("Give this ticket") == 1
