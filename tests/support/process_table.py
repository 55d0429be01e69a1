"""Tables of real `hoity` processes: who sits where, how each behaves, and how all is judged."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from support import terminals
from support.namespaces import Machine
from support.short_game import short_file
from support.terminals import BOT, GUEST, LISTEN, Terminal

Habits = tuple[str, ...]
"""Of `support.seat`."""
LONG = "1800000,1800000,1000,8000"
"""Times of a table, as `times=` of `support.seat` takes them: nobody is declared absent because
the machine is busy, and whoever leaves is not awaited long."""
STEADY = "1800000,1800000,20000,60000"
"""The same where nobody leaves: at the end, too, a seat is awaited whose machine stood still for
some seconds, and which has lost its links by that."""
SHORT_TIMEOUTS = "8000,15000,1000,8000"
"""Where seats are declared absent in seconds."""


@dataclass
class ProcessTable:
    """Running seats by number, the host first; whatever still runs at the end is killed."""

    path: Path
    seats: int
    habits: Mapping[int, Habits] = field(default_factory=dict)
    every: Habits = ()
    """Habits of all seats, after their own."""
    options: Sequence[str] = ()
    """What else the host asks of its table."""
    typed: str = ""
    """All input of the host."""
    edition: str = ""
    """The short one if empty; what `--edition` is given."""
    timeouts: str = LONG
    """Empty for that of `hoity host`."""
    fresh: bool = False
    """Whether a Python of its own reads the program for each seat, as where memory is measured."""
    machines: Sequence[Machine] = ()
    """Where the seats live; all on this machine if empty."""
    way: Sequence[str] = ()
    """Where a seat listens and its relays, as options of `host` and `join`; on loopback if empty
    and the seats live on this machine."""
    ways: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Those of single seats."""
    running: dict[int, Terminal] = field(default_factory=dict)
    ticket: str = ""
    began: float = field(default_factory=time.monotonic)

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        for terminal in self.running.values():
            terminal.kill()

    def start(self, number: int, *words: str, **how: Any) -> Terminal:
        """Start a `hoity` of this seat, with its habits; `how` is for `terminals.start`."""
        place = self.machines[number].name if self.machines else ""
        habits = self.habits_of(number)
        how = {"module": "support.seat" if habits else "cli", "fresh": self.fresh, **how}
        self.running[number] = terminals.start(
            self.path / str(number), *habits, *words, namespace=place, **how
        )
        return self.running[number]

    def habits_of(self, number: int) -> Habits:
        """Return the habits of a seat; it dies but once."""
        habits = (*self.habits.get(number, ()), *self.every)
        if number == 0 and self.timeouts:
            habits = (f"times={self.timeouts}", *habits)
        once = number in self.running
        return tuple(one for one in habits if not (once and one.startswith("die=")))

    def way_of(self, number: int) -> Sequence[str]:
        """Return where this seat listens, and its relays."""
        usual = () if self.machines else LISTEN
        return self.ways.get(number, self.way or usual)

    def open(self) -> None:
        """Start the host, seat 0, and take its ticket."""
        self.path.mkdir(parents=True, exist_ok=True)
        edition = self.edition or str(short_file(self.path))
        words = ("--seats", str(self.seats), "--edition", edition, "--lan", "off")
        words = (*words, *self.way_of(0), *BOT, *self.options)
        host = self.start(0, "host", *words, typed=self.typed)
        self.ticket = host.read_until("ticket")["ticket"]

    def join(self, number: int, *words: str, **how: Any) -> Terminal:
        """Have a guest come to the table."""
        return self.start(number, "join", self.ticket, *self.way_of(number), *GUEST, *words, **how)

    def fill(self) -> None:
        """Have all guests come who are not here yet."""
        for number in range(1, self.seats):
            if number not in self.running:
                self.join(number)

    def kill(self, number: int) -> None:
        """End a seat's process without a word."""
        self.running[number].kill()

    def resume(self, number: int, *words: str) -> Terminal:
        """Have a new process take a seat again, with the same habits."""
        return self.start(number, "resume", "--auto", "--json", *words)

    def read_until(self, key: str, value: Any = None) -> None:
        """Read until every seat has told this."""
        for terminal in self.running.values():
            terminal.read_until(key, value)

    def let_go(self, name: str = "go") -> None:
        """Make the file for which seats wait."""
        (self.path / name).touch()

    def waits(self, number: int, name: str = "go") -> str:
        """Return the habit of who chooses nothing from a round on until `let_go`."""
        return f"wait={number}:{self.path / name}"

    def seat_of(self, number: int) -> int:
        """Return the seat at the table of the process with this number."""
        return int(self.seen(number, "table")[0]["seat"])

    def seen(self, number: int, kind: str) -> list[dict[str, Any]]:
        """Return what a seat's screen told of this type."""
        return self.running[number].seen(kind)

    def play(self) -> dict[str, Any]:
        """Have all guests come, and judge how all ended."""
        self.fill()
        return self.judge()

    def judge(self, numbers: Sequence[int] = ()) -> dict[str, Any]:
        """Wait until these have ended alike, without an accusation; `hoity verify` says so too.

        Args:
            numbers: Which seats; all if empty.
        """
        numbers = numbers or range(self.seats)
        ended = [self.running[number] for number in numbers]
        codes = [one.end() for one in ended]
        errors = [one.errors() for one in ended]
        assert codes == [0] * len(codes), (codes, [one.lines[-1:] for one in ended], errors)
        assert not any("Traceback" in text for text in errors), errors
        assert [line for one in ended for line in one.seen("alarm")] == []
        assert len({json.dumps(one.last["standings"]) for one in ended}) == 1
        files = {one.transcript: one.last["transcript"] for one in ended}
        verdicts = verify(self.path, *files.values())
        assert {one["verdict"] for one in verdicts} == {"ok"}, verdicts
        assert all(one["faults"] == [] for one in verdicts)
        assert len({one["digest"] for one in verdicts}) == 1
        # After a change of epoch the signatures of a body may be of different epochs.
        assert len(files) == 1 or {one["epochs"] for one in verdicts} != {0}
        return {
            "seconds": round(time.monotonic() - self.began, 1),
            "steps": verdicts[0]["steps"],
            "epochs": sorted({one["epochs"] for one in verdicts}),
            "timed-out": sorted(
                {s for one in ended for x in one.seen("timed-out") for s in x["seats"]}
            ),
            "away": sum(len(one.seen("away")) for one in ended),
            "back": sum(len(one.seen("back")) for one in ended),
        }


def verify(path: Path, *files: str) -> list[dict[str, Any]]:
    """Return what `hoity verify` says of these files."""
    told = terminals.hoity(path / "judge", "verify", "--json", *files).stdout
    return [json.loads(line) for line in told.splitlines()]
