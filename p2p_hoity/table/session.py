"""One node of a running table: its machine, journal, links, player and screen, bound together.

An onlooker has no seat. The seats let it in, or refuse it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import trio

from protocol import FAULTS, Identity, Invalid, Machine, Node, effects
from protocol.bounds import Seconds

from .. import rules
from ..errors import because, of_protocol
from ..net.hub import Event, Frame, Hub, LinkDown, LinkUp
from ..presentation import screen_updates as updates
from ..presentation.screen_updates import Screen
from ..storage import transcript_archive
from ..storage.journal import Journal
from .effects_out import Asking, Chronicle, MarkKeeper, Outgoing, play_of
from .frame_access import TWO_ROSTERS, Access, DropCode, TwoRosters, TwoTables
from .frame_kinds import Part, kind_of
from .frames_in import EarlyEvents, OffLoop, RateLimit, Weighing
from .lobby import Refusal, Refuse, Roster, encode_lobby, parse_lobby
from .player_interface import LeaveForNow, Player, Talk, WaitLonger
from .presence import PresenceTeller, WaitNotices
from .reconnect_moved_seat import dial_seats
from .rematch import Agreed, SideChannel
from .rematch_frames import refuser_of
from .task_groups import AwakeClock, open_nursery
from .ticket_proof import Capability

STOPPED: Final = "stopped"
"""Why this node left a table that goes on without it."""
LEFT: Final = "left"
"""The player has left for now."""


@dataclass(frozen=True)
class Outcome:
    """How a table ended for this node.

    `code`: why there is no result, None if there is one: STOPPED, LEFT, TWO_ROSTERS, or that of
    `Broken`.
    `seat`: whose doing that is, if known.
    `kept`: its journal stays: the game had begun, and can be saved as a claim; of a player who has
    left also resumed.
    `again`: the next table, if all want another game; `early`: what came for it already.
    """

    transcript: Path | None
    standings: tuple[rules.Standing, ...] = ()
    code: str | None = None
    seat: int | None = None
    kept: bool = False
    evidence: TwoTables | None = None
    again: Agreed | None = None
    early: Sequence[Event] = ()


TICK: Final[Seconds] = 0.2
FLUSH: Final[Seconds] = 5.0
LINGER: Final[Seconds] = 0.5
"""Seconds for which who leaves still answers, and then waits for what it has sent to be out."""


@dataclass
class Driver:
    """Drives one machine until the game has ended and the others need nothing more of it."""

    hub: Hub
    machine: Machine
    screen: Screen
    roster: Roster
    capability: Capability
    player: Player | None = None
    journal: Journal | None = None
    output: Path | None = None
    usual: Path | None = None
    outcome: Outcome | None = None
    identity: Identity | None = None
    talks: bool = True
    again: bool = False
    off_loop: OffLoop | None = None
    _notices: WaitNotices = field(default_factory=WaitNotices)
    _presence: PresenceTeller = field(init=False)
    _chronicle: Chronicle = field(init=False)
    _present: bool = True
    _may_return: bool = False
    _early: EarlyEvents = field(default_factory=EarlyEvents)
    _later: deque[effects.Effect] = field(default_factory=deque)
    _asking: Asking = field(init=False)
    _nursery: trio.Nursery | None = None
    _rate_limit: RateLimit = field(default_factory=RateLimit)
    _clock: AwakeClock = field(default_factory=AwakeClock)
    _can_rejoin: bool = False
    _is_void: bool = False
    _access: Access = field(init=False)
    _side: SideChannel = field(init=False)
    _marks: MarkKeeper = field(init=False)
    _outgoing: Outgoing = field(init=False)
    _weighing: Weighing = field(init=False)

    @property
    def seat(self) -> int | None:
        """This node's seat; None for an onlooker."""
        return self.machine.seat

    def name_of(self, peer: bytes) -> str | None:
        """The nickname of a linked node; None for an onlooker."""
        ids = self.machine.table.ids
        if peer in ids:
            return self.machine.table.header.roster[ids.index(peer)].nickname
        return None

    def _now(self) -> float:
        """The time by which the machine waits: what passed while this process was awake."""
        return self._clock.time(trio.current_time())

    async def run(self, backlog: Sequence[Event] = ()) -> Outcome:
        """Play until the end; what came in before the table was known is in `backlog`."""
        self._chronicle = Chronicle(self.machine, self.screen)
        table, hub, view = self.machine.table, self.hub, self._chronicle.view
        self._access = Access(table, hub.me, self.roster, self.capability, hub.post, self.seat)
        self._side = SideChannel(self._access, self.identity, hub, self.screen, self.talks)
        self._presence = PresenceTeller(self.machine, self.screen)
        self._marks = MarkKeeper(self.journal)
        self._outgoing = Outgoing(self.machine, hub, self._marks, self._rate_limit, self._tells)
        does = (self._rate_limit, self._now, self._drain, self.off_loop)
        self._weighing = Weighing(self.machine, hub, *does)
        try:
            async with open_nursery() as nursery:
                self._nursery = nursery
                play = (self.machine, self.player, self.screen, view)
                self._asking = Asking(*play, self._now, self._drain, nursery)
                dial_seats(self.hub, self.machine.table, self.roster.addresses)
                self.screen(updates.Started(self.machine.table, self.seat))
                for peer in self.hub.links():
                    self._access.up(peer, self.hub.binding(peer), trio.current_time())
                self.machine.start(self._now())
                for peer in filter(self._is_ours, self.hub.links()):
                    self.machine.link_up(peer, self._now())
                self._look_for_oneself(self.machine.tip)
                for event in backlog:
                    self._on_event(event)
                self._drain()
                if self.player is not None:
                    nursery.start_soon(self._hear_wishes, self.player)
                nursery.start_soon(self._marks.run)
                nursery.start_soon(self._weighing.run)
                nursery.start_soon(self._tick)
                nursery.start_soon(self._listen)
        finally:
            if self.journal is not None:
                self.journal.close()
        is_leaving = self.outcome is not None and self.outcome.code == LEFT
        await self.hub.flush(LINGER if is_leaving else FLUSH)
        if self.outcome is None:
            return Outcome(None, (), STOPPED)
        if self.journal is not None and not (self.outcome.kept or self._can_rejoin):
            self.journal.remove()
        return self.outcome

    async def _listen(self) -> None:
        async for event in self.hub.events:
            await self._weighing.has_room()
            if self.machine.finished and self._side.has_roster:
                self._early.keep(event)
            else:
                self._on_event(event)
                self._speak()
                await self._outgoing.let_out()
                self._drain()
                if not isinstance(event, Frame):
                    self._presence.tell(self._linked(), self._now())

    async def _tick(self) -> None:
        while not self._may_leave():
            await trio.sleep(TICK)
            self.machine.tick(self._now())
            self._drain()
            self._tell(self._notices.look(self.machine, self._linked(), self._now()))
            self._presence.tell(self._linked(), self._now())
            self._give_up()
            for peer in self._access.overdue(trio.current_time()):
                self.hub.drop(peer, because(DropCode.NOT_SHOWN))
        self._leave()
        await self._settle()
        if self._nursery is not None:
            self._nursery.cancel_scope.cancel()

    def _on_event(self, event: Event) -> None:
        match event:
            case LinkUp(peer, address, via_relay, binding, again):
                self._access.up(peer, binding, trio.current_time())
                self._side.link_up(peer)
                if self._is_ours(peer):
                    self.screen(updates.Linked(self.name_of(peer), address if via_relay else ""))
                    self.machine.link_up(peer, self._now(), again)
            case LinkDown(peer, reason):
                self._rate_limit.forget(peer)
                if self._is_ours(peer):
                    self.screen(updates.Unlinked(self.name_of(peer), reason))
                self._access.down(peer)
                self.machine.link_down(peer, self._now())
            case Frame(peer, data):
                self._on_frame(peer, data)

    def _on_frame(self, peer: bytes, data: bytes) -> None:
        """Hand a frame to the part of the table that its kind is for."""
        kind, now = kind_of(data), trio.current_time()
        if kind.part is Part.REMATCH and not self.machine.has_begun:
            seat = refuser_of(self.machine.table, data)
            if seat is not None and self.machine.refuse(seat, self._now()):
                self._side.flood(data, peer)
        if not self._access.may_send(peer, kind.sender):
            return
        match kind.part:
            case Part.TALK:
                self._side.hear(peer, data)
            case Part.REMATCH:
                self._side.rematch.receive(peer, data, now)
            case Part.LOBBY:
                self._receive_guest(peer, data)
            case Part.GAME:
                if self._rate_limit.is_due(peer, data, kind, now, self.machine.lacks_messages):
                    self._weighing.receive(peer, data)

    def _is_ours(self, peer: bytes) -> bool:
        """A seat, or an onlooker who was let in: others are not worth a line."""
        return peer in self.machine.table.ids or self._access.hears(peer)

    def _tells(self, peer: bytes) -> bool:
        return self._is_ours(peer)

    def _receive_guest(self, peer: bytes, data: bytes) -> None:
        try:
            is_new = self._access.receive(peer, data, self.machine.has_begun)
        except Invalid as error:
            if self.machine.finished:  # it may play at the next table already
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
                self.screen(updates.Linked(self.name_of(peer)))
                self.machine.sync(peer)

    def _end_void(self, found: TwoRosters) -> None:
        """The host has signed two tables: there is no game that all play. Tell all, and end.

        Once the cards are dealt all seats have spoken at this one: then it changes nothing, or a
        host could end every game that it does not like ([L-21]).
        """
        if self._is_void:
            return
        self._is_void = True
        for peer in self.machine.table.ids:
            self.hub.post(peer, encode_lobby(found.evidence.other))
        self._show(effects.Broken(TWO_ROSTERS, 0))
        if self.outcome is not None:
            self.outcome = replace(self.outcome, evidence=found.evidence)

    def _linked(self) -> set[int]:
        return {s for s, peer in enumerate(self.machine.table.ids) if self.hub.linked(peer)}

    def _drain(self) -> None:
        """Carry out all that the machine has left to do."""
        self._speak()
        while self._later:
            self._show(self._later.popleft())
            self._speak()
        self._weighing.look()

    def _speak(self) -> None:
        """Carry out what others wait for; all that is recorded goes to the disk at once."""
        found = self.machine.take()
        for record in found:
            if isinstance(record, effects.Record) and self.journal is not None:
                self.journal.append(record.data)
        for effect in found:
            self._do(effect)

    def _do(self, effect: effects.Effect) -> None:
        if isinstance(effect, effects.Send):
            self._send(effect)
        elif not isinstance(effect, effects.Record):
            self._later.append(effect)

    def _send(self, send: effects.Send) -> None:
        self._outgoing.send(send)

    def _show(self, effect: effects.Effect) -> None:
        """What of an effect is for this seat's own player."""
        match effect:
            case effects.Stepped(before, after):
                seconds, final = self._weighing.seconds, self._chronicle.final()
                self.screen(updates.Stepped(before, after, seconds, final))
                self._chronicle.tell(after)
            case effects.Entered(epoch, base, faults):
                self._chronicle.entered(epoch, base, faults)
                self._look_for_oneself(base)
                if not self.machine.must_choose:
                    self._asking.stop()  # what was asked in the epoch before is void
            case effects.Asked(_, kind, again):
                self._asking.ask(kind, again)
            case effects.Waiting():
                self._tell(self._notices.run_out(self.machine, self._linked(), self._now()))
            case effects.LeftForNow(seat):
                self.screen(updates.LeftForNow(seat))
            case effects.Guilty(seat, code):
                self._chronicle.accuse(seat, code)
            case effects.Cautious():
                self.screen(updates.Cautious())
            case effects.Silenced():
                self.screen(updates.Silenced())
            case effects.Finished():
                self._asking.close()
                self.machine.sync(None)
            case effects.Broken(code, seat, by):
                self._asking.close()
                if seat is not None and code in FAULTS and by is None:
                    self._chronicle.accuse(seat, code)
                self.screen(updates.Ended(code, seat, by))
                kept = self.journal is not None and self.machine.has_begun
                self.outcome = Outcome(None, (), code, seat, kept)

    # What the screen is told.

    def _look_for_oneself(self, base: Node) -> None:
        """Tell when this seat is absent or back, and ask an absent player to return if it may."""
        present = self.seat is None or self.seat in base.present
        may_return = not present and self.machine.may_return
        if present != self._present or may_return != self._may_return:
            if present:
                self._asking.close()
                self.screen(updates.Returned())
            else:
                self._asking.call_back(may_return)
                self.screen(updates.Away(may_return))
        self._present, self._may_return = present, may_return

    def _tell(self, word: updates.Update | None) -> None:
        if word is not None:
            self.screen(word)

    async def _hear_wishes(self, player: Player) -> None:
        while True:
            match await player.wish():
                case WaitLonger() if self.seat is not None:
                    given = self.machine.wait_longer(self._now())
                    self.screen(self._notices.extended(self.machine, given, self._now()))
                case Talk(words):
                    self._side.say(words)
                case LeaveForNow() if self.seat is not None:
                    await self._leave_for_now()

    async def _leave_for_now(self) -> None:
        """Say so to the others, if the game is not over, and go; the journal stays if this seat may
        come back. Who leaves the end wants no other game.
        """
        self._asking.close()
        if self.machine.finished:
            self._side.decline()
        elif self.outcome is None:
            self.machine.leave(self._now())
            self._drain()
            kept = self.journal is not None and self.machine.is_bound
            self.outcome = Outcome(None, (), LEFT, self.seat, kept)
            await trio.sleep(LINGER)
        self._leave()
        if self._nursery is not None:
            self._nursery.cancel_scope.cancel()

    # The end.

    def _may_leave(self) -> bool:
        """Return whether the table has ended for this node, and the others need it no more."""
        return self.machine.may_leave() or self._can_rejoin or self._is_void

    def _give_up(self) -> None:
        """Wait no more for the deck to be confirmed; the journal stays: it can rejoin."""
        if not self._can_rejoin and self.machine.is_unsure_of_deck:
            self._can_rejoin = True
            self.machine.give_up()
            self._drain()

    def _leave(self) -> None:
        """The others need nothing more: write the transcript and tell the standings."""
        told = self.outcome is not None and self.outcome.code is None
        if told or not self.machine.finished:
            return
        standings = play_of(self.machine.tip).state.standings
        path = None
        if self.output is not None:
            journal = None if self.journal is None else self.journal.path
            data, usual = transcript_archive.transcript_of(self.machine), self.usual or self.output
            path = transcript_archive.keep(data, self.output, usual, journal)
        self.outcome = Outcome(path, standings)
        self.screen(updates.Finished(self.machine.table, self.machine.tip, standings, path))

    async def _settle(self) -> None:
        """Whether there is another game with the same people."""
        if self.machine.finished and self.outcome is not None:
            if self.journal is not None:  # there is nothing to come back to
                self.journal.close()
                self.journal.remove()
                self.journal = None
            player, tip = self.player if self.again else None, self.machine.tip
            agreed = await self._side.settle(player, self.again, tip.present - tip.banned)
            self.outcome = replace(self.outcome, again=agreed, early=self._early.events)


REFUSED: Final = {Refusal.FULL: DropCode.FULL, Refusal.UNWATCHED: DropCode.UNWATCHED}


@dataclass
class OnlookerDriver(Driver):
    """Drives the machine of one who looks on."""

    _is_told: bool = False

    def _receive_guest(self, peer: bytes, data: bytes) -> None:
        """A seat that does not let it in is left alone for a while ([L-65])."""
        with suppress(Invalid):
            frame = parse_lobby(data)
            if isinstance(frame, Refuse) and frame.reason in REFUSED:
                self.hub.leave_alone(peer)
                self.hub.drop(peer, because(REFUSED[frame.reason]))
                self._say_so()

    def _say_so(self) -> None:
        """Once, when no seat is left to look on at."""
        if not self._linked() and not self._is_told:
            self._is_told = True
            self.screen(updates.Crowded())

    def _tells(self, peer: bytes) -> bool:
        """It passes on nothing: what it has of one seat the others have of each other ([M-7])."""
        return False
