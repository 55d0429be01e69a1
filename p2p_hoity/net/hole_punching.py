"""Replace the relayed link of two peers behind NATs by a direct connection.

Method: TCP hole punching by simultaneous open (Ford, Srisuresh, Kegel 2005).

The relay tells each peer at which address it sees that peer. The peers exchange these addresses
through the relay. Then both open TCP connections to each other at the same moment, each from the
port that the relay saw. So each NAT takes the SYN from outside for an answer. As in DCUtR of libp2p
(Seemann, Inden, Vyzovitis, "Decentralized Hole Punching", 2022), one peer measures the round trip,
sends "go", and waits for half of it. An outlet is a local port from which several connections can
be opened. Every failure is a NetError, and none of them ends the relayed link.
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
from .address_schemes import Scheme
from .addresses import Address, Named, may_dial
from .connection_slots import AdmittedLink
from .dialler import Secured
from .handshake import Listener, Proven, Purpose, prove, receive, send
from .handshake_codes import Verdict
from .link_limits import Limits
from .network_errors import NetCode, NetError, NobodyError
from .protocol_versions import Versions
from .relay_client import observing, reach, read_seen, secure, seen_from
from .transport import Network, Outlet, cut

TRIES: Final[Quota] = 3
"""The number of attempts for one pair of peers."""
PERIOD: Final[Seconds] = 1.0
"""Seconds of one attempt. The next one sends a new SYN, if a NAT dropped an early one."""
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
    """Agree over an authenticated stream, say "go", and connect directly to the other peer."""
    # Open until the peers have met, or the NAT could drop its mapping of the port before.
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
    """Agree over an authenticated stream, wait for "go", and connect directly ([L-42])."""
    other = _read(await receive(stream))
    async with observing(outlet, relay) as mine:
        await send(stream, SEEN + seen_from(mine))
        await _expect(stream, PING)
        await send(stream, PING)
        await _expect(stream, GO)
        return await _meet(outlet, other), other


def _read(said: bytes) -> Address:
    """Return the address in a peer's frame SEEN, if it may be dialled ([L-14])."""
    if said[:1] != SEEN:
        raise NetError(PunchCode.OTHER_WORD)
    # The peer may name any address, such as one in this network that only this program can reach.
    other = replace(read_seen(said[1:]), named=Named.FAR)
    if not may_dial(other.host, other.named):
        raise NobodyError(NetCode.NOT_DIALLED, address=str(other))
    return other


async def _expect(stream: trio.abc.Stream, word: bytes) -> None:
    if await receive(stream) != word:
        raise NetError(PunchCode.OTHER_WORD)


async def _meet(outlet: Outlet, other: Address) -> trio.abc.Stream:
    """Dial the other peer until a stream opens, for TRIES periods of PERIOD seconds each."""
    end = trio.current_time() + TRIES * PERIOD
    while (now := trio.current_time()) < end:
        with trio.move_on_at(min(now + PERIOD, end)):
            while True:
                with suppress(NetError):
                    return await outlet.open(other)
                await trio.sleep(PAUSE)
    raise NetError(PunchCode.NOT_MET)


AFTER: Final[Seconds] = 1.0
"""Seconds that a relayed link must be up first. Meanwhile the peers may connect in another way."""
WHOLE: Final[Seconds] = 10.0
"""Seconds for the call through the relay, the exchange of addresses, and all attempts."""
MOST_AT_ONCE: Final[Quota] = 16
"""The most attempts at the same time. Each takes sockets, and any stranger may ask for one."""

Stay = Callable[[], Awaitable[None]]
"""The second half of serving an incoming connection, after its handshake.

A handler returns it for its caller to run. Until then the connection counts as unproven.
"""


