"""A guest in a page plays with native seats: by a relay alone, with its files in a store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from support.memory_store import MemoryStore
from support.page_robot import Message, PageRobot
from support.page_sockets import Browser
from support.player_table import PlayerTable, cheap_table
from support.relays import DOORS, serve_relay

from cli.exit_codes import Trouble
from cli.ui.browser.page_guest import PageGuest, sit_in_page
from p2p_hoity.game_adapter import read_game
from p2p_hoity.net.page_network import PageNetwork
from p2p_hoity.storage.home import Home, transcripts
from p2p_hoity.table.peer_error import PeerError
from protocol import transcript

__all__ = ["cheap_table"]
HERE = Path("/page")


class PagedTable:
    """A native host and a page that is its guest."""

    def __init__(self, folder: Path, nursery: trio.Nursery) -> None:
        self.table = PlayerTable(folder, 2)
        self.store, self.nursery = MemoryStore(), nursery
        self.browser = Browser(nursery, self.table.network)

    async def open(self) -> None:
        """Open the relay and the table."""
        (place,) = await self.nursery.start(self._relay)
        self.table.relays = (place,)
        self.nursery.start_soon(self.table.host)
        await self.table.opened.wait()

    async def _relay(self, task_status: Any) -> None:
        network = self.table.network
        await serve_relay("127.0.0.1", 0, network=network, task_status=task_status)

    def robot(self, *look: Any) -> PageRobot:
        """A page whose files are in the store."""
        return PageRobot(Home(HERE, self.store), *look)

    def guest(self, robot: PageRobot) -> PageGuest:
        """The guest whose page is this one."""
        network = PageNetwork(self.browser.dial, self.table.relays)
        return PageGuest(robot.page, network, self.table.relays)

    async def sit(self, robot: PageRobot) -> None:
        """Sit down in a page, or take the seat again, and play to the end."""
        robot.page.enter()
        await sit_in_page(self.guest(robot), self.table.ticket)


@asynccontextmanager
async def paged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PagedTable]:
    """A table that is open."""
    monkeypatch.setitem(DOORS, "web", True)
    async with trio.open_nursery() as nursery:
        made = PagedTable(folder, nursery)
        await made.open()
        yield made
        nursery.cancel_scope.cancel()


async def over(made: PagedTable) -> None:
    """Wait until the host's table is over."""
    while made.table.guests[0].outcome is None:
        await trio.sleep(1)


async def test_a_page_plays_a_whole_game_and_verifies_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch) as made:
        robot = made.robot()
        await made.sit(robot)
        await over(made)
    home = Home(HERE, made.store)
    (path,) = transcripts(home)
    data = made.store.get(path)
    assert data == made.table.guests[0].transcript
    assert transcript.verify(data, read_game).ok
    types = robot.types()
    assert types[:2] == ["hello", "page"]
    assert {"lobby", "ask", "table", "question", "ending"} <= set(types)
    assert {one["form"] for one in robot.heard if one["type"] == "ask"} == {"agree", "again"}
    urls = {url for url, _ in made.browser.sockets}
    assert urls == {f"{made.table.relays[0]}/hoity"}


async def test_a_page_that_is_loaded_again_takes_its_seat_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch) as made:
        closing = trio.CancelScope()

        def close(message: Message) -> None:
            if message["type"] == "question":
                closing.cancel()

        with closing:
            await made.sit(made.robot(close))
        assert closing.cancelled_caught
        robot = made.robot()
        await made.sit(robot)
        await over(made)
        assert "ending" in robot.types()
        (path,) = transcripts(Home(HERE, made.store))
        assert made.store.get(path) == made.table.guests[0].transcript


async def test_who_does_not_accept_the_terms_has_no_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch) as made:
        robot = made.robot()

        def refuse(message: Message) -> None:
            if message["type"] == "ask":
                robot.say(type="reply", ask=message["id"], yes=False)

        robot.look = refuse
        with pytest.raises(PeerError):
            await made.sit(robot)


async def test_a_page_that_enters_anew_is_told_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch) as made:
        robot, seen = made.robot(), list[int]()

        def again(message: Message) -> None:
            if message["type"] == "question" and not seen:
                seen.append(len(robot.heard))
                robot.page.enter()

        robot.look = again
        await made.sit(robot)
        types = robot.types()[seen[0] :]
        assert types.index("hello") < types.index("table") < types.index("question")
        assert "ending" in types


async def test_who_leaves_is_told_how_to_come_back_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch) as made:
        robot = made.robot()

        def leave(message: Message) -> None:
            if message["type"] == "question":
                robot.say(type="leave")

        robot.look = leave
        with pytest.raises(Trouble, match="load this page again"):
            await made.sit(robot)
        again = made.robot()
        await made.sit(again)
        await over(made)
        assert "ending" in again.types()
