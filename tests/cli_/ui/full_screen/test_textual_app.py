"""The application through Textual's pilot: whole games by keys and by mouse, and reveals."""

import random
from dataclasses import replace
from typing import Any

import pytest
import trio
import trio.testing
from support.at_screen import Script, Sitting, menu_of, seated, sit
from support.sampling import sample
from support.screened import Company, short, table
from textual.widgets import OptionList, Static

from cli.table_view.stage import Stage
from cli.ui.full_screen.info_pages import Choices, Page, phrases
from cli.ui.full_screen.textual_app import TableApp
from cli.words import translation
from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.playing.player_interface import Player
from p2p_hoity.table.playing.player_requests import Talk, WaitLonger

pytestmark = pytest.mark.sampled(10)

PAGES = pytest.mark.sampled(1)
WAYS_OUT = pytest.mark.sampled(2)


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
    listed = at.app.query_one("#phrases", Static)
    assert listed.display
    assert "2 Well played." in str(listed.visual)
    assert listed.size.height == len(phrases(78)) == 4
    await at.press(*"well 1", "enter")
    assert not listed.display
    await at.press("t", "2", "enter")
    await at.press("t", "x", "escape")
    assert not listed.display
    await at.press("w")
    await at.until(lambda: len(at.wishes) == 3)
    assert at.wishes == [Talk("well 1"), Talk(1), WaitLonger()]


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


@seated(lambda: Company(3, seed=2), staged=True, asked=False)
async def test_a_page_is_read_during_a_reveal_and_hurries_nothing(at: Sitting) -> None:
    await at.until(lambda: at.app.desk.menu is not None)
    await at.press("x")
    await at.asked()
    await at.press("1", "enter")
    await at.until(lambda: at.app.stage.is_revealing)
    hurried: list[bool] = []
    at.app.action_hurry = lambda: hurried.append(True)  # type: ignore[method-assign]
    for key in ("i", "l"):
        await at.press(key)
        await at.until(lambda: isinstance(at.app.screen, Page))
        await at.press("escape")
        await at.until(lambda: not isinstance(at.app.screen, Page))
    assert hurried == []


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


@pytest.mark.parametrize("headless", [True, False])
@seated()
async def test_the_title_of_the_window_says_whose_turn_it_is_where_there_is_a_window(
    at: Sitting, headless: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(at.app._driver, "write", written.append)
    monkeypatch.setattr(TableApp, "is_headless", headless)
    at.app.rings = False
    at.app.on_app_blur()
    at.app._ring()
    at.app.on_app_focus()
    turn = "\x1b]2;► your turn · Hoity Toity\x07"
    assert written == ([] if headless else [turn, "\x1b]2;\x07"])
    written.clear()
    at.app.on_app_blur()
    at.app.hear(updates.Started(table(3), 0))
    full = "\x1b]2;► the table is complete · Hoity Toity\x07"
    assert written == ([] if headless else [full])


@seated()
async def test_each_entry_of_the_menu_switches_what_it_says_and_only_the_look_is_kept(
    at: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, kept = at.app, list[tuple[bool, bool, bool]]()
    monkeypatch.setattr(app.hands, "keep", lambda *wanted: kept.append(wanted))
    assert (app.current_theme.dark, app.rings, app.stage.staged) == (True, True, False)
    for word in ("pace", "bell", "theme", "theme"):
        app._chosen(word)
    assert kept == [
        (False, True, True),
        (False, False, True),
        (True, False, True),
        (False, False, True),
    ]
    for word, muted in (("mute 2", {2}), ("mute 1", {1, 2}), ("mute 2", {1})):
        app._chosen(word)
        assert app.desk.muted == muted
    for word in ("stay", "", None):
        app._chosen(word)
    assert len(kept) == 4
    assert at.left == []
