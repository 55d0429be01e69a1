"""The seats that wait at a relay: proven ids, each with the link on which its calls are told."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass

import trio

from ..errors import Code, because
from ..net.errors import NetError
from ..net.handshake import LONGEST, Listener, Proven, Verdict
from ..net.link import Link
from ..net.unproven import one_to_make_room
from .limits import RelayLimits
from .visit import Stay, Visit, count_down, lasted
from .watch import Event


class RelayCode(Code):
    """Why a relay ends the link of one that waits at it."""

    CAME_AGAIN = "relay-came-again"
    SPOKE = "relay-spoken-to"
    MADE_ROOM = "relay-made-room"


@dataclass(frozen=True, eq=False)
class Seat:
    """A connection on which calls for one proven id are announced."""

    link: Link
    source: str
    instance: bytes


class Seats:
    """Who waits here."""

    def __init__(self, listener: Listener, limits: RelayLimits) -> None:
        self._listener = listener
        self._limits = limits
        self._link_limits = dataclasses.replace(limits.link, frame=LONGEST)
        self._seats: dict[bytes, Seat] = {}
        self._from: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._seats)

    def get(self, peer: bytes) -> Seat | None:
        """Who waits under this id."""
        return self._seats.get(peer)

    async def register(self, visit: Visit, proof: bytes) -> Stay | None:
        """A seat by its proven id; one that another process of it holds stays ([L-10])."""
        try:
            proven = self._listener.check(proof, visit.challenge)
        except NetError:
            await visit.refuse(Verdict.NOT_PROVEN)
        old = self._seats.get(proven.peer)
        if old is not None and old.link.reason is None and old.instance != proven.instance:
            await visit.refuse(Verdict.ELSEWHERE)
        if self._is_full(visit.source, old):
            await visit.refuse(Verdict.FULL)
        seat = self._enter(visit, proven, old)
        return lambda: self._keep(proven.peer, seat, visit)

    def _is_full(self, source: str, old: Seat | None) -> bool:
        """Whether one more would be too many; an id that comes again takes its own place."""
        if old is not None and old.source == source:
            return False
        if self._from[source] >= self._limits.seats_per_source:
            return True
        return old is None and len(self._seats) >= self._limits.seats and not self._clear(source)

    def _clear(self, source: str) -> bool:
        """Whether one of a crowded address makes room for a seat of another ([L-36])."""
        seat = one_to_make_room(list(self._seats.values()), source)
        if seat is None:
            return False
        self._forget(next(peer for peer, one in self._seats.items() if one is seat))
        seat.link.close(because(RelayCode.MADE_ROOM))
        return True

    def _forget(self, peer: bytes) -> None:
        count_down(self._from, self._seats.pop(peer).source)

    def _enter(self, visit: Visit, proven: Proven, old: Seat | None) -> Seat:
        link = Link(visit.stream, self._link_limits, first=Verdict.WELCOME.encode())
        if old is not None:
            old.link.close(because(RelayCode.CAME_AGAIN))
            count_down(self._from, old.source)
        seat = self._seats[proven.peer] = Seat(link, visit.source, proven.instance)
        self._from[seat.source] += 1
        return seat

    async def _keep(self, peer: bytes, seat: Seat, visit: Visit) -> None:
        async def hear(_: bytes) -> None:
            seat.link.close(because(RelayCode.SPOKE))

        visit.watch.note(Event.SEATED, seat.source)
        began = trio.current_time()
        try:
            await seat.link.run(trio.lowlevel.checkpoint, hear)
        finally:
            if self._seats.get(peer) is seat:
                self._forget(peer)
            visit.watch.note(Event.UNSEATED, seat.source, **lasted(began))
