"""The relay as its users see it: waiting there, calling a peer, and mailboxes for codes.

What comes through a mailbox proves nothing: the relay reads all of it, and can write what it likes.

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
from protocol.bounds import Quota, Seconds

from ..coded_errors import Code, CodedError, Reason, because
from .addresses import Address, Scheme, numeric, parse_address
from .dialler import Secured
from .link_limits import Limits
from .network_errors import NetCode, NetError, NobodyError, RefusedError, TicketError
from .peer_link import Link
from .secure_channel import (
    MAX_HANDSHAKE_FRAME,
    RELAY_VERSIONS,
    BegunStream,
    HandshakeCode,
    Listener,
    Purpose,
    expect_welcome,
    laid_aside,
    receive,
    secure_to,
    send,
)
from .ticket import decode_address, encode_address
from .transport import Network, Outlet, cut

NUMBER: Final = 4
"""Bytes of the number of a mailbox, big-endian."""
MOST_NUMBER: Final = 999_999_999
"""The highest number of a mailbox."""
MOST_FRAME: Final = 8192
"""Bytes of one frame through a mailbox."""
MOST_FRAMES: Final[Quota] = 4
"""Frames that either end sends in one conversation. An exchange takes two."""


class MailboxCode(Code):
    """Reasons why a conversation is ended here."""

    TOO_MUCH = "mailbox-too-much-said", "the other end sent more than the exchange of a code needs"


def mailbox_limits(limits: Limits) -> Limits:
    """Return limits for a link that carries the frames of one mailbox and no more.

    Args:
        limits: The usual limits.

    Returns:
        The reduced limits.
    """
    frames = MOST_FRAMES + 1
    queue_bytes = frames * MOST_FRAME
    return replace(limits, frame=MOST_FRAME, queue_frames=2 * frames, queue_bytes=queue_bytes)


class Conversation:
    """The own end of a mailbox."""

    def __init__(self, stream: trio.abc.Stream, limits: Limits) -> None:
        self._link = Link(stream, limits)
        self._said, self._heard = trio.open_memory_channel[bytes](2 * MOST_FRAMES)

    def post(self, data: bytes) -> None:
        """Send a frame. If the other end is gone, the next `receive` raises an error.

        Args:
            data: The frame.
        """
        self._link.post(data)

    async def receive(self) -> bytes:
        """Wait for the next frame.

        Returns:
            The frame.

        Raises:
            NetError: When the conversation has ended.
        """
        with suppress(trio.EndOfChannel):
            return await self._heard.receive()
        raise NetError(NetCode.FAILED, why=self._link.reason or because(NetCode.CUT))

    async def run(self) -> None:
        """Carry frames until either end closes the conversation."""

        async def hear(data: bytes) -> None:
            try:
                self._said.send_nowait(data)
            except trio.WouldBlock:
                self._link.close(because(MailboxCode.TOO_MUCH))

        with self._said:
            await self._link.run(trio.lowlevel.checkpoint, hear)


@asynccontextmanager
async def conversation(
    network: Network, relay: Address, wish: bytes, limits: Limits
) -> AsyncIterator[Conversation]:
    """Open a conversation at a relay, and cut it at the end.

    Args:
        network: Dials the relay.
        relay: The relay.
        wish: Empty for a new mailbox, or the number of one and the first frame.
        limits: Times and sizes.

    Yields:
        The conversation.

    Raises:
        NetError: If there is none. It is a RefusedError if the relay has refused.
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


# The first byte of what a dialler tells a relay after its challenge.
REGISTER = b"R"
"""The request to wait at a relay."""
CALL = b"C"
"""The request to call a node that waits."""
TAKE = b"T"
"""The request to take a call."""
OBSERVE = b"O"
"""The request to be told from where the connection comes."""
WORD = b"W"
"""The request for a mailbox."""
GREETING: Final[Seconds] = 15.0
"""Seconds for which a relay that cuts the connection is tried again, if the caller has the time."""
FIRST_PAUSE: Final[Seconds] = 0.25
"""Seconds until it is first tried again."""
LONGEST_PAUSE: Final[Seconds] = 1.0
"""Seconds between two of these attempts at most."""
TOKEN = 16
"""Bytes of the token by which a waiting node takes a call."""


