"""A table of real processes at which one seat lies: how it is set up and what the others saw."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import terminals
from support.liars.plots import PLOTS, Plot

LIAR = Path(__file__).with_name("peer.py")
TOLD = ("fault", "without a result", "--claim")
HONEST = ("honest", "plain")
LIMIT = 100


def hoity(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a hoity command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "cli", *args],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def environment(home: Path) -> dict[str, str]:
    """The variables of a process with a home of its own."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {**os.environ, "HOITY_HOME": str(home), "PYTHONUNBUFFERED": "1", "LANGUAGE": "en"}


def start_script(script: Path, home: Path, *args: str) -> terminals.Terminal:
    """Start a script of the tests that prints JSON lines."""
    env = environment(home)
    with (home / "errors").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, str(script), *args],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    return terminals.Terminal(process, home)


def start_plain(home: Path, *args: str) -> subprocess.Popen[bytes]:
    """A seat with the plain screen; what it shows goes to the file `screen` in its home."""
    env = environment(home)
    with (home / "screen").open("w") as screen:
        return subprocess.Popen(
            [sys.executable, "-m", "cli", *args],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=screen,
            stderr=screen,
        )


def claim(home: Path) -> dict[str, Any]:
    """What `hoity verify` says of a game saved as a claim."""
    told = hoity(home, "resume", "--claim", "--json").stdout.splitlines()
    file = json.loads(told[-1])["transcript"]
    judged: dict[str, Any] = json.loads(hoity(home, "verify", "--json", file).stdout)
    return judged


@dataclass(frozen=True)
class Seen:
    """What the honest seats of one table saw of a lie, and what `hoity verify` says of it."""

    code: str
    accused: tuple[tuple[int, str], ...]
    screen: tuple[str, ...]
    exits: tuple[int, ...]
    ended: str | None
    verdicts: tuple[dict[str, Any], ...]


def play(path: Path, code: str, plot: Plot | None = None) -> Seen:
    """One table: the liar is its host; one honest seat has the plain screen, the others JSON."""
    plot = plot or PLOTS[code]
    liar = start_script(
        LIAR, path / "liar", "host", str(plot.seats), str(plot.quorum), code, *plot.times
    )
    helpers: list[terminals.Terminal] = []
    try:
        ticket = liar.read_until("ticket")["ticket"]
        if plot.helper:
            name = path / (plot.helper if plot.also else "slow")
            helpers.append(start_script(LIAR, name, "join", ticket, plot.helper))
            while len(liar.read_until("type", "joined")["names"]) < 2:
                pass
        count = plot.seats - 2 - len(helpers)
        honest = [
            terminals.start(path / f"honest{i}", "join", ticket, "--auto", "--yes", "--json")
            for i in range(count)
        ]
        plain = start_plain(path / "plain", "join", ticket, "--auto", "--yes")
        codes = [terminal.end() for terminal in honest]
        codes.append(plain.wait(LIMIT))
    finally:
        for terminal in (liar, *helpers):
            terminal.process.kill()
            terminal.process.wait()
    return _seen(path, code, honest, tuple(codes))


def _seen(path: Path, code: str, honest: list[terminals.Terminal], exits: tuple[int, ...]) -> Seen:
    lines = [line for terminal in honest for line in terminal.lines]
    accused = {(x["seat"], x["code"]) for x in lines if x.get("type") == "accused"}
    files = sorted(path.glob("*/transcripts/*.hoity"))
    files = [f for f in files if f.parent.parent.name.startswith(HONEST)]
    verdicts: list[dict[str, Any]] = []
    if files:
        told = hoity(path / "judge", "verify", "--json", *map(str, files)).stdout
        verdicts = [json.loads(line) for line in told.splitlines()]
    screen = (path / "plain" / "screen").read_text().splitlines()
    last = honest[0].last if honest else {}
    shown = tuple(line for line in screen if any(w in line for w in TOLD))
    ended = last.get("broken")
    return Seen(code, tuple(sorted(accused)), shown, exits, ended, tuple(verdicts))
