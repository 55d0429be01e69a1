"""The peers that wait at a relay for calls, and the calls to them.

A source is the remote computer or network of a connection, as `addresses.source_of` names it. The
methods that serve a request return a function that runs the connection until its end, or None if
the request is malformed. They raise NetError if they refuse it.
"""

from __future__ import annotations

import dataclasses
import secrets
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

import trio

from protocol.units import PeerId

from ..coded_errors import Code, because
from ..net.connection_slots import one_to_make_room
from ..net.handshake import ID, Proven
from ..net.handshake_codes import Verdict
from ..net.network_errors import NetError
from ..net.peer_link import Link
from ..net.protocol_versions import MAX_HANDSHAKE_FRAME
from ..net.relay_client import TOKEN
from ..net.transport import encode_frame
from .forwarding import PIECE, Exchange, Splice
from .relay_limits import RelayLimits, Stay, Visit, count_down, lasted
from .relay_log import Event


class RelayCode(Code):
    """The reasons why a relay closes the connection of a waiting peer."""

    CAME_AGAIN = "relay-came-again", "another connection with the same id waits here now"
    SPOKE = "relay-spoken-to", "a peer that waits at the relay must not send anything"
    MADE_ROOM = (
        "relay-made-room",
        ("the relay is full, and too many peers were waiting from this address"),
    )


@dataclass(frozen=True, eq=False)
class WaitingSeat:
    """A peer that waits at the relay, with the random number of its process, 16 bytes ([L-10])."""

    link: Link
    source: str
    instance: bytes


Place = tuple[PeerId, bool]
"""The id of a waiting peer, and whether it came by WebSocket."""


class Seats:
    """The peers that wait at this relay, by their ids."""

    def __init__(self, limits: RelayLimits) -> None:
        self._limits = limits
        self._link_limits = dataclasses.replace(limits.link, frame=MAX_HANDSHAKE_FRAME)
        # By the door, too: one program may wait by both, and neither replaces the other.
        self._seats: dict[Place, WaitingSeat] = {}
        self._from: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._seats)

    def get(self, peer: PeerId) -> WaitingSeat | None:
        """Return the program that waits under an id, None if nobody waits there."""
        found = [self._seats[place] for place in _places(peer) if place in self._seats]
        return next((seat for seat in found if seat.link.reason is None), None)

    async def register(self, visit: Visit, proof: bytes) -> Stay:
        """Check the proof of a peer's id, and let the program wait for calls.

        The program is refused, with a NetError, for a bad proof, at a full relay, or if another
        process with the same id already waits here on a live connection ([L-10]). `proof` is its
        answer to the relay's challenge, without the version.
        """
        # The signature covers the version, too, so that nobody on the way can lower it.
        proven = _proven(visit, bytes([visit.version]) + proof)
        if proven is None:
            await visit.refuse(Verdict.NOT_PROVEN)
        # The id is proven from here on, and no await may come before `_enter` but those of a
        # refusal: two machines with one key must not both wait.
        place = proven.peer, visit.is_web
        live = self.get(proven.peer)
        if live is not None and live.instance != proven.instance:
            await visit.refuse(Verdict.ELSEWHERE)
        old = self._seats.get(place)
        if self._is_full(visit.source, old):
            await visit.refuse(Verdict.FULL)
        seat = self._enter(visit, proven, old)
        return lambda: self._keep(place, seat, visit)

    def _is_full(self, source: str, old: WaitingSeat | None) -> bool:
        """Return whether one more waiting peer would exceed a limit of the relay or of a source.

        The program's own earlier connection `old` does not count, because the new one replaces it.
        """
        if old is not None and old.source == source:
            return False
        if self._from[source] >= self._limits.seats_per_source:
            return True
        # `_clear` is asked last, because it closes the connection of another peer.
        return old is None and len(self._seats) >= self._limits.seats and not self._clear(source)

    def _clear(self, source: str) -> bool:
        """Close the connection of a waiting peer to make room for one from `source` ([L-36]).

        Return False if `one_to_make_room` finds none.
        """
        seat = one_to_make_room(list(self._seats.values()), source)
        if seat is None:
            return False
        # Its place is free at once, not when its task ends, or one more could take the same place.
        self._forget(next(place for place, one in self._seats.items() if one is seat))
        seat.link.close(because(RelayCode.MADE_ROOM))
        return True

    def _forget(self, place: Place) -> None:
        count_down(self._from, self._seats.pop(place).source)

    def _enter(self, visit: Visit, proven: Proven, old: WaitingSeat | None) -> WaitingSeat:
        """Add a waiting peer. An earlier connection of the same id is closed."""
        link = Link(visit.stream, self._link_limits, first=encode_frame(Verdict.WELCOME.encode()))
        if old is not None:
            old.link.close(because(RelayCode.CAME_AGAIN))
            count_down(self._from, old.source)
        # No await from here on: only `_keep` removes the seat again, so it has to be started.
        seat = WaitingSeat(link, visit.source, proven.instance)
        self._seats[proven.peer, visit.is_web] = seat
        self._from[seat.source] += 1
        return seat

    async def _keep(self, place: Place, seat: WaitingSeat, visit: Visit) -> None:
        """Run the connection of a waiting peer, which may send only heartbeats, until it ends."""

        async def hear(_: bytes) -> None:
            # It has nothing to say here, and reading it would cost the relay work without end.
            seat.link.close(because(RelayCode.SPOKE))

        visit.watch.note(Event.SEATED, seat.source)
        began = trio.current_time()
        try:
            await seat.link.run(trio.lowlevel.checkpoint, hear)
        finally:
            # A later connection of the id may have taken the place. It must stay.
            if self._seats.get(place) is seat:
                self._forget(place)
            visit.watch.note(Event.UNSEATED, seat.source, **lasted(began))


