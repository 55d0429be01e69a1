"""A seat for a person at a terminal: the full-screen table, and the line prompt if it fails.

Textual runs on the main thread in asyncio, and the peer in trio as its guest: both take turns on
one thread, so an update needs no lock, and a key is on the wire in the same moment.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

import outcome
import trio

from p2p_hoity import rules
from p2p_hoity.game_port import HoityToity
from p2p_hoity.session.driver import Outcome
from p2p_hoity.session.player import (
    BotPlayer,
    Player,
    Talk,
    WaitLonger,
    Wish,
)
from p2p_hoity.session.updates import Resumed, Started, Update
from protocol import Terms

from ... import printing
from ...words import terms as terms_words
from ...words.lingo import _
from ..line_seat import LineSeat
from .app import TableApp, Told
from .menu import forced

T = TypeVar("T")
A = TypeVar("A")
Leave = Callable[[str], None]


class _Box(Generic[T]):
    """What comes from the screen, in its order."""

    def __init__(self) -> None:
        self._send, self._receive = trio.open_memory_channel[T](64)

    def put(self, value: T) -> None:
        """Put it in; what nobody takes is left out."""
        with contextlib.suppress(trio.WouldBlock):
            self._send.send_nowait(value)

    def empty(self) -> None:
        """Forget what came before."""
        with contextlib.suppress(trio.WouldBlock):
            while True:
                self._receive.receive_nowait()

    async def get(self) -> T:
        """The next one."""
        return await self._receive.receive()


class FullSeat:
    """The full-screen table of one seat; see `screen.Screen`.

    `player` is a person at the screen. When the application fails, all goes on in the line prompt.
    """

    def __init__(self, auto: bool, leave: Leave, looks_on: bool = False) -> None:
        self._leave = leave
        self.looks_on = looks_on
        self._auto = auto
        self._token: trio.lowlevel.TrioToken | None = None
        self._failed: trio.Event | None = None
        self.line: LineSeat | None = None
        self._kept: list[Update] = []
        self.is_over = self.is_left = False
        self._person = Person(self, auto)
        self.player: Player = self._person
        self.app = TableApp(self._person)
        self.app.desk.autopilot = auto and not looks_on

    # What a sitting calls, in trio.

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun."""
        return self.app.scene.table_name

    def tell(self, update: Update) -> None:
        """Show it; keep what another screen would need to go on from here."""
        if isinstance(update, Started):
            self._kept = [update]
        if self.line is not None:
            self.line.tell(update)
        else:
            self.app.post_message(Told(update))

    def say(self, words: str) -> None:
        """A remark before the game; in the line prompt a line."""
        if self.line is not None:
            self.line.say(words)
            return
        self.app.desk.papers = (*self.app.desk.papers, words)
        self.app.call_later(self.app.redraw)

    def show_ticket(self, ticket: str, terms: Terms, game: HoityToity, nickname: str) -> None:
        """The terms and the ticket, as long as the table fills."""
        self.show_terms(terms, game, (nickname,))
        self.app.ticket = ticket
        self.say("")
        self.say(_("Give this ticket to the others; they type: hoity join TICKET"))
        self.say(_("c copies it:"))
        self.say(ticket)

    def show_terms(self, terms: Terms, game: HoityToity, names: tuple[str, ...]) -> None:
        """Who sits there, what is played, how long one may think; the numbers under a key."""
        self.app.scene.lobby, self.app.scene.of_seats = names, terms.seats
        self.app.numbers = terms_words.bounds(terms)
        told = terms_words.describe(terms, game, names)
        for line in told:
            if line not in self.app.numbers:
                self.say(line)
        self.say(_("# shows what this table promises, in numbers"))

    async def agree(self) -> bool:
        """Whether the person sits down."""
        return await self._person.asked(_("Sit down? y or n"))

    def listens(self, is_asked: bool) -> bool:
        """Never: the application hears the keys itself."""
        return False

    async def listen(self) -> None:
        """Nothing, unless the line prompt has taken over."""

    def end(self, outcome: Outcome) -> None:
        """On the terminal as it was before: how it ended, and where the transcript is."""
        finished = self.app.scene.finished
        if finished is not None and finished.transcript is not None:
            text = _("Transcript: {path}. Check it with: hoity verify {path}")
            printing.say(text.format(path=finished.transcript))

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
        running = asyncio.create_task(self._application(headless))
        await self._drawn(running)
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
        if not done.done():
            self._application_ended(running)
        found = await done
        if not running.done():
            if isinstance(found, outcome.Value):
                await self._linger(running)
            self.app.exit()
        await asyncio.gather(running, return_exceptions=True)
        return found

    async def _application(self, headless: bool) -> None:
        await self.app.run_async(headless=headless)

    async def _linger(self, running: asyncio.Task[None]) -> None:
        """Leave the result on the screen until it has been read."""
        self.is_over = True
        if not self.is_left:
            self.app.desk.hint = _("Enter or q leaves the table.")
            self.app.redraw()
            await asyncio.wait({running})

    async def _drawn(self, running: asyncio.Task[None]) -> None:
        """Wait for the first frame: what is told before it would have no place."""
        while not (self.app.is_running or running.done()):
            await asyncio.sleep(0.01)

    async def guest(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """The peer in trio, and beside it who takes over when the screen fails."""
        self._token = trio.lowlevel.current_trio_token()
        self._failed = trio.Event()
        self._person.open()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._take_over)
            found = await main(*args)
            nursery.cancel_scope.cancel()
        return found

    def in_trio(self, act: Callable[[], object]) -> None:
        """Do something in trio, from a key or a click."""
        if self._token is not None:
            with contextlib.suppress(trio.RunFinishedError):  # a key behind the end
                self._token.run_sync_soon(act)

    def leave(self) -> None:
        """The person leaves before there is a game, or the screen is gone for good."""
        self._leave(_("you left"))

    # The screen fails.

    def _application_ended(self, running: asyncio.Task[None]) -> None:
        """The application is over before the game: it was left, or it failed."""
        error = None if running.cancelled() else running.exception()
        failed = error is not None or self.app.return_code not in (None, 0)
        if self._failed is not None:
            self.in_trio(self._failed.set if failed else self.leave)

    async def _take_over(self) -> None:
        """Wait for the application to fail; then go on in lines, in the same seat."""
        if self._failed is None:
            return
        await self._failed.wait()
        self.line = line = LineSeat(self._auto or self.app.desk.autopilot, self._leave)
        printing.complain(_("The full screen has failed; the game goes on in lines."))
        for update in self._kept:
            line.tell(update)
        if self.app.scene.view is not None:
            line.tell(Resumed(self.app.scene.view))
        self._person.hand_to(line.player)
        await line.listen()


