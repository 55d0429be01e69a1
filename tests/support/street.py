"""A relay with people around it, in memory unless told otherwise."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.protocol_versions import RELAY_VERSIONS
from p2p_hoity.net.relay_tls import secure_to
from p2p_hoity.net.transport import encode_frame, read_frame
from protocol.crypto.identities import Identity
from support.memory_network import MemoryNetwork
from support.relays import serve_relay
from support.running import running

SEAT = Identity(bytes([1]) * 32)
GUEST = Identity(bytes([2]) * 32)
OTHER = Identity(bytes([3]) * 32)
RELAY = Identity(bytes([4]) * 32)
ONE, TWO = bytes(16), bytes([1]) * 16


class Street:
    """A relay with hubs around it, in memory unless told otherwise."""

    def __init__(self, nursery, network):
        self.nursery, self.network, self.place = nursery, network, ""
        self.relaying = trio.CancelScope()

    async def open_relay(self, port=0, limits=None):
        (self.place,) = await self.nursery.start(self._serve, port, limits)

    async def _serve(self, port, limits, task_status):
        how = {"identity": RELAY, "limits": limits, "network": self.network}
        with trio.CancelScope() as self.relaying:
            await serve_relay("127.0.0.1", port, **how, task_status=task_status)

    async def hub(self, identity):
        hub = Hub(identity, network=self.network)
        await self.nursery.start(hub.run)
        return hub

    @property
    def relay(self):
        host, _, port = self.place.rpartition(":")
        return Address(host, int(port), Scheme.RELAY)

    async def say(self, wish):
        """Say something to the relay after its challenge; the stream and the verdict."""
        raw = await self.network.open(self.relay)
        stream, peer, certificate = await secure_to(raw)
        challenge = await read_frame(stream, 256)
        if callable(wish):
            wish = wish(peer, certificate, challenge)
        else:
            wish = wish[:1] + bytes([RELAY_VERSIONS.highest]) + wish[1:]
        await stream.send_all(encode_frame(wish))
        try:
            return stream, await read_frame(stream, 256)
        except NetError:
            return stream, None


@asynccontextmanager
async def street(*, network=None, limits=None):
    async with running() as nursery:
        made = Street(nursery, network or MemoryNetwork())
        await made.open_relay(limits=limits)
        yield made


class Stuck(trio.abc.Stream):
    """A stream of which the far end takes nothing once `stuck` is set."""

    def __init__(self, stream):
        self.stream, self.stuck = stream, False

    async def send_all(self, data):
        if self.stuck:
            await trio.sleep_forever()
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self):
        pass

    async def receive_some(self, max_bytes=None):
        return await self.stream.receive_some(max_bytes)

    async def aclose(self):
        await self.stream.aclose()


@asynccontextmanager
async def street_for_two(**how: Any) -> AsyncIterator[tuple[Street, Hub, Hub]]:
    """A relay, a seat and a guest."""
    async with street(**how) as there:
        yield there, await there.hub(SEAT), await there.hub(GUEST)


async def until_cut(stream: trio.abc.ReceiveStream) -> float:
    """After how many seconds a stream ends."""
    began = trio.current_time()
    while await stream.receive_some():
        pass
    return trio.current_time() - began
