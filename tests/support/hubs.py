"""Hubs of seeded identities, linked or dialled by hand."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import trio

from p2p_hoity.net.channel import Channel, open_channel
from p2p_hoity.net.handshake import Listener, Purpose
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.protocol_versions import Speech
from p2p_hoity.net.transport import Network, encode_frame, read_frame
from protocol.crypto.identities import Identity
from support.running import running

LOW, HIGH = sorted((Identity(bytes([n]) * 32) for n in (1, 2)), key=lambda one: one.public)
THIRD = Identity(bytes([3]) * 32)
LOOPBACK = "127.0.0.1"
HELLO = encode_frame(Speech().hello())


@asynccontextmanager
async def hubs(
    *identities: Identity,
    network: Network | None = None,
    limits: Limits | None = None,
    speech: Speech | None = None,
) -> AsyncIterator[list[Hub]]:
    """Running hubs of these identities."""
    made = [Hub(identity, network=network, limits=limits, speech=speech) for identity in identities]
    async with running() as nursery:
        for hub in made:
            await nursery.start(hub.run)
        yield made


async def linked_pair(a: Hub, b: Hub, host: str = LOOPBACK) -> tuple[Any, Any]:
    """Link b to a, and take the LinkUp of both."""
    addresses = await a.listen(host, 0)
    await b.connect(addresses, a._identity.public, 5)
    return await a.events.receive(), await b.events.receive()


@asynccontextmanager
async def pair(network: Network | None = None) -> AsyncIterator[tuple[Hub, Hub]]:
    """Two linked hubs of which nobody has heard anything yet but that."""
    async with hubs(LOW, HIGH, network=network) as (a, b):
        await linked_pair(a, b, LOOPBACK if network is None else "table")
        yield a, b


async def dial_by_hand(
    place: str,
    me: Identity,
    listener: Identity,
    tamper: Callable[[bytes], bytes] = lambda data: data,
    instance: bytes = bytes(16),
    hello: bytes = HELLO,
) -> tuple[Channel, bytes]:
    """Prove an id to a hub without a hub, and return the stream and the verdict."""
    host, _, port = place.rpartition(":")
    raw = await trio.open_tcp_stream(host, int(port))
    stream = await open_channel(raw, listener.public)
    challenge = await read_frame(stream, 256)
    known = Listener(Purpose.LINK, listener.public, stream.handshake_hash)
    data = tamper(known.answer(me, instance, challenge))
    await stream.send_all(encode_frame(data) + hello)
    verdict = await read_frame(stream, 256)
    if verdict == b"\0":
        assert await read_frame(stream, 256) == HELLO[4:]
    return stream, verdict
