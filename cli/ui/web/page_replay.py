"""A replay on the page: the window says where the film stands and whose eyes it shows."""

from __future__ import annotations

import math
from collections.abc import Iterator

import trio

from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.presentation.table_messages import Message
from p2p_hoity.web.websocket import WebSocket
from protocol import Node

from ...local import settings
from ...table_view.film import Film
from .outbox import Outbox
from .page_host import PageHost
from .page_sheets import saved_picture
from .page_window import VACANT
from .replay_window import ReplayWindow
from .window_requests import Done, Save, WindowLine, next_request


class PageReplay:
    """A recorded game on the page."""

    def __init__(self, page: PageHost, film: Film, end: Node) -> None:
        """Begin at the first moment.

        Args:
            end: The last node of the chain.
        """
        self._page = page
        kept = settings.load()
        shown = windows.WindowSettings(kept.light, kept.bell is not False, True)
        self._window = ReplayWindow(film, end, page.mode, shown)
        self._windows = 0
        self._changed = trio.Event()
        self._is_left = False

    def run(self) -> None:
        """Show the game until the window is closed."""
        trio.run(self.serve)

    async def serve(self) -> None:
        """Serve the page until its window is done, or none is there for a time."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._page.serve, self.talk)
            await self._page.server.entered.wait()
            while not self._is_left:
                self._changed = trio.Event()
                with trio.move_on_after(math.inf if self._windows else VACANT) as wait:
                    await self._changed.wait()
                if wait.cancelled_caught:
                    break
            nursery.cancel_scope.cancel()

    async def talk(self, socket: WebSocket) -> None:
        """Talk with a window until it is gone or sends what it may not."""
        outbox = Outbox(socket, self._window.whole)
        self._windows += 1
        self._changed.set()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(outbox.send_all)
                while not self._is_left and (said := await next_request(socket)) is not None:
                    for message in self._do(said):
                        outbox.put(message)
                nursery.cancel_scope.cancel()
        finally:
            self._windows -= 1
            self._changed.set()

    def _do(self, said: WindowLine) -> Iterator[Message]:
        """Carry out what the window has sent, and yield what it is told then."""
        match said:
            case Save():
                yield saved_picture(self._window.stage, self._page.save)
            case Done():
                self._is_left = True
                self._changed.set()
            case _:
                yield from self._window.answers(said)
