"""Asking a router over UDP: a question is sent again until it is answered, or patience ends."""

from __future__ import annotations

import ipaddress
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Final, Protocol, TypeVar

import trio

PORT: Final = 5351
"""Where routers listen for PCP (RFC 6887, section 19.1) and NAT-PMP."""
LONGEST: Final = 2048
Answer = TypeVar("Answer")


class Datagrams(Protocol):
    """Datagrams to one router and from it alone."""

    @property
    def own(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """Our own address on the way to it."""
        ...

    @property
    def router(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """Its address."""
        ...

    async def send(self, data: bytes) -> None:
        """Send one; OSError when it is known that nobody listens there."""
        ...

    async def receive(self) -> bytes:
        """The next one; OSError when it is known that nobody listens there."""
        ...


class UdpDatagrams:
    """A UDP socket that the system lets hear this one router only ([L-52])."""

    def __init__(self, socket: trio.socket.SocketType) -> None:
        self._socket = socket

    @property
    def own(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """The address that the system sends from."""
        return ipaddress.ip_address(self._socket.getsockname()[0])

    @property
    def router(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """The one address that is sent to and heard."""
        return ipaddress.ip_address(self._socket.getpeername()[0])

    async def send(self, data: bytes) -> None:
        """Send one."""
        await self._socket.send(data)

    async def receive(self) -> bytes:
        """The next one, cut to what no sound answer reaches."""
        return await self._socket.recv(LONGEST)


@asynccontextmanager
async def datagrams(router: str, port: int = PORT) -> AsyncIterator[UdpDatagrams]:
    """Datagrams to a router by its IPv4 address; OSError when there is no way to it."""
    with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as socket:
        await socket.connect((router, port))
        yield UdpDatagrams(socket)


def pcp_pauses(times: int) -> Iterator[float]:
    """How long an answer is awaited each time: 3 s, then about twice as long as before, at most
    1024 s, each a tenth more or less (RFC 6887, section 8.1.1)."""
    pause = 3.0 * random.uniform(0.9, 1.1)
    for _ in range(times):
        yield pause
        pause = min(2 * pause, 1024.0) * random.uniform(0.9, 1.1)


def natpmp_pauses(times: int) -> Iterator[float]:
    """250 ms, then twice as long as before (RFC 6886, section 3.1)."""
    return (0.25 * 2**time for time in range(times))


async def ask(
    wire: Datagrams,
    request: bytes,
    read: Callable[[bytes], Answer | None],
    pauses: Iterator[float],
) -> Answer | None:
    """The first answer that `read` takes; None when none came in all the pauses. OSError when
    nobody listens there. What `read` does not take is dropped, and the wait goes on."""
    for pause in pauses:
        await wire.send(request)
        with trio.move_on_after(pause):
            while True:
                answer = read(await wire.receive())
                if answer is not None:
                    return answer
    return None
