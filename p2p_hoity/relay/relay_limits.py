"""The limits of a relay, and the connection of a peer that has received the relay's challenge.

A source is the computer or network for which a connection is counted, see `source_of`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

import trio

from protocol.units import Pace, Quota, Seconds

from ..net.addresses import Address, source_of
from ..net.handshake import Listener, send
from ..net.handshake_codes import BY_VERDICT, Verdict
from ..net.link_limits import Limits
from ..net.network_errors import NetError
from ..net.protocol_versions import MAX_HANDSHAKE_FRAME
from ..net.relay_tls import TlsStream, laid_aside
from ..web.byte_stream import WebByteStream
from .relay_log import Event, Watch


@dataclass(frozen=True)
class RelayLimits:
    """The limits of one relay. The defaults allow a thousand tables of six seats.

    Attributes:
        seats: The most peers that may wait for calls.
        seats_per_source: The most peers of one source that may wait for calls.
        splices: The most calls, connected or still waiting for the called peer.
        splices_per_source: The most calls from one source, and also the most to one source.
        splices_per_seat: The most calls to one program.
        splice_bytes: The most bytes through one call, in both directions together.
        idle: Seconds without a byte after which a call is cut. Live links send heartbeats more
            often.
        mailboxes: The most hosts that may wait for a guest with a spoken code.
        mailboxes_per_source: The most such hosts of one source.
        mailbox_life: Seconds after which a mailbox without a guest is closed. Hosts make a new one
            earlier.
        mailbox_talk: Seconds from a guest's first frame until the mailbox is closed.
        guesses: How often one source may name a mailbox, whether it exists or not.
        link: The limits of a single connection: handshake time, heartbeats, and unproven
            connections. They allow a waiting peer to send little more than heartbeats.
    """

    seats: Quota = 6_000
    seats_per_source: Quota = 256
    splices: Quota = 15_000
    splices_per_source: Quota = 256
    splices_per_seat: Quota = 64
    splice_bytes: Quota = 1 << 30
    idle: Seconds = 30.0
    mailboxes: Quota = 4_000
    mailboxes_per_source: Quota = 64
    mailbox_life: Seconds = 900.0
    mailbox_talk: Seconds = 30.0
    guesses: Pace = (12, 0.2)
    link: Limits = field(
        default_factory=lambda: Limits(
            frame=MAX_HANDSHAKE_FRAME, queue_bytes=1 << 14, bytes_read=(1 << 17, 8192)
        )
    )


@dataclass(eq=False)
class Visit:
    """A connection of a peer that has received the relay's challenge and sent a request.

    The program may not have proven its identity yet.

    Attributes:
        greeted: The stream of the handshake, TLS or a WebSocket. None once the connection is part
            of a call.
        bare: The stream that becomes a part of the call: the one below TLS, or the WebSocket.
        listeners: The relay as the peer may prove its id to it by this door.
        version: The version of the relay protocol that the program has chosen.
        scope: The cancel scope of everything that is done for this connection.
    """

    greeted: TlsStream | WebByteStream | None = field(repr=False)
    bare: trio.abc.Stream = field(repr=False)
    listeners: Sequence[Listener] = field(repr=False)
    address: Address
    challenge: bytes = field(repr=False)
    version: int
    watch: Watch = field(repr=False)
    scope: trio.CancelScope = field(repr=False)

    @property
    def stream(self) -> trio.abc.Stream:
        """The stream of the handshake. A RuntimeError is raised once a call has the connection."""
        if self.greeted is None:
            raise RuntimeError("nothing is said to it any more")
        return self.greeted

    @property
    def is_web(self) -> bool:
        """Whether the peer came by WebSocket."""
        return isinstance(self.greeted, WebByteStream)

    @property
    def source(self) -> str:
        """The source for which the connection is counted."""
        return source_of(self.address.host)

    async def refuse(self, verdict: Verdict) -> NoReturn:
        """Send a verdict, and end the connection.

        Raises:
            NetError: Always, with the code of the verdict.
        """
        # Noted first, because a peer that is gone makes the sending fail.
        self.watch.note(Event.REFUSED, self.source, verdict=BY_VERDICT[verdict].value)
        await send(self.stream, verdict.encode())
        raise NetError(BY_VERDICT[verdict])

    async def welcome(self) -> bytes:
        """Tell the peer that it is connected, leave TLS, and return what came after it ([L-32])."""
        await send(self.stream, Verdict.WELCOME.encode())
        if isinstance(self.greeted, trio.SSLStream):
            _, early = await laid_aside(self.greeted)
        else:
            early = self.greeted.received() if self.greeted is not None else b""
        self.greeted = None  # This frees most of the memory of a connection.
        return early


Stay = Callable[[], Awaitable[None]]
"""The second half of serving a connection, after its request was granted.

The handler of a request returns it for its caller to run. Until then the connection counts as
unproven.
"""
Wish = Callable[[Visit, bytes], Awaitable[Stay | None]]
"""The handler of a request. It is given the connection and the bytes after the version.

If it returns None for a malformed request, or raises NetError, the connection is closed.
"""

Key = TypeVar("Key", bound=Hashable)


def lasted(began: float) -> dict[str, int]:
    """Return the field `seconds`, rounded, of a log line about what began at a time."""
    return {"seconds": round(trio.current_time() - began)}


def count_down(tally: Counter[Key], key: Key) -> None:
    """Subtract one from a count. If the count is then zero, remove it."""
    # Without zeros: sources come and go, and their names must not fill the memory.
    tally[key] -= 1
    if not tally[key]:
        del tally[key]