class Puncher:
    """Hole punching for the links of one program. It tries once to replace each relayed link."""

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
        """Prepare hole punching.

        Args:
            instance: The random number of this process.
            attend: Serves an incoming direct stream.
            link_over: Makes a link over an outgoing stream, or raises NetError.
        """
        self._who, self._network, self._instance, self._limits = who, network, instance, limits
        self._versions, self._attend, self._link_over = versions, attend, link_over
        self._tried: dict[bytes, bytes] = {}
        self._meeting: dict[bytes, trio.Event] = {}
        self._running = 0

    async def lead(self, standing: AdmittedLink) -> None:
        """Try to replace a relayed link that this program has dialled by a direct one ([L-40])."""
        await trio.sleep(AFTER)
        outlet = self._network.outlet()
        # `_may_try` comes last, because it marks the link as tried.
        if outlet is not None and standing.link.reason is None and self._may_try(standing):
            await self._link(standing.peer, self._lead(outlet, standing))

    async def let_in(
        self, stream: trio.abc.Stream, proven: Proven, relay: Address, known: AdmittedLink | None
    ) -> Stay | None:
        """Answer a peer that asks on a relayed stream to replace its link by a direct one ([L-41]).

        Return a function that makes the direct link, None if the peer is refused.
        """
        # Another process with the peer's key has no link here that could be replaced.
        is_same = known is not None and known.proven.instance == proven.instance
        outlet, by_tls = self._network.outlet(), relay.scheme is Scheme.RELAY
        if outlet is None or not (by_tls and is_same and self._may_try(known)):
            await send(stream, Verdict.REFUSED.encode())
            return None
        is_told = False
        try:
            await send(stream, Verdict.WELCOME.encode())
            is_told = True
        finally:
            if not is_told:
                self._running -= 1
        return lambda: self._link(proven.peer, self._follow(outlet, relay, stream))

    async def settled(self, ended: AdmittedLink) -> None:
        """After the end of a link, wait until a running attempt to replace it has ended.

        The peer may close the relayed link a moment before this program has the direct link.
        """
        over = self._meeting.get(ended.peer)
        if over is not None:
            await over.wait()
        # A later link of this peer may have been tried already, and must not be tried again.
        if self._tried.get(ended.peer) == ended.proven.binding:
            del self._tried[ended.peer]

    def _may_try(self, standing: AdmittedLink | None) -> bool:
        """Return whether to try to replace a link. If so, the attempt counts from now on.

        Whoever asks has to end the attempt by `_link`, or to take it off `_running`.
        """
        # A relay sees a browser's proxy, and not from which port a WebSocket comes.
        if standing is None or standing.address.scheme is not Scheme.RELAY:
            return False
        if self._running >= MOST_AT_ONCE:
            return False
        binding = standing.proven.binding
        if self._tried.get(standing.peer) == binding:
            return False
        # No await since the checks above: two requests for one link must not both pass.
        self._tried[standing.peer] = binding
        self._running += 1
        return True

    async def _lead(self, outlet: Outlet, standing: AdmittedLink) -> Met:
        """Call the peer of a relayed link through its relay once more, and `lead`."""
        relay = standing.address
        with trio.move_on_after(WHOLE):
            # A fresh connection, because the link itself must go on if the attempt fails.
            channel = (await reach(self._network, relay, standing.peer)).channel
            try:
                session = channel.handshake_hash
                listener = Listener(Purpose.PUNCH, standing.peer, session, self._versions)
                await prove(channel, listener, self._who, self._instance)
                return await lead(outlet, relay, channel)
            finally:
                await cut(channel)
        raise NetError(PunchCode.NOT_MET)

    async def _follow(self, outlet: Outlet, relay: Address, stream: trio.abc.Stream) -> Met:
        """Run `follow` on a relayed stream, and cut this stream."""
        try:
            with trio.move_on_after(WHOLE):
                return await follow(outlet, relay, stream)
            raise NetError(PunchCode.NOT_MET)
        finally:
            await cut(stream)

    async def _link(self, peer: PeerId, meeting: Awaitable[Met]) -> None:
        """Make a link over the direct stream that `meeting` gives. Ignore a NetError."""
        with suppress(NetError):
            try:
                raw, address = await meeting
            finally:
                # Before the link is served, which may last: only attempts count towards the limit.
                self._running -= 1
            # Both have dialled at once, so the ids decide which of them listens: the lower one is
            # the dialler.
            if peer < self._who.public:
                await self._attend(raw, address)
            else:
                await self._dial(peer, raw, address)

    async def _dial(self, peer: PeerId, raw: trio.abc.Stream, address: Address) -> None:
        """Make a link over a direct stream, as the side that dials."""
        # Set before the handshake, during which the peer may already close the relayed link.
        over = self._meeting[peer] = trio.Event()
        try:
            with trio.move_on_after(self._limits.handshake):
                await self._link_over(await secure(raw, address, peer))
        finally:
            if self._meeting.get(peer) is over:  # Another link of this peer may be tried meanwhile.
                del self._meeting[peer]
            over.set()
