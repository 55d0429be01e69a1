"""Carry out the effects of a seat's state machine: write the journal, send frames, tell the player.

A record is on disk before any byte that depends on it is sent ([J-1]). The rollback mark (a file
that names the last record and so shows if an old copy of the journal is used) may be written later
([J-4]). So no frame waits for it. A node is a point of the chain of steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import trio

from protocol import FAULTS, Node, SeatMachine, effects
from protocol.units import Quota, Seconds

from ... import rules
from ...game_adapter import Play, happenings_since, shared_length
from ...net.hub import Hub
from ...presentation import screen_updates as updates
from ...presentation.screen_updates import Screen
from ...storage.journal import Journal
from .frame_access import Access
from .player_interface import PlayerQuestions
from .presence import PresenceTeller

TURNS: Final[Quota] = 3
"""The number of turns of the event loop after which queued frames are with the operating system.

In these turns the task that writes a link wakes up, acquires its lock and writes.
"""


LAG: Final[Seconds] = 0.2
"""Seconds for which the rollback mark may lag, to cover all records that are written meanwhile."""


class JournalKeeper:
    """The writer of a journal and its mark. Without a journal its methods do nothing."""

    def __init__(self, journal: Journal | None) -> None:
        self.journal = journal
        self._due = trio.Event()

    def append(self, record: bytes) -> None:
        """Append a record. It is on disk only after the next call of `settle`."""
        if self.journal is not None:
            self.journal.append(record)

    def settle(self) -> None:
        """Write all appended records to disk, and have `run` write the rollback mark soon."""
        if self.journal is not None and self.journal.settle():
            self._due.set()

    async def run(self) -> None:
        """Write the rollback mark each time records have been written, until cancelled."""
        while (journal := self.journal) is not None:
            await self._due.wait()
            await trio.sleep(LAG)
            # Renewed before the mark is written, so that records of the meantime get a mark of
            # their own.
            self._due = trio.Event()
            # In a thread, because the disk may be slow, and the frames of the game do not wait for
            # it.
            await trio.to_thread.run_sync(journal.set_mark)

    def close(self) -> None:
        """Close the journal and keep its file."""
        if self.journal is not None:
            self.journal.close()

    def remove(self) -> None:
        """Remove the file of the journal, because the game cannot be resumed any more."""
        # Taken away first, so that no record or mark is written any more, even if this fails.
        journal, self.journal = self.journal, None
        if journal is not None:
            journal.remove()


def play_of(node: Node) -> Play:
    """Return the state of the game at a node, or before the deal that with which it starts."""
    return node.state if isinstance(node.state, Play) else node.table.game.start()


class GameReporter:
    """A reporter that tells one screen what happens in the game, each event and each fault once."""

    def __init__(self, machine: SeatMachine, screen: Screen) -> None:
        """Make the reporter of a table.

        The events of the steps that are in the chain already count as reported. So a resumed game
        is not reported again from its beginning.
        """
        self._machine, self._screen = machine, screen
        self._told = play_of(machine.tip)
        self._accused: dict[int, str] = {}

    def view(self) -> rules.View:
        """Return the current state of the game as this seat, or an onlooker, may see it."""
        return self._view_of(play_of(self._machine.tip))

    def _view_of(self, play: Play) -> rules.View:
        return rules.view(play.state, self._machine.seat, self._machine.hand())

    def final(self) -> int:
        """Count the reported events, from the first one on, that no change of epoch can replace.

        Events are reported before they are final, because a step becomes final only once every
        present seat has given an input for a later step.
        """
        tip = self._machine.tip
        # The node after the last final step, since this step's events happen at its end.
        node = tip.before(min(tip.step, self._machine.final_step() + 1))
        return 0 if node is None else shared_length(self._told, play_of(node))

    def accuse(self, seat: int, code: str) -> None:
        """Tell that a seat is at fault (`protocol.FAULTS`), but not the same twice in a row."""
        if self._accused.get(seat) != code:
            self._accused[seat] = code
            self._screen(updates.Accused(seat, code))

    def tell(self, node: Node, kept: int | None = None) -> None:
        """Tell the screen what has happened in the game up to a node, and who is convicted there.

        After a change of epoch only the first `kept` events of those reported are still valid.
        """
        for guilty in node.convictions:
            if guilty.seat not in self._accused:
                self.accuse(guilty.seat, guilty.code)
        play = play_of(node)
        items = tuple(happenings_since(play, self._told.length if kept is None else kept))
        self._told = play
        if items:
            self._screen(updates.Happened(items, self._view_of(play)))

    def entered(self, epoch: int, base: Node, faults: Sequence[tuple[int, str]]) -> None:
        """Tell which events a new epoch, which starts from the node `base`, has replaced or added.

        Each fault that is proven by then is the number of a seat and a code.
        """
        for seat, code in faults:
            self.accuse(seat, code)
        kept = shared_length(self._told, play_of(base))
        if kept < self._told.length:
            self._screen(updates.Rewound(epoch, kept, self.view()))
        self.tell(base, kept)


@dataclass(eq=False, repr=False)
class EffectsOut:
    """The executor of a state machine's effects: first the journal, then frames, screen, player.

    Attributes:
        _screen: The function that is called with all updates of which no reporter tells.
        _now: Returns the time on the state machine's clock, in seconds.
        broken: The effect that ended the table without a result. None if there was none.
    """

    _machine: SeatMachine
    _keeper: JournalKeeper
    _hub: Hub
    _access: Access
    _game_reporter: GameReporter
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

    async def wait_for_job(self) -> None:
        """Wait until the state machine has a computation to run outside the event loop."""
        while self._machine.job is None:
            self._job_due = trio.Event()
            await self._job_due.wait()

    def decided_in(self, seconds: float) -> None:
        """Store how many seconds the last step has taken to compute, for the screen."""
        self._seconds = seconds

    def carry_out(self) -> None:
        """Carry out all pending effects of the state machine, and those that follow from them."""
        self.send_out()
        while self._later:
            self.tell(self._later.popleft())
            # What is told may cause frames, and others wait for those.
            self.send_out()
        if self._machine.job is not None:
            self._job_due.set()

    def send_out(self) -> None:
        """Append the records to the journal, then queue the frames. Store all other effects."""
        found = self._machine.take()
        # Every record before any frame, for each frame may depend on any of them ([J-1]).
        for record in found:
            if isinstance(record, effects.Record):
                self._keeper.append(record.data)
        for effect in found:
            if isinstance(effect, effects.Send):
                self.send(effect)
            elif not isinstance(effect, effects.Record):
                self._later.append(effect)

    def send(self, send: effects.Send) -> None:
        """Queue a frame for its receivers, after the journal is on disk."""
        # A frame with `but` passes on a message of another seat, which depends on no record of this
        # journal.
        if not send.but:
            self._keeper.settle()
        seats, is_told = self._machine.table.ids, self._access.passes_on_to
        # Only seats answer requests, and a stranger may hear nothing of the table ([L-6], [L-19]).
        for peer in self._hub.links() - send.but if send.peer is None else (send.peer,):
            if send.peer or (peer in seats if send.asks else is_told(peer)):
                self._has_posted |= self._hub.post(peer, send.frame, send.once)

    async def wait_until_sent(self) -> None:
        """Wait a few turns of the event loop if frames were queued, in which they are sent."""
        turns, self._has_posted = TURNS if self._has_posted else 0, False
        for _ in range(turns):
            await trio.lowlevel.checkpoint()

    def tell(self, effect: effects.Effect) -> None:
        """Tell the screen and the player about an effect that is neither record nor frame."""
        match effect:
            case effects.StepAppended(before, after):
                final = self._game_reporter.final()
                self._screen(updates.ChainGrew(before, after, self._seconds, final))
                self._game_reporter.tell(after)
            case effects.Entered(epoch, base, faults):
                self._game_reporter.entered(epoch, base, faults)
                self.tell_own_presence(base)
                if not self._machine.must_choose:
                    self._questions.stop()  # A question of the old epoch is void.
            case effects.ChoiceAsked(_, kind, again):
                self._questions.ask(kind, again)
            case effects.StepTimedOut():
                self._presence.timed_out(self._now())
            case effects.Guilty(seat, code):
                self._game_reporter.accuse(seat, code)
            case (
                effects.SeatLeft()
                | effects.EndAnnounced()
                | effects.JournalDoubted()
                | effects.SigningEnded()
            ):
                self._screen(effect)
            case effects.ResultFinal():
                self._questions.close()
                self._machine.sync(None)
            case effects.Broken(code, seat, by):
                self._questions.close()
                # What is known only from another seat's word is no proof, and accuses nobody.
                if seat is not None and code in FAULTS and by is None:
                    self._game_reporter.accuse(seat, code)
                self._screen(updates.Ended(code, seat, by))
                self.broken = effect

    def tell_own_presence(self, base: Node) -> None:
        """Tell the screen if this seat has become absent or present at the node `base`.

        If the seat is absent and may rejoin, the player is asked whether it wants to come back.
        """
        seat = self._machine.seat
        present = seat is None or seat in base.present
        may_rejoin = not present and self._machine.may_rejoin
        if present != self._present or may_rejoin != self._may_rejoin:
            if present:
                self._questions.close()
                self._screen(updates.Rejoined())
            else:
                self._questions.ask_to_return(may_rejoin)
                self._screen(updates.Away(may_rejoin))
        self._present, self._may_rejoin = present, may_rejoin
