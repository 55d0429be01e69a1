"""Direct connections between two peers behind NATs that are linked through a relay.

Method: TCP hole punching by simultaneous open (Ford, Srisuresh, Kegel 2005).

The relay tells each peer at which address it sees that peer. The peers exchange these addresses
through the relay. Then both open TCP connections at the same moment from the port that the relay
saw, so that each NAT takes the other's SYN for an answer. As in DCUtR of libp2p (Seemann, Inden,
Vyzovitis, "Decentralized Hole Punching", 2022), one peer measures the round trip, sends "go", and
waits for half of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

import trio

from protocol import Identity
from protocol.bounds import Quota, Seconds

from ..coded_errors import NetworkCode
from .addresses import Address, Named, may_dial
from .connection_slots import AdmittedLink
from .dialler import Secured
from .link_limits import Limits
from .network_errors import NetCode, NetError, NobodyError
from .relay_client import observing, reach, read_seen, secure, seen_from
from .secure_channel import (
    Listener,
    Proven,
    Purpose,
    TlsStream,
    Verdict,
    Versions,
    prove,
    receive,
    send,
)
from .transport import Network, Outlet, cut

TRIES: Final[Quota] = 3
"""Attempts for one pair of peers."""
PERIOD: Final[Seconds] = 1.0
"""Seconds of one attempt.

A SYN that arrived too early was dropped, and is sent again after that.
"""
PAUSE: Final[Seconds] = 0.02
"""Seconds until the next attempt where a NAT does not drop but refuses an unexpected SYN."""

SEEN: Final = b"S"
PING: Final = b"P"
GO: Final = b"G"


class PunchCode(NetworkCode):
    """Reasons why two peers could not connect directly."""

    OTHER_WORD = (
        "punch-of-other-form",
        ("the other program does not agree on direct connections in the same way"),
    )
    NOT_MET = "punch-not-met", "no direct way was found"


Met = tuple[trio.abc.Stream, Address]
"""A fresh stream between the two peers, and the address at which the other one is seen."""


async def lead(outlet: Outlet, relay: Address, stream: trio.abc.Stream) -> Met:
    """Connect directly as the peer that sends "go". A NetError is raised if it fails.

    Args:
        outlet: A port of this machine for outgoing connections.
        relay: The relay through which the peers are linked.
        stream: An authenticated stream to the other peer.

    Returns:
        The direct stream.
    """
    async with observing(outlet, relay) as mine:
        await send(stream, SEEN + seen_from(mine))
        other = _read(await receive(stream))
        began = trio.current_time()
        await send(stream, PING)
        await _expect(stream, PING)
        half = (trio.current_time() - began) / 2
        await send(stream, GO)
        await trio.sleep(half)
        return await _meet(outlet, other), other


async def follow(outlet: Outlet, relay: Address, stream: trio.abc.Stream) -> Met:
    """Connect directly as the peer that waits for "go" ([L-42]). A NetError is raised if it fails.

    Args:
        outlet: A port of this machine for outgoing connections.
        relay: The relay through which the peers are linked.
        stream: An authenticated stream to the other peer.

    Returns:
        The direct stream.
    """
    other = _read(await receive(stream))
    async with observing(outlet, relay) as mine:
        await send(stream, SEEN + seen_from(mine))
        await _expect(stream, PING)
        await send(stream, PING)
        await _expect(stream, GO)
        return await _meet(outlet, other), other


def _read(said: bytes) -> Address:
    """Return the address at which the other peer is seen, if it may be dialled ([L-14])."""
    if said[:1] != SEEN:
        raise NetError(PunchCode.OTHER_WORD)
    other = replace(read_seen(said[1:]), named=Named.FAR)
    if not may_dial(other.host, other.named):
        raise NobodyError(NetCode.NOT_DIALLED, address=str(other))
    return other


async def _expect(stream: trio.abc.Stream, word: bytes) -> None:
    """Read a frame, and raise NetError if it is another one than expected."""
    if await receive(stream) != word:
        raise NetError(PunchCode.OTHER_WORD)


async def _meet(outlet: Outlet, other: Address) -> trio.abc.Stream:
    """Return the first stream that opens in three attempts, each of a second, or raise NetError."""
    end = trio.current_time() + TRIES * PERIOD
    while (now := trio.current_time()) < end:
        with trio.move_on_at(min(now + PERIOD, end)):
            while True:
                with suppress(NetError):
                    return await outlet.open(other)
                await trio.sleep(PAUSE)
    raise NetError(PunchCode.NOT_MET)


AFTER: Final[Seconds] = 1.0
"""Seconds for which a link has been up before. Direct ways have had their chance then."""
WHOLE: Final[Seconds] = 10.0
"""Seconds for the call through the relay, the exchange of addresses, and all attempts."""
MOST_AT_ONCE: Final[Quota] = 16
"""Attempts that run at the same time.

