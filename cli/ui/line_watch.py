"""The screen of an onlooker, line by line: the game as it goes on, and pages on demand."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import trio

from .. import printing
from ..words.translation import N_, _
from .line_pages import Pages
from .line_prompt import QUIT
from .line_seat import LineSeat
from .line_talk import HELP as TALK_HELP
from .stdin_lines import pump

T = TypeVar("T")
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
            for words in HELP + TALK_HELP:
                printing.say(_(words))

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
