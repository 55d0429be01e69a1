"""The questions with yes or no that are open on the page, and explanations that wait to be read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import trio

from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.presentation.table_messages import Ask, AskForm, Message
from p2p_hoity.presentation.window_messages import Part
from protocol.units import Seconds

from ..screen_options import Box


@dataclass(frozen=True)
class Asked:
    """A question that `reply` answers.

    Attributes:
        act: What is done with the reply.
        since: When it was asked, in the time of trio.
    """

    message: Ask | windows.Explain
    act: Callable[[bool], object]
    since: float = field(default_factory=trio.current_time)

    def now(self) -> Message:
        """Return the question with the time that is left."""
        if not isinstance(self.message, Ask) or self.message.seconds is None:
            return self.message
        gone = trio.current_time() - self.since
        return replace(self.message, seconds=max(0.0, self.message.seconds - gone))


class PageQuestions:
    """The open questions, which a window that enters later is told as well."""

    def __init__(self, send: Callable[[Iterable[Message]], object]) -> None:
        self._send = send
        self._open: dict[int, Asked] = {}
        self._number = 0

    def open(self) -> Iterator[Message]:
        """Yield the open questions with the time that is left for each."""
        for asked in self._open.values():
            yield asked.now()

    async def ask(
        self,
        form: AskForm,
        words: str,
        fields: Mapping[str, Any] | None = None,
        seconds: Seconds = math.inf,
    ) -> bool:
        """Ask a question with yes or no, and return the reply."""
        number, limit = self._next(), None if math.isinf(seconds) else seconds
        return await self._replied(number, Ask(number, form, words, fields or {}, limit))

    async def explain(self, words: str, points: tuple[Part, ...]) -> None:
        """Show an explanation until it was read."""
        number = self._next()
        await self._replied(number, windows.Explain(number, words, points))

    def ask_first(self, form: AskForm, words: str, act: Callable[[], object]) -> None:
        """Ask before something is done that the window wants, unless this is asked already."""
        if self._first(form) is not None:
            return
        number = self._next()

        def replied(yes: bool) -> None:
            self._settle(number)
            if yes:
                act()

        self._put(number, Asked(Ask(number, form, words, {}, None), replied))

    def reply(self, number: int | None, yes: bool) -> None:
        """Take a reply, if its question is open."""
        if (asked := self._open.get(number or 0)) is not None:
            asked.act(yes)

    def decline(self, form: AskForm) -> bool:
        """Answer no if a question of a form is open. Return whether one is."""
        asked = self._first(form)
        if asked is not None:
            asked.act(False)
        return asked is not None

    def _first(self, form: AskForm) -> Asked | None:
        """Return an open question of a form."""
        for asked in self._open.values():
            if isinstance(asked.message, Ask) and asked.message.form is form:
                return asked
        return None

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _put(self, number: int, asked: Asked) -> None:
        self._open[number] = asked
        self._send([asked.message])

    async def _replied(self, number: int, message: Ask | windows.Explain) -> bool:
        """Open a question until it is answered or cancelled, and return the reply."""
        replies = Box[bool]()
        self._put(number, Asked(message, replies.put))
        try:
            return await replies.next()
        finally:
            self._settle(number)

    def _settle(self, number: int) -> None:
        if self._open.pop(number, None) is not None:
            self._send([windows.Settled(number)])
