"""A seat for a person at a terminal: the full-screen table, and the line prompt if it fails.

Textual runs on the main thread in asyncio, and the peer in trio as its guest: both take turns on
one thread, so an update needs no lock, and a key is on the wire in the same moment.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import outcome
import trio

from p2p_hoity.errors import CodedError
from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.presentation.screen_updates import Moved, Reached, Started, Update
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.table.player_interface import Player
from p2p_hoity.table.session import Outcome
from protocol import Terms
from protocol.bounds import Seconds

from ... import printing
from ...local import settings
from ...words import table_terms
from ...words.card_names import Names
from ...words.presence_sentences import ended, kept_as, knock, won
from ...words.ticket_sentences import reach_lines
from ...words.translation import INSTALLED, N_, _
from ..line_seat import LineSeat
from .app import TableApp
from .bridge import Bridge
from .key_bindings import Told
from .layout import is_muted
from .person import Person

DRAWING: Final[Seconds] = 0.01
"""Seconds between two looks whether the first frame is drawn."""
T = TypeVar("T")
Leave = Callable[[str], None]


class FullSeat:
    """The full-screen table of one seat; see `screen.Screen`.

    `player` is a person at the screen. When the application fails, all goes on in the line prompt.
    """

    def __init__(self, auto: bool, leave: Leave, looks_on: bool = False, bell: bool = True) -> None:
        self._leave = leave
        self.looks_on = looks_on
        self._auto = auto
        self._failed: trio.Event | None = None
        self.line: LineSeat | None = None
        self._kept: list[Update] = []
        self._is_done = False
        self._lesson: Names | None = None
        self._terms: tuple[str, ...] = ()
        self.bridge = Bridge()
        self.person = Person(self.bridge, auto, self.leave)
        self.player: Player = self.person
        self.app = self.person.app = TableApp(self.person)
        self.app.desk.autopilot = auto and not looks_on
        self.app.furnish(settings.load(), bell)
        self.app.keep = self._keep

    def _keep(self, light: bool, bell: bool, staged: bool) -> None:
        """Keep how the person wants the screen, if the home takes it, and all else as it is now."""
        with contextlib.suppress(OSError, CodedError):
            home = own_home()
            kept = settings.load(home)
            settings.keep(home, replace(kept, light=light, bell=bell, staged=staged))

    # What a sitting calls, in trio.

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun."""
        return self.app.scene.table_name

    def tell(self, update: Update) -> None:
        """Show it; keep what another screen would need to go on from here."""
        if isinstance(update, Started):
            self._kept, self.person.is_left = [update], False
            self.app.numbers = table_terms.bounds(update.table.header.terms)
        elif isinstance(update, Moved):
            self._kept, self.app.ticket = [*self._kept, update], update.ticket
        if self.line is not None:
            self.line.tell(update)
        elif isinstance(update, Reached):
            self._lay_out(update.ticket or self.app.ticket, reach_lines(update))
        else:
            self.app.post_message(Told(update))

    def say(self, words: str) -> None:
        """A remark: beside the lobby, in a game a line of the log, behind the screen a line."""
        if self.line is not None:
            self.line.say(words)
        elif self._is_done:
            printing.say(words)
        elif self.app.scene.table is not None:
            self.app.call_later(self.app.remark, words)
        else:
            self._lay(words)

    def _lay(self, words: str) -> None:
        """One paper more for the lobby."""
        self.app.desk.papers = (*self.app.desk.papers, words)
        self.app.call_later(self.app.redraw)

    def show_ticket(
        self, ticket: str, terms: Terms, game: HoityToity, nickname: str, watched: bool = True
    ) -> None:
        """The ticket and the terms, as long as the table fills."""
        self.show_terms(terms, game, (nickname,), watched)
        self._terms = self.app.desk.papers
        self._lay_out(ticket)

    def _lay_out(self, ticket: str, notes: Sequence[str] = ()) -> None:
        """The ticket and what it is good for before the terms, which a small screen cuts."""
        self.app.ticket, self.app.desk.papers = ticket, ()
        words = _("Give this ticket to the others; they type: {hoity} join TICKET")
        self._lay(words.format(hoity=INSTALLED))
        self._lay(_("c copies it, x shows it as a QR code:"))
        for words in (ticket, *notes, "", *self._terms):
            self._lay(words)

    def show_terms(
        self, terms: Terms, game: HoityToity, names: tuple[str, ...], watched: bool = True
    ) -> None:
        """Who sits there, what is played, how long one may think; the numbers under a key."""
        self.app.scene.lobby, self.app.scene.of_seats = names, terms.seats
        self.app.numbers = table_terms.bounds(terms)
        described = table_terms.describe(terms, game, names, watched)
        host, _seated, *told = described  # the list shows who sits
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
        self.app.scene.begin_lesson(names)

    async def explain(self, words: str) -> None:
        """In the place of the question, until Enter."""
        if self.line is None:
            await self.person.read(words)
        if self.line is not None:
            await self.line.explain(words)

    def end_lesson(self) -> None:
        """The screen goes at once: the last explanation has been read."""
        self.person.is_left = True

    async def agree(self) -> bool:
        """Whether the person sits down."""
        yes = await self.person.asked(N_("Sit down? y or n"))
        if yes is None and self.line is not None:
            return await self.line.agree()
        return bool(yes)

    async def admit(self, nickname: str, key: str) -> bool:
        """Whether the person lets a guest in."""
        yes = await self.person.asked(knock(nickname, key))
        if yes is None and self.line is not None:
            return await self.line.admit(nickname, key)
        return bool(yes)

    def listens(self, is_asked: bool) -> bool:
        """Never: the application hears the keys itself."""
        return False

    async def listen(self) -> None:
        """Nothing, unless the line prompt has taken over."""

    def end(self, outcome: Outcome) -> None:
        """On the terminal as it was before: how it ended, and where the transcript is."""
        scene = self.app.scene
        if scene.standings and scene.names is not None:
            printing.say(won(scene.standings, scene.names))
            lines = [f"{s.rank} {scene.names.nicknames[s.seat]} {s.field}" for s in scene.standings]
            printing.say(_("The game is over: {standings}").format(standings=" · ".join(lines)))
        if scene.ended is not None:
            printing.say(ended(scene.ended, scene.names))
        path = scene.transcript
        if path is not None:
            for line in kept_as(path):
                printing.say(line)

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
        self._is_done = True
        return found

    async def _application(self, headless: bool) -> None:
        await self.app.run_async(headless=headless)

    async def _linger(self, running: asyncio.Task[None]) -> None:
        """Leave the result on the screen until it has been read."""
        self.person.is_over = True
        if not self.person.is_left:
            self.app.desk.hint = _("Enter or q leaves the table.")
            self.app.call_later(self.app.redraw)  # there, so that it is the screen that fails
            await asyncio.wait({running})

    async def _drawn(self, running: asyncio.Task[None]) -> None:
        """Wait for the first frame: what is told before it would have no place."""
        while not (self.app.is_running or running.done()):
            await asyncio.sleep(DRAWING)

    async def guest(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """The peer in trio, and beside it who takes over when the screen fails."""
        self.bridge.open()
        self._failed = trio.Event()
        self.person.open()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._take_over)
            found = await main(*args)
            nursery.cancel_scope.cancel()
        return found

    @property
    def _muted(self) -> frozenset[str]:
        """The names of all who have spoken and whom the person does not want to hear."""
        scene = self.app.scene
        return frozenset(one.who for one in scene.talk if is_muted(self.app.desk, one))

    def leave(self) -> None:
        """The person leaves before there is a game, or the screen is gone for good."""
        self._leave(_("you left"))

    # The screen fails.

    def _application_ended(self, running: asyncio.Task[None]) -> None:
        """The application is over before the game: it was left, or it failed."""
        error = None if running.cancelled() else running.exception()
        failed = error is not None or self.app.return_code not in (None, 0)
        if self._failed is not None:
            self.bridge.do(self._failed.set if failed else self.leave)

    async def _take_over(self) -> None:
        """Wait for the application to fail; then go on in lines, in the same seat."""
        if self._failed is None:
            return
        await self._failed.wait()
        self.line = line = LineSeat(self._auto or self.app.desk.autopilot, self._leave)
        printing.complain(_("The full screen has failed; the game goes on in lines."))
        line.allow_hints(self.app.desk.has_hints)
        line.mute(self._muted)
        if self._lesson is not None:
            line.begin_lesson(self._lesson)
        for words in () if self._kept else self.app.desk.papers:
            line.say(words)  # the ticket and the terms, while the table fills
        if self.app.scene.code is not None:
            line.tell(self.app.scene.code)
        for update in self._kept:
            line.tell(update)
        if (past := self.app.scene.past) is not None:
            line.tell(past)
        self.person.hand_to(line.player)
        await line.listen()
