"""A host in its own process under attack by strangers: its memory and its time, as JSON lines.

    python -m soak.links [SECONDS] [KIND …]
    python -m soak.links crowd [CONNECTIONS]
    python -m soak.links attack KIND HOST:PORT HOST_ID SECONDS

The third is the attacker alone; its last line says what was tried how often.

After a sixth, a half and the whole of this time the host's memory is taken; then, still under
attack, an honest guest sits down and the two play their game to its end.
"""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio
from support.process_table import ProcessTable

from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.channel import KIND, Channel, exchange_key, prologue
from p2p_hoity.net.handshake import Listener, Purpose, fresh_instance, receive, send
from p2p_hoity.net.hub import Hub, LinkUp
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.noise import DiallerHandshake
from p2p_hoity.net.protocol_versions import Speech
from p2p_hoity.net.relay_client import reach
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.net.transport import TcpNetwork, encode_frame
from p2p_hoity.table.gathering.lobby import SeatedNames, encode_lobby
from p2p_hoity.table.task_groups import open_nursery
from protocol.crypto.identities import Identity
from protocol.wire import peer_frames
from soak.health import Health, Watch, health

GAME = 25.0
"""Seconds that the attack goes on while the two play."""

# The attacks: each is a coroutine over real sockets.


@dataclass
class Target:
    """Who is attacked, and what came of it."""

    address: str
    id: bytes
    counts: Counter[str] = field(default_factory=Counter)

    async def raw(self) -> trio.SocketStream:
        """Return one connection more."""
        where = parse_address(self.address)
        stream = await trio.open_tcp_stream(where.host, where.port)
        self.counts["connections"] += 1
        return stream

    async def channel(self) -> Channel:
        """A channel to the target."""
        return (await reach(TcpNetwork(), parse_address(self.address), self.id)).channel

    def answer(self, who: Identity, session: bytes, challenge: bytes) -> bytes:
        """A key's honest answer, by a process of its own."""
        listener = Listener(Purpose.LINK, self.id, session)
        return listener.answer(who, fresh_instance(), challenge)

    @asynccontextmanager
    async def answered(self) -> AsyncIterator[trio.abc.Stream]:
        """The same, and a fresh key's honest answer is sent."""
        stream = await self.channel()
        async with stream:
            who, challenge = Identity(os.urandom(32)), await receive(stream)
            answer = self.answer(who, stream.handshake_hash, challenge)
            await send(stream, answer, Speech().hello())
            yield stream


Attack = Callable[[Target], Awaitable[None]]


async def garbage(target: Target) -> None:
    """Random bytes, again and again."""
    while True:
        async with await target.raw() as stream:
            await stream.send_all(os.urandom(4096))


async def slow(target: Target) -> None:
    """A handshake, one byte in half a second, until it is cut."""
    while True:
        async with await target.raw() as stream:
            while True:
                await stream.send_all(b"\x01")
                await trio.sleep(0.5)


async def silent(target: Target) -> None:
    """A connection that says nothing."""
    while True:
        async with await target.raw() as stream:
            await stream.receive_some(1)
            target.counts["cut"] += 1


async def impostor(target: Target) -> None:
    """Claim the target's guest to be someone else: a signature by another key."""
    real, claimed = Identity(os.urandom(32)), Identity(os.urandom(32))
    while True:
        stream = await target.channel()
        async with stream:
            challenge = await receive(stream)
            said = target.answer(real, stream.handshake_hash, challenge)
            await send(stream, said[:1] + claimed.public + said[33:])
            verdict = await receive(stream)
            target.counts["believed" if verdict == b"\0" else "refused"] += 1


async def replay(target: Target) -> None:
    """An honest answer to an earlier challenge, sent again."""
    who, said = Identity(os.urandom(32)), b""
    while True:
        stream = await target.channel()
        async with stream:
            challenge = await receive(stream)
            first = not said
            said = said or target.answer(who, stream.handshake_hash, challenge)
            await send(stream, said, Speech().hello())
            verdict = await receive(stream)
            target.counts["linked" if first else f"replayed {verdict[0]}"] += 1


async def recorded(target: Target) -> None:
    """The first message of an honest dialler, sent again and again."""
    prologue_of, key = prologue(target.id), exchange_key(target.id)
    first = KIND + DiallerHandshake(prologue_of, key).first()
    while True:
        async with await target.raw() as stream:
            await stream.send_all(first)
            answered = bool(await stream.receive_some())
            target.counts["answered"] += answered
            while await stream.receive_some():
                pass


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
        if not isinstance(event, LinkUp):
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
            ask = encode_frame(peer_frames.encode_frame(peer_frames.Sync(0, 0, ())))
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
    await _flood(target, lambda: peer_frames.encode_frame(peer_frames.Sync(0, 0, ())))


async def chatter(target: Target) -> None:
    """Well-formed lobby frames that mean nothing here, as large as they may be."""
    words = encode_lobby(SeatedNames(tuple("x" * 64 for _ in range(6))))
    await _flood(target, lambda: words)


