"""The server of a relay: it listens, reads what each connection requests, and serves it.

A connection to a relay uses TLS with the relay's own key, which nobody has to trust, or comes by
WebSocket (see `web_door`). The relay sends a challenge, and the connecting peer sends one request.
A relay learns which ids wait, who calls whom from which address, and how many bytes pass. It never
learns what they say ([L-4]).
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial

import trio

from protocol import Identity

from ..net.addresses import Address, is_loopback, source_of
from ..net.connection_slots import HandshakeStage, UnprovenConnections, UnprovenStream
from ..net.handshake import Listener, Purpose, fresh_instance, receive, send
from ..net.network_errors import NetError
from ..net.protocol_versions import RELAY_VERSIONS, Versions
from ..net.relay_client import CALL, OBSERVE, REGISTER, TAKE, WORD, seen_from
from ..net.relay_tls import credentials, secure_from
from ..net.transport import Network, StreamListener, TcpNetwork, attend_all, cut
from .forwarding import Exchange
from .mailboxes import Mailboxes
from .relay_limits import RelayLimits, Stay, Visit, Wish
from .relay_log import Event, Watch
from .rendezvous import Calls, Seats
from .web_door import WebDoor

Enter = Callable[[trio.abc.Stream, Address, trio.CancelScope], Awaitable[Stay | None]]
"""A door of the relay: lets a connection in, and returns what is left to do for it."""


def wishes_of(seats: Seats, calls: Calls, mailboxes: Mailboxes) -> dict[bytes, Wish]:
    """Return the handlers of all valid requests to a relay, by first byte, as in SPEC 13.2."""
    return {
        REGISTER: seats.register,
        CALL: calls.call,
        TAKE: calls.take,
        OBSERVE: _observe,
        WORD: mailboxes.attend,
    }


async def _observe(visit: Visit, rest: bytes) -> None:
    """Tell a peer from which address the relay sees it, if nothing else is in the request.

    A WebSocket may come through a proxy, whose port would be of no use ([L-87]).
    """
    if not rest and not visit.is_web:
        visit.watch.note(Event.OBSERVED, visit.source)
        await send(visit.stream, seen_from(visit.address))


class Relay:
    """A relay: its key, its connections, and the state that the connections share.

    If no key is given, a new one is made, because nobody needs to recognise a relay by its key.

    Attributes:
        unproven: The connections that have not sent a valid request yet. A flood of one door leaves
            room at the other one.
        web_unproven: Those that came by WebSocket.
        web_addresses: Where it listens for WebSockets, as 'host:port', from `serve` on.
    """

    def __init__(
        self,
        limits: RelayLimits,
        watch: Watch,
        identity: Identity | None = None,
        versions: Versions = RELAY_VERSIONS,
        web: WebDoor | None = None,
    ) -> None:
        """Make a relay.

        Args:
            web: The door for WebSockets. None to have none.
        """
        identity = identity or Identity(secrets.token_bytes(32))
        self._credentials = credentials(identity.seed)
        self._instance = fresh_instance()
        self._handshake = limits.link.handshake
        self._watch = watch
        bounds = limits.link.unauthenticated, limits.link.unauthenticated_per_source
        self.unproven = UnprovenConnections(*bounds)
        self.web_unproven = UnprovenConnections(*bounds)
        self._requests = UnprovenConnections(*bounds)
        # A proxy on this machine is one source until its requests were read.
        self._forwarded = UnprovenConnections(bounds[0], bounds[0])
        self._versions, self._web = versions, web
        self._me = Listener(Purpose.RELAY, identity.public, self._credentials.digest, versions)
        self._exchange = Exchange()
        self.seats = Seats(limits)
        self.calls = Calls(self.seats, limits, self._exchange)
        self._wishes = wishes_of(self.seats, self.calls, Mailboxes(limits))
        self._scopes: set[trio.CancelScope] = set()
        self._accepting, self._inside = trio.CancelScope(), trio.CancelScope()
        self.web_addresses: list[str] = []

    @property
    def unproven_now(self) -> int:
        """The number of connections that have not sent a valid request yet, of both doors."""
        return sum(map(len, (self.unproven, self.web_unproven, self._requests, self._forwarded)))

    async def serve(
        self,
        host: str,
        port: int,
        *,
        network: Network | None = None,
        stop: trio.Event | None = None,
        drain: float = 0.0,
        web: tuple[str, int] | None = None,
        task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve connections until cancelled, or until `stop` is set and the last calls have ended.

        When `stop` is set, the relay accepts no new connections, and closes all connections that
        belong to no connected call ([L-35]). A NetError is raised if the relay cannot listen. Call
        this method only once.

        Args:
            host: '' for every address.
            port: 0 for a free one.
            network: None for TCP.
            drain: The most seconds for which connected calls may go on after `stop` is set.
            web: Where to listen for WebSockets. None to have no such door.
            task_status: Is given the addresses at which the relay listens, as 'host:port'.
        """
        network = network or TcpNetwork()
        listeners = await network.listen(host, port)
        doors = [] if web is None else await network.listen(*web)
        async with trio.open_nursery() as rooms:
            rooms.start_soon(self._exchange.run)
            rooms.start_soon(self._watch.look)
            with self._inside:
                async with trio.open_nursery() as visitors:
                    visitors.start_soon(self._attend_all, listeners, doors, visitors)
                    self.web_addresses = [str(door.address) for door in doors]
                    task_status.started([str(listener.address) for listener in listeners])
                    await (trio.Event() if stop is None else stop).wait()
                    # Accept nobody, close what waits or calls, and let the connected pairs go on
                    # for `drain` seconds ([L-35]).
                    self._watch.note(Event.DRAINS, splices=self.calls.spliced)
                    self._accepting.cancel()
                    self._inside.deadline = trio.current_time() + drain
                    for scope in self._scopes - self.calls.scopes:
                        scope.cancel()
            self._watch.note(Event.CLOSES)
            rooms.cancel_scope.cancel()

    async def _attend_all(
        self,
        listeners: list[StreamListener],
        doors: list[StreamListener],
        visitors: trio.Nursery,
    ) -> None:
        """Accept and serve connections until the relay is told to stop."""
        with self._accepting:
            async with trio.open_nursery() as accepting:
                for door, enter in ((listeners, self._by_tls), (doors, self._by_web)):
                    for listener in door:
                        attend = partial(self._attend, enter)
                        accepting.start_soon(attend_all, listener, visitors, attend)

    async def _attend(self, enter: Enter, raw: trio.abc.Stream, address: Address) -> None:
        """Serve one connection from first to last byte. An error ends only this connection.

        Args:
            enter: Lets it in by one of the doors, and returns what is left to do for it.
        """
        self._watch.note(Event.CAME)
        try:
            with self._scope() as scope:
                # The connection stops being unproven when this ends. `stay` runs outside, so that
                # it can be neither timed out nor displaced as one.
                stay = await enter(raw, address, scope)
                if stay is not None:
                    # Even if this is cancelled by now: it takes back what was counted.
                    await stay()
        except NetError:
            return  # The connection broke, or sent no valid request.
        finally:
            await cut(raw)

    async def _by_tls(
        self, raw: trio.abc.Stream, address: Address, scope: trio.CancelScope
    ) -> Stay | None:
        """Do the handshake of a connection by TLS, and read and grant its request."""
        newcomer = UnprovenStream(raw, source_of(address.host))
        with self.unproven.counted(newcomer, self._handshake):
            stream = await secure_from(newcomer, self._credentials)
            newcomer.reach(HandshakeStage.SECURED)
            return await self._hear(stream, partial(Visit, stream, raw, [self._me], address), scope)
        return None

    async def _by_web(
        self, raw: trio.abc.Stream, address: Address, scope: trio.CancelScope
    ) -> Stay | None:
        """Let in a connection by WebSocket, and read and grant its request."""
        if self._web is None:
            raise RuntimeError("there is no door for WebSockets")
        asking, entered = UnprovenStream(raw, source_of(address.host)), None
        requests = self._forwarded if is_loopback(address.host) else self._requests
        with requests.counted(asking, self._handshake):
            entered = await self._web.enter(asking, address, self._versions)
        if entered is None or callable(entered):
            return entered
        stream, address = entered
        if self._web.tls is None:
            stream.below = raw  # As a plain socket it is carried at less cost.
        newcomer = UnprovenStream(stream, source_of(address.host))
        listeners = self._web.listeners(self._versions)
        with self.web_unproven.counted(newcomer, self._handshake):
            visit = partial(Visit, stream, stream, listeners, address)
            return await self._hear(newcomer, visit, scope)
        return None

    @contextmanager
    def _scope(self) -> Iterator[trio.CancelScope]:
        """Open a cancel scope for a connection, which the relay cancels when it is told to stop."""
        with trio.CancelScope() as scope:
            self._scopes.add(scope)
            # A connection that was accepted just before the stop is not among the scopes that were
            # cancelled.
            if self._accepting.cancel_called:
                scope.cancel()
            try:
                yield scope
            finally:
                self._scopes.discard(scope)

    async def _hear(
        self, stream: trio.abc.Stream, visit: Callable[..., Visit], scope: trio.CancelScope
    ) -> Stay | None:
        """Send the challenge on a new connection, and read and grant its request.

        Return None if the request is invalid or already served.
        """
        self._watch.note(Event.SECURED)
        # Fresh for each connection, so that the proof of an id cannot be used again by others.
        challenge = self._versions.challenge(self._instance)
        await send(stream, challenge)
        said = await receive(stream)
        wish, version = self._wishes.get(said[:1]), int.from_bytes(said[1:2], "big")
        if wish is None or version not in self._versions:
            return None
        return await wish(visit(challenge, version, self._watch, scope), said[2:])
