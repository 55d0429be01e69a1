"""Many whole games with six seats, one after the other: what they leave behind, as JSON lines.

    python tests/soak_games.py [GAMES]

Each game is `hoity play --auto --bots 5`: six processes. Told are the largest memory of any of
them, what lies in the temporary folder and in the home afterwards, and what still runs.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from liar_table import environment


def left_running(home: Path) -> int:
    """Processes of this player that are still there."""
    mark = f"HOITY_HOME={home}".encode()
    found = 0
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            found += mark in path.read_bytes()
        except OSError:
            continue
    return found


def one_game(home: Path, folder: Path) -> dict[str, Any]:
    """Play one game; its figures."""
    env = {**environment(home), "TMPDIR": str(folder)}
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "cli", "play", "--auto", "--bots", "5", "--json"],
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    last = json.loads(done.stdout.splitlines()[-1])
    return {
        "exit": done.returncode,
        "seats": len(last["standings"]),
        "seconds": round(time.perf_counter() - began, 1),
        "memory_kb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
        "temporary": len(list(folder.iterdir())),
        "in_home": sum(1 for path in home.rglob("*") if path.is_file()),
        "running": left_running(home),
        "files": len(os.listdir("/proc/self/fd")),
    }


def main(games: int) -> None:
    """Play them; stop at the first that goes wrong."""
    with tempfile.TemporaryDirectory() as name:
        home, folder = Path(name) / "home", Path(name) / "tmp"
        folder.mkdir()
        for number in range(games):
            found = one_game(home, folder)
            print(json.dumps({"game": number, **found}), flush=True)
            assert found["exit"] == 0
            assert found["seats"] == 6


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
