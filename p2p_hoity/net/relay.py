"""A blind relay: seats wait here, others are spliced to them; TLS between them goes through it.

Every connection to a relay is TLS to the relay's own key, which nobody has to trust. After the
relay's challenge the dialler says one thing: that it waits here under an id, with the proof; that
it calls an id; or that it takes a call announced to it. A relay learns who waits, who is called,
from which address, and how many bytes pass; never what they say ([L-4]).
"""

from __future__ import annotations

import dataclasses
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

import trio

from protocol import Identity as OwnIdentity

from ..errors import Code, because
from .addresses import source_of
from .errors import NetError
from .handshake import (
    BY_VERDICT,
    ID,
    LONGEST,
    Identity,
    Listener,
    Purpose,
    Verdict,
    fresh_challenge,
    fresh_instance,
    receive,
    send,
)
from .limits import Limits
from .link import Link
from .network import Network, StreamListener, TcpNetwork, close_listeners, cut
from .reach import CALL, REGISTER, TAKE, TOKEN
from .splice import Splice
from .tls import TlsStream, credentials, secure_from
from .unproven import Stage, UnprovenConnections, UnprovenStream


class RelayCode(Code):
    """Why a relay ends the link of one that waits at it."""

    CAME_AGAIN = "relay-came-again"
    SPOKE = "relay-spoken-to"


@dataclass(frozen=True)
class RelayLimits:
    """Caps of one relay; times in seconds. As given they carry a thousand tables of six."""

    seats: int = 6_000
    """Ids that wait here."""
    seats_per_source: int = 256
    """The same, from one machine."""
    splices: int = 15_000
    """Pairs of connections spliced, or called and not yet taken."""
    splices_per_source: int = 256
    """The same, called from one machine."""
    splices_per_seat: int = 64
    """The same, to one id."""
    splice_bytes: int = 1 << 30
    """Bytes through one splice, both directions together."""
    idle: float = 30.0
    """A splice without a byte in either direction for so long is cut; live links beat in it."""
    link: Limits = field(default_factory=lambda: Limits(frame=LONGEST, queue_bytes=1 << 14))
    """Handshake time, heartbeats and unauthenticated connections, as for any hub."""


@dataclass(eq=False)
class Call:
    """A caller that waits for an id to take its call; taker is the other end once it has."""

    source: str
    peer: bytes
    taker: TlsStream | None = None
    taken: trio.Event = field(default_factory=trio.Event)
    over: trio.Event = field(default_factory=trio.Event)


@dataclass(frozen=True, eq=False)
class Seat:
    """A connection on which calls for one proven id are announced."""

    link: Link
    source: str
    instance: bytes


Key = TypeVar("Key", bound=Hashable)
Stay = Callable[[], Awaitable[None]]
"""What a connection does once it has said what it wants."""