class Person(Player):
    """The player at the full screen: questions go to the application, keys come from it."""

    def __init__(self, seat: FullSeat, auto: bool) -> None:
        self._seat = seat
        self._bot = BotPlayer()
        self.autopilot = auto
        self._other: Player | None = None

    def open(self) -> None:
        """Make what answers come in by; called in trio."""
        self._answers = _Box[rules.Choice]()
        self._wishes = _Box[Wish]()
        self._replies = _Box[bool]()
        self._returns = _Box[bool]()
        self._turned = trio.Event()

    def hand_to(self, other: Player) -> None:
        """From now on another player answers, what is asked just now too."""
        self._other = other
        self._turn()

    def _turn(self) -> None:
        self._turned.set()
        self._turned = trio.Event()

    # The player, in trio.

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Ask at the screen, or whoever has the seat now."""
        only = forced(view, kind)
        if only is not None and not again:
            return only
        while True:
            other = self._other or (self._bot if self.autopilot else None)
            if other is not None:
                return await other.choose(view, kind, again)
            choice = await self._ask(view, kind, again)
            if choice is not None:
                return choice

    async def _ask(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice | None:
        """The choice; None if somebody else has the seat now."""
        app = self._seat.app
        self._answers.empty()
        app.call_later(app.ask, view, kind, again)
        try:
            return await self._or_turned(self._answers)
        finally:
            app.call_later(app.close_question)

    async def _or_turned(self, box: _Box[A]) -> A | None:
        """What comes in; None if the seat was handed over first."""
        found: list[A] = []
        async with trio.open_nursery() as nursery:

            async def hear() -> None:
                found.append(await box.get())
                nursery.cancel_scope.cancel()

            async def turn(turned: trio.Event) -> None:
                await turned.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(hear)
            nursery.start_soon(turn, self._turned)
        return found[0] if found else None

    async def returning(self) -> None:
        """Wait for Enter; a bot comes back at once."""
        while not self.autopilot:
            if self._other is not None:
                return await self._other.returning()
            self._returns.empty()
            came: bool | None = await self._or_turned(self._returns)
            if came:
                return None
        return None

    async def wish(self) -> Wish:
        """What a key asks for."""
        while True:
            if self._other is not None:
                return await self._other.wish()
            found = await self._or_turned(self._wishes)
            if found is not None:
                return found

    async def again(self) -> bool:
        """Whether the person wants another game with the same people."""
        return await self.asked(_("Another game with the same people? y or n"))

    async def asked(self, words: str) -> bool:
        """Ask for a yes or a no."""
        app = self._seat.app
        self._replies.empty()
        app.call_later(app.ask_plainly, words)
        try:
            yes: bool | None = await self._or_turned(self._replies)
            return bool(yes)
        finally:
            app.call_later(app.ask_plainly, "")

    # The hands, in Textual's loop.

    def answer(self, choice: rules.Choice) -> None:
        """Seal a choice."""
        self._seat.in_trio(lambda: self._answers.put(choice))

    def talk(self, words: str | int) -> None:
        """Say something."""
        self._seat.in_trio(lambda: self._wishes.put(Talk(words)))

    def wait_longer(self) -> None:
        """Give who is awaited longer."""
        self._seat.in_trio(lambda: self._wishes.put(WaitLonger()))

    def leave(self) -> None:
        """Leave for now; with no game, for good; behind the end, the result."""
        if self._seat.app.scene.finished is not None:
            self._leave_the_end()
        else:
            self._seat.in_trio(self._seat.leave)

    def _leave_the_end(self) -> None:
        """The result has been read; another game is not wanted."""
        self._seat.is_left = True
        if self._seat.is_over:
            self._seat.app.exit()
        self.reply(False)

    def hand_over(self, to_bot: bool) -> None:
        """Let a bot play, or take the seat again."""
        self.autopilot = to_bot
        self._seat.in_trio(self._turn)

    def come_back(self) -> None:
        """Take the seat again after an absence."""
        self._seat.in_trio(lambda: self._returns.put(True))

    def reply(self, yes: bool) -> None:
        """Say yes or no to what was asked plainly."""
        self._seat.in_trio(lambda: self._replies.put(yes))
