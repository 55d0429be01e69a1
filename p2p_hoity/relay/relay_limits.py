"""What bounds one relay, and each connection that has heard its challenge."""

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
    """Caps of one relay; times in seconds. As given they carry a thousand tables of six."""

    seats: Quota = 6_000
    """Ids that wait here."""
    seats_per_source: Quota = 256
    """The same, from one machine."""
    splices: Quota = 15_000
    """Pairs of connections spliced, or called and not yet taken."""
    splices_per_source: Quota = 256
    """The same, called from one machine."""
    splices_per_seat: Quota = 64
    """The same, to one id."""
    splice_bytes: Quota = 1 << 30
    """Bytes through one splice, both directions together."""
    idle: Seconds = 30.0
    """A splice without a byte in either direction for so long is cut; live links beat in it."""
    mailboxes: Quota = 4_000
    """Hosts that wait for a guest with a code."""
    mailboxes_per_source: Quota = 64
    """The same, from one machine."""
    mailbox_life: Seconds = 900.0
    """A mailbox that nobody has come to is closed after so long; hosts take a fresh one sooner."""
    mailbox_talk: Seconds = 30.0
    """Seconds from a guest's first word to the end of the conversation."""
    guesses: Pace = (12, 0.2)
    """Mailboxes that are asked for from one machine at once, found or not, and a second after
    that."""
    link: Limits = field(
        default_factory=lambda: Limits(
            frame=MAX_HANDSHAKE_FRAME, queue_bytes=1 << 14, bytes_read=(1 << 17, 8192)
        )
    )
    """Handshake time, heartbeats and unauthenticated connections, as for any hub; of those who
    wait here little but heartbeats is read."""


@dataclass(eq=False)
class Visit:
    """Someone who has proven nothing: a stream to it, its address, our challenge to it, and the
    version of a relay that it has taken."""

    tls: TlsStream | None = field(repr=False)
    bare: trio.abc.Stream = field(repr=False)
    """What lies below the TLS."""
    address: Address
    challenge: bytes = field(repr=False)
    version: int
    watch: Watch = field(repr=False)
    scope: trio.CancelScope = field(repr=False)
    """All that is done for this visitor."""

    @property
    def stream(self) -> TlsStream:
        """What it is spoken to by, until its TLS is laid aside."""
        if self.tls is None:
            raise RuntimeError("nothing is said to it any more")
        return self.tls

    @property
    def source(self) -> str:
        """The machine it is charged to."""
        return source_of(self.address.host)

    async def refuse(self, verdict: Verdict) -> NoReturn:
        """Say why not; then the NetError that ends the visit."""
        self.watch.note(Event.REFUSED, self.source, verdict=BY_VERDICT[verdict].value)
        await send(self.stream, verdict.encode())
        raise NetError(BY_VERDICT[verdict])

    async def welcome(self) -> bytes:
        """Welcome it to a splice and go on in plain TCP: what came on `bare` already ([L-32]).

        NetError when it breaks off.
        """
        await send(self.stream, Verdict.WELCOME.encode())
        _, early = await laid_aside(self.stream)
        self.tls = None  # most of the memory that a connection takes
        return early


Stay = Callable[[], Awaitable[None]]
"""What a connection does once it has said what it wants, and no longer counts as unproven."""
Wish = Callable[[Visit, bytes], Awaitable[Stay | None]]
"""What answers a wish, given all bytes behind its version; None, or a NetError, ends the visit."""

Key = TypeVar("Key", bound=Hashable)


def lasted(began: float) -> dict[str, int]:
    """For how many seconds, as a log has it."""
    return {"seconds": round(trio.current_time() - began)}


def count_down(tally: Counter[Key], key: Key) -> None:
    """One less of key; what is at zero takes no room."""
    tally[key] -= 1
    if not tally[key]:
        del tally[key]
