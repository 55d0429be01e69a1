"""Real `hoity` seats that go for good: before the table is full, in the deal, in every step."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from support.going_table import TIMES, Table

BEFORE = ("key.commit", "key.reveal", "key.ok", "shuffle", "deck.ok")
DURING = (
    "deal",
    "seal+own",
    "seal+pass",
    "reveal+own",
    "reveal+pass",
    "show",
    "choose+own",
    "choose+pass",
    "open",
    "over",
    "final",
    "result",
)


@pytest.mark.nightly
def test_a_guest_killed_before_the_table_is_full_frees_its_seat(tmp_path: Path) -> None:
    with Table(tmp_path, 3) as table:
        table.join(9)
        table.running[0].read_until("names", None)
        seated = table.running[0].read_until("names", None)
        assert len(seated["names"]) == 2
        table.kill(9)
        assert len(table.running[0].read_until("names")["names"]) == 1
        table.fill()
        table.judge([0, 1, 2])
        assert len(table.seen(0, "started")[0]["seats"]) == 3


def leave_before(path: Path, kind: str) -> dict[str, Any]:
    """A guest dies as a step before the game begins: the table ends, its seat named."""
    with Table(path, 4, {3: (f"die={kind}:1",)}) as table:
        table.fill()
        assert table.end([0, 1, 2, 3]) == [1, 1, 1, -signal.SIGKILL]
        gone = table.seen(3, "goes")[0]["at"]
        told = [table.running[n].last for n in range(3)]
        assert gone == kind
        assert all(line["code"] == "silent-seat" for line in told)
        assert not any("Traceback" in table.running[n].errors() for n in range(3))
        assert not any(table.seen(n, "accused") for n in range(3))
        assert not list(path.glob("*/transcripts/*"))
        return {"kind": kind, "told": told[0]["code"]}


def leave_during(path: Path, moment: str) -> dict[str, Any]:
    """A guest dies as a step of the game begins: the others end it without that seat."""
    kind = moment.partition("+")[0]
    with Table(path, 4, {3: (f"die={moment}:1",)}) as table:
        table.fill()
        found = table.judge([0, 1, 2])
        gone = table.end([3])[0] == -signal.SIGKILL
        if gone:
            assert table.seen(3, "goes")[0]["at"] == kind
            assert table.seat_of(3) in found["late"]
        return {"kind": moment, "gone": gone, **found}


@pytest.mark.parametrize("moment", ["seal+own"])
def test_a_guest_killed_in_the_game_is_played_without(tmp_path: Path, moment: str) -> None:
    assert leave_during(tmp_path, moment)["gone"]


@pytest.mark.nightly
@pytest.mark.parametrize("kind", BEFORE)
def test_a_guest_killed_in_each_step_before_the_game(tmp_path: Path, kind: str) -> None:
    print(leave_before(tmp_path, kind))


@pytest.mark.nightly
@pytest.mark.parametrize("moment", DURING)
def test_a_guest_killed_in_each_kind_of_step(tmp_path: Path, moment: str) -> None:
    print(leave_during(tmp_path, moment))


def lose_the_host(path: Path, back: bool) -> dict[str, Any]:
    """The host is killed in the third round; for good, or to come back to its seat."""
    with Table(path, 4, {0: (TIMES, "think=0.3"), **dict.fromkeys((1, 2, 3), ("think=0.3",))}) as t:
        t.fill()
        t.running[1].read_until("round", 3)
        t.kill(0)
        t.end([0])
        seat = t.seat_of(0)
        if back:
            t.resume(0)
        found = t.judge([0, 1, 2, 3] if back else [1, 2, 3])
        assert back or found["late"] == [seat]
        return found


@pytest.mark.nightly
def test_the_host_killed_for_good_is_played_without(tmp_path: Path) -> None:
    print(lose_the_host(tmp_path, back=False))


@pytest.mark.nightly
def test_the_host_killed_and_resumed_plays_on(tmp_path: Path) -> None:
    print(lose_the_host(tmp_path, back=True))
