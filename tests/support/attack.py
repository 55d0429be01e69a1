"""Attacks by strangers on a running peer: each is a coroutine over real sockets.

    python -m support.attack KIND HOST:PORT HOST_ID SECONDS [NUMBER]

The last line it prints is JSON: what was tried how often. SIGTERM ends it sooner.
"""

import json
import os
import signal
import socket
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trio

from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.errors import NetError
from p2p_hoity.net.events import LinkUp
from p2p_hoity.net.framing import encode_frame
from p2p_hoity.net.handshake import Listener, Purpose, fresh_instance, receive, send
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.network import TcpNetwork
from p2p_hoity.net.reach import reach
from p2p_hoity.session.lobby import Names, encode_lobby
from p2p_hoity.session.nursery import open_nursery
from protocol.crypto.signing import Identity
from protocol.wire import frames


@dataclass
class Target:
    """Who is attacked, by how many connections, and what came of it."""

    address: str
    id: bytes
    number: int
    counts: Counter[str] = field(default_factory=Counter)

    async def raw(self) -> trio.SocketStream:
        where = parse_address(self.address)
        return await trio.open_tcp_stream(where.host, where.port)

    async def secured(self) -> tuple[trio.abc.Stream, bytes]:
        """TLS to the target; (stream, digest of its certificate)."""
        found = await reach(TcpNetwork(), parse_address(self.address), self.id)
        return found.stream, found.certificate

    def answer(self, who: Identity, certificate: bytes, challenge: bytes) -> bytes:
        """A key's honest answer, by a process of its own."""
        listener = Listener(Purpose.LINK, self.id, certificate)
        return listener.answer(who, fresh_instance(), challenge)

    @asynccontextmanager
    async def answered(self) -> AsyncIterator[trio.abc.Stream]:
        """The same, and a fresh key's honest answer is sent."""
        stream, certificate = await self.secured()
        async with stream:
            who, challenge = Identity(os.urandom(32)), await receive(stream)
            await send(stream, self.answer(who, certificate, challenge))
            yield stream


Attack = Callable[[Target], Awaitable[None]]


async def garbage(target: Target) -> None:
    """Random bytes, again and again."""
    while True:
        stream = await target.raw()
        target.counts["connections"] += 1
        async with stream:
            await stream.send_all(os.urandom(4096))


async def slow(target: Target) -> None:
    """A handshake, one byte in half a second, until it is cut."""
    while True:
        stream = await target.raw()
        target.counts["connections"] += 1
        async with stream:
            while True:
                await stream.send_all(b"\x16")
                await trio.sleep(0.5)


async def silent(target: Target) -> None:
    """A connection that says nothing."""
    while True:
        stream = await target.raw()
        target.counts["connections"] += 1
        async with stream:
            await stream.receive_some(1)
            target.counts["cut"] += 1


async def impostor(target: Target) -> None:
    """Claim the target's guest to be someone else: a signature by another key."""
    real, claimed = Identity(os.urandom(32)), Identity(os.urandom(32))
    while True:
        stream, certificate = await target.secured()
        async with stream:
            challenge = await receive(stream)
            said = target.answer(real, certificate, challenge)
            await send(stream, claimed.public + said[32:])
            verdict = await receive(stream)
            target.counts["believed" if verdict == b"\0" else "refused"] += 1


async def replay(target: Target) -> None:
    """An honest answer to an earlier challenge, sent again."""
    who, said = Identity(os.urandom(32)), b""
    while True:
        stream, certificate = await target.secured()
        async with stream:
            challenge = await receive(stream)
            first = not said
            said = said or target.answer(who, certificate, challenge)
            await send(stream, said)
            verdict = await receive(stream)
            target.counts["linked" if first else f"replayed {verdict[0]}"] += 1


async def _linked(target: Target, then: Callable[[Hub], Awaitable[None]]) -> None:
    hub = Hub(Identity(os.urandom(32)))
    async with open_nursery() as nursery:
        await nursery.start(hub.run)
        await hub.connect([target.address], target.id, 10.0)
        target.counts["links"] += 1
        nursery.start_soon(_read, hub, target)
        await then(hub)
        nursery.cancel_scope.cancel()


async def _read(hub: Hub, target: Target) -> None:
    async for event in hub.events:
        if isinstance(event, LinkUp):
            continue
        target.counts[type(event).__name__] += 1


async def oversized(target: Target) -> None:
    """A link whose frame announces four gigabytes."""
    while True:
        async with target.answered() as stream:
            await receive(stream)
            await stream.send_all(b"\xff\xff\xff\xff" + bytes(1024))
            target.counts["sent"] += 1
            while await stream.receive_some(4096):
                pass


async def deaf(target: Target) -> None:
    """A link that asks for everything and never reads."""
    while True:
        async with target.answered() as stream:
            ask = encode_frame(frames.encode_frame(frames.Sync(0, 0, ())))
            target.counts["links"] += 1
            while True:
                await stream.send_all(ask)
                target.counts["asked"] += 1
                await trio.sleep(0.01)


async def _flood(target: Target, frame: Callable[[], bytes]) -> None:
    async def pour(hub: Hub) -> None:
        while hub.linked(target.id):
            for _ in range(32):
                hub.post(target.id, frame())
                target.counts["frames"] += 1
            await hub.flush(1.0)
            await trio.lowlevel.checkpoint()

    while True:
        await _linked(target, pour)


async def questions(target: Target) -> None:
    """A link that asks for everything as fast as it can, and reads."""
    await _flood(target, lambda: frames.encode_frame(frames.Sync(0, 0, ())))


async def chatter(target: Target) -> None:
    """Well-formed lobby frames that mean nothing here, as large as they may be."""
    words = encode_lobby(Names(tuple("x" * 64 for _ in range(6))))
    await _flood(target, lambda: words)


async def heavy(target: Target) -> None:
    """Frames of the largest size that carry nothing."""
    body = b"\x92\x00\xc6" + (999_990).to_bytes(4, "big") + bytes(999_990)
    await _flood(target, lambda: body)


ATTACKS: dict[str, Attack] = {
    a.__name__: a
    for a in (
        garbage, slow, silent, impostor, replay, oversized, deaf, questions, chatter, heavy,
    )
}  # fmt: skip


async def hand(attack: Attack, target: Target) -> None:
    """One attacker, who begins again whenever it is cut."""
    while True:
        try:
            await attack(target)
        except (OSError, NetError, trio.BrokenResourceError, trio.ClosedResourceError):
            target.counts["cut"] += 1
            await trio.sleep(0.05)


async def run(kind: str, address: str, host: str, seconds: float, number: int) -> Counter[str]:
    target = Target(address, bytes.fromhex(host), number)
    with trio.move_on_after(seconds), trio.open_signal_receiver(signal.SIGTERM) as told:
        async with trio.open_nursery() as nursery:
            for _ in range(number):
                nursery.start_soon(hand, ATTACKS[kind], target)
            await anext(told)
            nursery.cancel_scope.cancel()
    return target.counts


if __name__ == "__main__":
    socket.setdefaulttimeout(None)
    kind, address, host, seconds, *more = sys.argv[1:]
    counts = trio.run(run, kind, address, host, float(seconds), int(more[0]) if more else 4)
    print(json.dumps({"attack": kind, **counts}))
