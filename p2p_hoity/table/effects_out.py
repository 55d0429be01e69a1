"""Carry out the effects of a machine: write the journal, send the frames, update screen and player.

A record is on disk before a byte that rests on it leaves ([J-1]). The rollback mark of the journal
may lag behind ([J-4]), so no frame waits for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import trio

from protocol import FAULTS, Node, SeatMachine, effects
from protocol.bounds import Quota, Seconds

from .. import rules
from ..game_adapter import Play, happenings_since, shared_length
from ..net.hub import Hub
from ..presentation import screen_updates as updates
from ..presentation.screen_updates import Screen
from ..storage.journal import Journal
from .frame_access import Access
from .player_interface import PlayerQuestions
from .presence import PresenceTeller

TURNS: Final[Quota] = 3
"""Turns of the loop after which what was posted is with the system: its writer wakes, waits for its
lock, and writes."""


LAG: Final[Seconds] = 0.2
"""Seconds for which a mark may lag: one does for all that was put on disk meanwhile, and it is
written when the messages are out."""


class JournalKeeper:
    """Writes one journal, and its rollback mark soon after, in a thread.

    Attributes:
        journal: The open journal. None for an onlooker, and once it is removed: then nothing is
            done.
    """

    def __init__(self, journal: Journal | None) -> None:
        self.journal = journal
        self._due = trio.Event()

    def append(self, record: bytes) -> None:
        """Add a record; `settle` puts it on disk."""
        if self.journal is not None:
            self.journal.append(record)

    def settle(self) -> None:
        """Put everything recorded on disk.

        Raises:
            JournalError: If it cannot be written.
        """
        if self.journal is not None and self.journal.settle():
            self._due.set()

    async def run(self) -> None:
        """Set the mark whenever it lags.

        Raises:
            JournalError: If it cannot be written.
        """
        while (journal := self.journal) is not None:
            await self._due.wait()
            await trio.sleep(LAG)
            self._due = trio.Event()
            await trio.to_thread.run_sync(journal.set_mark)

    def close(self) -> None:
        """Close the journal, which stays."""
        if self.journal is not None:
            self.journal.close()

    def remove(self) -> None:
        """Remove the journal: there is nothing to resume."""
        journal, self.journal = self.journal, None
        if journal is not None:
            journal.remove()


def play_of(node: Node) -> Play:
    """The game at a node of the chain; before the cards are dealt, its start."""
    return node.state if isinstance(node.state, Play) else node.table.game.start()


class Chronicle:
    """What a screen was told of one table: each happening and each fault once."""

    def __init__(self, machine: SeatMachine, screen: Screen) -> None:
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


@dataclass(eq=False, repr=False)
class EffectsOut:
    """Carries out the effects of one machine: first the journal, then frames, screen and player.

    Attributes:
        _machine: The machine whose effects are carried out.
        _keeper: Writes its journal.
        _hub: The links over which its frames go.
        _access: Tells which linked nodes get them.
        _chronicle: Tells the screen what happens in the game.
        _presence: Tells the screen that a step has timed out.
        _questions: Asks the player.
        _screen: Is told everything else.
        _now: The clock of the machine, in seconds.
        broken: How the table ended without a result, if it did.
    """

    _machine: SeatMachine
    _keeper: JournalKeeper
    _hub: Hub
    _access: Access
    _chronicle: Chronicle
    _presence: PresenceTeller
    _questions: PlayerQuestions
    _screen: Screen
    _now: Callable[[], float]
    _later: deque[effects.Effect] = field(default_factory=deque)
    _has_posted: bool = False
    _job_due: trio.Event = field(default_factory=trio.Event)
    _seconds: float = 0.0
    _present: bool = True
    _may_rejoin: bool = False
    broken: effects.Broken | None = None

    async def has_job(self) -> None:
        """Wait until the machine has a job to offload."""
        while self._machine.job is None:
            self._job_due = trio.Event()
            await self._job_due.wait()

    def decided_in(self, seconds: float) -> None:
        """Note how long it took to decide what advanced the game last."""
        self._seconds = seconds

    def carry_out(self) -> None:
        """Carry out all effects that the machine has left."""
        self.send_out()
        while self._later:
            self.tell(self._later.popleft())
            self.send_out()
        if self._machine.job is not None:
            self._job_due.set()

    def send_out(self) -> None:
        """Append the records, then post the frames. The other effects stay for `carry_out`."""
        found = self._machine.take()
        for record in found:
            if isinstance(record, effects.Record):
                self._keeper.append(record.data)
        for effect in found:
            if isinstance(effect, effects.Send):
                self.send(effect)
            elif not isinstance(effect, effects.Record):
                self._later.append(effect)

    def send(self, send: effects.Send) -> None:
        """Post a frame to whom it is for. What is passed on of others need not be on disk first."""
        if not send.but:
            self._keeper.settle()
        seats, is_told = self._machine.table.ids, self._access.passes_on_to
        for peer in self._hub.links() - send.but if send.peer is None else (send.peer,):
            if send.peer or (peer in seats if send.asks else is_told(peer)):
                self._has_posted |= self._hub.post(peer, send.frame, send.once)

    async def let_out(self) -> None:
        """Let what was posted out: it goes before what this node shows, and what it hears next."""
        turns, self._has_posted = TURNS if self._has_posted else 0, False
        for _ in range(turns):
            await trio.lowlevel.checkpoint()

    def tell(self, effect: effects.Effect) -> None:
        """Tell the screen and the player of an effect, as far as it concerns them."""
        match effect:
            case effects.StepAppended(before, after):
                final = self._chronicle.final()
                self._screen(updates.ChainGrew(before, after, self._seconds, final))
                self._chronicle.tell(after)
            case effects.Entered(epoch, base, faults):
                self._chronicle.entered(epoch, base, faults)
                self.tell_own_presence(base)
                if not self._machine.must_choose:
                    self._questions.stop()  # what was asked in the epoch before is void
            case effects.ChoiceAsked(_, kind, again):
                self._questions.ask(kind, again)
            case effects.StepTimedOut():
                self._presence.timed_out(self._now())
            case effects.Guilty(seat, code):
                self._chronicle.accuse(seat, code)
            case effects.SeatLeft() | effects.JournalDoubted() | effects.SigningEnded():
                self._screen(effect)
            case effects.ResultFinal():
                self._questions.close()
                self._machine.sync(None)
            case effects.Broken(code, seat, by):
                self._questions.close()
                if seat is not None and code in FAULTS and by is None:
                    self._chronicle.accuse(seat, code)
                self._screen(updates.Ended(code, seat, by))
                self.broken = effect

    def tell_own_presence(self, base: Node) -> None:
        """Tell when this seat becomes absent or present, and ask an absent player to rejoin."""
        seat = self._machine.seat
        present = seat is None or seat in base.present
        may_rejoin = not present and self._machine.may_rejoin
        if present != self._present or may_rejoin != self._may_rejoin:
            if present:
                self._questions.close()
                self._screen(updates.Rejoined())
            else:
                self._questions.call_back(may_rejoin)
                self._screen(updates.Away(may_rejoin))
        self._present, self._may_rejoin = present, may_rejoin
