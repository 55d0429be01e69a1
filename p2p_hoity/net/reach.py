"""From an address to a secured stream: directly, or spliced through a relay."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

import trio

from protocol.bounds import Seconds

from .addresses import Address, numeric, parse_address
from .errors import NetCode, NetError, NobodyError, RefusedError, TicketError
from .handshake import HandshakeCode, Identity, Listener, Purpose, expect_welcome, receive, send
from .network import Network, Outlet, cut
from .race import Secured
from .ticket import decode_address, encode_address
from .tls import BegunStream, TlsStream, laid_aside, secure_to

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
        raw = await call(network, address, peer)
    else:
        raw = await network.open(address)
    return await secure(raw, address, peer)


async def secure(raw: trio.abc.Stream, address: Address, peer: bytes | None) -> Secured:
    """TLS on a stream that leads to address; cut, and NetError, unless the peer has the key."""
    async with _cut_on_failure(raw, address):
        stream, listener, certificate = await secure_to(raw, peer)
    return Secured(stream, listener, certificate, address)


@asynccontextmanager
async def _cut_on_failure(stream: trio.abc.Stream, address: Address) -> AsyncIterator[None]:
    """Let no stream leak out of a failed or cancelled attempt; failures name the address."""
    done = False
    try:
        yield
        done = True
    except NobodyError as error:
        raise NobodyError(NetCode.AT, address=str(address), why=error.reason) from error
    except NetError as error:  # what a relay says is not believed: its reasons are but words
        raise NetError(NetCode.AT, address=str(address), why=error.reason) from error
    finally:
        if not done:
            await cut(stream)


async def call(network: Network, relay: Address, peer: bytes) -> trio.abc.Stream:
    """A stream spliced to the peer that waits at a relay ([L-4])."""
    secured, _ = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        await send(secured.stream, CALL + peer)
        return await _spliced(secured.stream)


async def take(network: Network, relay: Address, token: bytes) -> trio.abc.Stream:
    """A stream spliced to whoever made the call that the token stands for."""
    secured, _ = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        await send(secured.stream, TAKE + token)
        return await _spliced(secured.stream)


async def _spliced(stream: TlsStream) -> trio.abc.Stream:
    """What leads to the other end once the relay is silent; TLS with it comes next ([L-32])."""
    await expect_welcome(stream)
    bare, early = await laid_aside(stream)
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
    secured, _ = await _greet(network, relay)
    async with _cut_on_failure(secured.stream, relay):
        await send(secured.stream, OBSERVE)
        found = read_seen(await receive(secured.stream))
    try:
        yield found
    finally:
        await cut(secured.stream)


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
        listener = Listener(Purpose.RELAY, secured.listener, secured.certificate)
        answer = listener.answer(identity, instance, challenge)
    return await _welcomed(secured, relay, REGISTER + answer)


async def speak(network: Network, relay: Address, wish: bytes) -> trio.abc.Stream:
    """A stream to a mailbox at a relay: a fresh one, or the one that the wish names ([K-6]).

    RefusedError when the relay has no such one, or no room.
    """
    secured, _ = await _greet(network, relay)
    return await _welcomed(secured, relay, WORD + wish)


async def _welcomed(secured: Secured, relay: Address, wish: bytes) -> trio.abc.Stream:
    """The stream, once the relay has granted a wish; its refusal stays a RefusedError."""
    refused: RefusedError | None = None
    async with _cut_on_failure(secured.stream, relay):
        await send(secured.stream, wish)
        try:
            await expect_welcome(secured.stream)
        except RefusedError as error:
            refused = error
    if refused is not None:
        await cut(secured.stream)
        where, reason = str(relay), refused.reason
        raise RefusedError(NetCode.AT, refused.elsewhere, address=where, why=reason)
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
            return await _greet_once(network, relay)
        except NetError as error:
            if error.is_final or trio.current_time() + rest >= last:
                raise
        await trio.sleep(rest)
        pause = min(2 * pause, LONGEST_PAUSE)


async def _greet_once(network: Network | Outlet, relay: Address) -> tuple[Secured, bytes]:
    raw = await network.open(replace(relay, via_relay=False))
    secured = await secure(raw, relay, None)
    async with _cut_on_failure(secured.stream, relay):
        return secured, await receive(secured.stream)
