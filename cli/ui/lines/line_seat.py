"""A seat, or an onlooker, line by line: for a screen reader, a pipe, or a plain terminal."""

from __future__ import annotations

import signal
import sys
import textwrap
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, TypeVar

import trio

from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.presentation.screen_updates import Moved, Reached, Update
from p2p_hoity.table.player_interface import Player
from p2p_hoity.table.session import Outcome
from protocol import Terms

from ... import printing
from ...words import table_terms
from ...words.card_names import Names
from ...words.presence_sentences import knock
from ...words.table_terms import block
from ...words.translation import N_, _
from .line_prompt import QUIT, SeatPrompt
from .line_question import TALK_HELP, Pages
from .line_screen import LineScreen
from .stdin_lines import CONTINUED, INTERRUPT, pump, read_stdin

T = TypeVar("T")


WIDTH: Final = 96
"""Columns of an explanation where no terminal says how many it has."""


class LineSeat:
    """The screen without `--json`; see `screen.Screen`."""

    def __init__(
        self,
        auto: bool,
        leave: Callable[[str], None],
        stands_in: bool = False,
        plain: bool = False,
    ) -> None:
        """Prepare the screen.

        Args:
            auto: Whether a bot plays.
            leave: Called with the reason when the player leaves.
            stands_in: Whether a bot plays on if the input ends before the first answer.
            plain: Whether lines were asked for, so that the commands shown keep them.
        """
        self._send, lines = trio.open_memory_channel[str](64)
        self._screen = LineScreen(printing.say, "--plain " if plain else "")
        patient = not sys.stdin.isatty()
        self._at_terminal = not patient
        self._prompt = SeatPrompt(self._screen, lines, leave, None, auto, patient, stands_in)
        self.player: Player = self._prompt

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun."""
        return self._screen.scene.game

    def tell(self, update: Update) -> None:
        """Some lines; the open question again behind them."""
        if isinstance(update, Reached | Moved) and update.ticket:
            self._prompt.pages.ticket = update.ticket
        self._prompt.tell(update)

    def say(self, words: str) -> None:
        """One line."""
        printing.say(words)

    def show_ticket(
        self, ticket: str, terms: Terms, game: HoityToity, nickname: str, watched: bool = True
    ) -> None:
        """The terms, then the ticket in a block of its own, once."""
        self.show_terms(terms, game, (nickname,), watched)
        printing.say(*block(ticket))
        self._prompt.pages.ticket = ticket
        if self._at_terminal:
            self.say(_("Type c to copy it, or qr to show it as a QR code."))

    def show_terms(
        self, terms: Terms, game: HoityToity, names: tuple[str, ...], watched: bool = True
    ) -> None:
        """The terms, a line each."""
        printing.say(*table_terms.describe(terms, game, names, watched))

    def allow_hints(self, allowed: bool) -> None:
        """Whether `hint` says what the hard bot would do."""
        self._prompt.has_hints = allowed

    def mute(self, names: Iterable[str]) -> None:
        """These voices are not heard."""
        self._prompt.talk.mute(names)

    def begin_lesson(self, names: Names) -> None:
        """Who sits there; no table is told of."""
        self._screen.names = names
        self._prompt.is_lesson = True

    async def explain(self, words: str) -> None:
        """A paragraph: lines stay, so that nobody has to say that it was read."""
        told = _("LESSON {words}").format(words=words)
        columns = printing.width() or WIDTH
        printing.say(*textwrap.wrap(told, columns, subsequent_indent="  "))

    def end_lesson(self) -> None:
        """Nothing: the lines stay."""

    async def agree(self) -> bool:
        """Whether the person sits down."""
        return await self._prompt.agree(_("Sit down? Enter or y; n leaves."))

    async def admit(self, nickname: str, key: str) -> bool:
        """Whether the person lets a guest in: that has to be typed."""
        return await self._prompt.admit(knock(nickname, key))

    def listens(self, is_asked: bool) -> bool:
        """For answers; and a person at a terminal may type a command at any time."""
        return is_asked or sys.stdin.isatty()

    async def listen(self) -> None:
        """Hear every line until the input ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump, self._send, read_stdin, self._at_terminal)
            nursery.start_soon(self._prompt.listen)
            if self._at_terminal:
                nursery.start_soon(self._watch_signals, self._send.clone())

    async def _watch_signals(self, send: trio.MemorySendChannel[str]) -> None:
        """Ctrl-C asks what leaving means; after `fg` the open question is said again."""
        wanted = {signal.SIGINT: INTERRUPT}
        if hasattr(signal, "SIGCONT"):
            wanted[signal.SIGCONT] = CONTINUED
        with trio.open_signal_receiver(*wanted) as received:
            async for number in received:
                await send.send(wanted[signal.Signals(number)])

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer; this screen needs no loop of its own."""
        return trio.run(main, *args)

    def end(self, outcome: Outcome) -> None:
        """Nothing: the updates have told it."""


HELP: Final = (
    N_("b board · h hands of Action cards · i names of Collectibles (i B1649: that one) · l log"),
    N_("r the rules in one screen, as `hoity rules` prints them · proofs: what was proven so far"),
    N_("q leaves; nobody at the table is kept waiting by that"),
)


class LineWatch(LineSeat):
    """Tells what happens as to a seat; what is typed is about looking only."""

    def __init__(self, leave: Callable[[str], None]) -> None:
        super().__init__(True, leave)
        self._pages = Pages(self._screen)
        self._leave = leave
        self._typed, self._lines = trio.open_memory_channel[str](64)

    def listens(self, is_asked: bool) -> bool:
        """If a person types at a terminal."""
        return sys.stdin.isatty()

    async def listen(self) -> None:
        """Hear every line, and leave when the input ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump, self._typed)
            async for line in self._lines:
                self._hear(line)
            self._leave(_("the input has ended"))

    def _hear(self, line: str) -> None:
        word, _space, rest = line.strip().partition(" ")
        if self._prompt.talk.takes(line):
            return
        if word.lower() in QUIT:
            self._leave(_("you left"))
        elif not self._pages.answers(word.lower(), rest.strip()) and line:
            printing.say(*map(_, HELP + TALK_HELP))

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer with a keyboard beside it, if there is one."""

        async def heard() -> T:
            async with trio.open_nursery() as nursery:
                if self.listens(False):
                    nursery.start_soon(self.listen)
                found = await main(*args)
                nursery.cancel_scope.cancel()
            return found

        return trio.run(heard)
