"""The limits of one relay, and a connection that has received its challenge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

import trio

from protocol.bounds import Pace, Quota, Seconds

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
    """The limits of one relay, in seconds where they are times.

    The defaults allow a thousand tables of six seats.

    Attributes:
        seats: Ids that may wait here.
        seats_per_source: The same, of one machine.
        splices: Pairs that may be connected, or called and not taken yet.
        splices_per_source: The same, called from one machine.
        splices_per_seat: The same, to one id.
        splice_bytes: Bytes through one pair, in both directions together.
        idle: Seconds without a byte in either direction after which a pair is cut. Live links send
            heartbeats more often.
        mailboxes: Hosts that may wait for a guest with a code.
        mailboxes_per_source: The same, of one machine.
        mailbox_life: Seconds after which a mailbox that nobody has used is closed. Hosts make a new
            one earlier.
        mailbox_talk: Seconds from a guest's first frame to the end of the conversation.
        guesses: Mailboxes that one machine may ask for at once, whether they exist or not, and how
            many more in a second.
        link: Handshake time, heartbeats and unproven connections, as for any hub. Little but
            heartbeats is read from a waiting node.
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
    """A connection that has received the relay's challenge and may have proven nothing.

    Attributes:
        tls: The TLS stream, None once the connection has left TLS.
        bare: The stream below TLS.
        address: Where it comes from.
        challenge: The challenge that it has received.
        version: The version of the relay protocol that it has chosen.
        watch: Where the relay counts and logs events.
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
        """The machine to which the connection is charged."""
        return source_of(self.address.host)

    async def refuse(self, verdict: Verdict) -> NoReturn:
        """Send a verdict, and end the connection.

        Args:
            verdict: The reason.

        Raises:
            NetError: Always, with the code of the verdict.
        """
        self.watch.note(Event.REFUSED, self.source, verdict=BY_VERDICT[verdict].value)
        await send(self.stream, verdict.encode())
        raise NetError(BY_VERDICT[verdict])

    async def welcome(self) -> bytes:
        """Tell the node that it is connected to the other end, and leave TLS ([L-32]).

        Returns:
            The bytes that have arrived below TLS already. A NetError is raised if the connection
            breaks.
        """
        await send(self.stream, Verdict.WELCOME.encode())
        _, early = await laid_aside(self.stream)
        self.tls = None  # This frees most of the memory of a connection.
        return early


Stay = Callable[[], Awaitable[None]]
"""The rest of a service, for which a connection no longer counts as unproven."""
Wish = Callable[[Visit, bytes], Awaitable[Stay | None]]
"""The handler of a request. It is given the connection and the bytes after the version.

It returns the rest of the service. With None, or a NetError, the connection ends.
"""

Key = TypeVar("Key", bound=Hashable)


def lasted(began: float) -> dict[str, int]:
    """Return the duration of something as a field of the log.

    Args:
        began: When it began, on trio's clock.

    Returns:
        The field `seconds`, rounded.
    """
    return {"seconds": round(trio.current_time() - began)}


def count_down(tally: Counter[Key], key: Key) -> None:
    """Subtract one from a count, and drop counts of zero.

    Args:
        tally: The counts.
        key: The count to change.
    """
    tally[key] -= 1
    if not tally[key]:
        del tally[key]
