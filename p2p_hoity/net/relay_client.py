"""The client of a relay: wait at the relay for calls, call a peer, and use a mailbox.

A mailbox connects a host and a guest who know the same spoken code, and gives the guest the ticket.
The relay can read and change all frames in a mailbox, so the two ends must not trust a frame only
because it came through the mailbox. A NetError is raised if a relay cannot be reached, and a
RefusedError if it refuses.

SPEC: section 13.2.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Final

import trio

from protocol import Identity
from protocol.units import PeerId, Quota, Seconds

from ..coded_errors import Code, CodedError, Reason, because
from .address_schemes import Scheme
from .addresses import Address, numeric, parse_address
from .channel import open_channel
from .dialler import Secured
from .handshake import Listener, Purpose, expect_welcome, receive, send
from .handshake_codes import HandshakeCode
from .link_limits import Limits
from .network_errors import NetCode, NetError, NobodyError, RefusedError, TicketError
from .page_network import PageNetwork
from .peer_link import Link
from .protocol_versions import MAX_HANDSHAKE_FRAME, RELAY_VERSIONS
from .relay_tls import BegunStream, laid_aside, secure_to
from .ticket import decode_address, encode_address
from .transport import Network, Outlet, cut

MOST_FRAME: Final = 8192
"""The most bytes of one frame through a mailbox of a relay."""
MOST_FRAMES: Final[Quota] = 4
"""The most frames that either end sends through one mailbox. The exchange of a code takes two."""


class MailboxCode(Code):
    """The reasons why this program ends an exchange of frames through a mailbox of a relay."""

    TOO_MUCH = "mailbox-too-much-said", "the other end sent more than the exchange of a code needs"


def mailbox_limits(limits: Limits) -> Limits:
    """Return the limits of a link through a mailbox, which carries only a few frames."""
    # The relay sends one frame more than the other end does: the number of the mailbox.
    frames = MOST_FRAMES + 1
    queue_bytes = frames * MOST_FRAME
    return replace(limits, frame=MOST_FRAME, queue_frames=2 * frames, queue_bytes=queue_bytes)


class Conversation:
    """One end of a mailbox of a relay, which sends frames to the other end and receives frames."""

    def __init__(self, stream: trio.abc.Stream, limits: Limits) -> None:
        self._link = Link(stream, limits)
        self._said, self._heard = trio.open_memory_channel[bytes](2 * MOST_FRAMES)

    def post(self, data: bytes) -> None:
        """Send a frame. If the other end is gone, the next `receive` raises an error."""
        self._link.post(data)

    async def receive(self) -> bytes:
        """Wait for the next frame.

        Raises:
            NetError: If the connection has ended.
        """
        with suppress(trio.EndOfChannel):
            return await self._heard.receive()
        raise NetError(NetCode.FAILED, why=self._link.reason or because(NetCode.CUT))

    async def run(self) -> None:
        """Send the posted frames and receive frames, until either end closes the connection."""

        async def hear(data: bytes) -> None:
            try:
                self._said.send_nowait(data)
            except trio.WouldBlock:
                self._link.close(because(MailboxCode.TOO_MUCH))

        # Closed at the end, so that `receive` raises an error instead of waiting for ever.
        with self._said:
            await self._link.run(trio.lowlevel.checkpoint, hear)


@asynccontextmanager
async def conversation(
    network: Network, relay: Address, wish: bytes, limits: Limits
) -> AsyncIterator[Conversation]:
    """Open a mailbox at a relay for the `async with` block, as `speak` does.

    Raises:
        NetError: If the mailbox cannot be reached in `Limits.waiting` seconds.
    """
    stream = None
    with trio.move_on_after(limits.waiting):
        stream = await speak(network, relay, wish)
    if stream is None:
        raise NetError(NetCode.SLOW, address=str(relay), seconds=limits.waiting)
    talk, failed = Conversation(stream, mailbox_limits(limits)), None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(talk.run)
        try:
            yield talk
        except CodedError as error:
            failed = error  # Raised outside, since a nursery would make a group of it.
        nursery.cancel_scope.cancel()
    if failed is not None:
        raise failed


# The first byte of a request to a relay, which is sent after the relay's challenge.
REGISTER = b"R"
"""The request of a peer to wait at a relay for calls."""
CALL = b"C"
TAKE = b"T"
"""The request of a waiting peer to take a call."""
OBSERVE = b"O"
"""The request to be told from which address the relay sees the connection."""
WORD = b"W"
"""The request to open a mailbox, or to connect to one by its number."""
GREETING: Final[Seconds] = 15.0
"""Seconds for which a relay that cuts the connection is tried again, if the caller has the time."""
FIRST_PAUSE: Final[Seconds] = 0.25
"""Seconds until a relay that has cut the connection is first tried again."""
LONGEST_PAUSE: Final[Seconds] = 1.0
"""The most seconds between two attempts at a relay that cuts connections."""
TOKEN = 16
"""Bytes of the random token with which the relay announces a call, and the program takes it."""


async def reach(network: Network, address: Address, peer: PeerId) -> Secured:
    """Open a channel to a peer, directly or through a relay."""
    if address.via_relay:
        raw = await spliced(network, address, CALL + peer)
    else:
        raw = await network.open(address)
    return await secure(raw, address, peer)


async def secure(raw: trio.abc.Stream, address: Address, peer: PeerId) -> Secured:
    """Make a channel to a peer over a stream, which is cut, with a NetError, if that fails.

    Args:
        address: The address to which the stream leads, for errors.
    """
    async with cut_on_failure(raw, address):
        return Secured(await open_channel(raw, peer), peer, address)


@asynccontextmanager
async def cut_on_failure(
    stream: trio.abc.Stream, address: Address, refusals: bool = False
) -> AsyncIterator[None]:
    """Cut a stream if the `async with` block fails or is cancelled.

    Raises:
        NetError: If the block raises one. The message has `address`.
        RefusedError: If the block raises one, and `refusals` is True.
    """
    done, where = False, str(address)
    try:
        yield
        done = True
    except NetError as error:
        # Elsewhere a relay's refusal would look like one of the peer, which is then left alone.
        if refusals and isinstance(error, RefusedError):
            told = error.elsewhere, error.full
            raise RefusedError(NetCode.AT, *told, address=where, why=error.reason) from error
        kind = NobodyError if error.is_final else NetError
        raise kind(NetCode.AT, address=where, why=error.reason) from error
    finally:
        if not done:
            await cut(stream)


async def spliced(network: Network, relay: Address, wish: bytes) -> trio.abc.Stream:
    """Open a stream to the other end of a call through a relay ([L-4], [L-32]).

    It is not encrypted for the other end, because TLS with the relay has ended.

    Args:
        wish: `CALL` and the id of the waiting peer, or `TAKE` and the token of a call.
    """
    greeted = await _greet(network, relay)
    async with cut_on_failure(greeted.stream, relay):
        await send(greeted.stream, said(wish, greeted.challenge))
        await expect_welcome(greeted.stream)
        if not isinstance(greeted.stream, trio.SSLStream):
            return greeted.stream  # A WebSocket goes on as it is ([L-86]).
        bare, early = await laid_aside(greeted.stream)
        # TLS may have read beyond its end: then it holds the first bytes of the other end.
        return BegunStream(early, bare) if early else bare


async def observed(network: Network, relay: Address) -> Address:
    """Return from which address a relay sees this program, as the relay tells ([L-4], [L-31])."""
    async with observing(network, relay) as found:
        return found


@asynccontextmanager
async def observing(network: Network | Outlet, relay: Address) -> AsyncIterator[Address]:
    """Ask a relay from which address it sees this program, and keep the connection in the block."""
    greeted = await _greet(network, relay)
    async with cut_on_failure(greeted.stream, relay):
        await send(greeted.stream, said(OBSERVE, greeted.challenge))
        found = read_seen(await receive(greeted.stream))
    # Outside of the block above, which would put the relay's address into errors of the caller.
    try:
        # While the connection is open, a NAT keeps its mapping of the port.
        yield found
    finally:
        await cut(greeted.stream)


def said(wish: bytes, challenge: bytes) -> bytes:
    """Return a request as it is sent to a relay: its letter, the version (1 byte) and its content.

    A NobodyError is raised if relay and program have no version in common ([L-76]).
    """
    return wish[:1] + bytes([RELAY_VERSIONS.take(challenge)]) + wish[1:]


def seen_from(address: Address) -> bytes:
    """Encode, as in a ticket, the address from which a relay sees a peer.

    Raises:
        NetError: If the host of the address is not an IP address.
    """
    found = numeric(address)
    if found is None:
        raise NetError(HandshakeCode.NO_ADDRESS)
    return encode_address(str(found))


def read_seen(data: bytes) -> Address:
    """Parse the answer of a relay that was asked from which address it sees this program ([L-31]).

    Raises:
        NetError: If the bytes are anything but one IP address and port.
    """
    try:
        told = parse_address(decode_address(data))
    except TicketError:
        raise NetError(HandshakeCode.NO_ADDRESS) from None
    # The relay may name a host name, or an IPv4 address written as IPv6. Neither may be dialled.
    if numeric(told) != told:
        raise NetError(HandshakeCode.NO_ADDRESS)
    return told


async def register(
    network: Network, relay: Address, identity: Identity, instance: bytes
) -> trio.abc.Stream:
    """Register this program at a relay, and return the stream on which the relay announces calls.

    The program proves its id. The relay refuses if another process with this key is registered
    there.
    """
    greeted = await _greet(network, relay)
    async with cut_on_failure(greeted.stream, relay):
        answer = greeted.listener.answer(identity, instance, greeted.challenge)
    return await _welcomed(greeted.stream, relay, REGISTER + answer)


async def speak(network: Network, relay: Address, wish: bytes) -> trio.abc.Stream:
    """Open a stream to a mailbox of a relay ([K-6]).

    Args:
        wish: Empty to open a new mailbox. To connect to an open mailbox: the mailbox's number
            (NUMBER bytes), followed by the first frame to send.
    """
    greeted = await _greet(network, relay)
    async with cut_on_failure(greeted.stream, relay):
        wish = said(WORD + wish, greeted.challenge)
    return await _welcomed(greeted.stream, relay, wish)


async def _welcomed(stream: trio.abc.Stream, relay: Address, wish: bytes) -> trio.abc.Stream:
    """Send a request to a relay, and return the stream once the relay has granted it."""
    async with cut_on_failure(stream, relay, refusals=True):
        await send(stream, wish)
        await expect_welcome(stream)
    return stream


@dataclass(frozen=True)
class _Greeted:
    """A connection on which a relay has sent its challenge, and the relay as one proves an id."""

    stream: trio.abc.Stream = field(repr=False)
    listener: Listener
    challenge: bytes


async def _greet(network: Network | Outlet, relay: Address) -> _Greeted:
    """Open a connection to a relay, whatever its key is, and read its challenge.

    A flooded relay cuts new connections at random ([L-12]). So a failed attempt is repeated for up
    to `GREETING` seconds, unless its error is final or the caller's deadline comes first. A
    repetition does no harm, because no request has been sent yet ([L-69]).
    """
    last = min(trio.current_effective_deadline(), trio.current_time() + GREETING)
    pause = FIRST_PAUSE
    while True:
        rest = pause * random.uniform(0.5, 1.0)
        try:
            return await _greeted(network, relay)
        except NetError as error:
            # Raised before the deadline comes: this error tells more than a timeout does.
            if error.is_final or trio.current_time() + rest >= last:
                raise
        await trio.sleep(rest)
        pause = min(2 * pause, LONGEST_PAUSE)


async def _greeted(network: Network | Outlet, relay: Address) -> _Greeted:
    """Open a connection to a relay, and read its challenge."""
    if isinstance(network, PageNetwork) and relay.is_web:
        opened = await network.open_web(relay)
        async with cut_on_failure(opened, relay):
            return await _greeted_by_web(opened, relay)
    raw = await network.open(replace(relay, scheme=Scheme.TCP))
    async with cut_on_failure(raw, relay):
        if relay.is_web:
            # Imported only here: few come by the web, and the library takes 2 MB of memory.
            from .web_relay import enter_web_relay

            return await _greeted_by_web(await enter_web_relay(raw, relay), relay)
        # Nobody has to trust a relay's key: the two ends of a call check each other's.
        stream, peer, certificate = await secure_to(raw)
        listener = Listener(Purpose.RELAY, peer, certificate, RELAY_VERSIONS)
        return _Greeted(stream, listener, await receive(stream))


async def _greeted_by_web(stream: trio.abc.Stream, relay: Address) -> _Greeted:
    """Read the challenge of a relay in a WebSocket, whose URL stands for its key ([L-85])."""
    listener = Listener(Purpose.RELAY_WEB, b"", relay.place.encode(), RELAY_VERSIONS)
    return _Greeted(stream, listener, await receive(stream))


MOST_AT_ONCE: Final[Quota] = 8
"""The most calls that are being taken at the same time. Further calls are not answered."""

Attend = Callable[[trio.abc.Stream, Address], Awaitable[None]]
"""A function that serves an incoming stream, given the stream and where it comes from."""
Tell = Callable[[str, Reason | None], None]
"""A function that is told that this program cannot wait at a relay ('relay+host:port'), and why.

