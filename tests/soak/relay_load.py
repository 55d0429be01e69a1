"""How many tables one relay carries on one core: python -m soak.relay_load TABLES [options].

The relay runs as a process of its own on one core, this load on another; nothing but the relay's
own way leads from seat to seat. Each table has four seats. `--pairs star`: only the host waits at
the relay, its three guests call it, as when none of them waits there. `--pairs all`: all of them
wait there, and each of the six pairs is linked through it. Every two seconds a link carries what a
simultaneous choice puts on it, frame by frame, as it was counted in a real game: a sealed choice, a
barrier and a reveal of the seat itself and of those it forwards, and two syncs, each in one record.
With `--web` all come by WebSocket.
`--direct` leads from seat to seat without a relay: what the load itself adds to the delay.
"""

import argparse
import gc
import json
import os
import random
import resource
import select
import socket
import struct
import tempfile
import time
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import trio
from support.terminals import Terminal, start

from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.peer_link import Link
from p2p_hoity.net.relay_client import CALL, TAKE, register, spliced
from p2p_hoity.net.transport import TcpNetwork
from p2p_hoity.web.byte_stream import WebByteStream
from protocol import Identity
from soak.health import health

SEATS: Final = 4
EVERY: Final = 2.0
"""Seconds from one choice to the next."""
RECORD: Final = 658
"""The bytes of a record that holds one of these frames."""
WAVES: Final = (0.0, 0.3, 0.6)
"""When in a choice, in seconds, the sealed choice, the barrier and the reveal come."""
SYNCS: Final = (0.9, 1.9)
SPREAD: Final = 0.2
"""Seconds over which what belongs to one wave comes, as links have their delays."""
WEB_PORT: Final = 46_480
AT_ONCE: Final = 8
"""Tables that come at the same time."""
HEAD: Final = struct.Struct("!Id")


def frames(own: bool, passed_on: int, rng: random.Random) -> list[tuple[float, int]]:
    """When and how long: what one end of a link says in one choice."""
    each = int(own) + passed_on
    waves = [(at + rng.random() * SPREAD, RECORD) for at in WAVES for _ in range(each)]
    return waves + [(at + rng.random() * 0.05, RECORD) for at in SYNCS]


class Load:
    """All links, and what each has to carry."""

    def __init__(self, pairs: str, web: bool = False) -> None:
        self.pairs, self.rng, self.web = pairs, random.Random(1), web
        self.plan: list[tuple[float, int, int]] = []
        self.heard: dict[int, bytearray] = {}
        self.messages: dict[int, bytearray] = {}
        self.poll = select.epoll()
        self.delays: list[float] = []
        self.late: list[float] = []
        self.blocked = self.sent = self.broken = self.again = 0
        self.keep: list[Any] = []

    def add(self, one: trio.abc.Stream, other: trio.abc.Stream, is_host: bool) -> None:
        """A link, its host's end first."""
        phase = self.rng.random() * EVERY
        passed_on = SEATS - 2 if self.pairs == "all" else 0
        for stream, more in ((one, SEATS - 2 if is_host else passed_on), (other, passed_on)):
            raw = stream.below if isinstance(stream, WebByteStream) else stream
            number = raw.socket.fileno()  # type: ignore[attr-defined]
            self.keep.append(stream)
            self.heard[number], self.messages[number] = bytearray(), bytearray()
            self.poll.register(number, select.EPOLLIN)
            for at, size in frames(True, more, self.rng):
                self.plan.append(((phase + at) % EVERY, number, size))

    async def beat(self, task_status: trio.TaskStatus[trio.CancelScope]) -> None:
        """Keep links alive while others come."""
        with trio.CancelScope() as scope:
            task_status.started(scope)
            while True:
                for number in list(self.heard):
                    self._send(number, HEAD.size)
                    await trio.sleep(0)
                self._hear()
                await trio.sleep(5)

    async def run(self, seconds: float) -> None:
        """Say what is due, hear what comes."""
        self.plan.sort()
        began, index, turn = time.monotonic(), 0, 0
        while (now := time.monotonic()) < began + seconds:
            while True:
                at, number, size = self.plan[index]
                due = began + turn * EVERY + at
                if due > now:
                    break
                self.late.append(now - due)
                self._send(number, size)
                index += 1
                if index == len(self.plan):
                    index, turn = 0, turn + 1
            self._hear()
            await trio.sleep(min(0.0005, max(0.0, due - time.monotonic())))
        await trio.sleep(1)

    def _send(self, number: int, size: int) -> None:
        data = HEAD.pack(size, time.monotonic()).ljust(size, b"x")
        if self.web:
            data = masked(data)
        try:
            if os.write(number, data) != len(data):
                raise BlockingIOError
            self.sent += 1
        except BlockingIOError:
            self.blocked += 1
        except OSError:
            self.broken += 1

    def _hear(self) -> None:
        for number, _ in self.poll.poll(0, 4096):
            try:
                data = os.read(number, 1 << 16)
            except OSError:
                data = b""
            if not data:
                self.broken += 1
                self.poll.unregister(number)
                continue
            self._take(number, data)

    def _take(self, number: int, data: bytes) -> None:
        if self.web:
            data = self._content(number, data)
        now, kept, start = time.monotonic(), self.heard[number], 0
        kept += data
        while len(kept) - start >= HEAD.size:
            size, when = HEAD.unpack_from(kept, start)
            if len(kept) - start < size:
                break
            self.delays.append(now - when)
            start += size
        del kept[:start]

    def _content(self, number: int, data: bytes) -> bytes:
        """The content of the whole messages that have come from the relay."""
        kept, start, content = self.messages[number], 0, b""
        kept += data
        while len(kept) - start >= 4:
            short, longer = kept[start + 1], int.from_bytes(kept[start + 2 : start + 4], "big")
            head, size = (2, short) if short < 126 else (4, longer)
            if len(kept) - start < head + size:
                break
            content += kept[start + head : start + head + size]
            start += head + size
        del kept[:start]
        return content


