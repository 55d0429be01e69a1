"""The window for programs: it writes the messages of the table, one a line, and reads answers."""

from __future__ import annotations

import math
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import trio

from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.table_messages import Ask, AskForm, Log, Message
from p2p_hoity.rules import IllegalMove
from p2p_hoity.table.playing.session import Outcome
from protocol.units import Seconds

from .. import version
from ..exit_codes import INTERRUPTED, USAGE, Trouble
from ..printing import write_line
from ..table_view.choice_json import choice_from_json
from ..table_view.messages import TableMessages, hello
from ..words.presence_sentences import seat_request
from ..words.refusals import NO_SUCH_QUESTION, NOT_MARKED, NOTHING_OPEN, OLD_QUESTION
from ..words.table_terms import TableOffer
from ..words.translation import _
from .json_answers import BAD_FIELD, Answer, BotPlays, Check, NotUnderstood, Reply, read_line
from .lines.stdin_lines import STRAYS, forward_input
from .person_seat import PersonSeat, Window

Write = Callable[[dict[str, Any]], None]


class JsonWindow(Window):
    """The JSON interface by which a program plays the seat (option `--json`).

    It writes the messages of `presentation.table_messages` and reads those of `json_answers`, which
    docs/programs.md explains.

    Attributes:
        typed: The channel into which the lines of the program are sent.
    """

    def __init__(self, seat: PersonSeat, write: Write = write_line) -> None:
        super().__init__(seat)
        self._how, self._write = seat.how, write
        self._messages = TableMessages()
        self._has_greeted = self._is_over = self._has_answered = False
        self._asks = 0
        self.typed, self._lines = trio.open_memory_channel[str](64)
        self._send, self._answers = trio.open_memory_channel[Answer | Reply | NotUnderstood](64)

    # Messages

    def _print(self, messages: Iterable[Message]) -> None:
        """Write messages, before the very first one the greeting."""
        for message in messages:
            if not self._has_greeted:
                self._has_greeted = True
                self._write(hello(version()).as_json())
            self._write(message.as_json())

    def tell(self, update: updates.Update) -> None:
        """Write the messages that an update causes.

        Unless another game may follow, the `ending` is the last one, except for faults that are
        found while others still have to confirm the result.
        """
        match update:
            case updates.GameOver():
                self._is_over = True
                self._print([self._messages.over(update)])
                return
            # The last message tells it, from the outcome of the table.
            case updates.Ended() | updates.Unconfirmed():
                return
            case updates.Started():
                self._is_over = False
            case updates.Accused():
                pass
            case _ if self._is_over and not self._how.again:
                return
        self._print(self._messages.hear(update, self.seat.by_bot))

    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        """Write the lobby with the ticket and the terms."""
        self._print(self._messages.offered(offer, ticket))

    def show_terms(self, offer: TableOffer) -> None:
        """Write the lobby with the terms."""
        self._print(self._messages.offered(offer))

    def end(self, outcome: Outcome) -> tuple[()]:
        """Write how the table ended, unless it was written already."""
        if not self._is_over:
            self._is_over = outcome.code is None
            why = None
            if outcome.code is not None:
                why = updates.Ended(outcome.code, outcome.seat, outcome.by)
            told = self._messages.broken_off(why, outcome.transcript, evidence_of(outcome))
            self._print([told])
        return ()

    # Input

    def listener(self, is_asked: bool) -> Callable[[], Awaitable[None]] | None:
        """Return the function that reads the standard input, None if it is not to be read."""
        is_read = is_asked or self._how.again
        # An onlooker's lines are chat of a program, which sits at no terminal.
        if self._how.looks_on:
            is_read = not sys.stdin.isatty()
        return self.listen if is_read else None

    async def listen(self) -> None:
        """Read and handle every line until the input ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(forward_input, self.typed)
            await self.hear()

    async def hear(self) -> None:
        """Carry out the requests among the lines, and keep the answers until they are asked for."""
        async with self._send:
            async for line in self._lines:
                if not line.strip():
                    continue
                try:
                    said = read_line(line)
                except NotUnderstood as error:
                    # In the order of the lines: a prepared input may be ahead of the questions.
                    await self._send.send(error)
                    continue
                match said:
                    case Answer() | Reply():
                        await self._send.send(said)
                    case Check(question, picked):
                        self._check(question, picked)
                    case BotPlays(plays):
                        self.seat.hand_over(plays)
                    case _:
                        self.seat.request(said)

    def _check(self, question: int, picked: tuple[int, ...]) -> None:
        """Say what marked pieces would be as the answer to the open question."""
        now = self.seat.open
        if now is None or question != self._messages.questions:
            self._refuse(OLD_QUESTION, {"id": question})
        elif now[1] not in ("exhibit", "theft"):
            self._refuse(NOT_MARKED, {})
        else:
            self._print([self._messages.checked(*now, picked)])

    def _refuse(self, code: str, fields: Mapping[str, Any]) -> None:
        self._print([self._messages.refused(code, fields)])

    async def _next(self) -> Answer | Reply | NotUnderstood:
        """Return the next answer or reply, or raise `Trouble` if the input has ended."""
        try:
            return await self._answers.receive()
        except trio.EndOfChannel as error:
            words = _("The input ended while an answer was needed. With --auto a bot answers.")
            raise Trouble(words, INTERRUPTED, "input-ended") from error

    # Questions about the table

    async def agree(self) -> bool:
        """Ask the program whether it accepts the terms."""
        return await self._ask(AskForm.AGREE, _("Sit down at this table?"))

    async def admit(self, nickname: str, key: str | None) -> bool:
        """Ask the program whether a guest may sit down."""
        fields = {"nickname": nickname, "fingerprint": key}
        # An old line must not admit another guest, so that the reply has to name the question.
        words = seat_request(nickname, key)
        return await self._ask(AskForm.ADMIT, words, fields, is_named=True)

    async def again(self, seconds: Seconds) -> bool:
        """Ask the program for another game with the same people."""
        words = _("Another game with the same people?")
        try:
            limit = seconds if math.isfinite(seconds) else None
            return await self._ask(AskForm.AGAIN, words, seconds=limit)
        except Trouble:
            return False

    async def _ask(
        self,
        form: AskForm,
        words: str,
        fields: Mapping[str, Any] | None = None,
        seconds: Seconds | None = None,
        is_named: bool = False,
    ) -> bool:
        """Ask a question, and return the reply. Other lines are refused."""
        self._asks += 1
        self._print([Ask(self._asks, form, words, fields or {}, seconds)])
        while True:
            match await self._next():
                case Reply(ask, yes) if ask == self._asks or (ask is None and not is_named):
                    return yes
                case Reply(ask=None):
                    self._refuse(BAD_FIELD, {"field": "ask"})
                case said:
                    self._refuse_other(said)

    def _refuse_other(self, said: Answer | Reply | NotUnderstood) -> None:
        """Refuse a line that is no answer to what is asked now."""
        match said:
            case NotUnderstood():
                self._refuse(said.code, said.fields)
            case Reply(ask=None) | Answer(question=None):
                self._refuse(NOTHING_OPEN, {})
            case Reply(ask=number) | Answer(question=number):
                last = self._asks if isinstance(said, Reply) else self._messages.questions
                is_old = number is not None and 0 < number <= last
                self._refuse(OLD_QUESTION if is_old else NO_SUCH_QUESTION, {"id": number})

    # Choices

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Wait for a line that is a legal choice.

        Raises:
            Trouble: After too many lines that are no choice.
        """
        strays = 0
        while strays < STRAYS:
            said = await self._next_choice()
            now = self._messages.questions
            if not isinstance(said, Answer) or said.question not in (None, now):
                self._refuse_other(said)
                # A late answer does not count as a stray.
                number = said.question if isinstance(said, Answer) else None
                strays += not (number is not None and 0 < number < now)
                continue
            try:
                choice = choice_from_json(kind, said.choice)
                view.check(kind, choice)
            except IllegalMove as error:
                self._refuse(error.code, error.fields)
                strays += 1
                continue
            return choice
        words = _("too many lines of the input ({number}) were no choice; with --auto a bot plays")
        raise Trouble(words.format(number=STRAYS), USAGE, "too-many-refused")

    async def _next_choice(self) -> Answer | Reply | NotUnderstood:
        """Return the next line. If the input has ended, a bot plays on, or the seat is left."""
        try:
            said = await self._next()
        except Trouble as error:
            if self._how.stands_in and not self._has_answered:
                words = _("The input has ended: a bot plays your seat.")
                self._print([Log(self._messages.round, "stand-in", {}, (words,))])
                self.seat.hand_over(True)
            else:
                self.seat.leave(str(error).rstrip("."))
            # Whoever takes the seat, or the end of the table, cancels this question.
            await trio.sleep_forever()
        self._has_answered = True
        return said


def evidence_of(outcome: Outcome) -> dict[str, Any] | None:
    """Return the proof that the host has signed two rosters, None if there is none."""
    found = outcome.evidence
    if found is None:
        return None
    signed = [{"table": s.table.hex(), "signature": s.signature.hex()} for s in found.both]
    return {"terms": found.terms.hex(), "signed": signed}
