"""What distance costs where each seat has a core of its own: `python -m soak.own_cores`.

Whole seats in one process on a virtual clock: bot, driver, machine, journal on the disk, links and
TLS. What the tasks of a seat take of the real clock keeps that seat busy for as long on the virtual
one: meanwhile nothing reaches it, and what it says leaves when it is said. So seats wait for each
other as they would with a core each, whatever this machine has. Contained are Python, libsodium,
OpenSSL, the loop, the system calls of a local socket, `fsync`. Not contained are TCP and its card,
waking up a process, printing, and the journal's mark, which another thread writes meanwhile.

[--seats N ...] [--delay MS]: for each number of seats a line by default and one strict.
"""

import argparse
import contextvars
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio
import trio.testing
from support.memory_network import MemoryNetwork, Pair

from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage.home import Home
from p2p_hoity.table.gathering.host_table import host_table
from p2p_hoity.table.gathering.join_table import join_table
from p2p_hoity.table.gathering.table_keys import draw_keys
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.playing.play_table import Seat
from p2p_hoity.table.playing.player_interface import PAUSE, BotPlayer
from protocol.wire.table_header import default_quorum
from soak.deals import TIMES, own, terms_of, yes
from soak.delays import choices


@dataclass
class Core:
    """The processor of one seat; it is told as a screen, and notes when which step was over."""

    free: float = 0.0
    steps: list[tuple[float, str]] = field(default_factory=list)

    def hear(self, update: updates.Update) -> None:
        if isinstance(update, updates.ChainGrew):
            self.steps.append((1000 * CLOCKWORK.now(self), update.before.want.kind))

    async def idle(self) -> None:
        """Wait until the seat has done what it does."""
        while self.free > trio.current_time():
            await trio.sleep_until(self.free)


CORE: contextvars.ContextVar[Core] = contextvars.ContextVar("core")
"""Where a task runs; the wires run nowhere."""


class Clockwork(trio.abc.Instrument):
    """Keeps each core busy for as long as its tasks run, in processor time and at the disk."""

    began = at_disk = 0.0

    def spent(self) -> float:
        """Seconds that all seats together have taken so far."""
        return time.thread_time() + self.at_disk

    def fsync(self, descriptor: int) -> None:
        """The system's, with its time noted."""
        began, busy = time.perf_counter(), time.thread_time()
        FSYNC(descriptor)
        self.at_disk += time.perf_counter() - began - (time.thread_time() - busy)

    def after_io_wait(self, timeout: float) -> None:
        self.began = self.spent()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        took, core = self.spent() - self.began, task.context.get(CORE)
        if core is not None:
            core.free = max(core.free, trio.current_time()) + took
        self.began = self.spent()  # what looking at the clock takes is nobody's

    def now(self, core: Core) -> float:
        """The virtual time at which a core stands in the midst of a step."""
        return max(core.free, trio.current_time()) + self.spent() - self.began


CLOCKWORK, FSYNC = Clockwork(), os.fsync


class Plug(trio.abc.Stream):
    """A seat's end of a long wire: a real socket, and beside it when how much was sent."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self.core: Core | None = None
        self._note, self.sent = trio.open_memory_channel[tuple[float, int]](4096)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        self.core = CORE.get()
        self._note.send_nowait((CLOCKWORK.now(self.core), len(data)))
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        self.core = CORE.get()
        return await self._stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        self._note.close()
        await self._stream.aclose()


class Distance(MemoryNetwork):
    """A network in which each way takes as long."""

    def __init__(self, wires: trio.Nursery, delay: float) -> None:
        super().__init__(self._wire)
        self._wires, self._delay = wires, delay

    def _wire(self) -> Pair:
        ends = [list(map(trio.SocketStream, trio.socket.socketpair())) for _ in "ab"]
        (near, far), inner = (Plug(end[0]) for end in ends), [end[1] for end in ends]
        for way in ((near, *inner, far), (far, *reversed(inner), near)):
            contextvars.Context().run(self._wires.start_soon, self._carry, *way)
        return near, far

    async def _carry(
        self, near: Plug, taken: trio.SocketStream, given: trio.SocketStream, far: Plug
    ) -> None:
        """One direction of a wire, to a seat that hears when it has time."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for when, size in near.sent:
                data = b""
                while len(data) < size:
                    data += await taken.receive_some(size - len(data))
                await trio.sleep_until(when + self._delay)
                if far.core is not None:
                    await far.core.idle()
                await given.send_all(data)
            await given.send_eof()


async def at_once(work: Callable[[], Any], *_: Any) -> Any:
    """A job of a seat, on its core."""
    return work()


async def in_a_pause(work: Callable[[], Any], *_: Any) -> Any:
    """What another thread does, while nothing waits for it."""
    await trio.sleep(PAUSE)
    return work()


async def play(folder: Path, cores: list[Core], quorum: int, delay: float) -> None:
    """One whole game on these cores."""
    trio.to_thread.run_sync, os.fsync = in_a_pause, CLOCKWORK.fsync  # type: ignore[assignment]
    homes = [Home(folder / f"seat{number}") for number in range(len(cores))]
    to_the_others, ticket = trio.Event(), list[str]()

    def invite(word: str) -> None:
        ticket.append(word)
        to_the_others.set()

    async def sit(number: int, network: Distance) -> None:
        home, core = homes[number], cores[number]
        CORE.set(core)
        seat = Seat(core.hear, player=BotPlayer(), home=home, me=own(home), off_loop=at_once)
        reach = Reach(f"8.0.0.{number + 1}:4000", network=network)
        keys = draw_keys(seat.long_lived_key)
        if number == 0:
            terms = terms_of(keys, len(cores), quorum, TIMES)
            await host_table(seat, keys, terms, reach, invite)
        else:
            await to_the_others.wait()
            await join_table(seat, keys, decode_ticket(ticket[0]), yes, reach)

    async with trio.open_nursery() as wires:
        network = Distance(wires, delay)
        async with trio.open_nursery() as nursery:
            for number in range(len(cores)):
                nursery.start_soon(sit, number, network)
        wires.cancel_scope.cancel()


def measure(seats: int, strict: bool, delay: float) -> str:
    """The line of one game."""
    cores = [Core() for _ in range(seats)]
    quorum = seats if strict else default_quorum(seats)
    with tempfile.TemporaryDirectory() as name:
        clock = trio.testing.MockClock(autojump_threshold=0)
        trio.run(play, Path(name), cores, quorum, delay, clock=clock, instruments=[CLOCKWORK])
    found = [one for core in cores for one in choices(core.steps)]
    ways = 2 if quorum == seats else 3
    own_ms = statistics.median(found) - 1000 * (ways * delay + PAUSE)
    return f"{seats} seats{', strict' * strict}: {ways} delays and {own_ms:.1f} ms, of {len(found)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--delay", type=float, default=100.0, help="ms one way")
    args = parser.parse_args()
    for seats in args.seats:
        for strict in (False, True)[seats == 2 :]:
            print(measure(seats, strict, args.delay / 1000), flush=True)


if __name__ == "__main__":
    main()
