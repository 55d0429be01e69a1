"""The player at the full screen: questions go to the screen, and answers come from it.

Textual runs on the main thread in asyncio, and the peer runs in trio as its guest. Both take turns
on one thread, so an update needs no lock, and an answer is sent in the same moment. If the full
screen fails, the game goes on in lines.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import outcome
import trio

from p2p_hoity import rules
from p2p_hoity.coded_errors import CodedError
from p2p_hoity.presentation.screen_updates import Moved, Reached, Started, Update
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.table.player_interface import BotPlayer, Talk, WaitLonger, Wish
from p2p_hoity.table.rematch import ANSWER
from p2p_hoity.table.session import Outcome
from protocol.bounds import Seconds

from ... import printing
from ...local import settings
from ...words import table_terms
from ...words.card_names import Names
from ...words.choice_names import forced
from ...words.presence_sentences import ended, kept_as, seat_request, won
from ...words.table_terms import TableOffer, reach_lines
from ...words.translation import INSTALLED, N_, _
from ..lines.line_seat import LineSeat
from ..screen_interface import Box, ScreenOptions
from .key_bindings import Hands
from .layout import is_muted
from .textual_app import TableApp

T = TypeVar("T")


A = TypeVar("A")
PAUSE: Final[Seconds] = 2.0
"""Seconds that a bot waits for whoever has lent it the seat, before each choice."""
NO_OTHER: Final = N_("You have no other choice:")
COUNTED: Final[Seconds] = 1.0
"""Seconds between two looks at how long an answer may still take."""
ANOTHER: Final = N_("Another game with the same people? y or n, within {seconds} s")


DRAWING: Final[Seconds] = 0.01
"""Seconds between two looks whether the first frame is drawn."""


class FullSeat(Hands):
    """The full-screen table of one seat, and the person at it; see `screen_interface.Screen`.

    Questions go to the application, and keys come from it. When the application fails, all goes on
    in the line prompt.
    """

    def __init__(self, how: ScreenOptions) -> None:
        self._how = how
        self._token: trio.lowlevel.TrioToken | None = None
        self._failed: trio.Event | None = None
        self.line: LineSeat | None = None
        self._kept: list[Update] = []
        self.is_over = self.is_left = self._is_done = False
        self._bot = BotPlayer()
        self._waits: set[trio.CancelScope] = set()
        self.pause = 0.0 if how.looks_on else PAUSE
        self._lesson: Names | None = None
        self._terms: tuple[str, ...] = ()
        self.app = TableApp(self)
        self.app.furnish(settings.load(), how.bell)

    def open(self) -> None:
        """Make what answers come in by; called in trio."""
        self._token = trio.lowlevel.current_trio_token()
        self._answers = Box[tuple[rules.View, rules.Choice]]()
        self._wishes = Box[Wish]()
        self._replies = Box[bool]()
        self._returns = Box[bool]()

    def _do(self, act: Callable[[], object]) -> None:
        """Do something in trio; nothing before it has begun, or behind its end."""
        if self._token is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(act)

    def _turn(self) -> None:
        """What is asked just now is answered by another player."""
        for wait in self._waits:
            wait.cancel()

    @property
    def autopilot(self) -> bool:
        """Whether a bot has the seat, or nobody is asked."""
        return self.app.desk.autopilot or self._how.looks_on

    def keep(self, light: bool, bell: bool, staged: bool) -> None:
        """Keep how the person wants the screen, if the home takes it, and all else as it is now."""
        with contextlib.suppress(OSError, CodedError):
            home = own_home()
            kept = settings.load(home)
            settings.keep(home, replace(kept, light=light, bell=bell, staged=staged))

    # What a sitting calls, in trio.

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun."""
        return self.app.stage.scene.game

    def tell(self, update: Update) -> None:
        """Show it; keep what another screen would need to go on from here."""
        if isinstance(update, Started):
            self._kept, self.is_left = [update], False
            self.app.numbers = table_terms.bounds(update.table.header.terms)
        elif isinstance(update, Moved):
            self._kept, self.app.ticket = [*self._kept, update], update.ticket
        if self.line is not None:
            self.line.tell(update)
        elif isinstance(update, Reached):
            self._lay_out(update.ticket or self.app.ticket, reach_lines(update))
        else:
            self.app.call_later(self.app.hear, update)

    def say(self, words: str) -> None:
        """A remark: beside the lobby, in a game a line of the log, behind the screen a line."""
        if self.line is not None:
            self.line.say(words)
        elif self._is_done:
            printing.say(words)
        elif self.app.stage.scene.table is not None:
            self.app.call_later(self.app.remark, words)
        else:
            self._lay(words)

    def _lay(self, words: str) -> None:
        """One paper more for the lobby."""
        self.app.desk.papers = (*self.app.desk.papers, words)
        self.app.call_later(self.app.redraw)

    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        """The ticket and the terms, as long as the table fills."""
        self.show_terms(offer)
        self._terms = self.app.desk.papers
        self._lay_out(ticket)

    def _lay_out(self, ticket: str, notes: Sequence[str] = ()) -> None:
        """The ticket and what it is good for before the terms, which a small screen cuts."""
        self.app.ticket, self.app.desk.papers = ticket, ()
        words = _("Give this ticket to the others. They type: {hoity} join TICKET")
        self._lay(words.format(hoity=INSTALLED))
        self._lay(_("c copies it, x shows it as a QR code:"))
        for words in (ticket, *notes, "", *self._terms):
            self._lay(words)

    def show_terms(self, offer: TableOffer) -> None:
        """Who sits there, what is played, how long one may think; the numbers under a key."""
        self.app.stage.seat_guests(offer.names, offer.terms.seats)
        self.app.numbers = table_terms.bounds(offer.terms)
        host, _seated, *told = table_terms.describe(offer)  # the list shows who sits
        for line in (host, *told):
            if line not in self.app.numbers:
                self._lay(line)
        self._lay(_("# shows what this table promises, in numbers"))

    def allow_hints(self, allowed: bool) -> None:
        """Whether h shows what the hard bot would do."""
        self.app.desk.has_hints = allowed
        if self.line is not None:
            self.line.allow_hints(allowed)

    def begin_lesson(self, names: Names) -> None:
        """Who sits there; no table is told of."""
        self._lesson, self.app.desk.lesson = names, ""
        self.app.stage.begin_lesson(names)

    async def explain(self, words: str) -> None:
        """In the place of the question, until Enter."""
        app = self.app
        if self.line is None:
            self._replies.empty()
            app.call_later(app.explain, words)
            try:
                await self._or_turned(self._replies)
            finally:
                app.call_later(app.explain, "")
        if self.line is not None:
            await self.line.explain(words)

    def end_lesson(self) -> None:
        """The screen goes at once: the last explanation has been read."""
        self.is_left = True

    async def agree(self) -> bool:
        """Whether the person sits down."""
        return await self._yes(_("Sit down? y or n"), lambda line: line.agree())

    async def admit(self, nickname: str, key: str | None) -> bool:
        """Whether the person lets a guest in."""
        return await self._yes(seat_request(nickname, key), lambda line: line.admit(nickname, key))

    async def _yes(
        self,
        words: str,
        in_lines: Callable[[LineSeat], Awaitable[bool]],
        patience: Seconds = math.inf,
    ) -> bool:
        """Ask for a yes or a no; in lines if the screen fails before it is said.

        Args:
            words: The question, with `{seconds}` where the time that is left belongs.
            in_lines: Asks the same in lines.
            patience: Seconds until an answer comes too late.
        """
        app, last = self.app, trio.current_time() + patience
        self._replies.empty()
        try:
            while self.line is None:
                left = max(0.0, last - trio.current_time())
                shown = words if math.isinf(left) else words.format(seconds=math.ceil(left))
                app.call_later(app.ask_plainly, shown)
                with self._until_turned(math.inf if math.isinf(left) else COUNTED):
                    return await self._replies.next()
        finally:
            app.call_later(app.ask_plainly, "")
        return await in_lines(self.line)

    def listens(self, is_asked: bool) -> bool:
        """Never: the application hears the keys itself."""
        return False

    async def listen(self) -> None:
        """Nothing, unless the line prompt has taken over."""

    def end(self, outcome: Outcome) -> None:
        """On the terminal as it was before: how it ended, and where the transcript is."""
        stage = self.app.stage
        if stage.scene.standings and stage.names is not None:
            printing.say(won(stage.scene.standings, stage.names))
            lines = [
                f"{s.rank} {stage.names.nicknames[s.seat]} {s.field}" for s in stage.scene.standings
            ]
            printing.say(_("The game is over: {standings}").format(standings=" · ".join(lines)))
        if stage.scene.ended is not None:
            printing.say(ended(stage.scene.ended, stage.names))
        path = stage.scene.transcript
        if path is not None:
            printing.say(*kept_as(path))

    # The player, in trio.

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Ask at the screen, or whoever has the seat now; ask anew if the seat is handed over."""
        only = forced(view, kind)
        if only is not None and not again:
            if not self.autopilot and self.line is None:
                self.app.call_later(self.app.remark, _(NO_OTHER))
            return only
        app = self.app
        while True:
            if self.autopilot and self.line is None:
                await self._pause()
            other = self.line or (self._bot if self.autopilot else None)
            if other is not None:
                return await other.choose(view, kind, again)
            self._answers.empty()
            app.call_later(app.ask, view, kind, again)
            try:
                while (found := await self._or_turned(self._answers)) is not None:
                    # A key struck for a question that this one has replaced may still be under way.
                    if found[0] is view:
                        return found[1]
            finally:
                app.call_later(app.close_question, view)

    async def _pause(self) -> None:
        """Who has lent the seat to a bot sees what it does, and may take the seat back; none where
        time runs out."""
        now = self.app.stage.scene.clock
        if now is not None and now.left < 5 * self.pause:
            return
        with self._until_turned(self.pause):
            await trio.sleep_forever()

    async def _or_turned(self, box: Box[A]) -> A | None:
        """What comes in; None if the seat was handed over first."""
        with self._until_turned():
            return await box.next()
        return None

    @contextlib.contextmanager
    def _until_turned(self, seconds: float = math.inf) -> Iterator[None]:
        """Leave what is inside once the seat is handed over, or after so many seconds."""
        with trio.move_on_after(seconds) as wait:
            self._waits.add(wait)
            try:
                yield
            finally:
                self._waits.remove(wait)

    async def returning(self) -> None:
        """Wait for Enter; a bot comes back at once."""
        while not self.autopilot:
            if self.line is not None:
                await self.line.returning()
                return
            self._returns.empty()
            if await self._or_turned(self._returns):
                return

    async def wish(self) -> Wish:
        """What a key asks for."""
        while True:
            if self.line is not None:
                return await self.line.wish()
            found = await self._or_turned(self._wishes)
            if found is not None:
                return found

    async def again(self) -> bool:
        """Whether the person wants another game with the same people."""
        return await self._yes(_(ANOTHER), lambda line: line.again(), ANSWER)

    # The hands, in Textual's loop.

    def answer(self, choice: rules.Choice, view: rules.View) -> None:
        """Seal a choice that was made on this view."""
        self._do(lambda: self._answers.put((view, choice)))

    def talk(self, words: str | int) -> None:
        """Say something."""
        self._do(lambda: self._wishes.put(Talk(words)))

    def wait_longer(self) -> None:
        """Give who is awaited longer."""
        self._do(lambda: self._wishes.put(WaitLonger()))

    def leave(self) -> None:
        """Leave for now; with no game, for good; behind the end, what it came to: another game is
        not wanted, though it was a moment ago."""
        self.is_left = True
        if self.is_over:
            self.app.exit()
        elif self.app.stage.scene.standings is not None and self.app.desk.answers:
            self.reply(False)
        else:
            self._do(self._go)

    def hand_over(self) -> None:
        """Let a bot play, or take the seat again."""
        self._do(self._turn)

    def come_back(self) -> None:
        """Take the seat again after an absence."""
        self._do(lambda: self._returns.put(True))

    def reply(self, yes: bool) -> None:
        """Say yes or no to what was asked plainly."""
        self._do(lambda: self._replies.put(yes))

    # Running.

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer inside the application; what it returns, or raises."""
        found: outcome.Outcome[T] = asyncio.run(self.host(main, *args))
        return found.unwrap()

    async def host(
        self, main: Callable[..., Awaitable[T]], *args: Any, headless: bool = False
    ) -> outcome.Outcome[T]:
        """The application and its guest, until both are over."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[outcome.Outcome[T]] = loop.create_future()
        running = asyncio.ensure_future(self.app.run_async(headless=headless))
        # Before the first frame is drawn, what is told would have no place.
        while not (self.app.is_running or running.done()):
            await asyncio.sleep(DRAWING)
        trio.lowlevel.start_guest_run(
            self.guest,
            main,
            *args,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            done_callback=done.set_result,
            host_uses_signal_set_wakeup_fd=True,
        )
        either: set[asyncio.Future[Any]] = {done, running}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not done.done():  # the application was left before the game was over, or it failed
            error = None if running.cancelled() else running.exception()
            failed = error is not None or self.app.return_code not in (None, 0)
            if self._failed is not None:
                self._do(self._failed.set if failed else self._go)
        found = await done
        if not running.done():
            if isinstance(found, outcome.Value):
                self.is_over = True
                # The result stays on the screen until it has been read.
                if not self.is_left:
                    self.app.desk.hint = _("Enter or q leaves the table.")
                    # Drawn in the application, so that it is the screen that fails.
                    self.app.call_later(self.app.redraw)
                    await asyncio.wait({running})
            self.app.exit()
        await asyncio.gather(running, return_exceptions=True)
        self._is_done = True
        return found

    async def guest(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """The peer in trio, and beside it who takes over when the screen fails."""
        self.open()
        self._failed = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._take_over, self._failed)
            found = await main(*args)
            nursery.cancel_scope.cancel()
        return found

    @property
    def _muted(self) -> frozenset[str]:
        """The names of all who have spoken and whom the person does not want to hear."""
        stage = self.app.stage
        return frozenset(one.who for one in stage.scene.talk if is_muted(self.app.desk, one))

    def _go(self) -> None:
        """The person leaves before there is a game, or the screen is gone for good."""
        self._how.leave(_("you left"))

    # The screen fails.

    async def _take_over(self, failed: trio.Event) -> None:
        """Wait for the application to fail; then go on in lines, in the same seat."""
        await failed.wait()
        line = LineSeat(replace(self._how, auto=self.app.desk.autopilot))
        printing.complain(_("The full screen has failed. The game goes on at the line prompt."))
        line.allow_hints(self.app.desk.has_hints)
        line.talk.mute(self._muted)
        if self._lesson is not None:
            line.begin_lesson(self._lesson)
        for words in () if self._kept else self.app.desk.papers:
            line.say(words)  # the ticket and the terms, while the table fills
        if self.app.stage.scene.code is not None:
            line.tell(self.app.stage.scene.code)
        for update in self._kept:
            line.tell(update)
        if (past := self.app.stage.past) is not None:
            line.tell(past)
        self.line = line
        self._turn()
        await line.listen()
