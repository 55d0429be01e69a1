"""Tables of real `hoity` processes on several machines of a small internet, and walls between."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import terminals
from support.going_table import BOT, Table
from support.liars.table import environment
from support.namespaces import Internet, Machine

REFUSED, LOST = "reject with tcp reset", "drop"
"""What comes of a packet at a wall: who sends it is told, or nobody is."""


@dataclass
class FarTable(Table):
    """A table whose seats live on these machines, reached in these ways."""

    machines: Sequence[Machine] = ()
    way: tuple[str, ...] = ()
    """Options of `host` and `join`: where a seat listens, its relay."""
    ways: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Those of single seats."""

    def start(self, number: int, *words: str) -> terminals.Terminal:
        """A process on this seat's machine."""
        return self.machines[number].module(self.path / str(number), "support.going_seat", *words)

    def listen(self, number: int) -> tuple[str, ...]:
        """The way to each seat."""
        return self.ways.get(number, self.way)

    def hand(self, number: int, ticket: str) -> tuple[int, dict[str, Any]]:
        """`hoity join` in another terminal while this seat is played: exit code, last object."""
        words = [sys.executable, "-m", "cli", "join", ticket, *BOT]
        done = subprocess.run(
            ["ip", "netns", "exec", self.machines[number].name, *words],
            env=environment(self.path / str(number)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert "Traceback" not in done.stderr
        return done.returncode, json.loads(done.stdout.splitlines()[-1])

    def alike(self) -> dict[str, object]:
        """All played to the end, nobody is accused, and all have the same transcript; figures."""
        figures = self.judge(range(self.seats))
        files = [Path(one.last["transcript"]).read_bytes() for one in self.running.values()]
        assert len(files) == self.seats
        assert len(set(files)) == 1
        return figures


def machines(net: Internet, number: int) -> list[Machine]:
    """Machines with a public address each, see `address`."""
    return [net.machine(f"m{n}", f"{address(n)}/8") for n in range(number)]


def address(number: int) -> str:
    """Where the machine with this number is."""
    return f"8.0.0.{number + 1}"


def part(
    places: Sequence[Machine], pairs: Sequence[tuple[int, int]], name: str, packets: str = LOST
) -> None:
    """From now on these pairs of machines do not reach each other."""
    for one, two in (*pairs, *((two, one) for one, two in pairs)):
        rules = f"""
        add table ip {name}
        add chain ip {name} out {{ type filter hook output priority 0; }}
        add rule ip {name} out ip daddr {address(two)} meta l4proto tcp {packets}
        """
        places[one].run("nft", rules)


def join(places: Sequence[Machine], name: str) -> None:
    """What was parted under this name is together again."""
    for place in places:
        place.run("nft", f"add table ip {name}; delete table ip {name}")


def move(place: Machine, old: str, new: str) -> None:
    """A machine has another address from now on; both as `8.0.0.1/8`."""
    place.run("ip", "addr", "del", old, "dev", "wan")
    place.run("ip", "addr", "add", new, "dev", "wan")
