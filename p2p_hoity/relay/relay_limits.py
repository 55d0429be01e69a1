"""The limits of a relay, and the connection of a node that has received the relay's challenge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

import trio

from protocol.units import Pace, Quota, Seconds

from ..net.addresses import Address, source_of
from ..net.link_limits import Limits
from ..net.network_errors import NetError
from ..net.secure_channel import (
    BY_VERDICT,
    MAX_HANDSHAKE_FRAME,
    TlsStream,
    Verdict,
    laid_aside,
    send,
)
from .relay_log import Event, Watch


@dataclass(frozen=True)
class RelayLimits:
    """The limits of one relay. Times are in seconds.

    The defaults allow a thousand tables of six seats.

    Attributes:
        seats: The most nodes that may wait for calls.
        seats_per_source: The most nodes of one computer that may wait for calls.
        splices: The most calls, connected or still waiting for the called node.
        splices_per_source: The most calls from one computer, and also the most calls to one
            computer.
        splices_per_seat: The most calls to one node.
        splice_bytes: The most bytes through one call, in both directions together.
        idle: Seconds without a byte after which a call is cut. Live links send heartbeats more
            often.
        mailboxes: The most hosts that may wait for a guest with a spoken code, each in a mailbox.
        mailboxes_per_source: The most hosts of one computer that may wait for a guest.
        mailbox_life: Seconds after which a mailbox without a guest is closed. Hosts make a new one
            earlier.
        mailbox_talk: Seconds from a guest's first frame until the mailbox is closed.
        guesses: How many times one computer may name a mailbox in a burst, and how many times a
            second in the long run. Mailboxes that do not exist count, too.
        link: The limits of a single connection: handshake time, heartbeats, and unproven
            connections. They allow a waiting node to send little more than heartbeats.
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
    """A connection of a node that has received the relay's challenge and sent a request.

    The node may not have proven its identity yet.

    Attributes:
        tls: The TLS stream. None once the connection has left TLS.
        bare: The stream below TLS.
        address: The address from which the connection comes.
        version: The version of the relay protocol that the node has chosen.
        watch: The counts and the log of the relay's events.
        scope: The cancel scope of everything that is done for this connection.
    """

    tls: TlsStream | None = field(repr=False)
    bare: trio.abc.Stream = field(repr=False)
    address: Address
    challenge: bytes = field(repr=False)
    version: int
    watch: Watch = field(repr=False)
    scope: trio.CancelScope = field(repr=False)

    @property
    def stream(self) -> TlsStream:
        """The TLS stream. A RuntimeError is raised once the connection has left TLS."""
        if self.tls is None:
            raise RuntimeError("nothing is said to it any more")
        return self.tls

    @property
    def source(self) -> str:
        """The remote computer or network for which the connection is counted, see `source_of`."""
        return source_of(self.address.host)

    async def refuse(self, verdict: Verdict) -> NoReturn:
        """Send a verdict, and end the connection.

        Raises:
            NetError: Always, with the code of the verdict.
        """
        self.watch.note(Event.REFUSED, self.source, verdict=BY_VERDICT[verdict].value)
        await send(self.stream, verdict.encode())
        raise NetError(BY_VERDICT[verdict])

    async def welcome(self) -> bytes:
        """Tell the node that it is connected to the other end, and leave TLS ([L-32]).

        Returns:
            The bytes after the end of TLS that were already received. A NetError is raised if the
            connection breaks.
        """
        await send(self.stream, Verdict.WELCOME.encode())
        _, early = await laid_aside(self.stream)
        self.tls = None  # This frees most of the memory of a connection.
        return early


Stay = Callable[[], Awaitable[None]]
"""The second half of serving a connection, after its request was granted.

The handler of a request returns such a function for its caller to run. Until then the connection
counts as unproven.
"""
Wish = Callable[[Visit, bytes], Awaitable[Stay | None]]
"""The handler of a request. It is given the connection and the bytes after the version.

It returns a function that serves the connection until its end, for the caller to run. If it returns
None or raises NetError, the connection is closed.
"""

Key = TypeVar("Key", bound=Hashable)


def lasted(began: float) -> dict[str, int]:
    """Return how long something has lasted, as a field for a line of the log.

    Args:
        began: The time at which it began, on trio's clock.

    Returns:
        The field `seconds`, rounded to an int.
    """
    return {"seconds": round(trio.current_time() - began)}


def count_down(tally: Counter[Key], key: Key) -> None:
    """Subtract one from a count. If the count is then zero, remove it.

    Args:
        key: The count to change.
    """
    tally[key] -= 1
    if not tally[key]:
        del tally[key]
