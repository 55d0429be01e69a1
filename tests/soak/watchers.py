"""What onlookers cost a seat: a real game of four processes, without a crowd and with one.

    python -m soak.watchers [ONLOOKERS …]

Each onlooker holds the ticket, comes from a loopback address of its own and is linked with all four
seats; it reads all that it is sent, and verifies nothing, so that what is measured is the seats.
One JSON line for each crowd: what the game took, and each seat's processor time and memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import trio
from support import terminals

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.errors import NetCode, trouble_is
from p2p_hoity.net.events import Frame, LinkDown, LinkUp
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.network import TcpNetwork
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.session.capability import Capability
from p2p_hoity.session.lobby import Ask, Roster, encode_lobby, is_lobby, parse_lobby
from protocol import Identity, Invalid, header
from soak.links import Health, health

SEATS = 4
CROWDS = (0, 25, 50, 100)


class FromHere(TcpNetwork):
    """TCP from one address of this machine."""

    def __init__(self, host: str) -> None:
        self._host = host

    async def open(self, address: Address) -> trio.abc.Stream:
        """A stream from there; NetError says what failed."""
        with trouble_is(NetCode.UNREACHED, address=str(address)):
            return await trio.open_tcp_stream(address.host, address.port, local_address=self._host)


class Onlooker:
    """One that reads and says nothing but its proof."""

    def __init__(self, number: int, word: str) -> None:
        self.ticket = decode_ticket(word)
        network = FromHere(f"127.0.{1 + number // 200}.{1 + number % 200}")
        self.hub = Hub(Identity(os.urandom(32)), network=network)
        self.capability = Capability(self.ticket.terms, self.ticket.secret)
        self.frames = self.lost = 0
        self._seats: set[bytes] = set()

    async def run(self) -> None:
        """Look on until cancelled."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self.hub.run)
            for address in self.ticket.addresses:
                self.hub.dial(address, self.ticket.host_id)
            async for event in self.hub.events:
                self._on_event(event)

    def _on_event(self, event: Any) -> None:
        if isinstance(event, LinkUp):
            binding = event.binding or b""
            proof = self.capability.guest_proof(binding, event.peer, self.hub.me)
            self.hub.post(event.peer, encode_lobby(Ask(proof)))
        elif isinstance(event, LinkDown):
            self.lost += 1
        elif isinstance(event, Frame):
            self.frames += 1
            if not self._seats and is_lobby(event.data):
                self._read(event.data)

    def _read(self, data: bytes) -> None:
        with suppress(Invalid):  # talk, and what else is beside the game
            frame = parse_lobby(data)
            if isinstance(frame, Roster):
                self._dial(frame)

    def _dial(self, roster: Roster) -> None:
        seats = header.parse_header(roster.header).roster
        self._seats = {entry.id for entry in seats}
        for entry, where in zip(seats, roster.addresses, strict=True):
            for address in where:
                self.hub.dial(address, entry.id)


async def crowd(number: int, word: str) -> None:
    """So many onlookers, until the input is closed; then how they fared, as a JSON line."""
    those = [Onlooker(one, word) for one in range(number)]
    async with trio.open_nursery() as nursery:
        for one in those:
            nursery.start_soon(one.run)
        await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
        told = {"frames": sum(one.frames for one in those), "lost": sum(one.lost for one in those)}
        print(json.dumps(told), flush=True)
        nursery.cancel_scope.cancel()


def measure(number: int) -> dict[str, Any]:
    """One game with so many onlookers."""
    with tempfile.TemporaryDirectory() as folder:
        return _measured(Path(folder), number)


def _measured(path: Path, number: int) -> dict[str, Any]:
    words = ["--listen", "127.0.0.1:0", "--auto", "--json"]
    host = terminals.start(path / "0", "host", "--seats", str(SEATS), "--lan", "off", *words)
    word = host.read_until("ticket")["ticket"]
    command = [sys.executable, "-m", "soak.watchers", "--crowd", str(number), word]
    watching = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    time.sleep(3 + number / 20)  # all are linked with the host, and wait
    guests = [
        terminals.start(path / str(n), "join", word, "--yes", "--name", f"G{n}", *words)
        for n in range(1, SEATS)
    ]
    seats = [host, *guests]
    host.read_until("type", "started")
    began, last = time.monotonic(), [Health(0, 0.0, 0)] * SEATS
    while all(one.process.poll() is None for one in seats):
        for index, one in enumerate(seats):
            try:
                last[index] = health(one.process.pid)
            except (OSError, IndexError):
                continue
        time.sleep(0.2)
    took = time.monotonic() - began
    said, _ = watching.communicate("", timeout=60)
    terminals.finish(seats)
    return {
        "onlookers": number,
        "seconds": round(took, 1),
        "processor": [round(one.seconds, 1) for one in last],
        "megabytes": [round(one.memory / 1024) for one in last],
        "crowd": json.loads(said),
    }


def main(arguments: list[str]) -> None:
    """Measure, or be the crowd."""
    if arguments[:1] == ["--crowd"]:
        trio.run(crowd, int(arguments[1]), arguments[2])
        return
    for number in map(int, arguments or map(str, CROWDS)):
        print(json.dumps(measure(number)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
