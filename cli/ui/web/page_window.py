"""The person at a page in a browser: messages go to the page, and what it sends comes back.

A window may close, hang or be replaced at any moment. The game goes on, and the window that comes
back gets the whole truth.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

import outcome
import trio

from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.presentation.staging import Heard, Remark
from p2p_hoity.presentation.table_messages import NO_NICKNAME, AskForm, Message, Refused
from p2p_hoity.presentation.window_messages import Part
from p2p_hoity.rules import IllegalMove
from p2p_hoity.table.playing.player_requests import LeaveForNow, Talk, WaitLonger
from p2p_hoity.table.playing.session import Outcome
from protocol.units import Seconds

from ... import printing, version
from ...exit_codes import Trouble
from ...local import settings
from ...table_view.choice_json import choice_from_json
from ...table_view.closing import closing_lines
from ...table_view.desk import Desk
from ...table_view.main_menu import leaving
from ...table_view.messages import hello
from ...table_view.paced_messages import PacedMessages, is_late
from ...words import table_terms, translation
from ...words.card_names import Names
from ...words.presence_sentences import seat_request
from ...words.refusals import NOT_MARKED, OLD_QUESTION
from ...words.table_terms import TableOffer
from ...words.translation import _
from ..json_answers import Answer, BotPlays, Check, Reply
from ..json_window import evidence_of
from ..lines.line_window import line_window_instead
from ..person_seat import ANOTHER, NO_OTHER, PeopleWindow, PersonSeat, pause
from ..screen_options import Box, PageSocket
from .outbox import Outbox
from .page_message import page_message
from .page_questions import PageQuestions
from .page_sheets import page_sheet, saved_picture
from .window_requests import Done, Hurry, Open, Save, Set, SitDown, WindowLine, next_request

T = TypeVar("T")
VACANT: Final[Seconds] = 10.0
"""How long the program waits, after a game, for a window that has closed or is reloaded."""
FLUSHING: Final[Seconds] = 1.0
"""How long the last message may take, in seconds."""


class PageWindow(PeopleWindow):
    """The page as the window of a seat."""

    def __init__(self, seat: PersonSeat) -> None:
        super().__init__(seat)
        page = seat.how.page
        if page is None:
            raise ValueError("a page window needs a page")
        self._page = page
        self._messages = PacedMessages()
        self._messages.table.address = page.address
        kept = settings.load(page.home)
        self._messages.staged = kept.staged is not False
        self._settings = windows.WindowSettings(
            kept.light, seat.how.bell and kept.bell is not False, self._messages.staged
        )
        self._desk = Desk()
        self._ticket = ""
        self._outbox: Outbox | None = None
        self._told: windows.Page | None = None
        self._questions = PageQuestions(self._send)
        self._answers = Box[tuple[rules.View, rules.Choice]]()
        self._open: tuple[rules.View, rules.Kind] | None = None
        self._pausing = trio.CancelScope()
        self._nickname = ""
        self._why_not: Callable[[str], str | None] = lambda nickname: None
        self._ending: Message | None = None
        self._is_over = self._is_left = self._is_done = False
        self._kept: list[updates.Update] = []
        self._lesson: Names | None = None
        self._revealed, self._seen, self._changed = trio.Event(), trio.Event(), trio.Event()
        self._failed = trio.Event()

    # What is shown

    def _send(self, found: Iterable[Message]) -> None:
        """Send messages to the window, if there is one. All are made in any case."""
        for message in list(found):
            if self._outbox is not None:
                self._outbox.put(message)

    def _hear(self, update: Heard) -> None:
        """Show an update or a remark of the program."""
        with self._guarded():
            self._send(self._messages.hear(update, self.seat.by_bot))
            if self._messages.is_revealing:
                self._revealed.set()

    def tell(self, update: updates.Update) -> None:
        """Show an update. What is asked, `choose` tells."""
        if isinstance(update, updates.Started):
            self._kept = [update]
        elif isinstance(update, updates.Moved):
            self._kept.append(update)
        if not isinstance(update, updates.Choosing):
            with self._guarded():
                self._tell(update)

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Let a mistake of this program in the page end the page, and not the game."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, the line prompt can go on
            self._page.failures.append(error)
            self._failed.set()

    async def _take_over(self) -> None:
        """Wait until the page fails, then go on at the line prompt in the same seat."""
        await self._failed.wait()
        if not self._page.has_terminal:
            raise self._page.failures[-1]
        printing.complain(_("The page has failed. The game goes on at the line prompt."))
        line = line_window_instead(self.seat, self._messages.past, self._kept, self._lesson)
        await line.listen()

    def _tell(self, update: updates.Update) -> None:
        """Show an update, and do what it means for the person's seat."""
        if isinstance(update, updates.Started):
            self._desk.numbers = table_terms.bounds(update.table.header.terms)
            if self.seat.by_bot and not (self.seat.how.auto or self.seat.how.looks_on):
                self.seat.hand_over(False)  # A person plays the next game again.
        elif isinstance(update, updates.Moved | updates.Reached):
            self._ticket = update.ticket or self._ticket
        now = self._messages.stage.scene
        # With little time left, nothing may keep the question from being seen.
        if now.is_clock_of_step and now.clock is not None and is_late(now.clock):
            self._hurry()
        self._hear(update)
        self._retell()

    def _retell(self) -> None:
        """Tell the window what it needs besides the table, if this has changed."""
        found = self._page_message()
        if found != self._told:
            self._told = found
            self._send([found])

    def _page_message(self) -> windows.Page:
        """Return what the window needs besides the table."""
        return page_message(
            self._page.mode,
            self._settings,
            has_hints=self.seat.is_among_own_bots,
            may_talk=self.seat.how.talks,
            by_bot=self.seat.by_bot and not self.seat.how.looks_on,
        )

    def say(self, words: str) -> None:
        """Show a message in the log, and after the game on the terminal."""
        if self._is_done:
            printing.say(words)
        else:
            self._hear(Remark(words))

    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        """Show the ticket and the terms while the table fills."""
        self._ticket = ticket
        self._offer(offer, ticket)

    def show_terms(self, offer: TableOffer) -> None:
        """Show the terms of a table before the seat is taken."""
        self._offer(offer, None)

    def _offer(self, offer: TableOffer, ticket: str | None) -> None:
        self._desk.numbers = table_terms.bounds(offer.terms)
        self._send(self._messages.table.offered(offer, ticket))

    def begin_lesson(self, names: Names) -> None:
        """Begin a lesson, which has no table."""
        self._desk.lesson, self._lesson = "", names
        self._send(self._messages.begin_lesson(names))

    def end(self, outcome: Outcome) -> list[str]:
        """Return how the game ended and where the transcript is, for the terminal."""
        return closing_lines(self._messages.stage)

    # What is asked

    async def agree(self) -> bool:
        """Ask the person to accept the terms."""
        return await self.ask(_("Sit down?"))

    async def sit_down(self, nickname: str, why_not: Callable[[str], str | None]) -> str | None:
        """Ask the person to accept the terms and to choose a nickname, and return it.

        Args:
            nickname: The one that is offered.
            why_not: Returns why another one is not possible, in a sentence, None if it is.

        Returns:
            None if the terms are not accepted.
        """
        self._nickname, self._why_not = nickname, why_not
        fields = {"nickname": nickname}
        is_accepted = await self._questions.ask(AskForm.AGREE, _("Sit down?"), fields)
        return self._nickname if is_accepted else None

    async def ask(self, words: str) -> bool:
        """Ask the person any question with yes or no."""
        return await self._questions.ask(AskForm.AGREE, words)

    async def admit(self, nickname: str, key: str | None) -> bool:
        """Ask the person whether a guest may sit down."""
        fields = {"nickname": nickname, "fingerprint": key}
        return await self._questions.ask(AskForm.ADMIT, seat_request(nickname, key), fields)

    async def again(self, seconds: Seconds) -> bool:
        """Ask the person for another game with the same people."""
        until = trio.current_time() + seconds
        # Asked anew after a sleep, the time may be over.
        with trio.move_on_after(max(0.0, seconds)):
            await self._until_seen()
        return await self._questions.ask(
            AskForm.AGAIN, _(ANOTHER), seconds=max(0.0, until - trio.current_time())
        )

    async def returning(self) -> None:
        """Return once the person, whose seat has become absent, takes it again."""
        words = _("The others go on without you.")
        while not await self._questions.ask(AskForm.RETURN, words):
            pass

    async def explain(self, words: str, points: tuple[Part, ...] = ()) -> None:
        """Show an explanation until the person has read it."""
        await self._until_seen()
        await self._questions.explain(words, points)

    def takes_only(self, view: rules.View, kind: rules.Kind, choice: rules.Choice) -> bool:
        """Say in the log that no other choice is possible."""
        self._hear(Remark(_(NO_OTHER)))
        return True

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Ask the person for a choice."""
        self._answers.empty()
        self._open = view, kind
        self._hear(updates.Choosing(view, kind, again))
        try:
            while True:
                found, choice = await self._answers.next()
                # The answer may be for an earlier question, which this one has replaced.
                if found is view:
                    return choice
        except trio.Cancelled:
            self._send(self._messages.withdraw(view))
            raise
        finally:
            self._open = None

    def pause(self) -> Seconds:
        """Return how long a bot waits, so that the person can stop it. 0 if little time is left."""
        return pause(self._messages.stage.scene.clock)

    # What the window sends

    async def talk(self, socket: PageSocket) -> None:
        """Talk with a window that has entered, until it is gone or sends what it may not."""
        outbox = self._outbox = Outbox(socket, self._whole)
        self._changed.set()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(outbox.send_all)
                while (said := await next_request(socket)) is not None:
                    self._do(said)
                nursery.cancel_scope.cancel()
        finally:
            if self._outbox is outbox:
                self._outbox = None
            self._changed.set()

    def _whole(self) -> Iterator[Message]:
        """Yield all that a window has to know now."""
        self._told = self._page_message()
        yield hello(version())
        yield self._told
        yield from self._messages.whole(self.seat.by_bot)
        yield from self._questions.open()
        if self._ending is not None:
            yield self._ending

    def _do(self, said: WindowLine) -> None:
        """Carry out what the window has sent."""
        match said:
            case Answer(question, choice):
                self._answer(question, choice)
            case Check(question, picked):
                self._check(question, picked)
            case Reply(ask, yes):
                self._questions.reply(ask, yes)
            case SitDown(ask, nickname):
                self._sit_down(ask, nickname)
            case Hurry():
                self._hurry()
            case Open(name):
                self._desk.has_hints = self.seat.is_among_own_bots
                own = self._page.address
                sheet = page_sheet(name, self._messages.stage, self._desk, self._ticket, own)
                self._send([sheet])
            case Save():
                self._send([saved_picture(self._messages.stage, self._page.save)])
            case Set(changed):
                self._set(changed)
            case Talk() | WaitLonger():
                self.seat.request(said)
            case LeaveForNow():
                self._ask_to_leave()
            case BotPlays(plays):
                self._ask_for_bot(plays)
            case Done() if self._is_over or self._messages.is_over:
                self._leave()
            case _:
                pass  # Nothing to do now, as for what only a replay or the first run takes.

    def _answer(self, question: int | None, given: Any) -> None:
        """Take the answer to the open question, or refuse it."""
        if (now := self._asked(question)) is None:
            return
        view, kind = now
        try:
            choice = choice_from_json(kind, given)
            view.check(kind, choice)
        except IllegalMove as error:
            self._refuse(error.code, error.fields)
            return
        self._open = None
        self._answers.put((view, choice))

    def _check(self, question: int, picked: tuple[int, ...]) -> None:
        """Say what marked pieces would be as the answer to the open question."""
        if (now := self._asked(question)) is None:
            return
        if now[1] not in ("exhibit", "theft"):
            self._refuse(NOT_MARKED, {})
        else:
            self._send([self._messages.table.checked(*now, picked)])

    def _asked(self, question: int | None) -> tuple[rules.View, rules.Kind] | None:
        """Return what a question asks if it is the open one, or say that it is not."""
        table = self._messages.table
        if self._open is not None and table.is_open and question == table.questions:
            return self._open
        self._refuse(OLD_QUESTION, {"id": question})
        return None

    def _refuse(self, code: str, fields: Mapping[str, Any]) -> None:
        self._send([self._messages.table.refused(code, fields)])

    def _sit_down(self, ask: int, nickname: str) -> None:
        """Take the nickname with which the terms are accepted, or refuse it."""
        chosen = nickname or self._nickname
        if (why := self._why_not(chosen)) is None:
            self._nickname = chosen
            self._questions.reply(ask, True)
        else:
            self._send([Refused(None, NO_NICKNAME, {}, why)])

    def _ask_to_leave(self) -> None:
        """Ask whether to leave, since a page could send this by mistake or be made to."""
        words = dict(leaving(self._messages.stage, self._desk))["leave"]
        self._questions.ask_first(AskForm.LEAVE, words[:1].upper() + words[1:], self._leave)

    def _leave(self) -> None:
        """Leave the table, or decline another game that is offered."""
        if not self._is_over and not self._questions.decline(AskForm.AGAIN):
            self.seat.leave(_("you left"))
        self._leave_after_game()

    def _leave_after_game(self) -> None:
        """End the program as soon as nothing is left to do for a game that was seen to its end."""
        if self._is_over or self._messages.is_over:
            self._is_left = True
            self._changed.set()

    def _ask_for_bot(self, plays: bool) -> None:
        """Take the seat back from the bot, or ask whether the bot shall have it."""
        if not plays:
            if self.seat.by_bot:  # Else the open question would be asked anew.
                self._hand_over(False)
        elif self._desk.lesson is None and not self.seat.how.looks_on:
            words = _("Shall a bot play on for you? You can take your seat back at any time.")
            self._questions.ask_first(AskForm.BOT, words, lambda: self._hand_over(True))

    def _hand_over(self, to_bot: bool) -> None:
        self.seat.hand_over(to_bot)
        self._retell()

    def _set(self, changed: Mapping[str, Any]) -> None:
        """Change settings, and keep them unless the program's folder cannot be written to."""
        own = {name: value for name, value in changed.items() if name != "language"}
        self._settings = replace(self._settings, **own)
        if not self._settings.staged and self._messages.staged:
            self._hurry()
        self._messages.staged = self._settings.staged
        language = translation.code_of(changed.get("language", ""))
        now = self._settings
        settings.change(
            self._page.home,
            light=now.light,
            bell=now.sound,
            staged=now.staged,
            language=language or settings.load(self._page.home).language,
        )
        if language is None:
            self._retell()
        else:
            translation.speak(language, True)
            self._send(self._whole())  # Every text is told anew.

    # Pace

    def _hurry(self) -> None:
        """Show the rest of a reveal at once."""
        if self._messages.is_revealing:
            self._send(self._messages.hurry(self.seat.by_bot))
            self._pausing.cancel()

    async def _show_reveals(self) -> None:
        """Show the parts of reveals, each for its time."""
        while True:
            await self._revealed.wait()
            self._revealed = trio.Event()
            while self._messages.is_revealing:
                seconds = 0.0
                with self._guarded():
                    told, seconds = self._messages.advance(self.seat.by_bot)
                    self._send(told)
                if self._failed.is_set():
                    return
                if seconds:
                    with trio.CancelScope() as self._pausing:
                        await trio.sleep(seconds)
            self._seen.set()

    async def _until_seen(self) -> None:
        """Wait until nothing is being revealed, so that nothing is told before it."""
        while self._messages.is_revealing:
            self._seen = trio.Event()
            await self._seen.wait()

    # Running

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Serve the page while a function runs, and then until its window is closed."""
        found: outcome.Outcome[T] = trio.run(self.serve_beside, main, *args)
        return found.unwrap()

    async def serve_beside(
        self, main: Callable[..., Awaitable[T]], *args: Any
    ) -> outcome.Outcome[T]:
        """Run a function, and serve the page until both have ended."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._page.serve, self.talk)
            nursery.start_soon(self._show_reveals)
            nursery.start_soon(self._take_over)
            # An error must reach the caller as it is, and not in a group of the nursery.
            found: outcome.Outcome[T] = await outcome.acapture(main, *args)
            await self._part(found)
            nursery.cancel_scope.cancel()
        self._is_done = True
        return found

    async def _part(self, found: outcome.Outcome[T]) -> None:
        """Show how the table has ended until the window is closed, and say how to go on."""
        words = ""
        match found:
            case outcome.Value(value=Outcome() as end):
                self._is_over = True
                self._end(end)
                await self._until_left()
            case outcome.Error(error=Trouble() as trouble):
                words = str(trouble)
            case outcome.Error(error=trio.Cancelled()):
                return  # What would send a word is cancelled as well.
        if not self._page.goes_on:
            await self._say_bye(words)

    def _end(self, end: Outcome) -> None:
        """Tell how the table has ended, unless its result was told."""
        if end.code is not None and not self._messages.is_over:
            why = updates.Ended(end.code, end.seat, end.by)
            told = self._messages.table.broken_off(why, end.transcript, evidence_of(end))
            self._ending = told
            self._send([told])

    async def _until_left(self) -> None:
        """Wait until the window is done, or no window is there for a time."""
        while not self._is_left:
            self._changed = trio.Event()
            with trio.move_on_after(VACANT if self._outbox is None else math.inf) as wait:
                await self._changed.wait()
            if wait.cancelled_caught:
                return

    async def _say_bye(self, words: str) -> None:
        """Tell the window that the program ends, so that it does not try to enter again."""
        outbox = self._outbox
        if outbox is None:
            return
        outbox.put(windows.Bye(words[:1].upper() + words[1:]))
        with trio.CancelScope(shield=True, deadline=trio.current_time() + FLUSHING):
            await outbox.is_empty.wait()
