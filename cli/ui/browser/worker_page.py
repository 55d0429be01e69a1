"""The page around a worker, as a window talks with it: texts go to it and come from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio

from p2p_hoity.presentation.window_messages import Mode
from p2p_hoity.storage.home import Home
from protocol.units import Quota

from ...words.translation import _
from ..screen_options import ServedPage

MOST_WAITING: Final[Quota] = 256
"""The most texts of the page that wait to be read. Further ones are dropped."""


class WorkerSocket:
    """The page, from when it enters until it enters anew."""

    def __init__(self, post: Callable[[str], object]) -> None:
        self._post = post
        self._come, self._read = trio.open_memory_channel[str](MOST_WAITING)

    def take(self, text: str) -> None:
        """Take a text of the page."""
        try:
            self._come.send_nowait(text)
        except trio.WouldBlock:
            return

    async def send(self, text: str) -> None:
        """Send a text to the page."""
        self._post(text)
        # The page draws between two texts.
        await trio.lowlevel.checkpoint()

    async def receive(self) -> str:
        """Wait for the next text of the page."""
        return await self._read.receive()

    async def close(self, code: int) -> None:
        """Do nothing: what the page sends comes from this program's own scripts."""
        await trio.lowlevel.checkpoint()


class WorkerPage(ServedPage):
    """The page around a worker.

    Attributes:
        give: Gives the browser a file to save.
    """

    mode: Mode = "play"
    has_terminal = False
    # `play_calls.play` says how it has ended.
    goes_on = True

    def __init__(
        self,
        home: Home,
        post: Callable[[str], object],
        give: Callable[[str, bytes], object],
        address: str,
    ) -> None:
        """Take functions that send the page a text, or a file that the browser is to save."""
        self.home, self._post, self.give, self.address = home, post, give, address
        self.failures: list[Exception] = []
        self._socket = WorkerSocket(post)
        self._entered = trio.Event()

    def enter(self) -> None:
        """Take note that the page wants to be told everything."""
        self._socket = WorkerSocket(self._post)
        self._entered.set()

    def take(self, text: str) -> None:
        """Take a text of the page."""
        self._socket.take(text)

    def save(self, name: str, text: str) -> str:
        """Let the browser save a picture, and return what came of it."""
        self.give(name, text.encode())
        return _("Your browser saves {name}.").format(name=name)

    async def serve_until_left(self, talk: Callable[[Any], Awaitable[None]]) -> None:
        """Let the page talk, anew whenever it has entered anew, until a talk ends by itself."""
        async with trio.open_nursery() as nursery:

            async def whole(socket: Any) -> None:
                await talk(socket)
                nursery.cancel_scope.cancel()

            await self.serve(whole)

    async def serve(self, talk: Callable[[Any], Awaitable[None]], /) -> None:
        """Let the page talk, anew whenever it has entered anew, until this is cancelled."""
        while True:
            await self._entered.wait()
            self._entered = trio.Event()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(talk, self._socket)
                await self._entered.wait()
                nursery.cancel_scope.cancel()
