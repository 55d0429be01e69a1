"""Deals of six seats, each a process of its own: how long they take and how long the loop stands.

    python -m soak.deals [DEALS] [SEATS] [CORES]

A deal goes from the roster (`Started`) to the first step behind the deal. In each process a task
sleeps a millisecond at a time meanwhile and notes by how much it woke too late: so long `stood` all
else that waits for the loop, heartbeats, frames and the screen; and how much processor time the
loop's thread took in between (`busy`), which does not grow with what else the machine has to do.
CORES: all processes run on so many. One JSON line a deal; the last tells all of them together.
ON_LOOP=1 in the environment: nothing is done off the loop.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio
from support.liars.peer import own, terms_of, yes
from support.liars.table import environment

from cli.printing import write_line
from p2p_hoity import tables
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.session import updates
from p2p_hoity.session.player import BotPlayer
from p2p_hoity.session.updates import Update
from p2p_hoity.storage.home import home

NAP = 0.001
TIMES = (60_000, 60_000, 5_000, 60_000)
QUORUM = {2: 2, 3: 2, 4: 3, 5: 4, 6: 4}
SETUP_AND_DEAL = 6
"""Steps to the end of the deal, and as many more as there are seats ([N-6])."""
HERE = "soak.deals"


@dataclass
class Probe:
    """What one process notes of one deal; it is over when the last step of the deal is."""

    seats: int
    began: float = 0.0
    late: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    over: trio.Event = field(default_factory=trio.Event)

    def hear(self, update: Update) -> None:
        """The screen of this seat."""
        if isinstance(update, updates.Started):
            self.began = time.monotonic()
            trio.lowlevel.spawn_system_task(self._look)
        elif isinstance(update, updates.Stepped):
            if update.after.step > self.seats + SETUP_AND_DEAL - 1 and not self.over.is_set():
                self.over.set()
                self._tell()
        elif isinstance(update, updates.Ended):
            sys.exit(f"the table ended: {update}")

    async def _look(self) -> None:
        while not self.over.is_set():
            before, worked = time.monotonic(), time.thread_time()
            await trio.sleep(NAP)
            self.late.append(time.monotonic() - before - NAP)
            self.busy.append(time.thread_time() - worked)

    def _tell(self) -> None:
        late = sorted(self.late)
        write_line(
            {
                "type": "dealt",
                "began": self.began,
                "ended": time.monotonic(),
                "stood": late[-1],
                "stood_p99": late[int(len(late) * 0.99)],
                "busy": max(self.busy),
            }
        )


async def sit(words: list[str]) -> None:
    """One seat of one table, until it is told to go."""
    probe, where = Probe(int(words[1])), home()
    seat = tables.Seat(where, own(where), BotPlayer(), probe.hear, **OFF_LOOP)
    reach = tables.Reach("127.0.0.1:0")
    if words[0] == "join":
        await tables.join_table(seat, decode_ticket(words[2]), yes, reach)
        return
    terms = terms_of(seat.me, probe.seats, QUORUM[probe.seats], TIMES)
    await tables.host_table(
        seat, terms, reach, lambda ticket: write_line({"type": "ticket", "ticket": ticket})
    )


OFF_LOOP: dict[str, Any] = {}
if hasattr(tables.Seat, "off_loop") and not os.environ.get("ON_LOOP"):
    OFF_LOOP = {"off_loop": trio.to_thread.run_sync}


@contextmanager
def started(folder: Path, number: int, *words: str) -> Iterator[subprocess.Popen[str]]:
    """One seat's process."""
    env = environment(folder / f"seat{number}")
    command = [sys.executable, "-m", HERE, *words]
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def line_of(process: subprocess.Popen[str], kind: str) -> dict[str, Any]:
    """The next line of a kind that a seat prints."""
    if process.stdout is not None:
        for line in process.stdout:
            found: dict[str, Any] = json.loads(line)
            if found["type"] == kind:
                return found
    sys.exit("a seat has ended before the deal was over")


def one_deal(folder: Path, seats: int) -> dict[str, float]:
    """The figures of one deal, in milliseconds."""
    with ExitStack() as stack:
        host = stack.enter_context(started(folder, 0, "host", str(seats)))
        ticket = line_of(host, "ticket")["ticket"]
        others = [
            stack.enter_context(started(folder, number, "join", str(seats), ticket))
            for number in range(1, seats)
        ]
        told = [line_of(process, "dealt") for process in (host, *others)]
    wall = max(t["ended"] for t in told) - min(t["began"] for t in told)
    return {
        "wall_ms": round(wall * 1000, 1),
        "stood_ms": round(max(t["stood"] for t in told) * 1000, 1),
        "stood_median_ms": round(statistics.median(t["stood"] for t in told) * 1000, 1),
        "busy_ms": round(max(t["busy"] for t in told) * 1000, 1),
        "stood_p99_ms": round(max(t["stood_p99"] for t in told) * 1000, 1),
    }


def main(deals: int, seats: int, cores: int) -> None:
    """Deal so often; print each and the whole."""
    if cores:
        os.sched_setaffinity(0, range(cores))
    found = []
    for number in range(deals):
        with tempfile.TemporaryDirectory() as name:
            found.append(one_deal(Path(name), seats))
            print(json.dumps({"deal": number, **found[-1]}), flush=True)
    whole = {
        f"{key}_{word}": function([one[key] for one in found])
        for key in found[0]
        for word, function in (("median", statistics.median), ("worst", max))
    }
    print(json.dumps({"seats": seats, "deals": deals, "cores": cores, **whole}))


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ("host", "join"):
        trio.run(sit, sys.argv[1:])
    else:
        main(*(int(word) for word in [*sys.argv[1:], *["10", "6", "0"][len(sys.argv) - 1 :]]))
