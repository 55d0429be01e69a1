"""One choice asked in lines: the question, its options, the answer, and the confirmation."""

from __future__ import annotations

from typing import Final

import trio

from p2p_hoity import rules

from ..words.board_text import own_slots
from ..words.card_names import Names
from ..words.choice_names import NoAnswer, Question, in_words, questions, read, sealing, together
from ..words.translation import _, yes_or_no
from .line_screen import SeatScreen

HANDED_OVER: Final = "\0handed over"
"""Put among the answers when the seat is handed to the bot in the middle of a question."""
COLUMNS: Final = 80
"""Of a line in which several answers stand."""


class Withdrawn(Exception):
    """The seat was handed over while a question was open."""


class Asker:
    """Asks one thing after the other; lines that answer are put in by `take`."""

    def __init__(self, screen: SeatScreen) -> None:
        self._say = screen.say
        self._send, self._answers = trio.open_memory_channel[str](64)
        self.hungry = trio.Event()
        """Set while an answer is awaited."""
        self._asking = 0  # a cancelled question may end after the next one has begun
        self._open: tuple[str, ...] = ()

    @property
    def is_asking(self) -> bool:
        """Whether a question is open."""
        return self._asking > 0

    def repeat(self) -> None:
        """Say the open question again."""
        for line in self._open:
            self._say(line)

    async def take(self, line: str) -> None:
        """A line that may be the answer."""
        self.hungry = trio.Event()
        await self._send.send(line)

    def answer(self, line: str) -> None:
        """Answer the open question at once, for whoever types nothing more."""
        self.hungry = trio.Event()
        self._send.send_nowait(line)

    def withdraw(self) -> None:
        """The open question, if there is one, needs no answer any more."""
        if self._asking:
            self._send.send_nowait(HANDED_OVER)

    def forget_old_answers(self) -> None:
        """What was typed before a question was seen does not answer it."""
        while True:
            try:
                self._answers.receive_nowait()
            except trio.WouldBlock:
                return

    async def agree(self, question: str, silent: bool | None = True) -> bool:
        """A yes or a no, `silent` is what a bare Enter says; Withdrawn if the seat is handed over
        meanwhile."""
        self._asking += 1
        try:
            self._put(question)
            return await self._confirmed(question, silent)
        finally:
            self._asking -= 1

    def only(self, view: rules.View, kind: rules.Kind, names: Names) -> rules.Choice | None:
        """The one legal choice, said to be made; None if there are more."""
        if kind == "exhibit" and len(own_slots(view)) > 3:
            return None
        legal = view.legal(kind)
        if len(legal) != 1:
            return None
        text = _("Only one choice is legal and is made for you: {choice}")
        self._say(text.format(choice=in_words(view, kind, legal[0], names)))
        return legal[0]

    async def ask(
        self, view: rules.View, kind: rules.Kind, again: bool, names: Names
    ) -> rules.Choice:
        """A confirmed choice; Withdrawn if the seat is handed over meanwhile."""
        self._asking += 1
        try:
            if again:
                self._say(_("This choice has to be made again: the step begins afresh."))
            return await self._until_confirmed(view, kind, names)
        finally:
            self._asking -= 1

    async def _until_confirmed(
        self, view: rules.View, kind: rules.Kind, names: Names
    ) -> rules.Choice:
        while True:
            answers = [await self._question(q, view, kind) for q in questions(view, kind, names)]
            choice = together(kind, answers)
            text = _("{choice}? No undo: Enter or y confirms, n chooses again.")
            self._put(text.format(choice=sealing(view, kind, choice, names)))
            if await self._confirmed():
                return choice

    async def _confirmed(self, otherwise: str = "", silent: bool | None = True) -> bool:
        """A yes or a no; to anything else `otherwise` is said, or what a choice's answers are."""
        while True:
            answer = yes_or_no(await self._heard(), silent)
            if answer is not None:
                return answer
            self._say(otherwise or _("Enter or y confirms, n chooses again."))

    async def _question(
        self, question: Question, view: rules.View, kind: rules.Kind
    ) -> rules.Choice:
        if len(question.options) == 1 and kind == "theft":
            return question.options[0].value
        self._put(*_asked(question, kind))
        while True:
            try:
                return read(await self._heard(), question, view, kind)
            except NoAnswer as why:
                self._say(str(why))

    def _put(self, *lines: str) -> None:
        """Say a question, and keep it to be said again after a command."""
        self._open = lines
        self.repeat()

    async def _heard(self) -> str:
        self.hungry.set()
        line = await self._answers.receive()
        if line == HANDED_OVER:
            raise Withdrawn
        return line


def _asked(question: Question, kind: rules.Kind) -> list[str]:
    """The question and its options: of Places and windows there are two, on the same line; of
    all else as many in a line as have room."""
    if kind in ("place", "window"):
        two = (f"{n} {option.words}" for n, option in enumerate(question.options, 1))
        return ["  ".join([question.words, *two])]
    options = [f"  {n}  {option.words}" for n, option in enumerate(question.options, 1)]
    return [question.words, *_abreast(options)]


def _abreast(options: list[str]) -> list[str]:
    """As many in a line as 80 columns take, one below the other."""
    column = max(map(len, options), default=0) + 2
    row = max(1, COLUMNS // column)
    rows = (options[at : at + row] for at in range(0, len(options), row))
    return ["".join(option.ljust(column) for option in line).rstrip() for line in rows]