Each takes a few sockets, and any stranger may ask for one.
"""

Stay = Callable[[], Awaitable[None]]
"""The rest of the service for a connection that was let in."""


class Puncher:
    """Attempts to replace each relayed link by a direct one. Each relayed link is tried once."""

    def __init__(
        self,
        who: Identity,
        network: Network,
        instance: bytes,
        limits: Limits,
        versions: Versions,
        attend: Callable[[trio.abc.Stream, Address], Awaitable[None]],
        link_over: Callable[[Secured], Awaitable[None]],
    ) -> None:
        """Begin with no link tried.

        Args:
            who: The identity whose links these are.
            network: Dials.
            instance: The number of this process.
            limits: Times and sizes.
            versions: The versions of a link that this node speaks.
            attend: Serves an incoming direct stream.
            link_over: Makes a link over an outgoing stream, or raises NetError.
        """
        self._who, self._network, self._instance, self._limits = who, network, instance, limits
        self._versions, self._attend, self._link_over = versions, attend, link_over
        self._tried: dict[bytes, bytes] = {}
        self._meeting: dict[bytes, trio.Event] = {}
        self._running = 0

    async def lead(self, standing: AdmittedLink) -> None:
        """Try to replace a link that this node has dialled ([L-40]).

        Args:
            standing: The link.
        """
        await trio.sleep(AFTER)
        outlet = self._network.outlet()
        if outlet is not None and standing.link.reason is None and self._may_try(standing):
            await self._link(standing.peer, self._lead(outlet, standing))

    async def let_in(
        self, stream: TlsStream, proven: Proven, relay: Address, known: AdmittedLink | None
    ) -> Stay | None:
        """Answer a peer that wants to replace its relayed link by a direct one ([L-41]).

        Args:
            stream: The connection on which it asks.
            proven: What it has proven.
            relay: The relay through which it asks.
            known: The live link to this peer, if there is one.

        Returns:
            The rest of the service, or None if it is refused.
        """
        is_same = known is not None and known.proven.instance == proven.instance
        outlet = self._network.outlet()
        if outlet is None or not (relay.via_relay and is_same and self._may_try(known)):
            await send(stream, Verdict.REFUSED.encode())
            return None
        await send(stream, Verdict.WELCOME.encode())
        return lambda: self._link(proven.peer, self._follow(outlet, relay, stream))

    async def settled(self, ended: AdmittedLink) -> None:
        """Wait until it is known whether a direct link replaces one that has ended.

        The peer may have the direct link a moment earlier. Nobody needs to hear of a lost link
        then.

        Args:
            ended: The link that has ended.
        """
        over = self._meeting.get(ended.peer)
        if over is not None:
            await over.wait()
        if self._tried.get(ended.peer) == ended.proven.binding:
            del self._tried[ended.peer]

    def _may_try(self, standing: AdmittedLink | None) -> bool:
        """Return whether this is a live relayed link that was not tried.

        From now on it counts as tried.
        """
        if standing is None or not standing.address.via_relay or self._running >= MOST_AT_ONCE:
            return False
        binding = standing.proven.binding
        if self._tried.get(standing.peer) == binding:
            return False
        self._tried[standing.peer] = binding
        return True

    async def _lead(self, outlet: Outlet, standing: AdmittedLink) -> Met:
        """Call the peer through the relay, and connect directly as the leading peer."""
        relay = standing.address
        with trio.move_on_after(WHOLE):
            secured = await reach(self._network, relay, standing.peer)
            try:
                shown = secured.listener, secured.certificate
                listener = Listener(Purpose.PUNCH, *shown, self._versions)
                await prove(secured.stream, listener, self._who, self._instance)
                return await lead(outlet, relay, secured.stream)
            finally:
                await cut(secured.stream)
        raise NetError(PunchCode.NOT_MET)

    async def _follow(self, outlet: Outlet, relay: Address, stream: TlsStream) -> Met:
        """Connect directly as the following peer."""
        try:
            with trio.move_on_after(WHOLE):
                return await follow(outlet, relay, stream)
            raise NetError(PunchCode.NOT_MET)
        finally:
            await cut(stream)

    async def _link(self, peer: bytes, meeting: Awaitable[Met]) -> None:
        """Make a link over a direct stream. The peer with the lower id listens."""
        with suppress(NetError):
            self._running += 1
            try:
                raw, address = await meeting
            finally:
                self._running -= 1
            if peer < self._who.public:
                await self._attend(raw, address)
            else:
                await self._dial(peer, raw, address)

    async def _dial(self, peer: bytes, raw: trio.abc.Stream, address: Address) -> None:
        """Make a link over a direct stream as its dialler."""
        over = self._meeting[peer] = trio.Event()
        try:
            with trio.move_on_after(self._limits.handshake):
                await self._link_over(await secure(raw, address, peer))
        finally:
            if self._meeting.get(peer) is over:  # Another link of this peer may be tried meanwhile.
                del self._meeting[peer]
            over.set()
