"""Real seats that are killed as they write, find the disk full, or are started twice."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from soak import crashes
from support import crashing_seat, terminals, wire_tap
from support.liars.table import hoity, start_script
from support.paths import TESTS

from p2p_hoity.storage import marks

BOT = crashes.BOT
CRAMPED = TESTS / "support" / "cramped_seat.py"


def test_a_seat_killed_at_several_writes_ends_with_the_others(tmp_path: Path) -> None:
    found = crashes.one_game(tmp_path, cuts := [4, 61, 1, 2, 40])
    assert found["crashes"] == len(cuts)
    assert found["statements"] > 20


@pytest.mark.nightly
def test_a_seat_killed_again_and_again(tmp_path: Path) -> None:
    found = crashes.one_game(tmp_path, range(crashing_seat.FIRST, 200))
    assert found["crashes"] > 30


def stop_mid_game(path: Path) -> list[terminals.Terminal]:
    """A table for two whose guest is killed in its second round."""
    running = terminals.open_table(path, 2)
    running[1].read_until("round", 2)
    running[1].process.send_signal(signal.SIGKILL)
    running[1].process.wait()
    return running


def test_one_seat_is_not_taken_twice_and_a_full_disk_is_told(tmp_path: Path) -> None:
    host, guest = stop_mid_game(tmp_path)
    cramped = start_script(CRAMPED, guest.home, "4096", "resume", *BOT)
    assert cramped.end() == 2
    assert "Make room and resume" in cramped.errors()
    assert "File too large" in cramped.errors()
    host.process.send_signal(signal.SIGSTOP)  # or the game might be over too soon
    first = terminals.start(guest.home, "resume", *BOT)
    first.read_until("type", "started")
    second = hoity(guest.home, "resume", *BOT)
    assert second.returncode == 2
    assert "this seat is played already" in second.stderr
    host.process.send_signal(signal.SIGCONT)
    files = terminals.finish([host, first])
    assert files[0] == files[1]


def test_a_folder_that_cannot_be_written_is_told_before_the_game(tmp_path: Path) -> None:
    made = hoity(tmp_path / "home", "id", "new", "--name", "Ana")
    assert made.returncode == 0
    (tmp_path / "home" / "journals").write_text("no folder")
    host = terminals.start(
        tmp_path / "host", "host", "--seats", "2", "--listen", "127.0.0.1:0", "--lan", "off",
        "--yes", *BOT,
    )  # fmt: skip
    ticket = host.read_until("ticket")["ticket"]
    refused = hoity(tmp_path / "home", "join", ticket, "--yes", *BOT)
    host.process.kill()
    assert refused.returncode == 2
    assert "Games cannot be kept in" in refused.stderr
    assert "Traceback" not in refused.stderr


def flip(path: Path, at: int) -> None:
    """One bit of a file, as a bad disk would have it."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


def marked(book: Path) -> None:
    """Wait until the mark of a journal to which nothing comes names its end ([J-4])."""
    mark, last = marks.path_of(book), time.monotonic() + 30
    while mark.stat().st_mtime_ns < book.stat().st_mtime_ns:
        assert time.monotonic() < last, "the mark lags for ever"
        time.sleep(0.05)


def test_a_damaged_journal_is_told_and_nothing_is_signed(tmp_path: Path) -> None:
    host, guest = terminals.open_table(tmp_path, 2)
    guest.read_until("round", 2)
    host.process.send_signal(signal.SIGSTOP)
    (book,) = guest.home.glob("journals/*.journal")
    marked(book)
    for seat in (guest, host):
        seat.process.kill()
        seat.process.wait()
    whole = book.read_bytes()
    flip(book, len(whole) // 2)
    seat = crashes.as_script(guest.home, "0", "resume", *BOT)
    seat.read_until("type", "started")
    seat.read_until("type", "cautious")
    seat.process.kill()
    seat.process.wait()
    tapped = wire_tap.pieces(guest.home / wire_tap.FILE)
    assert wire_tap.SIGNED not in {letter for letter, _ in tapped}
    book.write_bytes(whole)
    flip(book, 200)
    refused = hoity(guest.home, "resume", *BOT)
    assert refused.returncode == 2
    assert f"cannot use {book}: it has no record that is whole" in refused.stderr
