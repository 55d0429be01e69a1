"""The replay: every moment once, forward and back, and never more than was known then."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.moments import begun
from support.paths import VECTORS
from support.sampling import sample, times
from support.screened import table
from textual.pilot import Pilot

from cli.commands.replay import moments, show, told
from cli.table_view.film import Film, Moment
from cli.ui.full_screen import replay_screen
from cli.ui.full_screen.info_pages import Page
from cli.ui.full_screen.layout import frame
from cli.ui.full_screen.replay_screen import MOVES, PAGES, ReplayApp
from p2p_hoity import rules
from p2p_hoity.game_adapter import read_game
from protocol import game_interface, transcript


def film(seats: int = 3, seed: int = 1) -> Film:
    """A whole game by its moments."""
    shown, found = begun(seats, seed), []
    while not isinstance(rules.expected(shown.driver.state), game_interface.Over):
        before = len(shown.driver.record)
        shown.driver.step()
        if items := tuple(shown.driver.record[before:]):
            found.append(Moment(items, shown.driver.state))
    return Film(table(seats, shown.driver.state.variant), found)


FILM = film()
LAST = len(FILM.moments)


def verified() -> tuple[Any, Any]:
    """A kept game: the report on it, and its last node."""
    data = (VECTORS / "transcripts" / "four-uberplay-2004.hoity").read_bytes()
    report = transcript.verify(data, read_game, lambda: 0.0)
    assert report.node is not None
    return report, report.node


def test_a_file_gives_every_happening_once() -> None:
    report, node = verified()
    assert report.ok
    found = moments(node)
    assert [item for moment in found for item in moment.items] == told(report)


@given(st.lists(st.sampled_from(sorted(set(MOVES) - {" ", "space", "+", "-"})), max_size=12))
@settings(max_examples=times(10, 25))
def test_any_keys_stay_within_the_film_and_show_a_whole_screen(keys: list[str]) -> None:
    shown = Film(FILM.table, FILM.moments)
    for key in keys:
        steps = {"right": 1, "n": 1, "left": -1, "b": -1, "home": -LAST, "end": LAST}
        if key in steps:
            shown.step(steps[key])
        elif key == "s":
            shown.look()
        else:
            shown.jump({"pagedown": True, "pageup": False}[key])
        assert 0 <= shown.at < len(shown.moments)
    scene = shown.stage().scene
    assert scene.view is not None
    assert scene.view.state is shown.moments[shown.at].state
    assert len(scene.record) == sum(len(m.items) for m in shown.moments[: shown.at + 1])


@given(st.integers(0, len(FILM.moments) - 1), st.integers(0, 3))
@settings(max_examples=times(12, 30))
def test_a_seat_is_seen_to_know_its_own_pieces_and_no_others(at: int, looks: int) -> None:
    shown = Film(FILM.table, FILM.moments)
    shown.at = at
    for _look in range(looks):
        shown.look()
    view = shown.stage().scene.view
    assert view is not None
    assert view.seat == shown.eyes
    known = {slot for slot, card in enumerate(view.state.known) if card is not None}
    own = set() if shown.eyes is None else set(view.state.collectibles[shown.eyes])
    dealt = set() if shown.eyes is None else set(range(4 * shown.eyes, 4 * shown.eyes + 4))
    assert set(view.cards) - known <= dealt
    if shown.eyes is not None and view.state.round:
        assert own & dealt <= set(view.cards)


def test_rounds_are_jumped_to_where_they_begin() -> None:
    shown = Film(FILM.table, FILM.moments)
    for number in (1, 2, 3):
        shown.jump(True)
        assert shown.moments[shown.at].state.round in (number, number + 1)
    there = shown.at
    shown.jump(False)
    assert shown.at < there


def at_film(script: Callable[[ReplayApp, Pilot[None]], Awaitable[None]], size: Any) -> ReplayApp:
    """Let a person watch the film by a script."""

    async def play() -> ReplayApp:
        app = ReplayApp(Film(FILM.table, FILM.moments))
        async with app.run_test(size=size) as pilot:
            await script(app, pilot)
        assert app.failure is None
        return app

    return asyncio.run(play())


def test_a_click_on_every_place_of_the_board_does_no_harm() -> None:
    """The board of a replay has the places that a player may click on, and nobody to answer."""

    async def play(app: ReplayApp, pilot: Pilot[None]) -> None:
        while "choose(" not in str(app._board.lines):
            await pilot.press("right")
        at = app.film.at
        actions = {span.action for line in app._board.lines for span in line.spans if span.action}
        for action in actions:
            await app.run_action(action)
            await pilot.press("escape") if len(app.screen_stack) > 1 else None
        assert app.film.at == at
        assert app.is_running
        for key in ("ctrl+c", "ctrl+q", "ctrl+d"):
            assert app.active_bindings[key].binding.action == "menu"

    at_film(play, (100, 30))


def test_keys_move_the_film_and_q_leaves() -> None:
    async def play(app: ReplayApp, pilot: Pilot[None]) -> None:
        await pilot.press("right", "right", "s")
        assert (app.film.at, app.film.eyes) == (2, 0)
        await pilot.press("end")
        assert "RANK" in "\n".join(line.plain for line in app._board.lines)
        await pilot.press("home", "i", "escape", "question_mark", "escape")
        assert app.film.at == 0
        await pilot.press("+", "+", "+", "space")
        await pilot.press("pagedown", "a", "1", "enter", "t", "w")
        assert app.failure is None
        assert app.is_running
        for width in (40, 80, 200):
            assert len(frame(app.stage, app.desk, width, 24)) == 24
        await pilot.press("q")

    assert at_film(play, (80, 24)).return_code == 0


@pytest.mark.parametrize("size", sample([(80, 24), (1, 1), (20, 5)], 1, "sizes of a replay"))
def test_every_page_opens_and_closes_whatever_the_size(size: tuple[int, int]) -> None:
    async def play(app: ReplayApp, pilot: Pilot[None]) -> None:
        for key in PAGES:
            await pilot.press(key)
            assert isinstance(app.screen, Page)
            await pilot.press("escape")
            await pilot.press(key, "1", "a")
            assert app.screen.name == PAGES[key]
            await pilot.press(key)
            await pilot.pause()
            assert len(app.screen_stack) == 1
        await pilot.press("end", "s", "i", "escape")

    at_film(play, size)


def test_a_screen_that_fails_has_shown_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the lines are told instead."""

    async def fails(app: ReplayApp) -> None:
        app._exception = RuntimeError("drawn badly")

    async def is_left(app: ReplayApp) -> None:
        return

    monkeypatch.setattr(ReplayApp, "run_async", fails)
    _report, node = verified()
    assert not show(node)
    monkeypatch.setattr(ReplayApp, "run_async", is_left)
    assert show(node)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("stops", ["space", "left"])
def test_a_replay_runs_by_itself_until_a_key_stops_it(
    stops: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_screen, "SPEEDS", (0.001,) * 5)

    async def play(app: ReplayApp, pilot: Pilot[None]) -> None:
        await pilot.press("space", "+", "-", "-")
        while app.film.at < 3:
            await asyncio.sleep(0.001)
        await pilot.press(stops)
        at = app.film.at
        await asyncio.sleep(0.05)
        assert (app.speed, app.film.at) == (None, at)

    at_film(play, (80, 24))


def test_a_replay_that_runs_stops_behind_the_last_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[float] = []
    monkeypatch.setattr(replay_screen, "SPEEDS", (0.001,) * 5)

    async def play(app: ReplayApp, pilot: Pilot[None]) -> None:
        app.film.at = LAST - 4
        set_timer = app.set_timer

        def count(delay: float, *given: Any, **named: Any) -> Any:
            if delay == 0.001:
                started.append(delay)
            return set_timer(delay, *given, **named)

        monkeypatch.setattr(app, "set_timer", count)
        await pilot.press("space")
        while len(started) < 4 or app.film.at < LAST - 1:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)
        assert (app.film.at, len(started)) == (LAST - 1, 4)

    at_film(play, (80, 24))
