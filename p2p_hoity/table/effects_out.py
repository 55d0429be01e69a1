"""Carry out the effects of a machine: write the journal, send the frames, update screen and player.

A record is on disk before a byte that rests on it leaves ([J-1]). The rollback mark of the journal
may lag behind ([J-4]), so no frame waits for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import trio

from protocol import Machine, Node, effects
from protocol.bounds import Quota, Seconds
from protocol.game_interface import IllegalMove

from .. import rules
from ..game_adapter import Play, happenings_since, shared_length
from ..net.hub import Hub
from ..presentation import screen_updates as updates
from ..presentation.screen_updates import Screen
from ..storage.journal import Journal
from .frame_kinds import Budget, kind_of
from .frames_in import RateLimit
from .player_interface import Player

TURNS: Final[Quota] = 3
"""Turns of the loop after which what was posted is with the system: its writer wakes, waits for its
lock, and writes."""


class Outgoing:
    """Posts the frames of one machine; `marks` puts its journal on disk."""

    def __init__(
        self,
        machine: Machine,
        hub: Hub,
        marks: MarkKeeper,
        rate_limit: RateLimit,
        goes_to: Callable[[bytes], bool],
    ) -> None:
        """`goes_to`: whether a linked node is told what goes round."""
        self._ids, self._hub, self._marks = machine.table.ids, hub, marks
        self._rate_limit, self._goes_to = rate_limit, goes_to
        self._has_posted = False

    def send(self, send: effects.Send) -> None:
        """Post it. What is passed on rests on nothing that must be on disk."""
        if not send.but:
            self._marks.settle()
        budget = kind_of(send.frame).budget
        if send.peer is None:
            self._rate_limit.held(send.frame)
        for peer in self._told(send, budget) if send.peer is None else (send.peer,):
            self._has_posted |= self._hub.post(peer, send.frame, budget is Budget.ONCE)

    def _told(self, send: effects.Send, budget: Budget) -> Iterable[bytes]:
        """Whom a frame goes to that goes to all: who looks on is asked nothing ([L-6])."""
        links = self._hub.links() - send.but
        if budget is Budget.QUESTIONS:
            return links.intersection(self._ids)
        return filter(self._goes_to, links)

    async def let_out(self) -> None:
        """Let what was posted out: it goes before what this node shows, and what it hears next."""
        turns, self._has_posted = TURNS if self._has_posted else 0, False
        for _ in range(turns):
            await trio.lowlevel.checkpoint()


LAG: Final[Seconds] = 0.2
"""Seconds for which a mark may lag: one does for all that was put on disk meanwhile, and it is
written when the messages are out."""


class MarkKeeper:
    """Puts one journal on disk when asked, and its mark soon after, in a thread."""

    def __init__(self, journal: Journal | None) -> None:
        """Without a journal, as of an onlooker, there is nothing to do."""
        self._journal = journal
        self._due = trio.Event()

    def settle(self) -> None:
        """All that was recorded is on disk when this returns; JournalError if it cannot be."""
        if self._journal is not None and self._journal.settle():
            self._due.set()

    async def run(self) -> None:
        """Set the mark whenever it lags; JournalError if it cannot be written."""
        while self._journal is not None:
            await self._due.wait()
            await trio.sleep(LAG)
            self._due = trio.Event()
            await trio.to_thread.run_sync(self._journal.set_mark)


def play_of(node: Node) -> Play:
    """The game at a node of the chain; before the cards are dealt, its start."""
    return node.state if isinstance(node.state, Play) else node.table.game.start()


class Chronicle:
    """What a screen was told of one table: each happening and each fault once."""

    def __init__(self, machine: Machine, screen: Screen) -> None:
        """All up to the machine's tip counts as told: a resumed game does not begin anew."""
        self._machine, self._screen = machine, screen
        self._told = play_of(machine.tip)
        self._accused: dict[int, str] = {}

    def view(self) -> rules.View:
        """The game as this seat may see it now."""
        return self._view_of(play_of(self._machine.tip))

    def _view_of(self, play: Play) -> rules.View:
        return rules.view(play.state, self._machine.seat, self._machine.hand())

    def final(self) -> int:
        """Return how many of the happenings told so far, from the first on, nothing can replace.

        A step is final only once every present seat has spoken beyond it, so its own happenings are
        told before that.
        """
        tip = self._machine.tip
        node = tip.before(min(tip.step, self._machine.final_step() + 1))
        return 0 if node is None else shared_length(self._told, play_of(node))

    def accuse(self, seat: int, code: str) -> None:
        """Once a seat and code: by own proof, by the chain, or by a base that others proposed."""
        if self._accused.get(seat) != code:
            self._accused[seat] = code
            self._screen(updates.Accused(seat, code))

    def tell(self, node: Node, kept: int | None = None) -> None:
        """What has happened up to a node; `kept`: how much of what was told still holds."""
        for guilty in node.convictions:
            if guilty.seat not in self._accused:
                self.accuse(guilty.seat, guilty.code)
        play = play_of(node)
        items = tuple(happenings_since(play, self._told.length if kept is None else kept))
        self._told = play
        if items:
            self._screen(updates.Happened(items, self._view_of(play)))

    def entered(self, epoch: int, base: Node, faults: Sequence[tuple[int, str]]) -> None:
        """A new epoch has begun: what its base takes back, adds, and finds at fault."""
        for seat, code in faults:
            self.accuse(seat, code)
        kept = shared_length(self._told, play_of(base))
        if kept < self._told.length:
            self._screen(updates.Rewound(epoch, kept, self.view()))
        self.tell(base, kept)


