"""Real seats that reach each other through real relays alone, which end, die and come back."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support import terminals
from support.going_table import Table
from support.short_game import short_edition

THINK = "think=0.3"
TIMES = "times=20000,20000,1000,8000"


@contextmanager
def relay(home: Path, port: int = 0, *options: str) -> Iterator[terminals.Terminal]:
    """A relay; `port` of its last line is where it is."""
    words = ("relay", "--listen", f"127.0.0.1:{port}", "--json", *options)
    running = terminals.start(home, *words)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()


def port_of(running: terminals.Terminal) -> int:
    """Where a relay listens."""
    (address,) = running.read_until("type", "relay")["addresses"]
    return int(address.rpartition(":")[2])


@dataclass
class Walled(Table):
    """A table whose seats can dial nothing but these relays, and wait at them."""

    ports: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        only = f"only={','.join(map(str, self.ports))}"
        self.habits = dict.fromkeys(range(self.seats), (THINK, only))
        self.habits[0] = (THINK, only, TIMES)
        self.options = ("--edition", str(short_edition(self.path, times=2)))

    def listen(self, number: int) -> tuple[str, ...]:
        """Nowhere that others can dial; at every relay."""
        relays = [word for port in self.ports for word in ("--relay", f"127.0.0.1:{port}")]
        return (*super().listen(number), *relays)


def alike(table: Walled) -> None:
    """All played to the end, and have one file."""
    table.judge(range(table.seats))
    files = [Path(table.running[n].last["transcript"]).read_bytes() for n in range(table.seats)]
    assert len(set(files)) == 1


def test_a_game_goes_on_when_one_of_two_relays_is_gone(tmp_path: Path) -> None:
    with relay(tmp_path / "one") as one, relay(tmp_path / "two") as two:
        ports = [port_of(one), port_of(two)]
        with Walled(tmp_path, 3, ports=ports) as table:
            table.fill()
            table.running[1].read_until("round", 2)
            one.process.send_signal(signal.SIGKILL)
            table.running[1].read_until("round", 4)
            alike(table)


def test_a_game_goes_on_when_its_only_relay_comes_back(tmp_path: Path) -> None:
    with relay(tmp_path / "one") as first:
        port = port_of(first)
        with Walled(tmp_path, 3, ports=[port]) as table:
            table.fill()
            table.running[1].read_until("round", 2)
            first.process.send_signal(signal.SIGKILL)
            first.process.wait()
            table.running[1].read_until("type", "unlinked")
            with relay(tmp_path / "two", port) as again:
                assert port_of(again) == port
                table.running[1].read_until("type", "linked")
                alike(table)


def test_a_relay_that_is_told_to_end_lets_the_game_end_first(tmp_path: Path) -> None:
    """[L-35]"""
    with relay(tmp_path / "one", 0, "--drain", "3600", "--log") as running:
        port = port_of(running)
        with Walled(tmp_path, 2, ports=[port]) as table:
            table.fill()
            table.running[1].read_until("round", 2)
            running.process.send_signal(signal.SIGTERM)
            assert running.read_until("type", "drains")["splices"] == 1
            late = terminals.start(
                tmp_path / "late", "host", "--relay", f"127.0.0.1:{port}", "--auto", "--json"
            )
            assert late.end() == 3
            alike(table)
            kinds = [line.get("type") for line in table.running[1].lines]
            assert "unlinked" not in kinds[: kinds.index("hand-opened")]  # until the game was over
        assert running.end() == 0
        said = running.errors()
        assert " drains splices=1" in said
        assert said.splitlines()[-1].endswith(" closes")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_a_relay_at_once(tmp_path: Path, number: signal.Signals) -> None:
    with (
        relay(tmp_path / "one", 0, "--drain", "3600") as running,
        Walled(tmp_path, 2, ports=[port_of(running)]) as table,
    ):
        table.fill()
        table.running[1].read_until("round", 1)
        running.process.send_signal(number)
        running.read_until("type", "drains")
        running.process.send_signal(number)
        assert running.end() == 130
        assert "Traceback" not in running.errors()


def test_a_relay_with_nobody_ends_at_once(tmp_path: Path) -> None:
    with relay(tmp_path / "one", 0, "--drain", "3600", "--metrics", "127.0.0.1:0") as running:
        address = running.read_until("type", "relay")["metrics"][0]
        asked = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())"
        page = subprocess.run(
            [sys.executable, "-c", asked, f"http://{address}/metrics"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert 'hoity_relay_now{what="splices"} 0.0' in page
        assert "process_resident_memory_bytes" in page or sys.platform != "linux"
        running.process.send_signal(signal.SIGTERM)
        assert running.end() == 0
