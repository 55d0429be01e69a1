"""A table by the rules alone at a page: the real window and server, and a client that plays."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio

from cli.ui.person_seat import PersonSeat
from cli.ui.screen_options import ScreenOptions
from cli.ui.web.page_host import PageHost
from cli.ui.web.page_server import PageServer
from cli.ui.web.page_window import PageWindow
from p2p_hoity.presentation.window_messages import Mode
from p2p_hoity.storage.home import Home
from p2p_hoity.table.playing.session import Outcome
from support import table_contract
from support.screened import Company
from support.web_client import Client, Closed

Message = dict[str, Any]


def page_host(folder: Path, mode: Mode = "play") -> PageHost:
    """A page that opens no browser."""
    folder.mkdir(mode=0o700, exist_ok=True)
    return PageHost(Home(folder), mode, opens=False)


def secret_of(server: PageServer) -> str:
    """The secret in the address."""
    return server.address.partition("#")[2]


@dataclass
class PageTable:
    """A seat at a page."""

    page: PageHost
    seat: PersonSeat
    left: list[str] = field(default_factory=list)

    @property
    def window(self) -> PageWindow:
        """The window of the seat."""
        assert isinstance(self.seat.window, PageWindow)
        return self.seat.window

    @property
    def port(self) -> int:
        """The port of the page."""
        return self.page.server.port

    async def enter(self) -> PageClient:
        """Enter by the secret."""
        return await PageClient.enter(self.port, secret=secret_of(self.page.server))


def page_table(folder: Path, **how: Any) -> PageTable:
    """A seat at a page, with these options of a screen."""
    page, left = page_host(folder), list[str]()
    return PageTable(
        page, PersonSeat(ScreenOptions(left.append, page=page, **how), PageWindow), left
    )


@asynccontextmanager
async def playing(table: PageTable, company: Company) -> AsyncIterator[Callable[[], bool]]:
    """Play a game at a page in the background. What is yielded returns whether the page is done."""
    done: list[None] = []

    async def play() -> Outcome:
        await company.play(table.seat, table.seat.tell)
        return Outcome(None, company.referee.state.standings)

    async def run() -> None:
        (await table.window.serve_beside(play)).unwrap()
        done.append(None)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        with trio.fail_after(50):
            yield lambda: bool(done)
        nursery.cancel_scope.cancel()
    table.page.close()
    assert table.page.server.failures == []


class PageClient(Client):
    """A window that knows the contract.

    Attributes:
        token: What lets it enter again.
        heard: All messages.
        picked: The choice for a question, by default its first entry.
    """

    token: str
    heard: list[Message]

    @classmethod
    async def enter(cls, port: int, **first: Any) -> PageClient:
        self = await cls.open(port)
        assert isinstance(self, cls)
        self.heard = []
        await self.send({"type": "enter", **first})
        self.token = (await self.receive())["token"]
        return self

    async def receive(self) -> Any:
        """Return the next message, which fits the contract."""
        message = await super().receive()
        table_contract.check(message)
        self.heard.append(message)
        return message

    async def play(
        self,
        look: Callable[[Message], object] = lambda message: None,
        until: Callable[[Message], bool] = lambda message: message["type"] == "ending",
    ) -> Message:
        """Answer each question by its first entry, and hurry, until a message is the wanted one."""
        while True:
            message = await self.receive()
            look(message)
            if until(message):
                return message
            await self.answer(message)

    async def answer(self, message: Message) -> None:
        """Do what a message asks for."""
        match message:
            case {"type": "question", "id": number, "entries": [first, *_]}:
                await self.send({"type": "answer", "question": number, "choice": first["choice"]})
            case {"type": "beat"}:
                await self.send({"type": "hurry"})
            case {"type": "explain", "ask": number}:
                await self.send({"type": "reply", "ask": number, "yes": True})


__all__ = ["Closed", "PageClient", "PageTable", "page_host", "page_table", "playing", "secret_of"]
