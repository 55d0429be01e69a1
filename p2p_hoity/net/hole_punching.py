"""Replace the relayed link of two peers behind NATs by a direct connection.

Method: TCP hole punching by simultaneous open (Ford, Srisuresh, Kegel 2005).

The relay tells each peer at which address it sees that peer. The peers exchange these addresses
through the relay. Then both open TCP connections to each other at the same moment, each from the
port that the relay saw. So each NAT takes the SYN from outside for an answer. As in DCUtR of libp2p
(Seemann, Inden, Vyzovitis, "Decentralized Hole Punching", 2022), one peer measures the round trip,
sends "go", and waits for half of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

import trio

from protocol import Identity
from protocol.units import PeerId, Quota, Seconds

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
"""The number of attempts for one pair of peers."""
PERIOD: Final[Seconds] = 1.0
"""Seconds of one attempt.

A SYN that came too early was dropped by the NAT. After this time the next attempt sends a new one.
"""
PAUSE: Final[Seconds] = 0.02
"""Seconds until a connection is tried again if a NAT refuses a SYN instead of dropping it."""

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
"""A fresh stream between the two peers, and the address from which the other peer connects."""


async def lead(outlet: Outlet, relay: Address, stream: trio.abc.Stream) -> Met:
    """Connect directly to the other peer, as the peer that sends "go". Raise NetError on failure.

    Args:
        outlet: A local port from which several outgoing connections can be made.
        relay: The relay through which the peers are linked.
        stream: An authenticated stream to the other peer.

    Returns:
        The direct stream, and the address from which the other peer connects.
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
    """Connect directly to the other peer when the other peer says "go" ([L-42]).

    A NetError is raised if this fails.

    Args:
        outlet: A local port from which several outgoing connections can be made.
        relay: The relay through which the peers are linked.
        stream: An authenticated stream to the other peer.

    Returns:
        The direct stream, and the address from which the other peer connects.
    """
    other = _read(await receive(stream))
    async with observing(outlet, relay) as mine:
        await send(stream, SEEN + seen_from(mine))
        await _expect(stream, PING)
        await send(stream, PING)
        await _expect(stream, GO)
        return await _meet(outlet, other), other


def _read(said: bytes) -> Address:
    """Return a peer's address as the relay sees it, which the peer has sent in the frame `said`.

    A NetError is raised if the frame has no address, or if the address must not be dialled
    ([L-14]).
    """
    if said[:1] != SEEN:
        raise NetError(PunchCode.OTHER_WORD)
    other = replace(read_seen(said[1:]), named=Named.FAR)
    if not may_dial(other.host, other.named):
        raise NobodyError(NetCode.NOT_DIALLED, address=str(other))
    return other


async def _expect(stream: trio.abc.Stream, word: bytes) -> None:
    """Read a frame. Raise NetError if it is not the expected word."""
    if await receive(stream) != word:
        raise NetError(PunchCode.OTHER_WORD)


async def _meet(outlet: Outlet, other: Address) -> trio.abc.Stream:
    """Dial the other peer again and again until a stream opens, for at most three seconds.

    The time consists of three periods of one second. At the end of a period, an attempt that is
    still under way is broken off. A NetError is raised if no stream has opened after three seconds.
    """
    end = trio.current_time() + TRIES * PERIOD
    while (now := trio.current_time()) < end:
        with trio.move_on_at(min(now + PERIOD, end)):
            while True:
                with suppress(NetError):
                    return await outlet.open(other)
                await trio.sleep(PAUSE)
    raise NetError(PunchCode.NOT_MET)


AFTER: Final[Seconds] = 1.0
"""Seconds that a relayed link must be up before hole punching begins.

In this time the peers may also connect directly without it.
"""
WHOLE: Final[Seconds] = 10.0
"""Seconds for the call through the relay, the exchange of addresses, and all attempts."""
MOST_AT_ONCE: Final[Quota] = 16
"""The most attempts that run at the same time.

Each attempt takes a few sockets, and any stranger may ask for an attempt.
"""

