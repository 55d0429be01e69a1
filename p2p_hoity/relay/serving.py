"""The door of a blind relay: it listens, hears what each newcomer wants, and sees it through.

Every connection to a relay is TLS to the relay's own key, which nobody has to trust. After the
relay's challenge the dialler says one thing, its wish. A relay learns who waits, who is called,
from which address, and how many bytes pass; never what they say ([L-4]).
"""

from __future__ import annotations

import secrets

import trio

from protocol import Identity as OwnIdentity

from ..net.addresses import Address, source_of
from ..net.errors import NetError
from ..net.handshake import (
    Identity,
    Listener,
    Purpose,
    fresh_challenge,
    fresh_instance,
    receive,
    send,
)
from ..net.network import Network, StreamListener, TcpNetwork, close_listeners, cut
from ..net.tls import credentials, secure_from
from ..net.unproven import Stage, UnprovenConnections, UnprovenStream
from .calls import Calls
from .exchange import Exchange
from .limits import RelayLimits
from .mailboxes import Mailboxes
from .seats import Seats
from .visit import Stay, Visit
from .wishes import wishes_of


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
        nursery.start_soon(relay.exchange.run)
        for listener in listeners:
            nursery.start_soon(relay.attend_listener, listener, nursery)
        task_status.started([str(listener.address) for listener in listeners])


class Relay:
    """One relay: its key, its newcomers, and the rooms behind its door."""

    def __init__(self, identity: Identity, limits: RelayLimits) -> None:
        self._credentials = credentials(identity.seed)
        self._instance = fresh_instance()
        self._handshake = limits.link.handshake
        bounds = limits.link.unauthenticated, limits.link.unauthenticated_per_source
        self._unproven = UnprovenConnections(*bounds)
        me = Listener(Purpose.RELAY, identity.public, self._credentials.digest)
        self.exchange = Exchange()
        seats = Seats(me, limits)
        calls = Calls(seats, limits, self.exchange)
        self._wishes = wishes_of(seats, calls, Mailboxes(limits))

    async def attend_listener(self, listener: StreamListener, nursery: trio.Nursery) -> None:
        """Attend everyone who comes to a listener, in nursery."""
        try:
            while True:
                raw, address = await listener.accept()
                nursery.start_soon(self._attend, raw, address)
        except NetError:
            return  # the listener is shut
        finally:
            await close_listeners([listener])

    async def _attend(self, raw: trio.abc.Stream, address: Address) -> None:
        """One connection, from its first byte to its last; whatever it does harms only itself."""
        stay: Stay | None = None
        newcomer = UnprovenStream(raw, source_of(address.host))
        try:
            with self._unproven.counted(newcomer, self._handshake):
                stay = await self._hear(newcomer, address)
            if stay is not None:
                await stay()
        except NetError:
            return  # it broke off, or said nothing that makes sense here
        finally:
            await cut(raw)

    async def _hear(self, newcomer: UnprovenStream, address: Address) -> Stay | None:
        """What a newcomer wants, begun as far as it may be while unproven; what follows, if any."""
        stream = await secure_from(newcomer, self._credentials)
        newcomer.reach(Stage.SECURED)
        challenge = fresh_challenge(self._instance)
        await send(stream, challenge)
        said = await receive(stream)
        wish = self._wishes.get(said[:1])
        if wish is None:
            return None
        return await wish(Visit(stream, newcomer.stream, address, challenge), said[1:])
