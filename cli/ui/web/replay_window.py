"""What the window of a replay asks for, and what it is told. No I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.presentation.staging import LONG_PAUSE
from p2p_hoity.presentation.table_messages import Beat, Message
from p2p_hoity.presentation.window_messages import StyledText
from protocol import Node

from ... import version
from ...table_view.board import board_of
from ...table_view.desk import Desk
from ...table_view.film import Film
from ...table_view.message_parts import table_of
from ...table_view.messages import TableMessages, hello
from ...words import translation
from .page_message import page_message
from .page_sheets import page_sheet
from .window_requests import Open, Seek, Set, WindowLine


class ReplayWindow:
    """A recorded game as a window shows it.

    Attributes:
        stage: The moment that is shown.
    """

    def __init__(
        self, film: Film, end: Node, mode: windows.Mode, settings: windows.WindowSettings
    ) -> None:
        """Begin at the first moment.

        Args:
            end: The last node of the chain.
        """
        self._film, self._end, self._mode, self._settings = film, end, mode, settings
        self.stage = film.stage()
        self._desk = Desk(is_replay=True)
        if film.verdict is not None:
            self._desk.verdict, self._desk.checked = film.verdict.mark, film.verdict.lines

    def answers(self, said: WindowLine) -> Iterator[Message]:
        """Carry out what the window has sent, and yield what it is told then."""
        match said:
            case Seek(changed):
                at, eyes = changed.get("at"), changed.get("eyes", self._film.eyes)
                if at is not None:
                    self._film.step(at - self._film.at)
                if eyes is None or 0 <= eyes < self._film.table.seats:
                    self._film.eyes = eyes
                self.stage = self._film.stage()
                yield from self._moment()
            case Open(name):
                yield page_sheet(name, self.stage, self._desk, "")
            case Set(wanted):
                light = wanted.get("light", self._settings.light)
                self._settings = replace(self._settings, light=light)
                if code := translation.code_of(wanted.get("language", "")):
                    translation.speak(code, True)
                    self.stage = self._film.stage()
                yield from self.whole()

    def whole(self) -> Iterator[Message]:
        """Yield all that a window has to know now."""
        yield hello(version())
        yield page_message(self._mode, self._settings)
        yield table_of(self._film.table, None, ())
        yield from self._moment()

    def _moment(self) -> Iterator[Message]:
        """Yield the moment at which the film stands."""
        film, stage = self._film, self.stage
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
