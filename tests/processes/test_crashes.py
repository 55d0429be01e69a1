"""Real seats that are killed as they write, find the disk full, or are started twice."""

import signal
import time
from pathlib import Path

import pytest
from soak import crashes
from support import wire_tap
from support.limits import LIMIT
from support.process_table import ProcessTable
from support.sampling import AT_WORK
from support.seat import FIRST_RECORD
from support.terminals import GUEST, hoity, start

from p2p_hoity.storage import rollback_marks

pytestmark = AT_WORK

RESUME = ("resume", "--auto", "--json")


@pytest.mark.parametrize(
    ("cuts", "least", "edition"),
    [
        ((4, 61, 1, 2, 20), 5, ""),
        pytest.param(range(FIRST_RECORD, 200), 31, crashes.FULL, marks=pytest.mark.nightly),
    ],
)
def test_a_seat_killed_at_several_writes_ends_with_the_others(
    tmp_path: Path, cuts: range | tuple[int, ...], least: int, edition: str
) -> None:
    found = crashes.one_game(tmp_path, cuts, edition=edition)
    assert found["crashes"] >= least
    assert found["statements"] > 20


def test_one_seat_is_not_taken_twice_and_a_full_disk_is_told(tmp_path: Path) -> None:
    with ProcessTable(tmp_path, 2) as table:
        table.fill()
        home = table.running[1].home
        table.running[1].read_until("round", 2)
        table.kill(1)
        cramped = hoity(home, "disk=4096", *RESUME, code=2, module="support.seat")
        assert "Make room and take your seat again" in cramped.stderr
        assert "File too large" in cramped.stderr
        table.running[0].process.send_signal(signal.SIGSTOP)  # or the game might be over too soon
        table.resume(1).read_until("type", "table")
        second = hoity(home, *RESUME, code=2)
        assert "this seat is being played in another terminal" in second.stderr
        table.running[0].process.send_signal(signal.SIGCONT)
        table.judge()


def test_a_folder_that_cannot_be_written_is_told_before_the_game(tmp_path: Path) -> None:
    hoity(tmp_path / "home", "id", "new", "--name", "Ana", code=0)
    (tmp_path / "home" / "journals").write_text("no folder")
    with ProcessTable(tmp_path, 2) as table:
        refused = hoity(tmp_path / "home", "join", table.ticket, *GUEST, code=2)
    assert "Games cannot be stored in" in refused.stderr
    assert "Traceback" not in refused.stderr


def flip(path: Path, at: int) -> None:
    """Change one bit of a file, as a bad disk would."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


def marked(book: Path) -> None:
    """Wait until the mark of a journal to which nothing comes names its end ([J-4])."""
    mark, last = rollback_marks.path_of(book), time.monotonic() + LIMIT
    while mark.stat().st_mtime_ns < book.stat().st_mtime_ns:
        assert time.monotonic() < last, "the mark lags for ever"
        time.sleep(0.05)


def test_a_damaged_journal_is_told_and_nothing_is_signed(tmp_path: Path) -> None:
    with ProcessTable(tmp_path, 2) as table:
        table.fill()
        home = table.running[1].home
        table.running[1].read_until("round", 2)
        table.running[0].process.send_signal(signal.SIGSTOP)
        (book,) = home.glob("journals/*.journal")
        marked(book)
    whole, wire = book.read_bytes(), home / "wire"
    flip(book, len(whole) // 2)
    seat = start(home, f"tap={wire}", *RESUME, module="support.seat")
    seat.read_until("type", "table")
    seat.read_until("type", "cautious")
    seat.kill()
    assert wire_tap.SIGNED not in {letter for letter, _ in wire_tap.pieces(wire)}
    book.write_bytes(whole)
    flip(book, 200)
    refused = hoity(home, *RESUME, code=2)
    assert f"cannot use {book}: it has no complete record" in refused.stderr
