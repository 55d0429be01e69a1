"""Real `hoity` processes, each with a home of its own, over loopback."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LIMIT = 240


@dataclass
class Terminal:
    """One running command; `lines` is what it printed as JSON so far, `came` when (in seconds)."""

    process: subprocess.Popen[str]
    home: Path
    lines: list[dict[str, Any]] = field(default_factory=list)
    came: list[float] = field(default_factory=list)
    _printed: queue.Queue[tuple[float, str]] = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        """A thread empties the pipe, so that a process nobody reads is not held up."""
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._printed.put((time.monotonic(), line))
        self._printed.put((time.monotonic(), ""))

    def read(self) -> dict[str, Any] | None:
        """The next line it prints; None at its end."""
        came, line = self._printed.get(timeout=LIMIT)
        if not line:
            return None
        self.came.append(came)
        self.lines.append(json.loads(line))
        return self.lines[-1]

    def read_until(self, key: str, value: Any = None) -> dict[str, Any]:
        """The next line that has `key` (with this value, if given)."""
        while (line := self.read()) is not None:
            if key in line and value in (None, line[key]):
                return line
        raise AssertionError(f"ended without {key}: {self.lines[-3:]}, {self.errors()}")

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self.read() is not None:
            pass
        return self.process.wait(LIMIT)

    def errors(self) -> str:
        """What it printed as errors."""
        return (self.home / "errors").read_text()

    @property
    def last(self) -> dict[str, Any]:
        """Its last line."""
        return self.lines[-1]


def start(home: Path, *args: str, typed: str = "", module: str = "cli") -> Terminal:
    """Start a command in this home, its output piped; `typed` is all its input."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    environment = {**os.environ, "HOITY_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    errors = (home / "errors").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", module, *args],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    )
    errors.close()
    assert process.stdin is not None
    process.stdin.write(typed)
    process.stdin.close()
    return Terminal(process, home)


def open_table(path: Path, seats: int, *options: str) -> list[Terminal]:
    """A host and its guests, all bots, each in its own process; the host is the first."""
    common = ("--auto", "--yes", "--json")
    host = start(
        path / "0",
        "host",
        "--seats",
        str(seats),
        "--listen",
        "127.0.0.1:0",
        "--lan",
        "off",
        *common,
        *options,
    )
    ticket = host.read_until("ticket")["ticket"]
    guests = [start(path / str(i), "join", ticket, *common) for i in range(1, seats)]
    return [host, *guests]


@contextmanager
def relay(home: Path) -> Iterator[str]:
    """A relay on loopback while inside; where it listens."""
    running = start(home, "relay", "--listen", "127.0.0.1:0", "--json")
    try:
        (place,) = running.read_until("addresses")["addresses"]
        yield place
    finally:
        running.process.kill()
        running.process.wait()


def finish(terminals: list[Terminal]) -> list[bytes]:
    """Wait for all; the transcripts they wrote."""
    codes = [terminal.end() for terminal in terminals]
    assert codes == [0] * len(terminals), [t.errors() for t in terminals]
    return [Path(t.last["transcript"]).read_bytes() for t in terminals]
