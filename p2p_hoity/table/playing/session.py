"""The session of one peer at a running table: state machine, journal, links, player and screen.

`compose` makes a session, and `Session.run` plays until the table has ended.

SPEC: section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import trio

from protocol import Invalid, SeatMachine, effects
from protocol.units import PeerId, Seconds

from ... import rules
from ...coded_errors import because, of_protocol
from ...game_adapter import table_name
from ...net.hub import Event, Frame, Hub, LinkDown, LinkUp
from ...presentation import screen_updates as updates
from ...presentation.screen_updates import Screen
from ...storage import transcript_archive
from ...storage.file_store import FileStore
from ...storage.journal import Journal, JournalError
from ...storage.kept_vouches import keep_vouches
from ..beside_game.rematch import Agreed, SideChannel
from ..beside_game.rematch_frames import refuser_of
from ..gathering.lobby import Roster, encode_lobby
from ..gathering.table_keys import TableKeys, players
from ..gathering.ticket_proof import Capability
from ..seats_in_pages import PageTeller
from ..task_groups import open_nursery
from .awake_clock import AwakeClock
from .effects_out import EffectsOut, GameReporter, JournalKeeper, play_of
from .end_codes import LEFT, STOPPED, TWO_ROSTERS
from .frame_access import Access, DropCode, OnlookerAccess, SeatAccess, TwoRosters, TwoTables
from .frame_kinds import Budget, Handler, kind_of
from .frames_in import EarlyEvents, FramesIn, OffLoop
from .player_interface import Player, PlayerQuestions
from .player_requests import LeaveForNow, Talk, WaitLonger
from .presence import PresenceTeller
from .rate_limit import RateLimit
from .reconnect_moved_seat import dial_seats


@dataclass(frozen=True)
class Outcome:
    """The result of a table for this peer, or the reason why there is no result.

    Attributes:
        transcript: The path of the transcript of the finished game, or of the file that proves the
            fault which ended setup. None if none was written.
        standings: Empty if no game was finished.
        code: Why there is no result: STOPPED, LEFT, TWO_ROSTERS, or the code with which the state
            machine ended the table. None if there is a result.
        seat: The number of the seat that caused this end, if it is known.
        by: The seat on whose word alone this end and `seat` are known. None if this peer has found
            them itself.
        kept: Whether the journal is kept, because the game had begun. The player can then resume
            the game later, or save the unfinished game as a transcript (a claim).
        evidence: The two tables that the host has signed, if the code is TWO_ROSTERS.
        again: The next table with the same people. None if no other game follows.
        early: The events of the next table that came before its roster was complete here.
    """

    transcript: Path | None
    standings: tuple[rules.Standing, ...] = ()
    code: str | None = None
    seat: int | None = None
    by: int | None = None
    kept: bool = False
    evidence: TwoTables | None = None
    again: Agreed | None = None
    early: Sequence[Event] = ()


@dataclass(frozen=True)
class Attendee:
    """The person or bot that takes part here, at a seat or as an onlooker.

    Attributes:
        screen: The function that is called with each update.
        output: The path for the transcript of the first game. None for the usual place.
        player: The source of choices and requests. None for an onlooker that says nothing.
        talks: Whether the player's chat messages are sent, and those of others are shown.
        again: Whether the player is asked at the end for another game with the same people. If not,
            this peer declines.
        off_loop: None to compute in the event loop.
        is_unhurried: Returns whether no time runs for the answer, as at a table of one player and
            its own bots.
    """

    screen: Screen
    output: Path | None = None
    player: Player | None = None
    talks: bool = True
    again: bool = False
    off_loop: OffLoop | None = None
    is_unhurried: Callable[[], bool] = field(default=lambda: False, kw_only=True)


TICK: Final[Seconds] = 0.2
"""Seconds between two calls of the machine's `tick`."""
FLUSH: Final[Seconds] = 5.0
"""Seconds for which a session that ends normally waits until its queued frames are sent."""
LINGER: Final[Seconds] = 0.5
"""Seconds for which a player who leaves still answers others.

After that the session waits at most as long once more, until its queued frames are sent.
"""


