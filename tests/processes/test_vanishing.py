"""Real `hoity` seats that go for good or stand still: before the table is full, in the deal, in
every step. Each case in memory: tests/p2p_hoity_/table/test_adversity.py."""

import signal
from pathlib import Path

import pytest
from support.process_table import SHORT_TIMEOUTS, ProcessTable

pytestmark = pytest.mark.nightly
BEFORE = ("key.commit", "key.reveal", "key.ok", "shuffle", "deck.ok")
CHOSEN = [f"{kind}+{who}" for kind in ("seal", "reveal", "choose") for who in ("own", "pass")]
DURING = ("deal", "show", "open", "over", "final", "result", *CHOSEN)


def test_a_guest_killed_before_the_table_is_full_frees_its_seat(tmp_path: Path) -> None:
    with ProcessTable(tmp_path, 3) as table:
        goer = table.join(9)
        table.running[0].read_until("names", None)
        seated = table.running[0].read_until("names", None)
        assert len(seated["names"]) == 2
        goer.kill()
        assert len(table.running[0].read_until("names")["names"]) == 1
        table.fill()
        table.judge([0, 1, 2])
        assert len(table.seen(0, "table")[0]["seats"]) == 3


@pytest.mark.parametrize("kind", BEFORE)
def test_a_guest_killed_in_each_step_before_the_game(tmp_path: Path, kind: str) -> None:
    """The table ends, its seat named."""
    with ProcessTable(tmp_path, 4, {3: (f"die={kind}:1",)}, timeouts=SHORT_TIMEOUTS) as table:
        table.fill()
        assert [one.end() for one in table.running.values()] == [1, 1, 1, -signal.SIGKILL]
        assert table.seen(3, "goes")[0]["at"] == kind
        for number in range(3):
            code = "deck-unconfirmed" if kind == "deck.ok" else "silent-seat"
            assert table.running[number].last["code"] == code
            assert "Traceback" not in table.running[number].errors()
            assert not table.seen(number, "alarm")
        assert not list(tmp_path.glob("*/transcripts/*"))


@pytest.mark.parametrize("moment", DURING)
def test_a_guest_killed_in_each_kind_of_step(tmp_path: Path, moment: str) -> None:
    """The others end the game without that seat."""
    with ProcessTable(tmp_path, 4, {3: (f"die={moment}:1",)}, timeouts=SHORT_TIMEOUTS) as table:
        table.fill()
        found = table.judge([0, 1, 2])
        gone = table.running[3].end() == -signal.SIGKILL
        assert gone or moment != "seal+own"
        if gone:
            assert table.seen(3, "goes")[0]["at"] == moment.partition("+")[0]
            assert table.seat_of(3) in found["timed-out"]
        print({"kind": moment, "gone": gone, **found})


@pytest.mark.parametrize("back", [False, True])
def test_the_host_killed_for_good_or_to_come_back(tmp_path: Path, back: bool) -> None:
    table = ProcessTable(tmp_path, 4, timeouts=SHORT_TIMEOUTS, edition="uberplay-2004")
    table.every = (table.waits(3),)
    with table:
        table.fill()
        for number in range(4):
            table.running[number].read_until("round", 3)
        table.kill(0)
        table.running[0].end()
        seat = table.seat_of(0)
        table.let_go()
        if back:
            table.resume(0)
        found = table.judge([0, 1, 2, 3] if back else [1, 2, 3])
        assert back or found["timed-out"] == [seat]
        print(found)


@pytest.mark.parametrize("number", [0, 3])
def test_a_stopped_seat_wakes_up_and_plays_on(tmp_path: Path, number: int) -> None:
    """One of four is stopped until the others play without it, then let run again."""
    table = ProcessTable(
        tmp_path, 4, timeouts=SHORT_TIMEOUTS, every=("think=0.5",), edition="uberplay-2004"
    )
    with table:
        table.fill()
        other = table.running[1 if number != 1 else 2]
        table.running[number].read_until("round", 2)
        table.running[number].process.send_signal(signal.SIGSTOP)
        other.read_until("type", "timed-out")
        other.read_until("round", None)
        table.running[number].process.send_signal(signal.SIGCONT)
        found = table.judge()
        assert table.seat_of(number) in found["timed-out"]
        assert table.seen(number, "away")
        assert len(table.seen(number, "away")) == len(table.seen(number, "back"))
        print(number, found)