Stay = Callable[[], Awaitable[None]]
"""The second half of serving an incoming connection, after its handshake.

A handler returns such a function for its caller to run. Until then the connection counts as
unproven.
"""


class Puncher:
    """Hole punching for the links of one node. It tries once to replace each relayed link."""

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
        """Prepare hole punching, which replaces a link through a relay by a direct link.

        Args:
            who: The key of this node.
            network: The network that dials the relay and the other peer.
            instance: The random number of this process.
            limits: The limits of times and sizes.
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
        """Try to replace a relayed link, which this node has dialled, by a direct one ([L-40])."""
        await trio.sleep(AFTER)
        outlet = self._network.outlet()
        if outlet is not None and standing.link.reason is None and self._may_try(standing):
            await self._link(standing.peer, self._lead(outlet, standing))

    async def let_in(
        self, stream: TlsStream, proven: Proven, relay: Address, known: AdmittedLink | None
    ) -> Stay | None:
        """Answer a peer that wants to replace its relayed link by a direct one ([L-41]).

        Args:
            stream: The relayed connection on which the peer asks.
            proven: The result of the handshake with the peer.
            relay: The relay through which the peer asks.
            known: The live link to this peer, if there is one.

        Returns:
            A function that makes the direct link, for the caller to run. None if the peer is
            refused.
        """
        is_same = known is not None and known.proven.instance == proven.instance
        outlet = self._network.outlet()
        if outlet is None or not (relay.via_relay and is_same and self._may_try(known)):
            await send(stream, Verdict.REFUSED.encode())
            return None
        await send(stream, Verdict.WELCOME.encode())
        return lambda: self._link(proven.peer, self._follow(outlet, relay, stream))

    async def settled(self, ended: AdmittedLink) -> None:
        """After the end of a link, wait until a running attempt to replace the link has ended.

        The peer may close the relayed link a moment before this node has the direct link.
        """
        over = self._meeting.get(ended.peer)
        if over is not None:
            await over.wait()
        if self._tried.get(ended.peer) == ended.proven.binding:
            del self._tried[ended.peer]

    def _may_try(self, standing: AdmittedLink | None) -> bool:
        """Return whether to try to replace the link `standing` by a direct link.

        True if the link goes through a relay, was not tried before, and not too many attempts are
        running. The link then counts as tried. False if there is no link (`standing` is None).
        """
        if standing is None or not standing.address.via_relay or self._running >= MOST_AT_ONCE:
            return False
        binding = standing.proven.binding
        if self._tried.get(standing.peer) == binding:
            return False
        self._tried[standing.peer] = binding
        return True

    async def _lead(self, outlet: Outlet, standing: AdmittedLink) -> Met:
        """Call the other peer through the relay of a link, send "go", and connect to it directly.

        A NetError is raised if there is no direct stream in time.

        Args:
            outlet: The local port from which the peer is dialled.
            standing: The relayed link to the peer, which a direct link is to replace.

        Returns:
            The direct stream, and the address from which the peer connects.
        """
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
        """Wait until the peer sends "go", then connect to the peer directly, and cut `stream`.

        `stream` leads to the same peer through the relay. Return the direct connection. A NetError
        is raised if there is no direct connection in time.
        """
        try:
            with trio.move_on_after(WHOLE):
                return await follow(outlet, relay, stream)
            raise NetError(PunchCode.NOT_MET)
        finally:
            await cut(stream)

    async def _link(self, peer: PeerId, meeting: Awaitable[Met]) -> None:
        """Await `meeting`, which gives a direct stream to a peer, and make a link over the stream.

        The node with the lower id takes the part of the listener. A NetError is ignored.
        """
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

    async def _dial(self, peer: PeerId, raw: trio.abc.Stream, address: Address) -> None:
        """Make a link over a direct stream, as the side that dials."""
        over = self._meeting[peer] = trio.Event()
        try:
            with trio.move_on_after(self._limits.handshake):
                await self._link_over(await secure(raw, address, peer))
        finally:
            if self._meeting.get(peer) is over:  # Another link of this peer may be tried meanwhile.
                del self._meeting[peer]
            over.set()
