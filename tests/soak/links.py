"""A host in its own process under attack by strangers: its memory and its time, as JSON lines.

    python -m soak.links [SECONDS] [KIND …]
    python -m soak.links crowd [CONNECTIONS]

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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.attack import ATTACKS
from support.paths import TESTS
from support.process_table import ProcessTable

from p2p_hoity.net.ticket import decode_ticket
from soak.health import Health, Watch, health

GAME = 25.0
"""Seconds that the attack goes on while the two play."""
ATTACKER = TESTS / "support" / "attack.py"


def table_of(path: Path) -> ProcessTable:
    """A table for two, whose host waits for its guest."""
    return ProcessTable(path, 2, edition="uberplay-2004", patience="", fresh=True)


def host_of(ticket: str) -> str:
    """Where the host listens on this machine."""
    return next(a for a in decode_ticket(ticket).addresses if a.startswith("127.0.0.1"))


def play(table: ProcessTable) -> tuple[float, list[int]]:
    """Have an honest guest come and both play: seconds until it was seated, exit codes."""
    began = time.perf_counter()
    table.join(1)
    table.running[0].read_until("type", "started")
    seated = time.perf_counter() - began
    return seated, [one.end() for one in table.running.values()]


def attacker(kind: str, ticket: str, seconds: float) -> subprocess.Popen[str]:
    """A process of strangers."""
    who = decode_ticket(ticket).host_id.hex()
    words = [sys.executable, str(ATTACKER), kind, host_of(ticket), who, str(seconds)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def endure(path: Path, kind: str, seconds: float) -> dict[str, Any]:
    """One attack on one host; an honest guest gets in meanwhile and both end their game."""
    with table_of(path) as table:
        pid = table.running[0].process.pid
        before = health(pid)
        watched = Watch(pid)
        strangers = attacker(kind, table.ticket, seconds + GAME)
        attacked = time.perf_counter()
        samples = [sample(pid, attacked + seconds * part) for part in (1 / 6, 1 / 2, 1)]
        began = time.perf_counter()
        seated, codes = play(table)
        played = time.perf_counter() - began
    strangers.send_signal(signal.SIGTERM)
    told = strangers.communicate()[0].splitlines()
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
    with tempfile.TemporaryDirectory() as name:
        if words[:1] == ["crowd"]:
            print(json.dumps(crowd(Path(name), int(words[1]) if words[1:] else 10_000)))
            return
        seconds = float(words[0]) if words else 60.0
        for kind in words[1:] or ATTACKS:
            print(json.dumps(endure(Path(name) / kind, kind, seconds)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