async def serve_relay(
    host: str,
    port: int,
    *,
    identity: Identity | None = None,
    limits: RelayLimits | None = None,
    network: Network | None = None,
    task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run a relay on host ('' for every address) and port (0 for a free one) until cancelled.

    Started with the 'host:port' it listens on; NetError when it cannot. Without an identity it
    takes a new one: nobody needs to know a relay again.
    """
    relay = Relay(identity or OwnIdentity(secrets.token_bytes(32)), limits or RelayLimits())
    listeners = await (network or TcpNetwork()).listen(host, port)
    async with trio.open_nursery() as nursery:
        for listener in listeners:
            nursery.start_soon(relay.attend_listener, listener, nursery)
        task_status.started([str(listener.address) for listener in listeners])


def _count_down(tally: Counter[Key], key: Key) -> None:
    tally[key] -= 1
    if not tally[key]:
        del tally[key]


class Relay:
    """Who waits, who calls and who is spliced at one relay."""

    def __init__(self, identity: Identity, limits: RelayLimits) -> None:
        self._me = identity.public
        self._credentials = credentials(identity.seed)
        self._listener = Listener(Purpose.RELAY, self._me, self._credentials.digest)
        self._instance = fresh_instance()
        self._limits = limits
        self._link_limits = dataclasses.replace(limits.link, frame=LONGEST)
        bounds = limits.link.unauthenticated, limits.link.unauthenticated_per_source
        self._unproven = UnprovenConnections(*bounds)
        self._seats: dict[bytes, Seat] = {}
        self._announced: dict[bytes, Call] = {}
        self._from: Counter[str] = Counter()
        self._to: Counter[bytes] = Counter()
        self._waiting_from: Counter[str] = Counter()

    async def attend_listener(self, listener: StreamListener, nursery: trio.Nursery) -> None:
        """Attend everyone who comes to a listener, in nursery."""
        try:
            while True:
                raw, address = await listener.accept()
                nursery.start_soon(self._attend, raw, source_of(address.host))
        except NetError:
            return  # the listener is shut
        finally:
            await close_listeners([listener])

    async def _attend(self, raw: trio.abc.Stream, source: str) -> None:
        """One connection, from its first byte to its last; whatever it does harms only itself."""
        stay: Stay | None = None
        newcomer = UnprovenStream(raw, source)
        try:
            with self._unproven.counted(newcomer, self._limits.link.handshake):
                stay = await self._hear(newcomer)
            if stay is not None:
                await stay()
        except NetError:
            return  # it broke off, or said nothing that makes sense here
        finally:
            await cut(raw)

    async def _hear(self, newcomer: UnprovenStream) -> Stay | None:
        """What a newcomer wants, begun as far as it may be while unproven; what follows, if any."""
        source, stream = newcomer.source, await secure_from(newcomer, self._credentials)
        newcomer.reach(Stage.SECURED)
        challenge = fresh_challenge(self._instance)
        await send(stream, challenge)
        wish = await receive(stream)
        kind, rest = wish[:1], wish[1:]
        if kind == REGISTER:
            return await self._register(stream, source, challenge, rest)
        if kind == CALL and len(rest) == ID:
            return await self._call(stream, source, rest)
        if kind == TAKE and len(rest) == TOKEN:
            return self._take(stream, rest)
        return None

    async def _refuse(self, stream: TlsStream, verdict: Verdict) -> NoReturn:
        await send(stream, verdict.encode())
        raise NetError(BY_VERDICT[verdict])

    # Seats

    async def _register(
        self, stream: TlsStream, source: str, challenge: bytes, proof: bytes
    ) -> Stay | None:
        """A seat by its proven id; one that another process of it holds stays ([L-10])."""
        try:
            proven = self._listener.check(proof, challenge)
        except NetError:
            await self._refuse(stream, Verdict.NOT_PROVEN)
        peer, old = proven.peer, self._seats.get(proven.peer)
        if old is not None and old.link.reason is None and old.instance != proven.instance:
            await self._refuse(stream, Verdict.ELSEWHERE)
        if old is None and self._has_no_seat_for(source):
            await self._refuse(stream, Verdict.FULL)
        link = Link(stream, self._link_limits, first=Verdict.WELCOME.encode())
        seat = Seat(link, source, proven.instance)
        if old is not None:
            old.link.close(because(RelayCode.CAME_AGAIN))
            self._unseat(old)
        self._seats[peer] = seat
        self._waiting_from[source] += 1
        return lambda: self._keep_seat(peer, seat)

    def _has_no_seat_for(self, source: str) -> bool:
        full = len(self._seats) >= self._limits.seats
        return full or self._waiting_from[source] >= self._limits.seats_per_source

    def _unseat(self, seat: Seat) -> None:
        _count_down(self._waiting_from, seat.source)

    async def _keep_seat(self, peer: bytes, seat: Seat) -> None:
        async def hear(_: bytes) -> None:
            seat.link.close(because(RelayCode.SPOKE))

        try:
            await seat.link.run(trio.lowlevel.checkpoint, hear)
        finally:
            if self._seats.get(peer) is seat:
                del self._seats[peer]
                self._unseat(seat)

    # Calls

    async def _call(self, stream: TlsStream, source: str, peer: bytes) -> Stay | None:
        seat = self._seats.get(peer)
        if seat is None:
            await self._refuse(stream, Verdict.UNKNOWN)
        if self._has_no_splice_for(source, peer):
            await self._refuse(stream, Verdict.FULL)
        # From here on it is counted as a call: who is silent while unproven cannot push it out.
        return lambda: self._carry(Call(source, peer), stream, seat)

    async def _carry(self, call: Call, stream: TlsStream, seat: Seat) -> None:
        """One call from its announcement to its end."""
        try:
            taker = await self._taken(call, seat)
            if taker is not None:
                await self._splice(stream, taker)
                return
            with trio.move_on_after(self._limits.link.handshake):
                await self._refuse(stream, Verdict.NO_ANSWER)
        finally:
            self._end(call)

    def _has_no_splice_for(self, source: str, peer: bytes) -> bool:
        return (
            self._to.total() >= self._limits.splices
            or self._from[source] >= self._limits.splices_per_source
            or self._to[peer] >= self._limits.splices_per_seat
        )

    async def _taken(self, call: Call, seat: Seat) -> TlsStream | None:
        """Announce a call; the connection that takes it in the time there is."""
        token = secrets.token_bytes(TOKEN)
        self._announced[token] = call
        self._from[call.source] += 1
        self._to[call.peer] += 1
        try:
            if seat.link.post(token):
                with trio.move_on_after(self._limits.link.handshake / 2):
                    await call.taken.wait()
        finally:
            self._announced.pop(token, None)
        return call.taker

    def _take(self, stream: TlsStream, token: bytes) -> Stay | None:
        call = self._announced.pop(token, None)
        if call is None:
            return None  # too late, or a guess
        call.taker = stream
        call.taken.set()
        return call.over.wait

    def _end(self, call: Call) -> None:
        _count_down(self._from, call.source)
        _count_down(self._to, call.peer)
        call.over.set()

    async def _splice(self, caller: TlsStream, taker: TlsStream) -> None:
        with trio.move_on_after(self._limits.link.handshake) as greeting:
            await send(taker, Verdict.WELCOME.encode())
            await send(caller, Verdict.WELCOME.encode())
        if not greeting.cancelled_caught:
            limits = self._limits
            await Splice((caller, taker), limits.idle, limits.splice_bytes).run()