def masked(data: bytes) -> bytes:
    """A message of a client (RFC 6455), with the mask 0."""
    size = len(data)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    return b"\x82" + length + bytes(4) + data


class Tables:
    """Brings tables to a relay."""

    def __init__(self, load: Load, port: int, nursery: trio.Nursery) -> None:
        self.load, self.port, self.nursery = load, port, nursery
        self.network, self.room = TcpNetwork(), trio.Semaphore(AT_ONCE)

    async def come(self, number: int) -> None:
        """One table: seats wait, the others call."""
        async with self.room:
            scheme = Scheme.WS if self.load.web else Scheme.RELAY
            relay = Address(f"127.0.0.{1 + number % 8}", self.port, scheme)
            waiting = range(SEATS - 1) if self.load.pairs == "all" else range(1)
            ids, tokens = {}, {}
            for seat in waiting:
                ids[seat] = Identity(os.urandom(32))
                tokens[seat] = await self._wait(relay, ids[seat])
            for one, _ in combinations(range(SEATS), 2):
                if one in ids:
                    await self._link(relay, one, ids[one], tokens[one])

    async def _wait(self, relay: Address, who: Identity) -> trio.MemoryReceiveChannel[bytes]:
        stream = await register(self.network, relay, who, os.urandom(16))
        told, tokens = trio.open_memory_channel[bytes](SEATS)
        limits = Limits(frame=256, queue_bytes=1 << 14)
        self.nursery.start_soon(Link(stream, limits).run, trio.lowlevel.checkpoint, told.send)
        return tokens

    async def _link(
        self, relay: Address, one: int, who: Identity, tokens: trio.MemoryReceiveChannel[bytes]
    ) -> None:
        ends: list[trio.abc.Stream] = []

        async def answer() -> None:
            while not ends:
                with suppress(NetError):
                    ends.append(await spliced(self.network, relay, TAKE + await tokens.receive()))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(answer)
            caller = await self._call(relay, who)
        self.load.add(ends[0], caller, one == 0)

    async def _call(self, relay: Address, who: Identity) -> trio.abc.Stream:
        """As a seat does: once more if it fails."""
        while True:
            try:
                return await spliced(self.network, relay, CALL + who.public)
            except NetError:
                self.load.again += 1
                await trio.sleep(0.5)


