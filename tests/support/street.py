"""A relay with people around it, in memory unless told otherwise."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import trio

from p2p_hoity.net.addresses import relay_address
from p2p_hoity.net.handshake import Listener, Purpose
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.protocol_versions import RELAY_VERSIONS
from p2p_hoity.net.relay_client import CALL, TAKE, TOKEN, register, spliced
from p2p_hoity.net.relay_tls import secure_to
from p2p_hoity.net.transport import encode_frame, read_frame
from p2p_hoity.net.web_relay import enter_web_relay
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
        return relay_address(self.place)

    async def enter(self, raw=None):
        """A connection to the relay before its challenge, and the relay as one proves an id."""
        raw = raw or await self.network.open(self.relay)
        if self.relay.is_web:
            stream = await enter_web_relay(raw, self.relay)
            shown = b"", self.relay.place.encode()
            return stream, Listener(Purpose.RELAY_WEB, *shown, RELAY_VERSIONS)
        stream, *shown = await secure_to(raw)
        return stream, Listener(Purpose.RELAY, *shown, RELAY_VERSIONS)

    async def say(self, wish):
        """Say something to the relay after its challenge; the stream and the verdict."""
        stream, listener = await self.enter()
        challenge = await read_frame(stream, 256)
        if callable(wish):
            wish = wish(listener, challenge)
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


async def beat(stream):
    """Live on it, and read nothing."""
    while True:
        await stream.send_all(encode_frame(b""))
        await trio.sleep(2)


async def quietly(act, *args):
    """Do something until the stream breaks."""
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        await act(*args)


async def seated(there):
    """The stream of a seat that waits and lives."""
    seat = await register(there.network, there.relay, SEAT, ONE)
    there.nursery.start_soon(quietly, beat, seat)
    return seat


async def announced(there, seat, raw=None):
    """A call that the seat is told of: the caller's stream, and the token."""
    caller, _listener = await there.enter(raw)
    await read_frame(caller, 256)
    await caller.send_all(encode_frame(CALL + b"\1" + SEAT.public))
    return caller, await token_at(seat)


async def token_at(seat):
    """The token of the next call that a waiting seat is told of."""
    while len(token := await read_frame(seat, 256)) != TOKEN:
        pass
    return token


async def quietly_taken(there, token, heard=None):
    """Take a call, and hear what comes."""
    stream = await spliced(there.network, there.relay, TAKE + token)
    while piece := await stream.receive_some():
        if heard is not None:
            heard.append(piece)