def _places(peer: PeerId) -> tuple[Place, Place]:
    """Return where a peer may wait: by TLS, and by WebSocket."""
    return (peer, False), (peer, True)


def _proven(visit: Visit, answer: bytes) -> Proven | None:
    """Return what a peer has proven to the relay under any of its names, None if nothing."""
    for listener in visit.listeners:
        with suppress(NetError):
            return listener.check(answer, visit.challenge)
    return None


@dataclass(eq=False)
class Call:
    """A call to a waiting peer, from the caller's request to its end.

    Attributes:
        visit: The connection of the caller.
        seat: The waiting connection of the called peer.
        taker: The connection with which the called peer takes the call. None until then.
    """

    visit: Visit
    seat: WaitingSeat
    peer: PeerId
    taker: Visit | None = None
    taken: trio.Event = field(default_factory=trio.Event)
    over: trio.Event = field(default_factory=trio.Event)


class Calls:
    """The calls at one relay: those that wait for the called peer, and the connected ones.

    Attributes:
        scopes: The cancel scopes of the connections that belong to connected calls.
    """

    def __init__(self, seats: Seats, limits: RelayLimits, exchange: Exchange) -> None:
        self._seats = seats
        self._exchange = exchange
        self._limits = limits
        self._announced: dict[bytes, Call] = {}
        self._from: Counter[str] = Counter()
        self._towards: Counter[str] = Counter()
        self._to: Counter[bytes] = Counter()
        self._count = 0
        self._running: set[Splice] = set()
        self.scopes: set[trio.CancelScope] = set()

    @property
    def waiting(self) -> int:
        """The number of calls that the called peer has not taken yet."""
        return len(self._announced)

    @property
    def spliced(self) -> int:
        """The number of calls that forward bytes."""
        return len(self._running)

    @property
    def carried(self) -> int:
        """The number of bytes that the currently connected calls have carried so far."""
        return sum(splice.carried for splice in self._running)

    async def call(self, visit: Visit, peer: PeerId) -> Stay | None:
        """Check a call to the program that waits under an id."""
        if len(peer) != ID:
            return None
        seat = self._seats.get(peer)
        if seat is None:
            await visit.refuse(Verdict.UNKNOWN)
        if self._is_full(visit.source, seat, peer):
            await visit.refuse(Verdict.FULL)
        # From here on it counts as a call, so that unproven connections cannot displace it.
        return lambda: self._carry(Call(visit, seat, peer))

    async def take(self, visit: Visit, token: bytes) -> Stay | None:
        """Connect a peer to the caller whose call has this token. Return None if none waits."""
        # A token holds once. Two takers would otherwise share the caller.
        call = self._announced.pop(token, None)
        if call is None:
            return None  # The token has expired, or is a guess.
        call.taker = visit
        call.taken.set()
        # The taker's task has to last as long as the call, since its end cuts the connection.
        return call.over.wait

    def _is_full(self, source: str, seat: WaitingSeat, peer: PeerId) -> bool:
        """Return whether one more call would exceed a limit: in all, or of a source or an id."""
        most = self._limits.splices_per_source
        return (
            self._count >= self._limits.splices
            or self._from[source] >= most
            or self._towards[seat.source] >= most
            or self._to[peer] >= self._limits.splices_per_seat
        )

    async def _carry(self, call: Call) -> None:
        """Run one call until its end, or refuse the caller if the called peer does not come."""
        # Counted before the first await, or many calls at once would pass the check of the limits.
        self._count += 1
        self._from[call.visit.source] += 1
        self._towards[call.seat.source] += 1
        self._to[call.peer] += 1
        call.visit.watch.note(Event.CALLED, call.visit.source)
        try:
            # Announce the call, and wait for the connection that takes it.
            token = secrets.token_bytes(TOKEN)
            self._announced[token] = call
            try:
                if call.seat.link.post(token):
                    # Half of the time, so that the caller is told before it gives up by itself.
                    with trio.move_on_after(self._limits.link.handshake / 2):
                        await call.taken.wait()
            finally:
                self._announced.pop(token, None)
            # Read after the token was withdrawn: until then the called peer may still have come.
            taker = call.taker
            if taker is not None:
                await self._splice(call.visit, taker)
                return
            # A caller that reads nothing must not hold its place among the calls.
            with trio.move_on_after(self._limits.link.handshake):
                await call.visit.refuse(Verdict.NO_ANSWER)
        finally:
            self._count -= 1
            count_down(self._from, call.visit.source)
            count_down(self._towards, call.seat.source)
            count_down(self._to, call.peer)
            call.over.set()

    async def _splice(self, caller: Visit, taker: Visit) -> None:
        """Connect the two ends of a call, and forward bytes between them until one end stops."""
        limits, early = self._limits, await self._welcomed(caller, taker)
        if early is not None:
            ends = caller.bare, taker.bare
            splice = Splice(ends, limits.idle, limits.splice_bytes, early, self._exchange)
            watch, began = caller.watch, trio.current_time()
            watch.note(Event.SPLICED, caller.source)
            scopes = {caller.scope, taker.scope}
            self.scopes |= scopes
            self._running.add(splice)
            try:
                await splice.run()
            finally:
                self.scopes -= scopes
                self._running.discard(splice)
                # In one turn with the removal above, so that the sum of both never counts bytes
                # twice.
                watch.carried += splice.carried
                watch.note(Event.PARTED, caller.source, bytes=splice.carried, **lasted(began))

    async def _welcomed(self, caller: Visit, taker: Visit) -> tuple[bytes, bytes] | None:
        """Tell both ends of a call that they are connected, and close TLS with each of them.

        Return the bytes that the caller and the called peer have already sent. Return None if one
        end is gone, or has sent more than PIECE bytes ([L-33]).
        """
        early: dict[Visit, bytes] = {}

        async def welcome(visit: Visit) -> None:
            with suppress(NetError):
                early[visit] = await visit.welcome()

        # An end that does not close TLS must not hold the other one and the place of the call.
        with trio.move_on_after(self._limits.link.handshake):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(welcome, taker)
                nursery.start_soon(welcome, caller)
        is_sound = len(early) == len((caller, taker)) and max(map(len, early.values())) <= PIECE
        return (early[caller], early[taker]) if is_sound else None
