"""Six real seats in two namespaces whose cable goes dead: two split from four; needs root."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from processes.test_namespaces import GUEST, HOST, NamespacePair
from support import terminals
from support.going_table import GOING, Table
from support.liars.table import environment

HABITS = ("think=0.5",)
FOUR, TWO = (0, 1, 2, 3), (4, 5)


@dataclass
class TwoNamespaces(Table):
    """A table whose last two seats live in the second namespace of a pair."""

    pair: NamespacePair | None = None

    def namespace(self, number: int) -> int:
        """In which namespace a seat lives."""
        return int(number in TWO)

    def listen(self, number: int) -> tuple[str, ...]:
        """At the namespace's own address."""
        return ("--listen", f"{(HOST, GUEST)[self.namespace(number)]}:0")

    def start(self, number: int, *words: str) -> terminals.Terminal:
        """A process in this seat's namespace."""
        assert self.pair is not None
        home = self.path / str(number)
        env = environment(home)
        inside = ("ip", "netns", "exec", self.pair.namespaces[self.namespace(number)])
        with (home / "errors").open("w") as errors:
            process = subprocess.Popen(
                [*inside, sys.executable, str(GOING), *words],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        return terminals.Terminal(process, home)


@pytest.fixture
def pair() -> Iterator[NamespacePair]:
    made = NamespacePair(f"hoity{time.monotonic_ns() % 10**6}")
    yield made
    made.clear()


@pytest.mark.nightly
def test_two_split_from_four_and_heal(pair: NamespacePair, tmp_path: Path) -> None:
    habits: dict[int, tuple[str, ...]] = dict.fromkeys(range(6), HABITS)
    habits[0] = (*HABITS, "times=20000,20000,1000,8000")
    with TwoNamespaces(tmp_path, 6, habits, pair=pair) as table:
        table.fill()
        table.running[0].read_until("round", 2)
        pair.lose()
        parted = time.monotonic()
        table.running[0].read_until("type", "late")
        table.running[0].read_until("round")
        split = time.monotonic() - parted
        pair.heal()
        found = table.judge(range(6))
        for number in TWO:
            assert table.seen(number, "away")
            assert len(table.seen(number, "away")) == len(table.seen(number, "back"))
            assert table.seat_of(number) in found["late"]
        print({"split": round(split, 1), **found})
