"""Crashing seats that need no start: each is forked from a process that has read the program.

A seat is a process of its own, with its own sockets, files and death; only the half second in
which Python reads the modules is saved. For the long runs, which start thousands of seats.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import IO, cast

from support import terminals

forks = multiprocessing.get_context("forkserver")


def read_the_program() -> None:
    """To be called once, before the first seat: what the process to fork from shall read."""
    here = str(Path(__file__).parent.parent)  # it is not told of our path by itself
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    forks.set_forkserver_preload(["soak.crashes", "cli.commands.play", "p2p_hoity.bots"])


def sit(home: Path, output: Connection, words: tuple[str, ...]) -> None:
    """In the new process: its own output, its own home, then the command."""
    from support import crashing_seat

    os.environ.update(HOITY_HOME=str(home), LANGUAGE="en")
    os.dup2(output.fileno(), 1)
    os.dup2(os.open(home / "errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    output.close()
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115 - until the end
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    sys.exit(crashing_seat.main(list(words)))


@dataclass
class Fork:
    """What `terminals.Terminal` needs of a process."""

    made: BaseProcess
    stdout: IO[str]

    @property
    def pid(self) -> int | None:
        """The process id."""
        return self.made.pid

    @property
    def returncode(self) -> int | None:
        """The exit code; minus the signal that ended it."""
        return self.made.exitcode

    def poll(self) -> int | None:
        """The exit code if it has ended."""
        return self.made.exitcode

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end."""
        self.made.join(timeout)
        return self.made.exitcode

    def kill(self) -> None:
        """SIGKILL."""
        self.made.kill()


def start(home: Path, *words: str) -> terminals.Terminal:
    """Start a seat in this home; the first word is its cut."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    reader, writer = forks.Pipe(duplex=False)
    made = forks.Process(target=sit, args=(home, writer, words), daemon=True)
    made.start()
    writer.close()
    stdout = open(os.dup(reader.fileno()), encoding="utf-8")  # noqa: SIM115 - the terminal's
    reader.close()
    process = cast("terminals.subprocess.Popen[str]", Fork(made, stdout))
    return terminals.Terminal(process, home)