async def reach(network: Network, address: Address, peer: bytes) -> Secured:
    """Open a TLS stream to a peer, and check its key.

    Args:
        network: Dials the address.
        address: Where the peer is reached.
        peer: The id of the peer, 32 bytes.

    Returns:
        The stream. A NetError that names the address is raised if it fails.
    """
    if address.via_relay:
        raw = await spliced(network, address, CALL + peer)
    else:
        raw = await network.open(address)
    return await secure(raw, address, peer)


async def secure(raw: trio.abc.Stream, address: Address, peer: bytes | None) -> Secured:
    """Begin TLS on a stream.

    The stream is cut, and NetError raised, unless the peer has the expected key.

    Args:
        raw: The stream.
        address: Where it leads.
        peer: The id of the peer, None for any.

    Returns:
        The TLS stream.
    """
    async with _cut_on_failure(raw, address):
        stream, listener, certificate = await secure_to(raw, peer)
    return Secured(stream, listener, certificate, address)


@asynccontextmanager
async def _cut_on_failure(
    stream: trio.abc.Stream, address: Address, refusals: bool = False
) -> AsyncIterator[None]:
    """Cut a stream if the attempt inside fails or is cancelled, and name its address in the error.

    A refusal counts as a failure like any other, since a relay cannot speak for a peer, unless
    `refusals` is set.
    """
    done, where = False, str(address)
    try:
        yield
        done = True
    except NetError as error:
        if refusals and isinstance(error, RefusedError):
            told = error.elsewhere, error.full
            raise RefusedError(NetCode.AT, *told, address=where, why=error.reason) from error
        kind = NobodyError if error.is_final else NetError
        raise kind(NetCode.AT, address=where, why=error.reason) from error
    finally:
        if not done:
            await cut(stream)


async def spliced(network: Network, relay: Address, wish: bytes) -> trio.abc.Stream:
    """Open a stream to the other end of a call, which a relay connects ([L-4], [L-32]).

    Args:
        network: Dials the relay.
        relay: The relay.
        wish: `CALL` and the id of the peer that waits there, or `TAKE` and the token of a call.

    Returns:
        The stream.
    """
    secured, challenge = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        await send(secured.stream, said(wish, challenge))
        await expect_welcome(secured.stream)
        bare, early = await laid_aside(secured.stream)
        return BegunStream(early, bare) if early else bare


async def observed(network: Network, relay: Address) -> Address:
    """Ask a relay from which address it sees this node. The answer is not to be relied on ([L-4]).

    Args:
        network: Dials the relay.
        relay: The relay.

    Returns:
        The address. A NetError is raised if the relay cannot be asked, or answers anything but one
        IP address and port ([L-31]).
    """
    async with observing(network, relay) as found:
        return found


@asynccontextmanager
async def observing(network: Network | Outlet, relay: Address) -> AsyncIterator[Address]:
    """Ask a relay as `observed` does, and leave the connection open while inside.

    So a NAT remembers the port.

    Args:
        network: Dials the relay.
        relay: The relay.

    Yields:
        The address.
    """
    secured, challenge = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        await send(secured.stream, said(OBSERVE, challenge))
        found = read_seen(await receive(secured.stream))
    try:
        yield found
    finally:
        await cut(secured.stream)


def said(wish: bytes, challenge: bytes) -> bytes:
    """Return a request as a relay receives it: its letter, the version, and the rest.

    Args:
        wish: The letter and the rest.
        challenge: The challenge of the relay.

    Returns:
        The bytes. A NobodyError is raised if the relay has no version in common with this program.

    SPEC: [L-76].
    """
    return wish[:1] + bytes([RELAY_VERSIONS.take(challenge)]) + wish[1:]


