"""Tests of the file of how far each game came: what has not changed is not read again."""

from pathlib import Path
from typing import Any

import pytest
from support.cli_stage import played_file
from support.journals import fill_disk
from support.kept_home import keep_journal, keep_transcript, listed, only, table_of

from p2p_hoity.storage import kept_vouches
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game.known_progress import KnownProgress, Progress, SeatCounts


def test_what_was_read_once_is_not_read_again(home: Home) -> None:
    keep_journal(home, table_of(3, 2)).close()
    keep_transcript(home, played_file(), "won.hoity")
    assert [game.progress for game in listed(home, seconds=0)] == [None, None]
    first = listed(home)
    assert listed(home, seconds=0) == first
    assert None not in [game.progress for game in first]


def test_a_file_that_has_changed_is_read_again(home: Home) -> None:
    path = keep_transcript(home, played_file(), "won.hoity")
    (first,) = listed(home)
    path.write_bytes(b"something else")
    assert listed(home) == []
    keep_transcript(home, played_file(), "again.hoity")
    (second,) = listed(home)
    assert (second.name, second.nicknames) == (first.name, first.nicknames)


@pytest.mark.parametrize(
    "kept", [b"", b"[]", b"nonsense", b'{"x": {"round": []}}', b"\xff", b"[" * 5000]
)
def test_a_memory_that_is_none_is_read_anew(home: Home, kept: bytes) -> None:
    keep_journal(home, table_of(3, 2)).close()
    path = home.path / "games.json"
    path.write_bytes(kept)
    path.chmod(0o600)
    assert only(home)[1].round == 2


COUNTS = (SeatCounts(1, 2, 3, 4, 5, 6, 7, 8), SeatCounts())
PROGRESS = Progress(3, (4, 0), (1, 2), True, COUNTS, ("ab" * 32, ""))


def kept_row(home: Home, path: Path) -> KnownProgress:
    """Keep what is known of a file, and read it again."""
    known = KnownProgress(home)
    known.keep(path, "table", ("Ada", "Bob"), PROGRESS)
    known.save()
    return KnownProgress(home)


def test_what_is_kept_comes_back_until_the_file_has_changed(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "won.hoity"
    path.write_bytes(b"first")
    known = kept_row(home, path)
    assert known.row(path) == ("table", ("Ada", "Bob"), PROGRESS)
    assert known.row(tmp_path / "other.hoity") is None
    path.write_bytes(b"second")
    assert known.row(path) is None


def test_what_is_not_kept_again_is_forgotten(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "won.hoity"
    path.write_bytes(b"first")
    kept_row(home, path).save()
    assert KnownProgress(home).row(path) is None


WRONG = [
    {"round": None},
    {"fields": 7},
    {"ranks": ["x"]},
    {"name": ...},
    {"counts": ...},
    {"counts": [[1]] * 3},
    {"counts": [["x"], []]},
    {"counts": [[0] * 9, []]},
    {"players": ...},
    {"players": ["xy", ""]},
    {"players": [""]},
    {"vouches": "1:1"},
]
"""What an entry may have in place of what it should have, or lack."""


@pytest.mark.parametrize("wrong", WRONG)
def test_a_row_of_another_form_is_none(home: Home, tmp_path: Path, wrong: dict[str, Any]) -> None:
    path = tmp_path / "won.hoity"
    path.write_bytes(b"first")
    known = kept_row(home, path)
    (row,) = known.known.values()
    for name, value in wrong.items():
        if value is ...:
            del row[name]
        else:
            row[name] = value
    assert known.row(path) is None


def test_a_full_disk_costs_what_is_known_and_nothing_else(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_disk(monkeypatch)
    assert kept_row(home, tmp_path / "gone.hoity").known == {}


def test_vouches_that_come_later_or_change_are_read(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "won.hoity"
    path.write_bytes(b"first")
    known = kept_row(home, path)
    vouches = tmp_path / f"table{kept_vouches.SUFFIX}"
    vouches.write_bytes(b"some")
    assert known.row(path) is None
    known = kept_row(home, path)
    assert known.row(path) is not None
    vouches.write_bytes(b"others")
    assert known.row(path) is None


def test_what_was_known_of_other_files_can_stay(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "won.hoity"
    path.write_bytes(b"first")
    known = kept_row(home, path)
    known.keep_all()
    known.keep(tmp_path / "new.hoity", "other", ("Ada", "Bob"), PROGRESS)
    known.save()
    found = KnownProgress(home)
    assert found.row(path) is not None
    assert len(found.known) == 2
