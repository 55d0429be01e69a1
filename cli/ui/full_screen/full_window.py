"""The person at the full screen: questions go to a Textual application, and answers come back.

Textual runs on the main thread in asyncio, and the peer runs in trio as a guest of that loop. Both
loops take turns on one thread, so an update needs no lock. If the full screen fails, the game goes
on at the line prompt.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar

import outcome
import trio

from p2p_hoity import rules
from p2p_hoity.presentation.screen_updates import Moved, Reached, Started, Update
from p2p_hoity.presentation.window_messages import Part
from p2p_hoity.table.playing.player_requests import Talk, WaitLonger
from p2p_hoity.table.playing.session import Outcome
from protocol.units import Seconds

from ... import printing
from ...local import settings
from ...local.ending_signals import ending_calls
from ...table_view.closing import closing_lines
from ...table_view.desk import is_muted
from ...words import table_terms
from ...words.card_names import Names
from ...words.presence_sentences import seat_request
from ...words.table_terms import TableOffer, reach_lines
from ...words.translation import INSTALLED, N_, _, yes_no
from ..lines.line_window import line_window_instead
from ..person_seat import ANOTHER, NO_OTHER, PeopleWindow, PersonSeat, pause
from ..screen_options import Box
from .key_bindings import Hands
from .textual_app import TableApp

T = TypeVar("T")


A = TypeVar("A")
COUNTED: Final[Seconds] = 1.0
"""The time between two updates of the time that is left for an answer, in seconds."""
ANOTHER_IN_TIME: Final = N_("Another game with the same people, within {seconds} s?")


DRAWING: Final[Seconds] = 0.01
"""The time between two checks whether the first frame is drawn, in seconds."""


class FullWindow(PeopleWindow, Hands):
    """The full screen as the window of a seat."""

    def __init__(self, seat: PersonSeat) -> None:
        super().__init__(seat)
        self._token: trio.lowlevel.TrioToken | None = None
        self._failed: trio.Event | None = None
        self._kept: list[Update] = []
        self.is_over = self.is_left = self._is_done = False
        self._lesson: Names | None = None
        self._terms: tuple[str, ...] = ()
        self._answers = Box[tuple[rules.View, rules.Choice]]()
        self._replies = Box[bool]()
        self._returns = Box[bool]()
        self.app = TableApp(self)
        self.app.furnish(settings.load(), seat.how.bell)

    def _do(self, act: Callable[[], object]) -> None:
        """Call a function in trio's loop. Do nothing before that loop begins or after its end."""
        if self._token is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(act)

    def keep(self, light: bool, bell: bool, staged: bool) -> None:
        """Store the person's settings, unless the program's directory cannot be written to."""
        settings.change(light=light, bell=bell, staged=staged)

    # Screen of a sitting, in trio

    def tell(self, update: Update) -> None:
        """Show an update on the screen."""
        self.app.desk.has_hints = self.seat.is_among_own_bots
        if isinstance(update, Started):
            # Stored, so that the line prompt can start with it.
            self._kept, self.is_left = [update], False
            self.app.desk.numbers = table_terms.bounds(update.table.header.terms)
        elif isinstance(update, Moved):
            self._kept, self.app.ticket = [*self._kept, update], update.ticket
        if isinstance(update, Reached):
            self._lay_out(update.ticket or self.app.ticket, reach_lines(update))
        else:
            self.app.call_later(self.app.hear, update)

    def say(self, words: str) -> None:
        """Show a message: in the lobby, from the deal on in the log, at the end on the terminal."""
        if self._is_done:
            printing.say(words)
        elif self.app.stage.scene.table is not None:
            self.app.call_later(self.app.remark, words)
        else:
            self._lay(words)

    def _lay(self, words: str) -> None:
        """Add a line to those that the screen shows while the table fills."""
        self.app.desk.papers = (*self.app.desk.papers, words)
        self.app.call_later(self.app.redraw)

    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        """Show the ticket and the terms while the table fills."""
        self.show_terms(offer)
        self._terms = self.app.desk.papers
        self._lay_out(ticket)

    def _lay_out(self, ticket: str, notes: Sequence[str] = ()) -> None:
        """Show the ticket, and notes about it, above the terms of the table."""
        self.app.ticket, self.app.desk.papers = ticket, ()
        words = _("Give this ticket to the others. They type: {hoity} join TICKET")
        self._lay(words.format(hoity=INSTALLED))
        self._lay(_("c copies it, x shows it as a QR code:"))
        # The terms come last: if the screen is too small, they are cut off, and the ticket is not.
        for words in (ticket, *notes, *table_terms.for_newcomers(ticket), "", *self._terms):
            self._lay(words)

    def show_terms(self, offer: TableOffer) -> None:
        """Show who sits at a table, what is played, and how much time there is to choose."""
        self.app.stage.seat_guests(offer.names, offer.terms.seats)
        self.app.desk.numbers = table_terms.bounds(offer.terms)
        host, _seated, *told = table_terms.describe(offer)  # The list above shows who sits there.
        for line in (host, *told):
            if line not in self.app.desk.numbers:
                self._lay(line)
        self._lay(_("# shows what this table promises, in numbers"))

    def begin_lesson(self, names: Names) -> None:
        """Begin a lesson, which has no table."""
        self._lesson, self.app.desk.lesson = names, ""
        self.app.stage.begin_lesson(names)

    async def explain(self, words: str, points: tuple[Part, ...] = ()) -> None:
        """Show an explanation in the place of the question until Enter is typed."""
        self._replies.empty()
        self.app.call_later(self.app.explain, words)
        try:
            await self._replies.next()
        finally:
            self.app.call_later(self.app.explain, "")

    async def agree(self) -> bool:
        """Ask the person to accept the terms."""
        return await self._yes(yes_no(_("Sit down?"), True), True)

    async def admit(self, nickname: str, key: str | None) -> bool:
        """Ask the person whether a guest may sit down."""
        return await self._yes(seat_request(nickname, key), None)

    async def _yes(self, words: str, usual: bool | None, patience: Seconds = math.inf) -> bool:
        """Ask a question with yes or no. In the place of `{seconds}` it counts down `patience`.

        The wait for the answer does not end after this time. `usual` is what Enter means.
        """
        app, last = self.app, trio.current_time() + patience
        self._replies.empty()
        try:
            while True:
                left = max(0.0, last - trio.current_time())
                shown = words if math.isinf(left) else words.format(seconds=math.ceil(left))
                app.call_later(app.ask_plainly, shown, usual)
                with trio.move_on_after(math.inf if math.isinf(left) else COUNTED):
                    return await self._replies.next()
        finally:
            app.call_later(app.ask_plainly, "")

    def end(self, outcome: Outcome) -> list[str]:
        """Return how the game ended and where the transcript is, for the terminal."""
        return closing_lines(self.app.stage)

    # Questions, in trio

    def takes_only(self, view: rules.View, kind: rules.Kind, choice: rules.Choice) -> bool:
        """Say in the log that no other choice is possible."""
        self.app.call_later(self.app.remark, _(NO_OTHER))
        return True

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Ask the person for a choice."""
        app = self.app
        self._answers.empty()
        app.call_later(app.ask, view, kind, again)
        try:
            while True:
                found, choice = await self._answers.next()
                # The answer may be for an earlier question, which this one has replaced.
                if found is view:
                    return choice
        finally:
            app.call_later(app.close_question, view)

    def pause(self) -> Seconds:
        """Return how long a bot waits, so that the person can stop it. 0 if little time is left."""
        return pause(self.app.stage.scene.clock)

    async def returning(self) -> None:
        """Wait until the person, whose seat has become absent, presses Enter to play again."""
        self._returns.empty()
        await self._returns.next()

    async def again(self, seconds: Seconds) -> bool:
        """Ask the person for another game with the same people."""
        words = ANOTHER if math.isinf(seconds) else ANOTHER_IN_TIME
        return await self._yes(yes_no(_(words), True), True, seconds)

    # Actions of the person, in Textual's loop

    def answer(self, choice: rules.Choice, view: rules.View) -> None:
        """Answer the open question about `view` with a choice."""
        self._do(lambda: self._answers.put((view, choice)))

    def talk(self, words: str | int) -> None:
        """Send a chat message: a text, or the phrase with a number."""
        self._do(lambda: self.seat.request(Talk(words)))

    def wait_longer(self) -> None:
        """Ask for more time for the awaited seats."""
        self._do(lambda: self.seat.request(WaitLonger()))

    def leave(self) -> None:
        """Leave the table for now, or for good without a game. Decline another game on offer."""
        self.is_left = True
        if self.is_over:
            self.app.exit()
        elif self.app.stage.scene.standings is not None and self.app.desk.answers:
            self.reply(False)
        else:
            self._do(self._go)

    def hand_over(self, to_bot: bool) -> None:
        """Give the seat to a bot, or take it back."""
        self._do(lambda: self.seat.hand_over(to_bot))

    def come_back(self) -> None:
        """Take the seat again after an absence."""
        self._do(lambda: self._returns.put(True))

    def reply(self, yes: bool) -> None:
        """Send the answer to a question with yes or no."""
        self._do(lambda: self._replies.put(yes))

    # Running

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the application and the peer together, until both have ended."""
        found: outcome.Outcome[T] = asyncio.run(self._until_ended(main, *args))
        return found.unwrap()

    async def _until_ended(
        self, main: Callable[..., Awaitable[T]], *args: Any
    ) -> outcome.Outcome[T]:
        """Run `host`, and close the screen at a signal to end that `main` does not handle."""

        def close() -> None:
            self.is_left = True
            self.app.exit()

        loop = asyncio.get_running_loop()
        with ending_calls(lambda: loop.call_soon_threadsafe(close)):
            return await self.host(main, *args)

    async def host(
        self, main: Callable[..., Awaitable[T]], *args: Any, headless: bool = False
    ) -> outcome.Outcome[T]:
        """Run the application in asyncio, with the peer as its guest. Tests run it `headless`."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[outcome.Outcome[T]] = loop.create_future()
        running = asyncio.ensure_future(self.app.run_async(headless=headless))
        # Updates cannot be shown before the first frame is drawn.
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
        # The application may be left before the game is over, or fail.
        if not done.done():
            error = None if running.cancelled() else running.exception()
            failed = error is not None or self.app.return_code not in (None, 0)
            if self._failed is not None:
                self._do(self._failed.set if failed else self._go)
        found = await done
        if not running.done():
            if isinstance(found, outcome.Value):
                self.is_over = True
                # The result stays on the screen until it has been read.
                if not (self.is_left or self._lesson):
                    self.app.desk.hint = _("Enter or q leaves the table.")
                    # Draw in the application, so that an error counts as a failure of the screen.
                    self.app.call_later(self.app.redraw)
                    await asyncio.wait({running})
            self.app.exit()
        await asyncio.gather(running, return_exceptions=True)
        self._is_done = True
        return found

    async def guest(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer's main function. If the full screen fails, the line prompt takes over."""
        self._token, self._failed = trio.lowlevel.current_trio_token(), trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._take_over, self._failed)
            found = await main(*args)
            # Otherwise the nursery would wait for the screen to fail.
            nursery.cancel_scope.cancel()
        return found

    @property
    def _muted(self) -> frozenset[str]:
        stage = self.app.stage
        return frozenset(one.who for one in stage.scene.talk if is_muted(self.app.desk, one))

    def _go(self) -> None:
        self.seat.leave(_("you left"))

    # Failure of the screen

    async def _take_over(self, failed: trio.Event) -> None:
        """Wait until the application fails, then go on at the line prompt in the same seat."""
        await failed.wait()
        printing.complain(_("The full screen has failed. The game goes on at the line prompt."))
        papers = () if self._kept else self.app.desk.papers  # The ticket and the terms.
        code = self.app.stage.scene.code
        kept = [*([code] if code is not None else []), *self._kept]
        line = line_window_instead(self.seat, self.app.stage.past, kept, self._lesson, papers)
        line.talk.mute(self._muted)
        await line.listen()
