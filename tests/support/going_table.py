"""Tables of real `hoity` processes from which a seat goes: how they are set up and judged."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from support import terminals
from support.liars.table import hoity, start_script

GOING = Path(__file__).with_name("going_seat.py")
BOT = ("--auto", "--yes", "--json")
TIMES = "times=8000,15000,1000,8000"


@dataclass
class Table:
    """Running seats by number; whatever still runs at the end is ended."""

    path: Path
    seats: int
    habits: dict[int, tuple[str, ...]] = field(default_factory=dict)
    running: dict[int, terminals.Terminal] = field(default_factory=dict)
    ticket: str = ""
    began: float = field(default_factory=time.monotonic)
    options: tuple[str, ...] = ()
    """What else the host asks of its table."""

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for terminal in self.running.values():
            terminal.process.kill()
            terminal.process.wait()

    def start(self, number: int, *words: str) -> terminals.Terminal:
        """A process of this seat."""
        return start_script(GOING, self.path / str(number), *words)

    def listen(self, number: int) -> tuple[str, ...]:
        """Where this seat listens."""
        return ("--listen", "127.0.0.1:0")

    def open(self, *options: str) -> None:
        """The host, seat 0, with its ticket."""
        habits = self.habits.get(0, (TIMES,))
        words = (
            "host",
            "--seats",
            str(self.seats),
            "--lan",
            "off",
            *self.listen(0),
            *BOT,
            *self.options,
            *options,
        )
        self.running[0] = self.start(0, *habits, *words)
        self.ticket = self.running[0].read_until("ticket")["ticket"]

    def join(self, number: int) -> terminals.Terminal:
        """A guest comes to the table."""
        words = ("join", self.ticket, *self.listen(number), *BOT)
        self.running[number] = self.start(number, *self.habits.get(number, ()), *words)
        return self.running[number]

    def fill(self) -> None:
        """All guests who are not here yet."""
        for number in range(1, self.seats):
            if number not in self.running:
                self.join(number)

    def kill(self, number: int) -> None:
        """End a seat's process without a word."""
        self.running[number].process.send_signal(signal.SIGKILL)
        self.running[number].process.wait()

    def resume(self, number: int, *words: str) -> terminals.Terminal:
        """The seat is taken again by a new process, with the same habits."""
        habits = [word for word in self.habits.get(number, ()) if not word.startswith("die=")]
        self.running[number] = self.start(number, *habits, "resume", "--auto", "--json", *words)
        return self.running[number]

    def seat_of(self, number: int) -> int:
        """The seat at the table of the process with this number."""
        return int(self.seen(number, "started")[0]["seat"])

    def end(self, numbers: Sequence[int]) -> list[int]:
        """Wait for these; their exit codes."""
        return [self.running[number].end() for number in numbers]

    def seen(self, number: int, kind: str) -> list[dict[str, Any]]:
        """What a seat's screen told of this type."""
        return [line for line in self.running[number].lines if line.get("type") == kind]

    def judge(self, numbers: Sequence[int]) -> dict[str, Any]:
        """These ended alike, nobody was accused, and `hoity verify` says so; figures."""
        codes = self.end(numbers)
        errors = [self.running[n].errors() for n in numbers]
        ends = [self.running[n].last for n in numbers]
        assert codes == [0] * len(codes), (codes, ends, errors)
        assert not any("Traceback" in text for text in errors)
        assert [line for n in numbers for line in self.seen(n, "accused")] == []
        verdicts = self.verdicts(numbers)
        assert {v["verdict"] for v in verdicts} == {"ok"}, verdicts
        assert all(v["faults"] == [] for v in verdicts)
        assert len({v["content"] for v in verdicts}) == 1
        return {
            "seconds": round(time.monotonic() - self.began, 1),
            "steps": verdicts[0]["steps"],
            "epochs": sorted({v["epochs"] for v in verdicts}),
            "late": sorted({s for n in numbers for x in self.seen(n, "late") for s in x["seats"]}),
            "away": sum(len(self.seen(n, "away")) for n in numbers),
            "back": sum(len(self.seen(n, "back")) for n in numbers),
        }

    def verdicts(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """What `hoity verify` says of these seats' transcripts."""
        files = [self.running[number].last["transcript"] for number in numbers]
        told = hoity(self.path / "judge", "verify", "--json", *files).stdout
        return [json.loads(line) for line in told.splitlines()]
