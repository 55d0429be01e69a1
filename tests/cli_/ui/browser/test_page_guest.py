"""A guest in a page plays with native seats: by a relay alone, with its files in a store."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from support.cases import ends_in
from support.memory_store import MemoryStore
from support.page_robot import ADDRESS, Message, PageRobot
from support.page_sockets import Browser
from support.player_table import PlayerTable, Thinker, cheap_table
from support.relays import DOORS, serve_relay
from support.short_game import short_edition

from cli.exit_codes import Trouble
from cli.ui.browser import page_opener, play_calls
from cli.ui.browser.page_guest import PageGuest, WatchInstead
from cli.ui.browser.page_opener import PageOpener
from cli.ui.browser.page_stay import OPENING, TICKET, WATCHES, PageStay, PageWays, stay_in_page
from cli.ui.browser.page_watcher import PageWatcher
from cli.ui.browser.wishes import resolved, store_wish
from cli.ui.browser.worker_page import WorkerPage
from p2p_hoity.coded_errors import CodedError
from p2p_hoity.game_adapter import read_game
from p2p_hoity.net.page_network import PageNetwork
from p2p_hoity.net.ticket import encode_ticket
from p2p_hoity.net.typed_tickets import read_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage.home import Home, transcripts
from p2p_hoity.table.peer_error import PeerError
from protocol import transcript

__all__ = ["cheap_table"]
HERE = Path("/page")


class PagedTable:
    """A native host and pages at its relay."""

    def __init__(self, folder: Path, nursery: trio.Nursery, seats: int = 2) -> None:
        self.table = PlayerTable(folder, seats)
        self.store, self.nursery = MemoryStore(), nursery
        self.browser = Browser(nursery, self.table.network)

    async def open(self) -> None:
        """Open the table."""
        self.nursery.start_soon(self.table.host)
        await self.table.opened.wait()

    async def open_relay(self) -> None:
        """Open the relay."""
        (place,) = await self.nursery.start(self._relay)
        self.table.relays = (place,)

    async def _relay(self, task_status: Any) -> None:
        network = self.table.network
        await serve_relay("127.0.0.1", 0, network=network, task_status=task_status)

    def robot(self, *look: Any, store: MemoryStore | None = None) -> PageRobot:
        """A page whose files are in the store."""
        return PageRobot(Home(HERE, store or self.store), *look)

    @property
    def ways(self) -> PageWays:
        """How a page reaches the relay."""
        network = PageNetwork(self.browser.dial, self.table.relays)
        return PageWays(network, self.table.relays, ADDRESS)

    async def stay(self, kind: type[PageStay], robot: PageRobot, *more: Any) -> None:
        """Stay at the table in a page."""
        robot.page.enter()
        await stay_in_page(kind(robot.page, self.ways, *more))

    async def sit(self, robot: PageRobot) -> None:
        """Sit down in a page, or take the seat again, and play to the end."""
        await self.stay(PageGuest, robot, self.table.ticket)

    async def host(self, robot: PageRobot) -> None:
        """Open the table that the page wants, or come back to it, and play to the end."""
        await self.stay(PageOpener, robot)

    async def wish(self, store: MemoryStore, **wish: Any) -> None:
        """Store what a person wants in a page."""
        ticket = await resolved(wish, self.ways)
        store_wish({**wish, "ticket": ticket}, store)


@asynccontextmanager
async def paged(
    folder: Path, monkeypatch: pytest.MonkeyPatch, seats: int = 2, opens: bool = True
) -> AsyncIterator[PagedTable]:
    """A relay, with a native table that is open if that is wanted."""
    monkeypatch.setitem(DOORS, "web", True)
    monkeypatch.setattr(page_opener, "load", short_edition)
    with trio.fail_after(3600):
        async with trio.open_nursery() as nursery:
            made = PagedTable(folder, nursery, seats)
            await made.open_relay()
            if opens:
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


async def test_the_nickname_is_chosen_with_the_terms_and_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    names = ["", "P0", "ｐ０", "x" * 40, "Zoe\u0301\u0301\u0301\u0301", "Zoe"]
    async with paged(tmp_path, monkeypatch) as made:
        robot, left = made.robot(), names[1:]

        def choose(message: Message) -> None:
            is_terms = message["type"] == "ask" and "nickname" in message["fields"]
            if is_terms or message.get("code") == "no-nickname":
                robot.say(type="sit", ask=1, nickname=left.pop(0))

        robot.answers_terms, robot.look = False, choose
        await made.sit(robot)
        assert left == []
        refused = [one["words"] for one in robot.heard if one.get("code") == "no-nickname"]
        assert [words[:30] for words in refused] == [
            "Somebody at this table has the",
            "Somebody at this table has the",
            "a nickname has 1 to 24 charact",
            "a nickname may have at most 2 ",
        ]
        (table,) = [one for one in robot.heard if one["type"] == "table"]
        assert [seat["nickname"] for seat in table["seats"]] == ["P0", "Zoe"]


async def test_a_page_opens_a_table_and_opens_it_again_when_it_is_loaded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch, opens=False) as made:
        await made.wish(made.store, act="host", nickname="Ana", seats=2, asks=False)
        closing, links = trio.CancelScope(), list[str]()

        def close(message: Message) -> None:
            if message["type"] == "lobby" and message["ticket"]:
                links.append(message["link"])
                assert links[0].startswith(f"{ADDRESS}#hoity3")
                closing.cancel()

        with closing:
            await made.host(made.robot(close))
        assert closing.cancelled_caught
        robot = made.robot()
        made.nursery.start_soon(made.host, robot)
        await robot.until("lobby")
        # The guest comes by the link that was given out before.
        guest, theirs = made.robot(store=MemoryStore()), MemoryStore()
        await made.wish(theirs, act="sit", nickname="", word=links[0])
        ticket = read_ticket(theirs.get(TICKET).decode())
        await made.stay(PageGuest, guest, ticket)
        await robot.until("ending")
    (path,) = transcripts(Home(HERE, made.store))
    assert transcript.verify(made.store.get(path), read_game).ok
    (told,) = {one["pages"][0] for one in robot.heard if one["type"] == "lobby" and one["pages"]}
    assert told.startswith("2 of 2 seats play in pages of pages.example: ")


async def test_a_host_that_comes_back_after_the_roster_takes_its_seat_or_says_that_it_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch, opens=False) as made:
        await made.wish(made.store, act="host", nickname="Ana", seats=2, asks=True)
        closing = trio.CancelScope()

        def close(message: Message) -> None:
            if message["type"] == "question":
                closing.cancel()

        host = made.robot(close)

        async def hosts() -> None:
            with closing:
                await made.host(host)
            await made.host(made.robot())

        made.nursery.start_soon(hosts)
        await host.until("lobby")
        ticket = read_ticket(made.store.get(TICKET).decode())
        guest = made.robot(store=MemoryStore())
        await made.stay(PageGuest, guest, ticket)
        assert closing.cancelled_caught
        assert "admit" in {one["form"] for one in host.heard if one["type"] == "ask"}
        await trio.sleep(30)
        (path,) = transcripts(Home(HERE, made.store))
        # The same, without its journal and its file: it was closed before it had one.
        made.store.remove(path)
        with pytest.raises(Trouble, match="table is lost"):
            await made.host(made.robot())


async def test_who_finds_no_free_seat_may_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch) as made:
        made.table.guests[0].player = Thinker(5)
        first = made.robot()
        made.nursery.start_soon(made.sit, first)
        await first.until("question")
        late = made.robot(store=MemoryStore())
        with pytest.raises(WatchInstead):
            await made.sit(late)
        asked = [one["words"] for one in late.heard if one["type"] == "ask"]
        assert "Do you want to watch the game?" in asked[-1]
        watcher = made.robot(store=MemoryStore())
        await made.stay(PageWatcher, watcher, made.table.ticket)
        await over(made)
        assert {"table", "beat", "ending"} <= set(watcher.types())
        assert "question" not in watcher.types()


async def test_a_code_gives_the_ticket_and_a_wrong_one_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch) as made:
        await made.table.until_heard(updates.OfferedCode, 0)
        (code,) = made.table.guests[0].heard(updates.OfferedCode)
        store = MemoryStore()
        for word, why in (
            ("7-lantern", "no-ticket.*"),
            ("9999-lantern-walrus", "code-unknown-there.*"),
            ("hoity3aaaa", ".*"),
            ("", "no-ticket.*"),
        ):
            await ends_in(CodedError, why, made.wish(store, act="sit", word=word))
        with pytest.raises(Trouble, match=r"one of the relay wss://other\.example"):
            await made.wish(store, act="sit", word=f"{code.code}@wss://other.example")
        await ends_in(
            CodedError, "nickname.*", made.wish(store, act="sit", word=code.code, nickname="x" * 40)
        )
        assert not store.has(TICKET)
        await made.wish(store, act="watch", word=code.code)
        assert store.has(WATCHES)
        # Who has watched may sit down all the same.
        await made.wish(store, act="sit", word=encode_ticket(made.table.ticket))
        assert not store.has(WATCHES)
        assert read_ticket(store.get(TICKET).decode()).terms == made.table.ticket.terms


class Worker:
    """The worker of a page, as JavaScript has it, over files in memory."""

    def __init__(self, made: PagedTable, store: MemoryStore) -> None:
        self.made, self.store = made, store
        self.texts: list[dict[str, Any]] = []
        self.browser: Any = SimpleNamespace(ways=made.ways, post=self._post, give=None)

    def _post(self, text: str) -> None:
        self.texts.append(json.loads(text))

    async def kind(self, watches: bool = False) -> str:
        """The stay that it begins, "" for the replay of a game that is over."""
        kinds: list[str] = []

        async def stayed(stay: PageStay) -> None:
            kinds.append(type(stay).__name__)

        async def shown(*_: Any) -> None:
            kinds.append("")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(play_calls, "stay_in_page", stayed)
            patch.setattr(play_calls, "show_ended", shown)
            home = Home(HERE, self.store)
            page = WorkerPage(home, self._post, lambda name, data: None, ADDRESS)
            await play_calls._stay(page, self.browser, "", watches)
        return kinds[0]


async def test_a_seat_comes_before_watching_and_a_rematch_before_the_game_that_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch, opens=False) as made:
        made.table.guests[0].options["again"] = True
        made.table.guests[0].player = Thinker(0, more=1)
        await made.open()
        worker = Worker(made, made.store)
        word = encode_ticket(made.table.ticket)
        await made.wish(made.store, act="watch", word=word)
        assert await worker.kind(watches=True) == "PageWatcher"
        assert await worker.kind() == "PageGuest"
        # The host wants a second game, and this page is closed in it.
        closing, games = trio.CancelScope(), list[str]()

        def close(message: Message) -> None:
            if message["type"] == "table":
                games.append(message["game"])
            if message["type"] == "ask" and message["form"] == "again":
                robot.say(type="reply", ask=message["id"], yes=True)
            if message["type"] == "question" and len(games) == 2:
                closing.cancel()

        robot = made.robot(close)
        robot.leaves = False
        with closing:
            await made.sit(robot)
        assert closing.cancelled_caught
        assert len(transcripts(Home(HERE, made.store))) == 1
        for watches in (False, True):
            assert await worker.kind(watches) == "PageGuest"
        again = made.robot()
        await made.sit(again)
        assert await worker.kind() == ""
    told = [one["game"] for one in again.heard if one["type"] == "table"]
    assert told == games[1:]
    assert len(transcripts(Home(HERE, made.store))) == 2


async def test_nothing_is_opened_over_a_table_and_a_bad_nickname_that_was_kept_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    async with paged(tmp_path, monkeypatch) as made:
        await made.wish(made.store, act="host", seats=2, asks=False)
        before = made.store.get(OPENING)
        with pytest.raises(FileExistsError):
            await made.wish(made.store, act="host", seats=3, asks=True)
        assert made.store.get(OPENING) == before
        page = made.robot(store=MemoryStore()).page
        for nickname in ("x" * 40, "", "\u2764\ufe0f"):
            guest = PageGuest(page, made.ways, made.table.ticket, nickname)
            assert guest._new().is_drawn
        assert PageGuest(page, made.ways, made.table.ticket, "Zoe")._new().nickname == "Zoe"
