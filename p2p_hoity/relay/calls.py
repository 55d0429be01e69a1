"""The calls of a relay: announced to the seat that is called, taken by it, then spliced."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass, field

import trio

from ..net.handshake import ID, Verdict, send
from ..net.reach import TOKEN
from ..net.tls import TlsStream
from .limits import RelayLimits
from .seats import Seat, Seats
from .splice import Splice
from .visit import Stay, Visit, count_down


@dataclass(eq=False)
class Call:
    """A caller that waits for an id to take its call; taker is the other end once it has."""

    source: str
    peer: bytes
    taker: TlsStream | None = None
    taken: trio.Event = field(default_factory=trio.Event)
    over: trio.Event = field(default_factory=trio.Event)


class Calls:
    """Who calls whom, and what is spliced."""

    def __init__(self, seats: Seats, limits: RelayLimits) -> None:
        self._seats = seats
        self._limits = limits
        self._announced: dict[bytes, Call] = {}
        self._from: Counter[str] = Counter()
        self._to: Counter[bytes] = Counter()

    async def call(self, visit: Visit, peer: bytes) -> Stay | None:
        """A call of the seat that waits under this id."""
        if len(peer) != ID:
            return None
        seat = self._seats.get(peer)
        if seat is None:
            await visit.refuse(Verdict.UNKNOWN)
        if self._is_full(visit.source, peer):
            await visit.refuse(Verdict.FULL)
        # From here on it is counted as a call: who is silent while unproven cannot push it out.
        return lambda: self._carry(Call(visit.source, peer), visit, seat)

    async def take(self, visit: Visit, token: bytes) -> Stay | None:
        """The other end of a call that was announced by this token."""
        call = self._announced.pop(token, None)
        if call is None:
            return None  # too late, or a guess
        call.taker = visit.stream
        call.taken.set()
        return call.over.wait

    def _is_full(self, source: str, peer: bytes) -> bool:
        return (
            self._to.total() >= self._limits.splices
            or self._from[source] >= self._limits.splices_per_source
            or self._to[peer] >= self._limits.splices_per_seat
        )

    async def _carry(self, call: Call, visit: Visit, seat: Seat) -> None:
        """One call from its announcement to its end."""
        self._from[call.source] += 1
        self._to[call.peer] += 1
        try:
            taker = await self._taken(call, seat)
            if taker is not None:
                await self._splice(visit.stream, taker)
                return
            with trio.move_on_after(self._limits.link.handshake):
                await visit.refuse(Verdict.NO_ANSWER)
        finally:
            count_down(self._from, call.source)
            count_down(self._to, call.peer)
            call.over.set()

    async def _taken(self, call: Call, seat: Seat) -> TlsStream | None:
        """Announce a call; the connection that takes it in the time there is."""
        token = secrets.token_bytes(TOKEN)
        self._announced[token] = call
        try:
            if seat.link.post(token):
                with trio.move_on_after(self._limits.link.handshake / 2):
                    await call.taken.wait()
        finally:
            self._announced.pop(token, None)
        return call.taker

    async def _splice(self, caller: TlsStream, taker: TlsStream) -> None:
        limits = self._limits
        with trio.move_on_after(limits.link.handshake) as greeting:
            await send(taker, Verdict.WELCOME.encode())
            await send(caller, Verdict.WELCOME.encode())
        if not greeting.cancelled_caught:
            await Splice((caller, taker), limits.idle, limits.splice_bytes).run()
