"""The replay on the screen: moved and left by keys, and running by itself."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from support.film import film
from support.sampling import sample
from textual.pilot import Pilot

from cli.table_view.film import Film, Verdict
from cli.table_view.seats import Notice
from cli.ui.full_screen import replay_screen
from cli.ui.full_screen.info_pages import Page
from cli.ui.full_screen.layout import frame
from cli.ui.full_screen.replay_screen import PAGES, ReplayApp

FILM = film()
LAST = len(FILM.moments)


def at_film(
    script: Callable[[ReplayApp, Pilot[None]], Awaitable[None]],
    size: Any,
    shown: Film | None = None,
) -> ReplayApp:
    """Let a person watch the film by a script."""

    async def play() -> ReplayApp:
        app = ReplayApp(shown or Film(FILM.table, FILM.moments))
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


def test_the_verdict_stands_in_the_first_line_and_whole_on_its_page() -> None:
    verdict = Verdict(Notice("proofs ✓", "good"), ("game: ok.", "  checked: 7 signatures"))

    async def play(app: ReplayApp, pilot: Pilot[None]) -> None:
        assert app._board.lines[0].plain.rstrip().endswith("proofs ✓")
        await pilot.press("o")
        assert isinstance(app.screen, Page)
        assert [line.plain for line in app.screen.shown] == list(verdict.lines)
        await pilot.press("o")

    at_film(play, (80, 24), Film(FILM.table, FILM.moments, verdict))


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
