"""Real seats that reach each other through real relays alone, which end, die and come back."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from support.process_table import ProcessTable
from support.sampling import REACHED, sample
from support.terminals import DOORS, LISTEN, relay, start

pytestmark = REACHED


@contextmanager
def walled(path: Path, seats: int, *places: str) -> Iterator[ProcessTable]:
    """A full table whose seats can dial nothing but these relays and wait at all of them; the host
    chooses nothing from the second round on, which all have begun, until it is let go."""
    ports = ",".join(place.rpartition(":")[2] for place in places)
    way = [*LISTEN, *(word for place in places for word in ("--relay", place))]
    table = ProcessTable(path / "table", seats, way=way, every=(f"only={ports}",))
    table.habits = {0: (table.waits(2),)}
    with table:
        table.fill()
        table.read_until("round", 2)
        yield table


def test_a_game_goes_on_when_one_of_two_relays_is_gone(tmp_path: Path) -> None:
    with (
        relay(tmp_path / "1") as (one, place),
        relay(tmp_path / "2") as (_, other),
        walled(tmp_path, 3, place, other) as table,
    ):
        one.kill()
        table.let_go()
        table.judge()


@pytest.mark.parametrize("door", DOORS)
def test_a_game_goes_on_when_its_only_relay_comes_back(tmp_path: Path, door: str) -> None:
    run = DOORS[door]
    with run(tmp_path / "first") as (first, place), walled(tmp_path, 3, place) as table:
        first.kill()
        table.read_until("type", "unlinked")
        table.let_go()
        with run(tmp_path / "again", port=int(place.rpartition(":")[2])) as (_, again):
            assert again == place
            table.running[1].read_until("type", "linked")
            table.judge()


def test_a_relay_that_is_told_to_end_lets_the_game_end_first(tmp_path: Path) -> None:
    """[L-35]"""
    with relay(tmp_path / "relay", "--drain", "3600", "--log") as (running, place):
        with walled(tmp_path, 2, place) as table:
            running.process.send_signal(signal.SIGTERM)
            drains = running.read_until("type", "drains")
            assert drains["splices"] in (1, 2)  # both ends may have called before one link was kept
            late = start(tmp_path / "late", "host", "--relay", place, "--auto", "--json")
            assert late.end() == 3
            table.let_go()
            table.judge()
            kinds = [line.get("type") for line in table.running[1].lines]
            assert "unlinked" not in kinds[: kinds.index("hand-opened")]  # until the game was over
        assert running.end() == 0
        said = running.errors()
        assert f" drains splices={drains['splices']}" in said
        assert said.splitlines()[-1].endswith(" closes")


@pytest.mark.parametrize("number", sample([signal.SIGTERM, signal.SIGINT], 1, "second signal"))
def test_a_second_signal_ends_a_relay_at_once(tmp_path: Path, number: signal.Signals) -> None:
    """But not a repetition of the first one, which `timeout` sends."""
    other = signal.SIGINT if number is signal.SIGTERM else signal.SIGTERM
    with (
        relay(tmp_path / "relay", "--drain", "3600") as (running, place),
        walled(tmp_path, 2, place),
    ):
        running.process.send_signal(number)
        running.process.send_signal(number)
        running.read_until("type", "drains")
        running.process.send_signal(other)
        # Of two signals that come at once Python handles the one with the lower number first. The
        # repetition is then left over, and ends a process that ends anyway.
        assert running.end() in (130, -number)
        assert "Traceback" not in running.errors()


def test_a_relay_with_nobody_ends_at_once(tmp_path: Path) -> None:
    options = ("--drain", "3600", "--metrics", "127.0.0.1:0")
    with relay(tmp_path / "relay", *options) as (running, _):
        page = urlopen(f"http://{running.last['metrics'][0]}/metrics").read().decode()
        assert 'hoity_relay_now{what="splices"} 0.0' in page
        assert "process_resident_memory_bytes" in page or sys.platform != "linux"
        running.process.send_signal(signal.SIGTERM)
        assert running.end() == 0
