"""A seat for people, line by line: for a screen reader, a pipe, or a plain terminal."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import trio

from p2p_hoity.game_port import HoityToity
from p2p_hoity.session.driver import Outcome
from p2p_hoity.session.player import Player
from p2p_hoity.session.updates import Said, Update
from protocol import Terms

from .. import printing
from ..words import terms as terms_words
from ..words.lingo import _
from .line_prompt import SeatPrompt
from .line_screen import SeatScreen
from .line_talk import Watcher, Wishes
from .stdin_lines import pump

T = TypeVar("T")


class LineSeat:
    """The screen without `--json`; see `screen.Screen`."""

    def __init__(self, auto: bool, leave: Callable[[str], None]) -> None:
        self._send, lines = trio.open_memory_channel[str](64)
        self._screen = SeatScreen(printing.say)
        patient = not sys.stdin.isatty()
        self._prompt = SeatPrompt(self._screen, lines, leave, None, auto, patient)
        self.player: Player = self._prompt

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun."""
        return self._screen.table_name

    def tell(self, update: Update) -> None:
        """Some lines; the open question again behind them."""
        self._prompt.tell(update)

    def say(self, words: str) -> None:
        """One line."""
        printing.say(words)

    def show_ticket(self, ticket: str, terms: Terms, game: HoityToity, nickname: str) -> None:
        """The terms, then the ticket on a line of its own, to be copied."""
        self.show_terms(terms, game, (nickname,))
        self.say(_("Give this ticket to the others; they type: hoity join TICKET"))
        self.say(ticket)

    def show_terms(self, terms: Terms, game: HoityToity, names: tuple[str, ...]) -> None:
        """The terms, a line each."""
        for line in terms_words.describe(terms, game, names):
            self.say(line)

    async def agree(self) -> bool:
        """Whether the person sits down."""
        return await self._prompt.agree(_("Sit down? Enter or y; n leaves."))

    def listens(self, is_asked: bool) -> bool:
        """For answers; and a person at a terminal may type a command at any time."""
        return is_asked or sys.stdin.isatty()

    async def listen(self) -> None:
        """Hear every line until the input ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump, self._send)
            nursery.start_soon(self._prompt.listen)

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer; this screen needs no loop of its own."""
        return trio.run(main, *args)

    def end(self, outcome: Outcome) -> None:
        """Nothing: the updates have told it."""


class LineWatch:
    """The screen of an onlooker without `--json`: it may talk, if a person is at the terminal."""

    def __init__(self) -> None:
        self._send, lines = trio.open_memory_channel[str](64)
        self._screen = SeatScreen(printing.say)
        self.player = Watcher(printing.say, lines, Wishes())

    def tell(self, update: Update) -> None:
        """Some lines."""
        if not isinstance(update, Said) or self.player.talk.hears(update):
            self._screen(update)

    def say(self, words: str) -> None:
        """One line."""
        printing.say(words)

    async def listen(self) -> None:
        """Hear every line until the input ends, if a person types them."""
        if not sys.stdin.isatty():
            return
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump, self._send)
            nursery.start_soon(self.player.listen)

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the onlooker; this screen needs no loop of its own."""
        return trio.run(main, *args)

    def end(self, outcome: Outcome) -> None:
        """Nothing: the updates have told it."""
