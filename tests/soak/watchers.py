"""What onlookers cost a seat: a real game of four processes at a person's pace, and a crowd.

    python -m soak.watchers [SECONDS [ONLOOKERS …]]

The seats run on the first core and the crowd on the second one. Each onlooker holds the ticket,
comes from a loopback address of its own and is linked with all four seats; it reads all that it is
sent, and verifies nothing, so that what is measured is the seats. Bots take one to three seconds
for a choice. One JSON line for each crowd, over so many seconds after the deal: each seat's
processor time in percent of a core and its memory, and by how many milliseconds a seat completed a
step after the first one that did, which is the one whose input was the last that lacked.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import trio
from support.limits import LIMIT
from support.process_table import ProcessTable

from p2p_hoity.coded_errors import because
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.exception_reasons import trouble_is
from p2p_hoity.net.hub import Frame, Hub, LinkDown, LinkUp
from p2p_hoity.net.network_errors import NetCode
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.net.transport import TcpNetwork
from p2p_hoity.table.gathering.lobby import Ask, Refuse, Roster, encode_lobby, parse_lobby
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.playing.frame_access import DropCode
from p2p_hoity.table.playing.frame_kinds import is_of_game
from protocol import Identity, Invalid, table_header
from protocol.wire import peer_frames
from soak.health import Health, health

SEATS = 4
CROWDS = (0, 40, 100)
SECONDS = 60.0
PACE = "1-3"
"""Seconds that a choice takes."""


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
            nursery.start_soon(self._ask)
            async for event in self.hub.events:
                self._on_event(event)

    async def _ask(self) -> None:
        """One seat a second what lacks, as those do that verify what they see."""
        have = tuple(os.urandom(peer_frames.SHORT) for _ in range(8))
        question = peer_frames.encode_frame(peer_frames.Sync(0, 1 << 16, have))
        await trio.sleep(random.random())
        while True:
            await trio.sleep(1.0)
            links = sorted(self.hub.links() & self._seats)
            if links:
                self.hub.post(random.choice(links), question)

    def _on_event(self, event: Any) -> None:
        if isinstance(event, LinkUp):
            binding = event.binding or b""
            proof = self.capability.guest_proof(binding, event.peer, self.hub.me)
            self.hub.post(event.peer, encode_lobby(Ask(proof)))
        elif isinstance(event, LinkDown):
            self.lost += 1
        elif isinstance(event, Frame):
            self.frames += 1
            if not is_of_game(event.data):
                self._read(event.peer, event.data)

    def _read(self, seat: bytes, data: bytes) -> None:
        with suppress(Invalid):  # talk, and what else is beside the game
            frame = parse_lobby(data)
            if isinstance(frame, Roster) and not self._seats:
                self._dial(frame)
            elif isinstance(frame, Refuse):
                self.hub.leave_alone(seat)
                self.hub.drop(seat, because(DropCode.FULL))

    def _dial(self, roster: Roster) -> None:
        seats = table_header.parse_header(roster.header).roster
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


def measure(number: int, seconds: float) -> dict[str, Any]:
    """Play one game with so many onlookers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        clocks = {seat: (f"clock={path / str(seat)}.clock",) for seat in range(SEATS)}
        table = ProcessTable(path, SEATS, clocks, edition="uberplay-2004", timeouts="", fresh=True)
        table.every = (f"think={PACE}", "core=0")
        with table:
            watched = _Watched(table, number)
            try:
                return watched.measured(seconds)
            finally:
                watched.watching.kill()
                watched.watching.wait()


class _Watched:
    """Four seats and their crowd."""

    def __init__(self, table: ProcessTable, number: int) -> None:
        self._table, self._number = table, number
        command = [sys.executable, "-m", "soak.watchers", "--crowd", str(number), table.ticket]
        self.watching = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        time.sleep(3 + number / 20)  # all are linked with the host, and wait
        table.fill()

    def _steps(self, since: int = 0) -> dict[int, list[int]]:
        """When the seats completed each step of play, by its number."""
        found: dict[int, list[int]] = {}
        for file in self._table.path.glob("*.clock"):
            for line in file.read_text().splitlines():
                step, kind, when = line.split()
                if kind in ("seal", "hold", "reveal", "choose", "open") and int(when) >= since:
                    found.setdefault(int(step), []).append(int(when))
        return found

    def measured(self, seconds: float) -> dict[str, Any]:
        """What the seats took and how late they were."""
        while not self._steps():
            time.sleep(0.5)
        time.sleep(10)  # the onlookers have read what was before them
        since, before = time.monotonic_ns(), self._health()
        time.sleep(seconds)
        after, took = self._health(), (time.monotonic_ns() - since) / 1e9
        whole = [done for done in self._steps(since).values() if len(done) == SEATS]
        late = sorted((when - min(done)) / 1e6 for done in whole for when in sorted(done)[1:])
        spent = zip(before, after, strict=True)
        return {
            "onlookers": self._number,
            "processor": [round(100 * (b.seconds - a.seconds) / took, 1) for a, b in spent],
            "megabytes": [round(one.resident / 1024) for one in after],
            "steps": len(whole),
            "median": round(statistics.median(late), 1),
            "p99": round(late[int(0.99 * len(late))], 1),
            "crowd": self._crowd(),
            "load": os.getloadavg()[0],
        }

    def _health(self) -> list[Health]:
        return [health(one.process.pid) for one in self._table.running.values()]

    def _crowd(self) -> Any:
        said, _ = self.watching.communicate("", timeout=LIMIT)
        return json.loads(said)


def main(arguments: list[str]) -> None:
    """Measure, or be the crowd."""
    if arguments[:1] == ["--crowd"]:
        os.sched_setaffinity(0, {1})
        trio.run(crowd, int(arguments[1]), arguments[2])
        return
    seconds = float(arguments[0]) if arguments else SECONDS
    for number in map(int, arguments[1:] or map(str, CROWDS)):
        print(json.dumps(measure(number, seconds)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