FRESH: Final[Seconds] = 60.0
"""Seconds after sitting down for which a player is there for certain."""


@dataclass
class Asking:
    """The open question of one seat; `chosen` is called when the machine has taken an answer."""

    machine: Machine
    player: Player | None
    screen: Screen
    view: Callable[[], rules.View]
    now: Callable[[], float]
    chosen: Callable[[], None]
    nursery: trio.Nursery
    _scope: trio.CancelScope | None = None
    _calls: trio.CancelScope | None = None
    _there_until: float = field(init=False)

    def __post_init__(self) -> None:
        self._there_until = self.now() + FRESH

    def ask(self, kind: str, again: bool) -> None:
        """Ask, in place of what was asked before."""
        self.stop()
        if self.player is not None:
            self._scope = trio.CancelScope()
            self.nursery.start_soon(self._choose, self.player, kind, again, self._scope)

    def call_back(self, may_return: bool) -> None:
        """The seat is absent: instead of what was asked before, ask whether its player is there
        again, if it may come back at all."""
        self.close()
        if self.player is not None and may_return:
            self._calls = trio.CancelScope()
            self.nursery.start_soon(self._come_back, self.player, self._calls)

    async def _come_back(self, player: Player, scope: trio.CancelScope) -> None:
        """Who has just taken the seat is there, once; all others say so."""
        is_there, self._there_until = self.now() < self._there_until, -math.inf
        with scope:
            if not is_there:
                await player.returning()
            self.machine.ask_back(self.now())
            self.chosen()

    def stop(self) -> None:
        """The choice is no longer needed."""
        if self._scope is not None:
            self._scope.cancel()

    def close(self) -> None:
        """Nothing is asked any more, not even whether the player is there again."""
        self.stop()
        if self._calls is not None:
            self._calls.cancel()

    async def _choose(
        self, player: Player, kind: str, again: bool, scope: trio.CancelScope
    ) -> None:
        with scope:
            while self.machine.must_choose:
                view = self.view()
                self.screen(updates.Choosing(view, kind, again))
                choice = await player.choose(view, kind, again)  # type: ignore[arg-type]
                if not self.machine.must_choose:
                    return
                try:
                    self.machine.choose(choice, self.now())
                except IllegalMove as error:
                    self.screen(updates.Refused(kind, error.code, error.fields))
                    continue
                self.screen(updates.Chosen(kind, choice))
                self.chosen()
                return
