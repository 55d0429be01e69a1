"""A relay as its users meet it: waiting there, calling a peer, and mailboxes for codes.

What comes through a mailbox is worth nothing by itself: the relay hears all of it, and can say what
it likes.

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
MOST_FRAME: Final = 8192
"""Bytes of one frame through a mailbox."""
MOST_FRAMES: Final[Quota] = 4
"""Frames that either end says in one conversation; an exchange takes two."""


class MailboxCode(Code):
    """Why a conversation is ended here."""

    TOO_MUCH = "mailbox-too-much-said", "more was said than an exchange takes"


def mailbox_limits(limits: Limits) -> Limits:
    """The same for a link that carries little: one mailbox's frames and no more."""
    frames = MOST_FRAMES + 1
    queue_bytes = frames * MOST_FRAME
    return replace(limits, frame=MOST_FRAME, queue_frames=2 * frames, queue_bytes=queue_bytes)


class Conversation:
    """Our end of a mailbox."""

    def __init__(self, stream: trio.abc.Stream, limits: Limits) -> None:
        self._link = Link(stream, limits)
        self._said, self._heard = trio.open_memory_channel[bytes](2 * MOST_FRAMES)

    def post(self, data: bytes) -> None:
        """Say one frame; nothing happens if the other end is gone, as receiving will tell."""
        self._link.post(data)

    async def receive(self) -> bytes:
        """The next frame; NetError when the conversation has ended."""
        with suppress(trio.EndOfChannel):
            return await self._heard.receive()
        raise NetError(NetCode.FAILED, why=self._link.reason or because(NetCode.CUT))

    async def run(self) -> None:
        """Carry frames until either end has enough."""

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
    """A conversation by a wish to a relay; cut at the end. NetError says why there is none, as
    RefusedError if the relay has said so."""
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
            failed = error  # raised outside: a nursery would make a group of it
        nursery.cancel_scope.cancel()
    if failed is not None:
        raise failed


# The first byte of what a dialler tells a relay after its challenge.
REGISTER = b"R"
CALL = b"C"
TAKE = b"T"
OBSERVE = b"O"
WORD = b"W"
GREETING: Final[Seconds] = 15.0
"""Seconds for which a relay that cuts us is greeted again, if the caller has so long."""
FIRST_PAUSE: Final[Seconds] = 0.25
LONGEST_PAUSE: Final[Seconds] = 1.0
"""Seconds between two of these greetings, at most."""
TOKEN = 16
"""Bytes of the token by which a waiting peer takes one call."""


async def reach(network: Network, address: Address, peer: bytes) -> Secured:
    """A TLS stream to the peer at address, its key checked; NetError names address and failure."""
    if address.via_relay:
        raw = await spliced(network, address, CALL + peer)
    else:
        raw = await network.open(address)
    return await secure(raw, address, peer)


async def secure(raw: trio.abc.Stream, address: Address, peer: bytes | None) -> Secured:
    """TLS on a stream that leads to address; cut, and NetError, unless the peer has the key."""
    async with _cut_on_failure(raw, address):
        stream, listener, certificate = await secure_to(raw, peer)
    return Secured(stream, listener, certificate, address)


