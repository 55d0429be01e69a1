"""A replay on the page: the window leads it, and what a window sends does it no harm."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from support.page_table import PageClient, page_host, secret_of
from support.paths import ROOT
from wsproto.events import TextMessage

from cli.commands.replay import _verified
from cli.table_view.film import film_of
from cli.ui.web.page_replay import PageReplay

FILE = ROOT / "tests" / "vectors" / "transcripts" / "small-four-returned.hoity"
HUGE = 10**400


@asynccontextmanager
async def replayed(folder: Path) -> AsyncIterator[PageClient]:
    """A window of a replay that has entered."""
    report, _mark = _verified(FILE)
    assert report.node is not None
    film = film_of(FILE, report)
    assert film is not None
    page = page_host(folder / "page", "replay")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(PageReplay(page, film, report.node).serve)
        with trio.fail_after(30):
            yield await PageClient.enter(page.server.port, secret=secret_of(page.server))
        nursery.cancel_scope.cancel()
    page.close()
    assert page.server.failures == []


async def test_a_replay_is_led_to_its_end_and_back(tmp_path: Path) -> None:
    async with replayed(tmp_path) as client:
        first = await client.until("film-position")
        assert first["at"] == 0
        await client.send({"type": "seek", "at": first["length"] - 1})
        assert (await client.until("ending"))["standings"]
        await client.send({"type": "seek", "at": 1, "eyes": 2})
        back = await client.until("film-position")
        assert (back["at"], back["eyes"]) == (1, 2)


@pytest.mark.parametrize(
    ("seek", "at", "eyes"),
    [
        ({"at": HUGE}, "last", None),
        ({"at": -HUGE}, 0, None),
        ({"eyes": HUGE}, 0, None),
        ({"eyes": -1}, 0, None),
        ({}, 0, None),
    ],
    ids=["far", "before", "nobody", "negative", "nothing"],
)
async def test_a_replay_has_no_moment_and_no_seat_but_its_own(
    tmp_path: Path, seek: dict[str, Any], at: Any, eyes: int | None
) -> None:
    async with replayed(tmp_path) as client:
        first = await client.until("film-position")
        await client.send({"type": "seek", **seek})
        found = await client.until("film-position")
        assert found["at"] == (first["length"] - 1 if at == "last" else at)
        assert found["eyes"] == eyes


async def test_many_wishes_at_once_leave_a_replay_time_for_others(tmp_path: Path) -> None:
    async with replayed(tmp_path) as client:
        first = await client.until("film-position")
        text = json.dumps({"type": "seek", "at": first["length"] // 2})
        many = b"".join(client._socket.send(TextMessage(text)) for _ in range(300))
        gaps: list[float] = []

        async def beside() -> None:
            while True:
                before = trio.current_time()
                await trio.sleep(0)
                gaps.append(trio.current_time() - before)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(beside)
            nursery.start_soon(client.stream.send_all, many)
            for _ in range(100):
                await client.until("film-position")
            nursery.cancel_scope.cancel()
        assert len(gaps) > 100
        assert max(gaps) < 2