async def direct(load: Load, tables: int) -> None:
    """The same links without a relay."""
    with socket.socket() as door:
        door.bind(("0.0.0.0", 0))
        door.listen(64)
        for number in range(tables):
            for one, _ in combinations(range(SEATS), 2):
                if one > 0 and load.pairs == "star":
                    continue
                where = f"127.0.0.{1 + number % 8}", door.getsockname()[1]
                near = socket.create_connection(where)
                pair = [near, door.accept()[0]]
                for end in pair:
                    end.setblocking(False)
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                ends = [trio.SocketStream(trio.socket.from_stdlib_socket(end)) for end in pair]
                load.add(ends[0], ends[1], one == 0)


def start_relay(core: int, tables: int, home: Path, web: bool) -> tuple[Terminal, int]:
    """Start a relay with room for all of them, which all come from one address."""
    most = str(10 * tables)
    room = ("--seats", most, "--calls", most, "--same-address", most)
    words = (f"core={core}", "relay", "--listen", "0.0.0.0:0", "--json", *room)
    if web:
        urls = (f"ws://127.0.0.{number}:{WEB_PORT}" for number in range(1, 9))
        words += ("--web", f"0.0.0.0:{WEB_PORT}", *(w for u in urls for w in ("--web-url", u)))
    running = start(home, *words, module="support.seat", fresh=True)
    (address,) = running.read_until("addresses")["addresses"]
    return running, WEB_PORT if web else int(address.rpartition(":")[2])


def share(values: list[float], part: float) -> float:
    """A quantile, in milliseconds."""
    return round(1000 * sorted(values)[int(part * (len(values) - 1))], 2) if values else 0.0


async def measure(args: argparse.Namespace) -> dict[str, Any]:
    load = Load(args.pairs, args.web)
    home = tempfile.TemporaryDirectory()
    relay, port = None, 0
    if not args.direct:
        relay, port = start_relay(args.relay_core, args.tables, Path(home.name), args.web)
    try:
        async with trio.open_nursery() as nursery:
            began = time.monotonic()
            if relay is None:
                await direct(load, args.tables)
            else:
                async with trio.open_nursery() as coming:
                    tables = Tables(load, port, nursery)
                    beating = await nursery.start(load.beat)
                    for number in range(args.tables):
                        coming.start_soon(tables.come, number)
                beating.cancel()
            came = time.monotonic() - began
            await load.run(5)  # until it runs evenly
            load.delays.clear(), load.late.clear()
            load.sent = load.blocked = 0
            pid = relay.process.pid if relay else os.getpid()
            before, mine, began = health(pid), health(os.getpid()), time.monotonic()
            await load.run(args.seconds)
            lasted = time.monotonic() - began
            after = health(pid)
            share_of_load = (health(os.getpid()).seconds - mine.seconds) / lasted
            nursery.cancel_scope.cancel()
    finally:
        if relay is not None:
            relay.kill()
    return {
        "tables": args.tables,
        "pairs": args.pairs,
        "direct": args.direct,
        "web": args.web,
        "links": len(load.heard) // 2,
        "called_again": load.again,
        "came_in_s": round(came, 1),
        "frames_a_second": round(load.sent / args.seconds),
        "delay_ms": {str(p): share(load.delays, p) for p in (0.5, 0.9, 0.99, 0.999)},
        "heard": len(load.delays),
        "sent": load.sent,
        "blocked": load.blocked,
        "broken": load.broken,
        "load_late_ms": {str(p): share(load.late, p) for p in (0.5, 0.99)},
        "load_cpu": round(share_of_load, 2),
        "relay_cpu": round((after.seconds - before.seconds) / lasted, 2),
        "relay_mb": round(after.resident / 1024),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=int)
    parser.add_argument("--pairs", choices=("star", "all"), default="star")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--web", action="store_true")
    parser.add_argument("--relay-core", type=int, default=0)
    parser.add_argument("--load-core", type=int, default=1)
    args = parser.parse_args()
    gc.disable()  # its pauses would count as the relay's
    os.sched_setaffinity(0, {args.load_core})
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(json.dumps(trio.run(measure, args)), flush=True)


if __name__ == "__main__":
    main()
