"""A replay on the page: the window says where the film stands and whose eyes it shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import trio

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.presentation.staging import LONG_PAUSE
from p2p_hoity.presentation.table_messages import Beat, Message
from p2p_hoity.presentation.window_messages import StyledText
from p2p_hoity.web.websocket import WebSocket
from protocol import Node

from ... import version
from ...local import settings
from ...table_view.board import board_of
from ...table_view.desk import Desk
from ...table_view.film import Film
from ...table_view.message_parts import table_of
from ...table_view.messages import TableMessages, hello
from ...words import translation
from .outbox import Outbox
from .page_host import PageHost
from .page_message import page_message
from .page_sheets import page_sheet, saved_picture
from .page_window import VACANT
from .window_requests import Done, Open, Save, Seek, Set, WindowLine, next_request


class PageReplay:
    """A recorded game on the page."""

    def __init__(self, page: PageHost, film: Film, end: Node) -> None:
        """Begin at the first moment.

        Args:
            end: The last node of the chain.
        """
        self._page, self._film, self._end = page, film, end
        self._stage = film.stage()
        self._desk = Desk(is_replay=True)
        if film.verdict is not None:
            self._desk.verdict, self._desk.checked = film.verdict.mark, film.verdict.lines
        kept = settings.load()
        self._settings = windows.WindowSettings(kept.light, kept.bell is not False, True)
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
        outbox = Outbox(socket, self._whole)
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
            case Seek(changed):
                at, eyes = changed.get("at"), changed.get("eyes", self._film.eyes)
                if at is not None:
                    self._film.step(at - self._film.at)
                if eyes is None or 0 <= eyes < self._film.table.seats:
                    self._film.eyes = eyes
                self._stage = self._film.stage()
                yield from self._moment()
            case Open(name):
                yield page_sheet(name, self._stage, self._desk, "")
            case Save():
                yield saved_picture(self._stage)
            case Set(wanted):
                light = wanted.get("light", self._settings.light)
                self._settings = replace(self._settings, light=light)
                if code := translation.code_of(wanted.get("language", "")):
                    translation.speak(code, True)
                    self._stage = self._film.stage()
                yield from self._whole()
            case Done():
                self._is_left = True
                self._changed.set()

    def _whole(self) -> Iterator[Message]:
        """Yield all that a window has to know now."""
        yield hello(version())
        yield page_message(self._page.mode, self._settings)
        yield table_of(self._film.table, None, ())
        yield from self._moment()

    def _moment(self) -> Iterator[Message]:
        """Yield the moment at which the film stands."""
        film, stage = self._film, self._stage
        yield windows.Story(tuple(stage.log))
        board = board_of(stage)
        items = film.moments[film.at].items
        index = sum(len(moment.items) for moment in film.moments[: film.at])
        if board is not None:
            yield Beat(board.round, index, items, stage.beat, LONG_PAUSE, 0, board)
        verdict = self._desk.verdict
        mark = (
            StyledText("", "plain") if verdict is None else StyledText(verdict.words, verdict.tone)
        )
        yield windows.FilmPosition(len(film.moments), film.at, tuple(film.rounds), film.eyes, mark)
        standings = film.moments[film.at].state.standings
        if standings and film.at == len(film.moments) - 1:
            over = updates.GameOver(film.table, self._end, standings, None)
            yield TableMessages(stage).ending(over)