async def heavy(target: Target) -> None:
    """Frames of the largest size that carry nothing."""
    body = b"\x92\x00\xc6" + (999_990).to_bytes(4, "big") + bytes(999_990)
    await _flood(target, lambda: body)


ATTACKS: dict[str, Attack] = {
    a.__name__: a
    for a in (
        garbage, slow, silent, recorded, impostor, replay, oversized, deaf, questions, chatter,
        heavy,
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


async def strangers(kind: str, address: str, host: str, seconds: float) -> Counter[str]:
    """Attack for so long, or until SIGTERM; return what was tried how often."""
    target = Target(address, bytes.fromhex(host))
    with trio.move_on_after(seconds), trio.open_signal_receiver(signal.SIGTERM) as told:
        async with trio.open_nursery() as nursery:
            for _ in range(4):
                nursery.start_soon(hand, ATTACKS[kind], target)
            await anext(told)
            nursery.cancel_scope.cancel()
    return target.counts


# The host.


def table_of(path: Path) -> ProcessTable:
    """A table for two, whose host waits for its guest."""
    return ProcessTable(path, 2, edition="uberplay-2004", timeouts="", fresh=True)


def host_of(ticket: str) -> str:
    """Where the host listens on this machine."""
    return next(a for a in decode_ticket(ticket).addresses if a.startswith("127.0.0.1"))


def play(table: ProcessTable) -> tuple[float, list[int]]:
    """Have an honest guest come and both play: seconds until it was seated, exit codes."""
    began = time.perf_counter()
    table.join(1)
    table.running[0].read_until("type", "table")
    seated = time.perf_counter() - began
    return seated, [one.end() for one in table.running.values()]


def attacker(kind: str, ticket: str, seconds: float) -> subprocess.Popen[str]:
    """A process of strangers."""
    who = decode_ticket(ticket).host_id.hex()
    words = [sys.executable, "-m", "soak.links", "attack", kind, host_of(ticket), who, str(seconds)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def endure(path: Path, kind: str, seconds: float) -> dict[str, Any]:
    """One attack on one host; an honest guest gets in meanwhile and both end their game."""
    with table_of(path) as table:
        pid = table.running[0].process.pid
        before = health(pid)
        watched = Watch(pid)
        attacking = attacker(kind, table.ticket, seconds + GAME)
        attacked = time.perf_counter()
        samples = [sample(pid, attacked + seconds * part) for part in (1 / 6, 1 / 2, 1)]
        began = time.perf_counter()
        seated, codes = play(table)
        played = time.perf_counter() - began
    attacking.send_signal(signal.SIGTERM)
    told = attacking.communicate()[0].splitlines()
    worst = watched.worst
    return {
        "attack": kind,
        "exits": codes,
        "guest_seated_s": round(seated, 1),
        "game_over_s": round(played, 1),
        "host_memory_before_kb": before.memory,
        "host_memory_then_kb": [one.resident for one in samples],
        "host_memory_peak_kb": worst.memory,
        "host_files": worst.files,
        "host_cpu_s": round(worst.seconds, 1),
        "host_cpu_share": round((samples[-1].seconds - before.seconds) / seconds, 2),
        "load": round(os.getloadavg()[0], 1),
        "told": json.loads(told[-1]) if told else None,
    }


def sample(pid: int, when: float) -> Health:
    """A process at this moment of `time.perf_counter`."""
    time.sleep(max(0.0, when - time.perf_counter()))
    return health(pid)


def crowd(path: Path, number: int) -> dict[str, Any]:
    """This many connections that say nothing, all held open; then an honest guest."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with table_of(path) as table:
        pid, port = table.running[0].process.pid, int(host_of(table.ticket).rpartition(":")[2])
        before = health(pid)
        held, refused, began = [], 0, time.perf_counter()
        for count in range(number):
            one = socket.socket()
            one.settimeout(2.0)
            try:
                one.bind((f"127.0.{1 + count % 8}.{1 + count // 8 % 250}", 0))
                one.connect(("127.0.0.1", port))
                held.append(one)
            except OSError:
                refused += 1
                one.close()
        opened = time.perf_counter() - began
        peak = health(pid)
        seated, codes = play(table)
    for one in held:
        one.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return {
        "attack": "crowd",
        "connections": len(held),
        "refused": refused,
        "opened_s": round(opened, 1),
        "exits": codes,
        "guest_seated_s": round(seated, 1),
        "host_memory_before_kb": before.memory,
        "host_memory_peak_kb": peak.memory,
        "host_files": peak.files,
        "host_cpu_s": round(peak.seconds, 1),
    }


def main(words: Sequence[str]) -> None:
    if words[:1] == ["attack"]:
        kind, address, host, seconds = words[1:]
        counts = trio.run(strangers, kind, address, host, float(seconds))
        print(json.dumps({"attack": kind, **counts}))
        return
    with tempfile.TemporaryDirectory() as name:
        if words[:1] == ["crowd"]:
            print(json.dumps(crowd(Path(name), int(words[1]) if words[1:] else 10_000)))
            return
        seconds = float(words[0]) if words else 60.0
        for kind in words[1:] or ATTACKS:
            print(json.dumps(endure(Path(name) / kind, kind, seconds)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