@asynccontextmanager
async def _cut_on_failure(
    stream: trio.abc.Stream, address: Address, refusals: bool = False
) -> AsyncIterator[None]:
    """Let no stream leak out of a failed or cancelled attempt; failures name the address.

    What a relay says is not believed, so a refusal is but a failure, unless `refusals` are meant.
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
    """Open a stream to the other end of a call, which a relay splices ([L-4], [L-32]).

    Args:
        network: Dials the relay.
        relay: The relay.
        wish: `CALL` and the id of the peer that waits there, or `TAKE` and the token of a call.
    """
    secured, challenge = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        await send(secured.stream, said(wish, challenge))
        await expect_welcome(secured.stream)
        bare, early = await laid_aside(secured.stream)
        return BegunStream(early, bare) if early else bare


async def observed(network: Network, relay: Address) -> Address:
    """Where a relay says that our connection to it comes from: words, not to be believed ([L-4]).

    NetError when it cannot be asked, or says anything but one IP address and port ([L-31]).
    """
    async with observing(network, relay) as found:
        return found


@asynccontextmanager
async def observing(network: Network | Outlet, relay: Address) -> AsyncIterator[Address]:
    """The same, with our end of the connection open while inside, so that a NAT remembers it."""
    secured, challenge = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        await send(secured.stream, said(OBSERVE, challenge))
        found = read_seen(await receive(secured.stream))
    try:
        yield found
    finally:
        await cut(secured.stream)


def said(wish: bytes, challenge: bytes) -> bytes:
    """Return a wish as a relay gets it: its letter, the version taken, and the rest.

    Raises:
        NobodyError: If the relay speaks no version that we speak, or is none.

    SPEC: [L-76].
    """
    return wish[:1] + bytes([RELAY_VERSIONS.take(challenge)]) + wish[1:]


def seen_from(address: Address) -> bytes:
    """What a relay answers to a newcomer from this address; NetError if it is no IP address."""
    found = numeric(address)
    if found is None:
        raise NetError(HandshakeCode.NO_ADDRESS)
    return encode_address(str(found))


def read_seen(data: bytes) -> Address:
    """The IP address and port in such an answer; NetError if it is anything else ([L-31])."""
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
    """A stream on which a relay announces calls for our id, proven to it first.

    RefusedError when the relay says that another process of ours waits there.
    """
    secured, challenge = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        shown = secured.listener, secured.certificate
        listener = Listener(Purpose.RELAY, *shown, RELAY_VERSIONS)
        answer = listener.answer(identity, instance, challenge)
    return await _welcomed(secured, relay, REGISTER + answer)


async def speak(network: Network, relay: Address, wish: bytes) -> trio.abc.Stream:
    """A stream to a mailbox at a relay: a fresh one, or the one that the wish names ([K-6]).

    RefusedError when the relay has no such one, or no room.
    """
    secured, challenge = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        wish = said(WORD + wish, challenge)
    return await _welcomed(secured, relay, wish)


async def _welcomed(secured: Secured, relay: Address, wish: bytes) -> trio.abc.Stream:
    """The stream, once the relay has granted a wish; its refusal stays a RefusedError."""
    async with _cut_on_failure(secured.stream, relay, refusals=True):
        await send(secured.stream, wish)
        await expect_welcome(secured.stream)
    return secured.stream


async def _greet(network: Network | Outlet, relay: Address) -> tuple[Secured, bytes]:
    """A TLS stream to a relay, whoever it is, and its challenge.

    A relay that is flooded cuts newcomers by lot ([L-12]), so this is tried again, until the
    caller's time is over or for `GREETING` seconds. Nothing was said yet that may be said only
    once ([L-69]). NetError says what failed last.
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
"""Calls being taken at the same time; more are left unanswered."""

Attend = Callable[[trio.abc.Stream, Address], Awaitable[None]]
Tell = Callable[[str, Reason | None], None]
"""Hears that a relay ('relay+host:port') does not let us wait there, and why, or, with None, that
it does again."""


@dataclass(eq=False, repr=False)
class WaitingAtRelay:
    """The registration of one id at one relay, made again and again until it stands.

    Attributes:
        _network: Dials the relay.
        _relay: The relay.
        _identity: The id that waits there.
        _instance: The number of this process.
        _limits: Times and sizes.
        _tell: Hears that the relay does not let us wait there, and that it does again.
        is_registered: Whether calls can reach us there.
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
        """Wait until the relay lets us wait there.

        Raises:
            NetError: What failed last: at once if trying again soon gives the same, else after
                `Limits.waiting` seconds. It is tried again all the same.
        """
        with trio.move_on_after(self._limits.waiting):
            while not (self.is_registered or (self._failure and self._failure.is_final)):
                await self._news.wait()
        if not self.is_registered:
            raise self._failure or self._slow(self._limits.waiting)

    def _slow(self, seconds: float) -> NetError:
        return NetError(NetCode.SLOW, address=str(self._relay), seconds=seconds)

    async def run(self, nursery: trio.Nursery, attend: Attend) -> None:
        """Take calls until cancelled; each is attended in nursery, and outlives this relay link.

        A relay that is away, or cuts us, is asked again after pauses that grow; others may reach us
        directly meanwhile.
        """
        pause = self._limits.first_pause
        while True:
            stream = await self._register()
            if stream is not None:
                began = trio.current_time()
                await self._stay(stream, nursery, attend)
                if trio.current_time() - began >= self._limits.silence:  # it was no flicker
                    pause = self._limits.first_pause
            await trio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, self._limits.longest_pause)

    async def _register(self) -> trio.abc.Stream | None:
        """A connection on which the relay announces calls; None, and it is noted, if it failed."""
        stream, failure = None, self._slow(self._limits.dial)
        try:
            with trio.move_on_after(self._limits.dial):
                stream = await register(self._network, self._relay, self._identity, self._instance)
        except NetError as error:
            failure = error
        self._note(None if stream is not None else failure)
        return stream

    def _note(self, failure: NetError | None) -> None:
        """Keep what failed, and tell it once until the relay lets us wait there."""
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
        """Whether the relay has not noticed yet that an earlier process of ours is gone."""
        is_elsewhere = isinstance(failure, RefusedError) and failure.elsewhere
        return is_elsewhere and trio.current_time() < self._began + 2 * self._limits.silence

    async def _stay(self, stream: trio.abc.Stream, nursery: trio.Nursery, attend: Attend) -> None:
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
        stream = None
        try:
            with trio.move_on_after(self._limits.dial):
                stream = await spliced(self._network, self._relay, TAKE + token)
        except NetError:
            return  # the caller sees that nobody answered, and tries again
        finally:
            self._taking -= 1
        if stream is not None:
            await attend(stream, self._relay)
