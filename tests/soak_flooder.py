"""A seat that floods the others while all play: their memory and their time, as JSON lines.

    python tests/soak_flooder.py [SECONDS] [KIND …]

Three honest `hoity` processes and one flooder (tests/liar_flood.py) play one game; the flooder's
bot thinks so long that the game takes about SECONDS. `truth` is the same without a flood.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import liar_table
import terminals
from liar_flood import FLOODS
from soak_links import health

PATIENCE = ("30000", "10000", "1000", "8000")
CHOICES = 75
"""Choices a seat makes in one game, about."""


class Kept(threading.Thread):
    """Looks at a process and its journal twice a second until it is gone."""

    def __init__(self, terminal: terminals.Terminal) -> None:
        super().__init__(daemon=True)
        self.pid, self.home = terminal.process.pid, terminal.home
        self.memory = self.journal = 0
        self.seconds = 0.0
        self.start()

    def run(self) -> None:
        while True:
            try:
                now = health(self.pid)
                sizes = [f.stat().st_size for f in self.home.rglob("*.journal")]
            except (OSError, IndexError):
                return
            self.memory, self.seconds = max(self.memory, now.memory), now.seconds
            self.journal = max([self.journal, *sizes])
            time.sleep(0.5)


def flooded(path: Path, kind: str, seconds: float) -> dict[str, Any]:
    """One game of four with one flooder, and what it cost the others."""
    os.environ["PAUSE"] = str(seconds / CHOICES)
    tale = kind if kind in ("truth", "dribble") else f"flood:{kind}"
    flooder = liar_table.start_script(
        liar_table.LIAR, path / "flooder", "host", "4", "3", tale, *PATIENCE
    )
    ticket = flooder.read_until("ticket")["ticket"]
    words = ("join", ticket, "--auto", "--yes", "--json")
    honest = [terminals.start(path / f"honest{i}", *words) for i in range(3)]
    kept = [Kept(terminal) for terminal in honest]
    honest[0].read_until("type", "started")
    began = time.perf_counter()
    codes = [terminal.end() for terminal in honest]
    took = time.perf_counter() - began
    flooder.process.terminate()
    return {
        "kind": kind,
        "exits": codes,
        "game_s": round(took, 1),
        "memory_kb": [one.memory for one in kept],
        "journal_kb": [one.journal // 1024 for one in kept],
        "cpu_s": [round(one.seconds, 1) for one in kept],
        "equal": len({p.read_bytes() for p in path.glob("honest*/transcripts/*.hoity")}) == 1,
        "load": round(os.getloadavg()[0], 1),
        **_seen(honest),
        **_sent(flooder),
    }


def _seen(honest: Sequence[terminals.Terminal]) -> dict[str, Any]:
    lines = [line for terminal in honest for line in terminal.lines]
    accused = sorted({(x["seat"], x["code"]) for x in lines if x.get("type") == "accused"})
    epochs = max((x["epoch"] for x in lines if x.get("type") == "rewound"), default=0)
    return {"accused": accused, "rewound_to": epochs}


def _sent(flooder: terminals.Terminal) -> dict[str, Any]:
    while (line := flooder.read()) is not None:
        if line["type"] == "flooded":
            return {"frames": line["frames"], "megabytes": line["bytes"] >> 20}
    return {}


def main(words: Sequence[str]) -> None:
    seconds = float(words[0]) if words else 60.0
    with tempfile.TemporaryDirectory() as name:
        for kind in words[1:] or ("truth", *FLOODS, "dribble"):
            print(json.dumps(flooded(Path(name) / kind, kind, seconds)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