@dataclass
class Session:
    """The play of one peer at one table, until the table has ended and nobody needs this peer.

    Attributes:
        _usual: The path for the transcript if the attendee names none. None to write none.
        _clock: Tells the state machine the time.
        _side: The chat, and the agreement on another game.
    """

    hub: Hub
    machine: SeatMachine
    attendee: Attendee
    _keeper: JournalKeeper
    _usual: Path | None
    _files: FileStore
    _clock: AwakeClock
    _rate_limit: RateLimit
    _access: Access
    _side: SideChannel
    _presence: PresenceTeller
    _questions: PlayerQuestions
    _effects_out: EffectsOut
    _frames_in: FramesIn
    _early: EarlyEvents = field(default_factory=EarlyEvents)
    _outcome: Outcome | None = None
    _result: Outcome | None = None
    _written: bytes = b""
    _over: trio.Event = field(default_factory=trio.Event)

    @property
    def _screen(self) -> Screen:
        return self.attendee.screen

    def name_of(self, peer: PeerId) -> str | None:
        """Return the nickname of a linked peer, or None if it has no seat."""
        table = self.machine.table
        return table.header.roster[table.ids.index(peer)].nickname if peer in table.ids else None

    async def run(self, addresses: Sequence[Sequence[str]], backlog: Sequence[Event]) -> Outcome:
        """Play until the table has ended for this peer, and return how it ended.

        The addresses are those of each seat. The backlog has the events before the table was known.
        """
        try:
            async with open_nursery() as nursery:
                # Dial the seats, show the table, and handle the links and events that are there.
                dial_seats(self.hub, self.machine.table, addresses)
                shown = players(self._access.roster.vouches)
                self._screen(updates.Started(self.machine.table, self.machine.seat, shown))
                for peer in self.hub.links():
                    # Before the machine starts: a seat reads no frame of ours before our signed
                    # table ([L-20]).
                    self._access.link_up(peer, self.hub.binding(peer), trio.current_time())
                self.machine.start(self._clock.now())
                # Not every linked peer: the machine syncs with these, and strangers may not hear
                # the table.
                for peer in filter(self._access.is_of_table, self.hub.links()):
                    self.machine.link_up(peer, self._clock.now())
                # A resumed seat may be absent already, and only a change of epoch would tell it.
                self._effects_out.tell_own_presence(self.machine.tip)
                # After the links, or these frames would come from peers not registered yet.
                for event in backlog:
                    self._on_event(event)
                self._effects_out.carry_out()
                for task in (
                    self._hear_requests,
                    self._questions.run,
                    self._carry_out_answers,
                    self._keeper.run,
                    self._frames_in.run,
                    self._listen,
                ):
                    nursery.start_soon(task)
                nursery.start_soon(self._tick)
                await self._over.wait()
                nursery.cancel_scope.cancel()
        finally:
            self._keeper.close()
        outcome = self._outcome
        await self.hub.flush(LINGER if outcome is not None and outcome.code == LEFT else FLUSH)
        if outcome is None:
            return Outcome(None, (), STOPPED)
        # Only after the last frames have left: a program that is killed earlier can still resume.
        if not outcome.kept:
            self._keeper.remove()
        return outcome

    # Tasks

    async def _listen(self) -> None:
        """Handle frames, and links that come and go, in their order, until cancelled."""
        async for event in self.hub.events:
            # Nothing more is taken from the links while the queue is full, so that the senders wait
            # and not the memory grows.
            await self._frames_in.wait_for_room()
            # From here on the next table is agreed on, and whatever comes may be for it.
            if self.machine.finished and self._side.rematch.roster is not None:
                self._early.keep(event)
                continue
            self._on_event(event)
            # Frames leave before the screen is told: drawing takes time, and others wait for the
            # frames.
            self._effects_out.send_out()
            await self._effects_out.wait_until_sent()
            self._effects_out.carry_out()
            # A frame changes no link, and to look at all links for each would cost time.
            if not isinstance(event, Frame):
                self._presence.tell(self._clock.now())

    async def _carry_out_answers(self) -> None:
        """Carry out the effects of each answer that the player gives, until cancelled."""
        while True:
            await self._questions.wait_for_answer()
            self._effects_out.carry_out()

    async def _tick(self) -> None:
        """Advance the state machine's clock, and end the session when nobody needs this peer."""
        while True:
            self._show_result()
            if self._may_leave():
                break
            await trio.sleep(TICK)
            self.machine.tick(self._clock.now())
            self._effects_out.carry_out()
            self._presence.notify(self._clock.now())
            self._presence.tell(self._clock.now())
            if self._result is not None:
                self._presence.stays(self._clock.now())
            for peer in self._access.overdue(trio.current_time()):
                self.hub.drop(peer, because(DropCode.NOT_SHOWN))
        self._end()
        await self._settle()
        self._over.set()

    async def _hear_requests(self) -> None:
        """Carry out the requests that the player makes unasked, until cancelled."""
        if self.attendee.player is None:
            return
        while True:
            match await self.attendee.player.next_request():
                case WaitLonger() if self.machine.seat is not None:
                    given = self.machine.wait_longer(self._clock.now())
                    self._presence.extended(given, self._clock.now())
                case Talk(words):
                    self._side.say(words)
                case LeaveForNow() if self.machine.seat is not None:
                    await self._leave_for_now()

    # Events of the hub

    def _on_event(self, event: Event) -> None:
        """Handle a link that was made or lost, or a frame that came."""
        match event:
            case LinkUp(peer, address, via_relay, binding, again):
                # First of all: a seat reads no other frame of ours before our signed table
                # ([L-20]).
                self._access.link_up(peer, binding, trio.current_time())
                self._side.link_up(peer)
                if self._access.is_of_table(peer):
                    self._screen(updates.Linked(self.name_of(peer), address if via_relay else ""))
                    self.machine.link_up(peer, self._clock.now(), again)
            case LinkDown(peer, reason):
                self._rate_limit.forget(peer)
                # Asked before the link is forgotten: an onlooker is of the table only while it is
                # let in.
                if self._access.is_of_table(peer):
                    self._screen(updates.Unlinked(self.name_of(peer), reason))
                self._access.link_down(peer)
                self.machine.link_down(peer, self._clock.now())
            case Frame(peer, data):
                self._on_frame(peer, data)

    def _on_frame(self, peer: PeerId, data: bytes) -> None:
        """Pass a frame to the part of the session that handles its kind.

        A frame is dropped if its sender may not send that kind, or if its link exceeds a rate
        limit.
        """
        kind, now = kind_of(data), trio.current_time()
        may_send = self._access.may_send(peer, kind.sender)
        # A refusal is signed, and counts from whoever brings it ([A-8]).
        is_refusal = kind.handler is Handler.REMATCH and not self.machine.has_begun
        if not (may_send or is_refusal):
            return
        # Before any signature is checked: that costs more than to send one.
        if not self._rate_limit.may_read(peer, kind, now):
            is_slowed = kind.budget in (Budget.TALK, Budget.UNKNOWN)
            rest = self._rate_limit.rest(peer, now) if is_slowed else 0.0
            if rest > 0:
                self.hub.rest(peer, rest)
            return
        if is_refusal:
            seat = refuser_of(self.machine.table, data)
            if seat is not None and self.machine.refuse(seat, self._clock.now()):
                self._side.flood(data, peer)
        match kind.handler:
            case Handler.TALK:
                self._side.hear(peer, data)
            case Handler.REMATCH if may_send:
                self._side.rematch.receive(peer, data)
            case Handler.LOBBY:
                self._receive_lobby(peer, data)
            case Handler.GAME:
                self._frames_in.receive(peer, data, kind)

    def _receive_lobby(self, peer: PeerId, data: bytes) -> None:
        """Let a peer in by a frame of the lobby, or end the table if it shows two rosters."""
        try:
            is_new = self._access.receive(peer, data, self.machine.is_bound)
        except Invalid as error:
            if self.machine.finished:  # The peer may play at the next table.
                self._early.keep(Frame(peer, data))
            else:
                self.hub.drop(peer, because(DropCode.UNSIGNED, why=of_protocol(error)))
        except TwoRosters as error:
            self._end_void(error)
        else:
            if is_new:
                self._side.catch_up(peer)
            if is_new and peer not in self.machine.table.ids:
                self.hub.keep(self._access.onlookers)
                self._screen(updates.Linked(self.name_of(peer)))
                # Its link came up before it was let in, so it was sent nothing of the table yet.
                self.machine.sync(peer)

    # The end

    def _end_void(self, found: TwoRosters) -> None:
        """End a table whose host has signed two rosters ([L-21]).

        Do not call this at a seat that has signed that the shuffled deck is valid. The other seats
        may already play on with that signature. So a host could throw the seat out of the game by
        signing a second roster ([D-3]).
        """
        # Once: every seat of the other table shows it, and all would be told again each time.
        if self._outcome is not None and self._outcome.code == TWO_ROSTERS:
            return
        for peer in self.machine.table.ids:
            # Our own table's signature went out when the link came up, so now they have both.
            self.hub.post(peer, encode_lobby(found.evidence.other))
        self._effects_out.tell(effects.Broken(TWO_ROSTERS, 0))
        self._outcome = Outcome(None, (), TWO_ROSTERS, 0, evidence=found.evidence)

    def _may_leave(self) -> bool:
        """Return whether the table has ended for this peer and no other peer needs it."""
        # The machine knows nothing of the second roster, and would go on waiting.
        is_void = self._outcome is not None and self._outcome.code == TWO_ROSTERS
        return self.machine.may_leave() or is_void

    async def _leave_for_now(self) -> None:
        """End the session because the player leaves, and tell the others if the game is not over.

        The journal is kept if the seat may rejoin. A player who leaves after the end of the game
        declines another game.
        """
        # First, because a choice that comes after the departure could not be signed.
        self._questions.close()
        if self.machine.finished:
            self._side.rematch.refuse()
        elif self._outcome is None and self._effects_out.broken is None:
            self.machine.depart(self._clock.now())
            self._effects_out.carry_out()
            # If this seat is not bound, its departure ends the table for all, and nothing can be
            # resumed.
            kept = self._keeper.journal is not None and self.machine.is_bound
            # Set before the pause: a table that breaks off meanwhile must not replace this reason.
            self._outcome = Outcome(None, (), LEFT, self.machine.seat, kept=kept)
            await trio.sleep(LINGER)
        self._end()
        self._over.set()

    def _show_result(self) -> None:
        """Write the transcript and show the result, as soon as the end of the game is final.

        The seat may have to stay for the others after that ([E-19]). The player need not know less
        meanwhile, and the result is on disk if the program ends.
        """
        if self._result is not None or not self.machine.finished:
            return
        path = None
        with suppress(JournalError):  # `_end` tries again, and tells what is wrong.
            path = self._save()
        self._tell_result(path)

    def _tell_result(self, path: Path | None) -> None:
        """Show the result, with the path of its transcript, or None if there is none."""
        machine, wait = self.machine, self.machine.last_wait()
        standings = play_of(machine.tip).state.standings
        self._result = Outcome(path, standings)
        seats, left = (frozenset[int](), 0.0) if wait is None else (wait.seats, wait.left)
        self._screen(updates.GameOver(machine.table, machine.tip, standings, path, seats, left))

    def _save(self) -> Path | None:
        """Write the transcript of the finished game, and return its path, None if none is wanted.

        The vouches of the seats are kept in the folder of the usual transcripts. A JournalError is
        raised if the transcript can be written nowhere, or is too long.
        """
        output = self.attendee.output or self._usual
        if output is None:
            return None
        machine = self.machine
        data = transcript_archive.transcript_of(machine)
        if self._usual is not None:
            vouches = self._access.roster.vouches
            keep_vouches(self._files, self._usual.parent, machine.table.id, vouches)
        path = transcript_archive.keep(data, output, self._usual, self._keeper.journal, self._files)
        # Only once it is on disk: `_end` tries again as long as this is empty.
        self._written = data
        return path

    def _end(self) -> None:
        """Determine how the table has ended, and complete the transcript of a finished game."""
        broken, machine = self._effects_out.broken, self.machine
        if self._outcome is None and broken is not None:
            # A bound seat keeps its journal, which has the proof as well.
            path = None if machine.is_bound else self._save_proof()
            is_needed = machine.is_bound or (path is None and machine.shows_fault)
            kept = self._keeper.journal is not None and is_needed
            self._outcome = Outcome(path, (), broken.code, broken.seat, broken.by, kept)
        is_told = self._outcome is not None and self._outcome.code is None
        is_void = broken is not None  # Proven after the end: the journal is the proof.
        if is_told or is_void or not machine.finished:
            return
        self._show_result()
        if not self._written:
            if (path := self._save()) is not None:
                self._tell_result(path)
        elif self._result is not None and self._result.transcript is not None:
            # A fault that was found since the end became final belongs into the file ([E-23]).
            data = transcript_archive.transcript_of(machine)
            if data != self._written:
                path = self._result.transcript
                transcript_archive.complete(path, self._written, data, self._files)
        self._outcome = self._result

    def _save_proof(self) -> Path | None:
        """Save the proof of the fault that ended setup, since the journal that has it is removed.

        Return the path of the file. Return None if there is no such proof, or the disk is full. The
        journal is kept then.
        """
        if self._usual is None or not self.machine.shows_fault:
            return None
        data = self.machine.transcript()
        game = table_name(self.machine.table)
        folder, files = self._usual.parent, self._files
        path = transcript_archive.place_of_claim(folder, game, data, files)
        try:
            transcript_archive.write_transcript(path, data, files)
        except OSError:
            return None
        self._screen(updates.ProofSaved(path))
        return path

    async def _settle(self) -> None:
        """After a finished game, find out whether another game with the same people follows."""
        # A kept journal proves a fault that was found after the end, so it must not be removed.
        if not self.machine.finished or self._outcome is None or self._outcome.kept:
            return
        # The links stay for the next table, but a seat of this one must not be resumed any more.
        self._keeper.close()
        self._keeper.remove()
        player, tip = self.attendee.player, self.machine.tip
        asked = player if self.attendee.again else None
        present, is_unhurried = tip.present - tip.banned, self.attendee.is_unhurried()
        agreed = await self._side.settle(asked, self.attendee.again, present, is_unhurried)
        self._outcome = replace(self._outcome, again=agreed, early=self._early.events)


