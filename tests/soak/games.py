"""Many whole games with six seats, one after the other: what they leave behind, as JSON lines.

    python -m soak.games [GAMES]

Each game is `hoity play --auto --bots 5`: six processes. Told are the largest memory and the most
open files of any of them, seen every half second, what lies in the temporary folder and in the
home afterwards, and what still runs.
"""

import json
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from support.terminals import environment

from soak.health import Health, health

LONGEST = 600
"""Seconds after which a game is taken for stuck."""


def processes(home: Path) -> list[Path]:
    """The `/proc` folders of this player's processes."""
    mark = f"HOITY_HOME={home}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # another user's, or gone meanwhile
            if mark in (path / "environ").read_bytes():
                found.append(path)
    return found


def one_game(home: Path, folder: Path) -> dict[str, Any]:
    """Play one game; its figures."""
    env = {**environment(home), "TMPDIR": str(folder)}
    words = [sys.executable, "-m", "cli", "play", "--auto", "--bots", "5", "--json"]
    began, peak, most = time.perf_counter(), Health(), 0
    with tempfile.TemporaryFile("w+") as out:
        game = subprocess.Popen(words, env=env, stdout=out, stderr=subprocess.DEVNULL)
        while game.poll() is None and time.perf_counter() - began < LONGEST:
            found = processes(home)
            most = max(most, len(found))
            for process in found:
                with suppress(OSError, IndexError):
                    peak = peak.or_more(health(int(process.name)))
            time.sleep(0.5)
        game.kill()
        out.seek(0)
        last = json.loads(out.read().splitlines()[-1])
    return {
        "exit": game.wait(),
        "seats": len(last["standings"]),
        "seconds": round(time.perf_counter() - began, 1),
        "memory_kb": peak.memory,
        "files": peak.files,
        "processes": most,
        "temporary": len(list(folder.iterdir())),
        "in_home": sum(1 for path in home.rglob("*") if path.is_file()),
        "running": len(processes(home)),
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
            assert found["temporary"] == found["running"] == 0
            assert found["in_home"] <= number + 10, "more than a transcript is left of each game"


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