def seen_from(address: Address) -> bytes:
    """Return the answer of a relay to a node that asks from where it comes.

    Args:
        address: Where the connection comes from.

    Returns:
        The bytes.

    Raises:
        NetError: If it is no IP address.
    """
    found = numeric(address)
    if found is None:
        raise NetError(HandshakeCode.NO_ADDRESS)
    return encode_address(str(found))


def read_seen(data: bytes) -> Address:
    """Read the answer of a relay to a node that asks from where it comes ([L-31]).

    Args:
        data: The bytes.

    Returns:
        The IP address and port.

    Raises:
        NetError: If it is anything else.
    """
    try:
        told = parse_address(decode_address(data))
    except TicketError:
        raise NetError(HandshakeCode.NO_ADDRESS) from None
    if numeric(told) != told:
        raise NetError(HandshakeCode.NO_ADDRESS)
    return told


async def register(
    network: Network, relay: Address, identity: Identity, instance: bytes
) -> trio.abc.Stream:
    """Prove the own id to a relay, and wait there for calls.

    Args:
        network: Dials the relay.
        relay: The relay.
        identity: The own identity.
        instance: The number of this process.

    Returns:
        The stream on which the relay announces calls. A RefusedError is raised if another process
        of this identity waits there.
    """
    secured, challenge = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        shown = secured.listener, secured.certificate
        listener = Listener(Purpose.RELAY, *shown, RELAY_VERSIONS)
        answer = listener.answer(identity, instance, challenge)
    return await _welcomed(secured, relay, REGISTER + answer)


async def speak(network: Network, relay: Address, wish: bytes) -> trio.abc.Stream:
    """Open a stream to a mailbox of a relay ([K-6]).

    Args:
        network: Dials the relay.
        relay: The relay.
        wish: Empty for a new mailbox, or the number of one and the first frame.

    Returns:
        The stream. A RefusedError is raised if the relay has no such mailbox, or no room.
    """
    secured, challenge = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        wish = said(WORD + wish, challenge)
    return await _welcomed(secured, relay, wish)


async def _welcomed(secured: Secured, relay: Address, wish: bytes) -> trio.abc.Stream:
    """Send a request, and return the stream when the relay has granted it.

    A refusal stays a RefusedError.
    """
    async with _cut_on_failure(secured.stream, relay, refusals=True):
        await send(secured.stream, wish)
        await expect_welcome(secured.stream)
    return secured.stream


async def _greet(network: Network | Outlet, relay: Address) -> tuple[Secured, bytes]:
    """Open a TLS stream to a relay, whoever it is, and read its challenge.

    A flooded relay cuts new connections at random ([L-12]). So this is repeated until the time of
    the caller is over, or for `GREETING` seconds. Nothing was sent by then that may be sent only
    once ([L-69]). The last failure is raised.
    """
    last = min(trio.current_effective_deadline(), trio.current_time() + GREETING)
    pause = FIRST_PAUSE
    while True:
        rest = pause * random.uniform(0.5, 1.0)
        try:
            raw = await network.open(replace(relay, scheme=Scheme.TCP))
            secured = await secure(raw, relay, None)
            async with _cut_on_failure(secured.stream, relay):
                return secured, await receive(secured.stream)
        except NetError as error:
            if error.is_final or trio.current_time() + rest >= last:
                raise
        await trio.sleep(rest)
        pause = min(2 * pause, LONGEST_PAUSE)


MOST_AT_ONCE: Final[Quota] = 8
"""Calls that are taken at the same time. More are not answered."""

Attend = Callable[[trio.abc.Stream, Address], Awaitable[None]]
"""Serves an incoming stream."""
Tell = Callable[[str, Reason | None], None]
"""Hears that a relay ('relay+host:port') does not let this node wait there, with the reason.

With None it hears that the relay does so again.
"""