def compose(
    hub: Hub,
    machine: SeatMachine,
    attendee: Attendee,
    roster: Roster,
    capability: Capability,
    keys: TableKeys,
    files: FileStore,
    journal: Journal | None = None,
    usual: Path | None = None,
) -> Session:
    """Create and connect all parts of a session, with a machine that has not been started.

    The keys sign chat messages and consents. An onlooker has no journal. If `usual` is None, a
    transcript is written only where the attendee wants it.
    """
    screen, clock, limit = attendee.screen, AwakeClock(), RateLimit(machine.table.ids)
    kind = OnlookerAccess if machine.seat is None else SeatAccess
    access = kind(machine.table, machine.seat, roster, capability, hub, screen)
    side = SideChannel(access, keys, hub, screen, attendee.talks)
    terms = machine.table.header.terms
    pages = PageTeller(hub, screen, terms.seats, terms.quorum)
    presence = PresenceTeller(machine, screen, hub, pages)
    game_reporter = GameReporter(machine, screen)
    questions = PlayerQuestions(machine, attendee.player, screen, game_reporter.view, clock.now)
    keeper = JournalKeeper(journal)
    effects_out = EffectsOut(
        machine, keeper, hub, access, game_reporter, presence, questions, screen, clock.now
    )
    frames_in = FramesIn(machine, hub, limit, clock.now, effects_out, attendee.off_loop)
    return Session(
        hub,
        machine,
        attendee,
        keeper,
        usual,
        files,
        clock,
        limit,
        access,
        side,
        presence,
        questions,
        effects_out,
        frames_in,
    )
