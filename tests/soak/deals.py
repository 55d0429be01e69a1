"""Deals of six seats, each a process of its own: how long they take and how long the loop stands.

    python -m soak.deals [DEALS] [SEATS] [CORES]

A deal goes from the roster (`Started`) to the first step behind the deal. In each process a task
sleeps a millisecond at a time meanwhile and notes by how much it woke too late: so long `stood` all
else that waits for the loop, heartbeats, frames and the screen; and how much processor time the
loop's thread took in between (`busy`), which does not grow with what else the machine has to do.
CORES: all processes run on so many. One JSON line a deal; the last tells all of them together.
ON_LOOP=1 in the environment: nothing is done off the loop.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio
from support.terminals import start

from cli.printing import write_line
from p2p_hoity import game_adapter, rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Update
from p2p_hoity.storage import player_key
from p2p_hoity.storage.home import Home, home
from p2p_hoity.table.gathering.host_table import host_table
from p2p_hoity.table.gathering.join_table import join_table
from p2p_hoity.table.gathering.table_keys import TableKeys, draw_keys
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.playing.play_table import Seat
from p2p_hoity.table.playing.player_interface import BotPlayer
from protocol.wire.table_header import Terms, Timeouts

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
        elif isinstance(update, updates.ChainGrew):
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


def own(where: Home) -> player_key.NamedIdentity:
    """Return the player of a home, with a new key if it has none."""
    name = where.path.name
    return (
        player_key.load_identity(where)
        if where.identity.exists()
        else player_key.new_identity(where, name)
    )


def terms_of(keys: TableKeys, seats: int, quorum: int, times: Sequence[int]) -> Terms:
    """Return the terms of a full table of the host with these keys."""
    variant: rules.Variant = "surprise" if seats == 2 else None
    game = game_adapter.game_value(load(), variant)
    return Terms(keys.seat.public, os.urandom(32), game, seats, quorum, Timeouts(*times))


async def yes(*_: Any) -> str:
    """Agree to whatever is asked."""
    return ""


async def sit(words: list[str]) -> None:
    """One seat of one table, until it is told to go."""
    probe, where = Probe(int(words[1])), home()
    seat = Seat(probe.hear, player=BotPlayer(), home=where, me=own(where), **OFF_LOOP)
    reach, keys = Reach("127.0.0.1:0"), draw_keys(seat.long_lived_key)
    if words[0] == "join":
        await join_table(seat, keys, decode_ticket(words[2]), yes, reach)
        return
    terms = terms_of(keys, probe.seats, QUORUM[probe.seats], TIMES)
    await host_table(
        seat, keys, terms, reach, lambda ticket: write_line({"type": "ticket", "ticket": ticket})
    )


OFF_LOOP: dict[str, Any] = (
    {} if os.environ.get("ON_LOOP") else {"off_loop": trio.to_thread.run_sync}
)


def one_deal(folder: Path, seats: int) -> dict[str, float]:
    """The figures of one deal, in milliseconds."""
    how = {"module": HERE, "fresh": True}
    running = [start(folder / "0", "host", str(seats), **how)]
    try:
        ticket = running[0].read_until("ticket")["ticket"]
        for number in range(1, seats):
            running.append(start(folder / str(number), "join", str(seats), ticket, **how))
        told = [one.read_until("type", "dealt") for one in running]
    finally:
        for one in running:
            one.kill()
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
