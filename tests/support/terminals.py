"""Real `hoity` processes, each with a home of its own, and what they print."""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from support import fork_server, table_contract
from support.limits import LIMIT

CAN_FORK = os.name == "posix"
LISTEN = ("--listen", "127.0.0.1:0")
BOT = ("--auto", "--json")
GUEST = (*BOT, "--yes")
"""What a bot is told that comes to a table: it takes the terms as they are."""


@dataclass
class Terminal:
    """One running command; `lines` is what it printed as JSON so far, `came` when (in seconds).

    Each message of a table is checked, and told as `table_contract.flat` has it.
    """

    process: subprocess.Popen[str]
    home: Path
    complaints: IO[str]
    lines: list[dict[str, Any]] = field(default_factory=list)
    came: list[float] = field(default_factory=list)
    _told: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    _printed: queue.Queue[tuple[float, str]] = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        """Start a thread that empties the pipe, so that a process nobody reads is not held up."""
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as printed:
            for line in printed:
                self._printed.put((time.monotonic(), line))
        self._printed.put((time.monotonic(), ""))

    def text(self, limit: float = LIMIT) -> tuple[float, str]:
        """Return when its next line came, and the line; it is empty at the end."""
        try:
            came, line = self._printed.get(timeout=limit)
        except queue.Empty:
            said = f"{self.lines[-3:]}, {self.errors()}"
            raise TimeoutError(f"nothing more came in {limit} seconds: {said}") from None
        if not line:
            self._printed.put((came, line))  # the end is told to whoever asks
        return came, line

    def read(self, limit: float = LIMIT) -> dict[str, Any] | None:
        """Return the next line that it prints; None at its end."""
        if not self._told:
            came, line = self.text(limit)
            if not line:
                return None
            found = json.loads(line)
            if table_contract.is_message(found):
                table_contract.check(found)
            self._told += [(came, one) for one in table_contract.flat(found)]
        came, told = self._told.pop(0)
        self.came.append(came)
        self.lines.append(told)
        return told

    def read_until(self, key: str, value: Any = None) -> dict[str, Any]:
        """Return the next line that has `key` (with this value, if given)."""
        while (line := self.read()) is not None:
            if key in line and value in (None, line[key]):
                return line
        raise AssertionError(f"ended without {key}: {self.lines[-3:]}, {self.errors()}")

    def end(self) -> int:
        """Read to the end, and return the exit code."""
        while self.read() is not None:
            pass
        return self.process.wait(LIMIT)

    def rest(self) -> str:
        """Wait for its end, and return what it printed until then as it is."""
        lines = []
        while line := self.text()[1]:
            lines.append(line)
        self.process.wait(LIMIT)
        return "".join(lines)

    def kill(self) -> None:
        """End it without a word."""
        self.process.kill()
        self.process.wait()

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def errors(self) -> str:
        """Return what it printed as errors."""
        self.complaints.seek(0)
        return self.complaints.read()

    def seen(self, kind: str) -> list[dict[str, Any]]:
        """Return the lines of this type that were read."""
        return [line for line in self.lines if line.get("type") == kind]

    @property
    def last(self) -> dict[str, Any]:
        """Its last line."""
        return self.lines[-1]

    @property
    def transcript(self) -> bytes:
        """The file that its last line names."""
        return Path(self.last["transcript"]).read_bytes()


def environment(home: Path, **variables: str) -> dict[str, str]:
    """Make a home, and return the environment of a process that lives there."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    own = {"HOITY_HOME": str(home), "PYTHONUNBUFFERED": "1", "LANGUAGE": "en"}
    return {**os.environ, **own, **variables}


def start(
    home: Path,
    *words: str,
    module: str = "cli",
    typed: str = "",
    namespace: str = "",
    fresh: bool = False,
    **variables: str,
) -> Terminal:
    """Start a command in this home, its output piped.

    Args:
        home: Its HOITY_HOME.
        words: Its command line.
        module: What is run instead of `hoity`.
        typed: All its input.
        namespace: The network namespace in which it runs.
        fresh: Whether a Python of its own reads the program, instead of a fork server.
        variables: More of its environment.
    """
    given = environment(home, **variables)
    complaints = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - as long as the terminal
    reader, writer = os.pipe()
    os.write(writer, typed.encode())
    os.close(writer)
    streams = (reader, complaints.fileno())
    if fresh or not CAN_FORK:
        inside = ("ip", "netns", "exec", namespace) if namespace else ()
        process: Any = subprocess.Popen(
            [*inside, sys.executable, "-m", module, *words],
            env=given,
            stdin=streams[0],
            stdout=subprocess.PIPE,
            stderr=streams[1],
            text=True,
        )
    else:
        process = fork_server.start(module, words, given, streams, namespace)
    os.close(reader)
    return Terminal(cast("subprocess.Popen[str]", process), home, complaints)


def hoity(
    home: Path, *words: str, code: int | None = None, **how: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with this code if given; `how` is what `start` takes besides."""
    running = start(home, *words, **how)
    printed, ended, errors = running.rest(), running.process.returncode, running.errors()
    assert code in (None, ended), (ended, printed, errors)
    return subprocess.CompletedProcess(words, ended, printed, errors)


@contextmanager
def relay(home: Path, *options: str, port: int = 0) -> Iterator[tuple[Terminal, str]]:
    """Run a relay on loopback while inside; it, and where it listens."""
    running = start(home, "relay", "--listen", f"127.0.0.1:{port}", "--json", *options)
    try:
        (place,) = running.read_until("addresses")["addresses"]
        yield running, place
    finally:
        running.kill()


@contextmanager
def web_relay(home: Path, port: int = 0) -> Iterator[tuple[Terminal, str]]:
    """The same by its door for WebSockets."""
    if port == 0:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
    url = f"ws://127.0.0.1:{port}"
    with relay(home, "--web", f"127.0.0.1:{port}", "--web-url", url) as (running, _place):
        yield running, url


DOORS = {"tls": relay, "web": web_relay}
"""How to run a relay, by the door that is used."""
