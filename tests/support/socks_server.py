"""A small SOCKS5 proxy (RFC 1928, 1929) over real sockets, for tests; it shares no code with the
product or its library, and can refuse, lie or hang."""

import ipaddress
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trio

SUCCEEDED = b"\x05\x00\x00\x01" + bytes(6)


@dataclass
class SocksServer:
    """`login`: the name and password it wants; `reply`: what it answers a request with instead of
    connecting; `lie`: what it says to the greeting; `hangs`: it says nothing; `where`: names that
    it knows, as Tor knows `.onion`."""

    login: tuple[bytes, bytes] | None = None
    reply: int = 0
    lie: bytes | None = None
    hangs: bool = False
    slow: float = 0.0
    where: dict[str, tuple[str, int]] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)
    port: int = 0

    async def _attend(self, stream: trio.SocketStream) -> None:
        async with stream:
            try:
                await self._serve(stream)
            except (EOFError, trio.BrokenResourceError, OSError):
                return

    async def _serve(self, stream: trio.SocketStream) -> None:
        if self.hangs:
            await trio.sleep_forever()
        await trio.sleep(self.slow)
        version, count = await _read(stream, 2)
        methods = await _read(stream, count)
        if self.lie is not None or version != 5:
            await stream.send_all(self.lie or b"")
            return
        if self.login is not None and not await self._log_in(stream, methods):
            return
        if self.login is None:
            await stream.send_all(b"\x05\x00")
        host, port = await _request(stream)
        self.asked.append((host, port))
        if self.reply:
            await stream.send_all(bytes([5, self.reply, 0, 1]) + bytes(6))
            return
        far = await trio.open_tcp_stream(*self.where.get(host, (host, port)))
        await stream.send_all(SUCCEEDED)
        async with far, trio.open_nursery() as nursery:
            nursery.start_soon(_pass, stream, far)
            await _pass(far, stream)
            nursery.cancel_scope.cancel()

    async def _log_in(self, stream: trio.SocketStream, methods: bytes) -> bool:
        if 2 not in methods:
            await stream.send_all(b"\x05\xff")
            return False
        await stream.send_all(b"\x05\x02")
        _, size = await _read(stream, 2)
        name = await _read(stream, size)
        password = await _read(stream, (await _read(stream, 1))[0])
        self.logins.append((name, password))
        is_right = (name, password) == self.login
        await stream.send_all(b"\x01\x00" if is_right else b"\x01\x01")
        return is_right


async def _request(stream: trio.SocketStream) -> tuple[str, int]:
    _, command, _, kind = await _read(stream, 4)
    if command != 1:
        raise EOFError
    if kind == 3:
        host = (await _read(stream, (await _read(stream, 1))[0])).decode("ascii")
    else:
        host = str(ipaddress.ip_address(await _read(stream, 4 if kind == 1 else 16)))
    return host, int.from_bytes(await _read(stream, 2), "big")


async def _read(stream: trio.SocketStream, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = await stream.receive_some(size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


async def _pass(source: trio.SocketStream, sink: trio.SocketStream) -> None:
    try:
        async for data in source:
            await sink.send_all(data)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return


@asynccontextmanager
async def proxied(
    server: SocksServer, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[SocksServer]:
    """The server, running on a port of this machine."""
    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(port, host=host)
        server.port = listener.socket.getsockname()[1]
        nursery.start_soon(trio.serve_listeners, server._attend, [listener])
        yield server
        nursery.cancel_scope.cancel()


async def main(host: str, port: str, name: str, place: str) -> None:
    """Run by itself: at host and port, knowing one name that stands for a place here."""
    server = SocksServer(where={name: ("127.0.0.1", int(place))})
    async with proxied(server, host, int(port)):
        print(json.dumps({"ready": True}), flush=True)
        await trio.sleep_forever()


if __name__ == "__main__":
    trio.run(main, *sys.argv[1:])
