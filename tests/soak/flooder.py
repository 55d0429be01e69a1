"""A seat that floods the others while all play: their memory and their time, as JSON lines.

    python -m soak.flooder [SECONDS] [KIND …]
    python -m soak.flooder cost [FRAMES]

Three honest `hoity` processes and one flooder (`support.liars.flood`) play one game; the flooder's
bot thinks so long that the game takes about SECONDS; after thrice that it is cut off, and told how
far it came. `truth` is the same without a flood. `cost` has one machine in memory hear FRAMES of
each kind: processor time for each, and what it keeps.
"""

import itertools
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from support import terminals
from support.inspection import store_of
from support.liars.flood import FLOODS
from support.liars.tales import Liar
from support.limits import LIMIT
from support.machine_table import MachineTable, make_table, toy_choice
from support.process_table import ProcessTable
from support.toy_game import ToyGame

from soak.health import Watch

TIMEOUTS = "30000,10000,1000,8000"
CHOICES = 75
"""Choices a seat makes in one game, about."""


def flooded(path: Path, kind: str, seconds: float) -> dict[str, Any]:
    """One game of four with one flooder, and what it cost the others."""
    tale = kind if kind in ("truth", "dribble") else f"flood:{kind}"
    habits = {0: (f"lie={tale}", f"think={seconds / CHOICES}")}
    table = ProcessTable(path, 4, habits, edition="uberplay-2004", timeouts=TIMEOUTS, fresh=True)
    table.options = ("--quorum", "3")
    with table:
        flooder = table.running[0]
        honest = [table.join(number) for number in range(1, 4)]
        watched = [Watch(one.process.pid, one.home, 0.5) for one in honest]
        honest[0].read_until("type", "table")
        began = time.perf_counter()
        over = [play_until(terminal, began + 3 * seconds) for terminal in honest]
        took = time.perf_counter() - began
        for terminal in table.running.values():
            terminal.process.send_signal(signal.SIGTERM)
        sent = _sent(flooder)
    return {
        "kind": kind,
        "over": over,
        "took_s": round(took, 1),
        "steps": max((x["step"] for x in honest[0].lines if x["type"] == "step"), default=0),
        "memory_kb": [one.worst.memory for one in watched],
        "journal_kb": [one.worst.journal // 1024 for one in watched],
        "cpu_s": [round(one.worst.seconds, 1) for one in watched],
        "equal": len({f.read_bytes() for t in honest for f in t.home.glob("*/*.hoity")}) == 1,
        "load": round(os.getloadavg()[0], 1),
        **_seen(honest),
        **sent,
    }


def play_until(terminal: terminals.Terminal, when: float) -> bool:
    """Read what a seat tells until its game or the time is over; whether it was the game."""
    with suppress(TimeoutError):
        while terminal.read(max(0.0, when - time.perf_counter())) is not None:
            pass
        return terminal.process.wait(LIMIT) == 0
    return False


def cost(kind: str, frames: int) -> dict[str, Any]:
    """One kind of flood at the fourth seat of four that stand before the deal."""
    table, who = make_table(ToyGame(4, 1), 4)
    played = MachineTable(table, who, toy_choice)
    played.begin(0, 1, 2, 3)
    machine = played.machine()
    heard = list(itertools.islice(FLOODS[kind](Liar(played.machine(3))), frames))
    before, began = len(store_of(machine)), time.thread_time()
    for frame in heard:
        machine.receive(frame, played.now, table.ids[3])
        machine.take()
    spent = time.thread_time() - began
    return {
        "kind": kind,
        "bytes_each": sum(map(len, heard)) // frames,
        "ms_each": round(1000 * spent / frames, 2),
        "kept": len(store_of(machine)) - before,
        "kept_kb": sum(len(m.payload) for m in store_of(machine) if m.seat == 3) >> 10,
        "wants": len(store_of(machine).wants),
    }


def _seen(honest: Sequence[terminals.Terminal]) -> dict[str, Any]:
    lines = [line for terminal in honest for line in terminal.lines]
    accused = sorted({(x["seat"], x["code"]) for x in lines if x.get("type") == "alarm"})
    epochs = max((x["epoch"] for x in lines if x.get("type") == "rewound"), default=0)
    return {"alarm": accused, "rewound_to": epochs}


def _sent(flooder: terminals.Terminal) -> dict[str, Any]:
    while (line := flooder.read()) is not None:
        if line["type"] == "flooded":
            return {"frames": line["frames"], "megabytes": line["bytes"] >> 20}
    return {}


def main(words: Sequence[str]) -> None:
    if words[:1] == ["cost"]:
        for kind in sorted(set(FLOODS) - {"talk", "large_frames"}):  # no machine reads it
            print(json.dumps(cost(kind, int(words[1]) if words[1:] else 2000)), flush=True)
        return
    seconds = float(words[0]) if words else 60.0
    with tempfile.TemporaryDirectory() as name:
        for kind in words[1:] or ("truth", *FLOODS, "dribble"):
            print(json.dumps(flooded(Path(name) / kind, kind, seconds)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
