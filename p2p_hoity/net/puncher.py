"""Who tries, once for each relayed link of a hub, to do without the relay."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final, Protocol

import trio

from protocol.bounds import Quota, Seconds

from . import punching
from .addresses import Address, parse_address
from .admission import Standing
from .errors import NetError
from .handshake import Identity, Listener, Proven, Purpose, Verdict, prove, send
from .limits import Limits
from .network import Network, Outlet, cut
from .punching import Met, PunchCode
from .race import Secured
from .reach import reach, secure
from .tls import TlsStream

AFTER: Final[Seconds] = 1.0
"""Seconds for which a link has stood before: direct ways have had their turn."""
WHOLE: Final[Seconds] = 10.0
"""Seconds for all of it: the call through the relay, what the two say, and the tries."""
MOST_AT_ONCE: Final[Quota] = 16
"""Tries that run at the same time: each holds a few sockets, and any stranger may ask for one."""

Stay = Callable[[], Awaitable[None]]
"""What a newcomer does once it is let in."""


class Links(Protocol):
    """What a hub does with a stream to someone it has met."""

    @property
    def me(self) -> bytes:
        """Its id."""
        ...

    async def attend(self, raw: trio.abc.Stream, address: Address) -> None:
        """Carry a stream that came in, whatever comes of it."""
        ...

    async def link_over(self, secured: Secured) -> None:
        """Make a link over one that went out, or NetError."""
        ...


class Puncher:
    """Tries each relayed link once; that link stays until a direct one takes its place."""

    def __init__(
        self, links: Links, who: Identity, network: Network, instance: bytes, limits: Limits
    ) -> None:
        """None was tried yet."""
        self._links, self._who, self._network = links, who, network
        self._instance, self._limits = instance, limits
        self._tried: dict[bytes, bytes] = {}
        self._meeting: dict[bytes, trio.Event] = {}
        self._running = 0

    async def lead(self, standing: Standing) -> None:
        """Try it for a link that we dialled ([L-40])."""
        await trio.sleep(AFTER)
        outlet = self._network.outlet()
        if outlet is not None and standing.link.reason is None and self._may_try(standing):
            await self._link(standing.peer, self._lead(outlet, standing))

    async def let_in(
        self, stream: TlsStream, proven: Proven, relay: Address, known: Standing | None
    ) -> Stay | None:
        """Answer a peer that asks, by its relayed link if there is one ([L-41])."""
        is_same = known is not None and known.instance == proven.instance
        outlet = self._network.outlet()
        if outlet is None or not (relay.via_relay and is_same and self._may_try(known)):
            await send(stream, Verdict.REFUSED.encode())
            return None
        await send(stream, Verdict.WELCOME.encode())
        return lambda: self._link(proven.peer, self._follow(outlet, relay, stream))

    async def settled(self, ended: Standing) -> None:
        """A link has ended: wait until it is known whether a direct one takes its place. The peer
        may have that for a moment already, in which nobody need hear of a lost link."""
        over = self._meeting.get(ended.peer)
        if over is not None:
            await over.wait()
        if self._tried.get(ended.peer) == ended.binding:
            del self._tried[ended.peer]

    def _may_try(self, standing: Standing | None) -> bool:
        """Whether this is a live relayed link, not tried before; from now on it is tried."""
        if standing is None or not standing.via_relay or self._running >= MOST_AT_ONCE:
            return False
        if self._tried.get(standing.peer) == standing.binding:
            return False
        self._tried[standing.peer] = standing.binding
        return True

    async def _lead(self, outlet: Outlet, standing: Standing) -> Met:
        relay = replace(parse_address(standing.address), named=standing.named)
        with trio.move_on_after(WHOLE):
            secured = await reach(self._network, relay, standing.peer)
            try:
                listener = Listener(Purpose.PUNCH, secured.listener, secured.certificate)
                await prove(secured.stream, listener, self._who, self._instance)
                return await punching.lead(outlet, relay, secured.stream)
            finally:
                await cut(secured.stream)
        raise NetError(PunchCode.NOT_MET)

    async def _follow(self, outlet: Outlet, relay: Address, stream: TlsStream) -> Met:
        try:
            with trio.move_on_after(WHOLE):
                return await punching.follow(outlet, relay, stream)
            raise NetError(PunchCode.NOT_MET)
        finally:
            await cut(stream)

    async def _link(self, peer: bytes, meeting: Awaitable[Met]) -> None:
        """Make a direct link of a meeting: the lower id dials."""
        with suppress(NetError):
            raw, address = await self._counted(meeting)
            if peer < self._links.me:
                await self._links.attend(raw, address)
            else:
                await self._dial(peer, raw, address)

    async def _counted(self, meeting: Awaitable[Met]) -> Met:
        self._running += 1
        try:
            return await meeting
        finally:
            self._running -= 1

    async def _dial(self, peer: bytes, raw: trio.abc.Stream, address: Address) -> None:
        over = self._meeting[peer] = trio.Event()
        try:
            with trio.move_on_after(self._limits.handshake):
                await self._links.link_over(await secure(raw, address, peer))
        finally:
            if self._meeting.get(peer) is over:  # another link of this peer may be tried meanwhile
                del self._meeting[peer]
            over.set()