@dataclass(eq=False, repr=False)
class WaitingAtRelay:
    """The wait of one id at one relay, begun again whenever it ends.

    Attributes:
        is_registered: Whether calls can reach this node there.
        _network: Dials the relay.
        _relay: The relay.
        _identity: The identity that waits there.
        _instance: The number of this process.
        _limits: Times and sizes.
        _tell: Hears when the relay is lost, and found again.
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
        """Wait until the relay lets this node wait there.

        Raises:
            NetError: The last failure. It is raised at once if another attempt soon would have the
                same result, else after `Limits.waiting` seconds. Attempts continue all the same.
        """
        with trio.move_on_after(self._limits.waiting):
            while not (self.is_registered or (self._failure and self._failure.is_final)):
                await self._news.wait()
        if not self.is_registered:
            raise self._failure or self._slow(self._limits.waiting)

    def _slow(self, seconds: float) -> NetError:
        """Return the error that the relay has not answered in time."""
        return NetError(NetCode.SLOW, address=str(self._relay), seconds=seconds)

    async def run(self, nursery: trio.Nursery, attend: Attend) -> None:
        """Take calls until cancelled.

        Each call is served in the nursery, and outlives the connection to the relay. If the relay
        fails, it is tried again after growing pauses. Others may reach this node directly
        meanwhile.

        Args:
            nursery: Runs the calls.
            attend: Serves the stream of a call.
        """
        pause = self._limits.first_pause
        while True:
            stream = await self._register()
            if stream is not None:
                began = trio.current_time()
                await self._stay(stream, nursery, attend)
                if (
                    trio.current_time() - began >= self._limits.silence
                ):  # The connection has lasted.
                    pause = self._limits.first_pause
            await trio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, self._limits.longest_pause)

    async def _register(self) -> trio.abc.Stream | None:
        """Return a connection on which the relay announces calls.

        Note the failure and return None if there is none.
        """
        stream, failure = None, self._slow(self._limits.dial)
        try:
            with trio.move_on_after(self._limits.dial):
                stream = await register(self._network, self._relay, self._identity, self._instance)
        except NetError as error:
            failure = error
        self._note(None if stream is not None else failure)
        return stream

    def _note(self, failure: NetError | None) -> None:
        """Keep the failure, and tell it once until the relay lets this node wait there."""
        self._failure, self.is_registered = failure, failure is None
        self._news.set()
        self._news = trio.Event()
        if failure is None and self._is_told:
            self._is_told = False
            self._tell(str(self._relay), None)
        elif failure is not None and not self._is_told and not self._is_usual(failure):
            self._is_told = True
            self._tell(str(self._relay), failure.reason)

    def _is_usual(self, failure: NetError) -> bool:
        """Return whether the relay may not have noticed yet that an earlier process is gone."""
        is_elsewhere = isinstance(failure, RefusedError) and failure.elsewhere
        return is_elsewhere and trio.current_time() < self._began + 2 * self._limits.silence

    async def _stay(self, stream: trio.abc.Stream, nursery: trio.Nursery, attend: Attend) -> None:
        """Wait at the relay until the connection ends, and take the calls that it announces."""

        async def hear(token: bytes) -> None:
            if len(token) == TOKEN and self._taking < MOST_AT_ONCE:
                self._taking += 1
                nursery.start_soon(self._take, token, attend)

        try:
            limits = replace(self._limits, frame=MAX_HANDSHAKE_FRAME, longest=None)
            await Link(stream, limits).run(trio.lowlevel.checkpoint, hear)
        finally:
            self.is_registered = False

    async def _take(self, token: bytes, attend: Attend) -> None:
        """Take one call."""
        stream = None
        try:
            with trio.move_on_after(self._limits.dial):
                stream = await spliced(self._network, self._relay, TAKE + token)
        except NetError:
            return  # The caller notices that nobody has answered, and tries again.
        finally:
            self._taking -= 1
        if stream is not None:
            await attend(stream, self._relay)
