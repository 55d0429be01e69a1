"""The person at the full screen as a player: questions go to the screen, answers come from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import trio

from p2p_hoity import rules
from p2p_hoity.table.player_interface import BotPlayer, Player, Talk, WaitLonger, Wish
from p2p_hoity.table.rematch import ANSWER
from protocol.bounds import Seconds

from ...words.translation import N_, _
from .app import TableApp
from .bridge import Box, Bridge
from .menu import forced

A = TypeVar("A")
PAUSE: Final[Seconds] = 2.0
"""Seconds that a bot waits for whoever has lent it the seat, before each choice."""
NO_OTHER: Final = N_("Nothing else is open to you:")
ANOTHER: Final = N_("Another game with the same people? y or n, within {seconds} s")


class Person(Player):
    """The player at the full screen: questions go to the application, keys come from it."""

    def __init__(self, bridge: Bridge, auto: bool, leave: Callable[[], None]) -> None:
        """`leave` is called in trio when the person goes. `app` is to be set before `open`."""
        self._bridge, self._leave = bridge, leave
        self.app: TableApp
        self.is_over = self.is_left = False
        self._bot = BotPlayer()
        self.autopilot = auto
        self.pause = 0.0 if auto else PAUSE
        self._other: Player | None = None

    def open(self) -> None:
        """Make what answers come in by; called in trio."""
        self._answers = Box[tuple[rules.View, rules.Choice]]()
        self._wishes = Box[Wish]()
        self._replies = Box[bool]()
        self._returns = Box[bool]()
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
            if not self.autopilot and self._other is None:
                self.app.call_later(self.app.remark, _(NO_OTHER))
            return only
        while True:
            if self.autopilot and self._other is None:
                await self._pause()
            other = self._other or (self._bot if self.autopilot else None)
            if other is not None:
                return await other.choose(view, kind, again)
            choice = await self._ask(view, kind, again)
            if choice is not None:
                return choice

    async def _pause(self) -> None:
        """Who has lent the seat to a bot sees what it does, and may take the seat back; none where
        time runs out."""
        now = self.app.scene.clock
        if now is not None and now.left < 5 * self.pause:
            return
        with trio.move_on_after(self.pause):
            await self._turned.wait()

    async def _ask(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice | None:
        """The choice; None if somebody else has the seat now. A key that was struck for a question
        this one has replaced may be under way still: what was decided on another view counts not.
        """
        app = self.app
        self._answers.empty()
        app.call_later(app.ask, view, kind, again)
        try:
            while (found := await self._or_turned(self._answers)) is not None:
                if found[0] is view:
                    return found[1]
            return None
        finally:
            app.call_later(app.close_question, view)

    async def _or_turned(self, box: Box[A]) -> A | None:
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
        yes = None if self._other else await self.asked(_(ANOTHER).format(seconds=round(ANSWER)))
        if yes is None and self._other is not None:
            return await self._other.again()
        return bool(yes)

    async def read(self, words: str) -> None:
        """Show an explanation until it is read; whoever else has the seat shows it in its way."""
        app = self.app
        self._replies.empty()
        app.call_later(app.explain, words)
        try:
            await self._or_turned(self._replies)
        finally:
            app.call_later(app.explain, "")

    async def asked(self, words: str) -> bool | None:
        """Ask for a yes or a no; None if the screen has failed before it was said."""
        app = self.app
        app.call_later(app.ask_plainly, _(words))
        try:
            while self._other is None:
                self._replies.empty()
                yes = await self._or_turned(self._replies)
                if yes is not None:
                    return yes
            return None
        finally:
            app.call_later(app.ask_plainly, "")

    # The hands, in Textual's loop.

    def answer(self, choice: rules.Choice, view: rules.View) -> None:
        """Seal a choice that was made on this view."""
        self._bridge.do(lambda: self._answers.put((view, choice)))

    def talk(self, words: str | int) -> None:
        """Say something."""
        self._bridge.do(lambda: self._wishes.put(Talk(words)))

    def wait_longer(self) -> None:
        """Give who is awaited longer."""
        self._bridge.do(lambda: self._wishes.put(WaitLonger()))

    def leave(self) -> None:
        """Leave for now; with no game, for good; behind the end, what it came to: another game is
        not wanted, though it was a moment ago."""
        self.is_left = True
        if self.is_over:
            self.app.exit()
        elif self.app.scene.standings is not None and self.app.desk.answers:
            self.reply(False)
        else:
            self._bridge.do(self._leave)

    def hand_over(self, to_bot: bool) -> None:
        """Let a bot play, or take the seat again."""
        self.autopilot = to_bot
        self._bridge.do(self._turn)

    def come_back(self) -> None:
        """Take the seat again after an absence."""
        self._bridge.do(lambda: self._returns.put(True))

    def reply(self, yes: bool) -> None:
        """Say yes or no to what was asked plainly."""
        self._bridge.do(lambda: self._replies.put(yes))