The reason is None when the program can wait there again.
"""


@dataclass(eq=False, repr=False)
class WaitingAtRelay:
    """A task that keeps one program registered at one relay, so that other peers can call it.

    Attributes:
        is_registered: Whether calls through this relay can reach this program now.
    """

    _network: Network
    _relay: Address
    _identity: Identity
    _instance: bytes
    _limits: Limits
    _tell: Tell
    _is_told: bool = False
    _began: float = field(default_factory=trio.current_time)
    _taking: int = 0
    _failure: NetError | None = None
    _news: trio.Event = field(default_factory=trio.Event)
    is_registered: bool = False

    async def registered(self) -> None:
        """Wait until the relay lets this program wait there.

        Raises:
            NetError: The last failure, at once if it is final, else after `Limits.waiting` seconds.
                The attempts go on in `run` nevertheless.
        """
        with trio.move_on_after(self._limits.waiting):
            while not (self.is_registered or (self._failure and self._failure.is_final)):
                await self._news.wait()
        if not self.is_registered:
            raise self._failure or self._slow(self._limits.waiting)

    def _slow(self, seconds: float) -> NetError:
        return NetError(NetCode.SLOW, address=str(self._relay), seconds=seconds)

    async def run(self, nursery: trio.Nursery, attend: Attend) -> None:
        """Stay registered at the relay and accept the calls of other peers, until cancelled.

        A call goes on in `nursery` even if the connection by which this program is registered ends.
        """
        pause = self._limits.first_pause
        while True:
            stream = await self._register()
            if stream is not None:
                began = trio.current_time()
                await self._stay(stream, nursery, attend)
                # Only a connection that has lasted resets the pause, or a relay that cuts each one
                # would be dialled without end at a high rate.
                if trio.current_time() - began >= self._limits.silence:
                    pause = self._limits.first_pause
            await trio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, self._limits.longest_pause)

    async def _register(self) -> trio.abc.Stream | None:
        """Register once. If that fails, note the failure and return None."""
        stream, failure = None, self._slow(self._limits.dial)
        try:
            with trio.move_on_after(self._limits.dial):
                stream = await register(self._network, self._relay, self._identity, self._instance)
        except NetError as error:
            failure = error
        self._note(None if stream is not None else failure)
        return stream

    def _note(self, failure: NetError | None) -> None:
        """Store the result of an attempt, and tell the first failure and the success after it."""
        self._failure, self.is_registered = failure, failure is None
        self._news.set()
        # An event cannot be cleared, and who waits for news would spin on a set one.
        self._news = trio.Event()
        if failure is None and self._is_told:
            self._is_told = False
            self._tell(str(self._relay), None)
        elif failure is not None and not self._is_told and not self._is_usual(failure):
            self._is_told = True
            self._tell(str(self._relay), failure.reason)

    def _is_usual(self, failure: NetError) -> bool:
        """Return whether a relay may just not have noticed yet that this program was restarted."""
        # The relay keeps the connection of the earlier process until it was silent for long enough.
        is_elsewhere = isinstance(failure, RefusedError) and failure.elsewhere
        return is_elsewhere and trio.current_time() < self._began + 2 * self._limits.silence

    async def _stay(self, stream: trio.abc.Stream, nursery: trio.Nursery, attend: Attend) -> None:
        """Take the calls that the relay announces on `stream`, until this connection ends."""

        async def hear(token: bytes) -> None:
            # The relay may announce calls without end. Each one costs this program a connection.
            if len(token) == TOKEN and self._taking < MOST_AT_ONCE:
                # Counted here, because the task may start only after further calls were heard.
                self._taking += 1
                nursery.start_soon(self._take, token, attend)

        try:
            # A relay has nothing long to say, and is not to be trusted with more memory.
            limits = replace(self._limits, frame=MAX_HANDSHAKE_FRAME, longest=None)
            await Link(stream, limits).run(trio.lowlevel.checkpoint, hear)
        finally:
            self.is_registered = False

    async def _take(self, token: bytes, attend: Attend) -> None:
        """Accept the call that the relay announced with a token, and serve the stream."""
        stream = None
        try:
            with trio.move_on_after(self._limits.dial):
                stream = await spliced(self._network, self._relay, TAKE + token)
        except NetError:
            return  # The caller notices that nobody has answered, and tries again.
        finally:
            # Before `attend`: a call that lasts must not keep others from being taken.
            self._taking -= 1
        if stream is not None:
            await attend(stream, self._relay)
