"""A relay at work: it listens, reads what each connection wants, and serves it.

Every connection to a relay is TLS to the relay's own key, which nobody has to trust. After the
relay's challenge the dialler says one thing, its wish. A relay learns who waits, who is called,
from which address, and how many bytes pass; never what they say ([L-4]).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import trio

from protocol import Identity

from ..net.addresses import Address, source_of
from ..net.connection_slots import HandshakeStage, UnprovenConnections, UnprovenStream
from ..net.network_errors import NetError
from ..net.relay_client import CALL, OBSERVE, REGISTER, TAKE, WORD, seen_from
from ..net.secure_channel import (
    RELAY_VERSIONS,
    Listener,
    Purpose,
    Versions,
    credentials,
    fresh_instance,
    receive,
    secure_from,
    send,
)
from ..net.transport import Network, StreamListener, TcpNetwork, attend_all, cut
from .forwarding import Exchange
from .mailboxes import Mailboxes
from .relay_limits import RelayLimits, Stay, Visit, Wish
from .relay_log import Event, Watch
from .rendezvous import Calls, Seats


def wishes_of(seats: Seats, calls: Calls, mailboxes: Mailboxes) -> dict[bytes, Wish]:
    """Every wish of SPEC 13.2 by its first byte; any other is no wish."""
    return {
        REGISTER: seats.register,
        CALL: calls.call,
        TAKE: calls.take,
        OBSERVE: _observe,
        WORD: mailboxes.attend,
    }


async def _observe(visit: Visit, rest: bytes) -> None:
    """Tell a newcomer where it comes from, as this relay sees it; that is all it came for."""
    if not rest:
        visit.watch.note(Event.OBSERVED, visit.source)
        await send(visit.stream, seen_from(visit.address))


class Relay:
    """One relay: its key, its newcomers, and the rooms behind its door.

    Without an identity it takes a new one: nobody needs to know a relay again.
    """

    def __init__(
        self,
        limits: RelayLimits,
        watch: Watch,
        identity: Identity | None = None,
        versions: Versions = RELAY_VERSIONS,
    ) -> None:
        identity = identity or Identity(secrets.token_bytes(32))
        self._credentials = credentials(identity.seed)
        self._instance = fresh_instance()
        self._handshake = limits.link.handshake
        self._watch = watch
        self.unproven = UnprovenConnections(
            limits.link.unauthenticated, limits.link.unauthenticated_per_source
        )
        self._versions = versions
        me = Listener(Purpose.RELAY, identity.public, self._credentials.digest, versions)
        self._exchange = Exchange()
        self.seats = Seats(me, limits)
        self.calls = Calls(self.seats, limits, self._exchange)
        self._wishes = wishes_of(self.seats, self.calls, Mailboxes(limits))
        self._scopes: set[trio.CancelScope] = set()
        self._doors, self._inside = trio.CancelScope(), trio.CancelScope()

    async def serve(
        self,
        host: str,
        port: int,
        *,
        network: Network | None = None,
        stop: trio.Event | None = None,
        drain: float = 0.0,
        task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve on host ('' for every address) and port (0 for a free one), once, until cancelled.

        Started with the 'host:port' it listens on; NetError when it cannot. When `stop` is set it
        takes nobody in and lets the splices that run go on for at most `drain` seconds ([L-35]).
        """
        listeners = await (network or TcpNetwork()).listen(host, port)
        async with trio.open_nursery() as rooms:
            rooms.start_soon(self._exchange.run)
            rooms.start_soon(self._watch.look)
            with self._inside:
                async with trio.open_nursery() as visitors:
                    visitors.start_soon(self._attend_all, listeners, visitors)
                    task_status.started([str(listener.address) for listener in listeners])
                    await (trio.Event() if stop is None else stop).wait()
                    # Let nobody in, send away those who wait or call, and let the splices run for
                    # `drain` seconds ([L-35]).
                    self._watch.note(Event.DRAINS, splices=self.calls.spliced)
                    self._doors.cancel()
                    self._inside.deadline = trio.current_time() + drain
                    for scope in self._scopes - self.calls.scopes:
                        scope.cancel()
            self._watch.note(Event.CLOSES)
            rooms.cancel_scope.cancel()

    async def _attend_all(self, listeners: list[StreamListener], visitors: trio.Nursery) -> None:
        with self._doors:
            async with trio.open_nursery() as doors:
                for listener in listeners:
                    doors.start_soon(attend_all, listener, visitors, self._attend)

    async def _attend(self, raw: trio.abc.Stream, address: Address) -> None:
        """One connection, from its first byte to its last; whatever it does harms only itself."""
        self._watch.note(Event.CAME)
        stay: Stay | None = None
        newcomer = UnprovenStream(raw, source_of(address.host))
        try:
            with self._scope() as scope:
                with self.unproven.counted(newcomer, self._handshake):
                    stay = await self._hear(newcomer, address, scope)
                if stay is not None:
                    await stay()
        except NetError:
            return  # it broke off, or said nothing that makes sense here
        finally:
            await cut(raw)

    @contextmanager
    def _scope(self) -> Iterator[trio.CancelScope]:
        """One that a relay which drains cancels; one that comes too late is cancelled at once."""
        with trio.CancelScope() as scope:
            self._scopes.add(scope)
            if self._doors.cancel_called:
                scope.cancel()
            try:
                yield scope
            finally:
                self._scopes.discard(scope)

    async def _hear(
        self, newcomer: UnprovenStream, address: Address, scope: trio.CancelScope
    ) -> Stay | None:
        """What a newcomer wants, begun as far as it may be while unproven; what follows, if any."""
        stream = await secure_from(newcomer, self._credentials)
        newcomer.reach(HandshakeStage.SECURED)
        self._watch.note(Event.SECURED)
        challenge = self._versions.challenge(self._instance)
        await send(stream, challenge)
        said = await receive(stream)
        wish, version = self._wishes.get(said[:1]), int.from_bytes(said[1:2], "big")
        if wish is None or version not in self._versions:
            return None
        visit = Visit(stream, newcomer.stream, address, challenge, version, self._watch, scope)
        return await wish(visit, said[2:])
