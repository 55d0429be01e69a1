"""Tests of the archive: a finished game's transcript is never lost for want of a place."""

import errno
import os
import stat
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.cases import fails
from support.journals import fill_disk
from support.played import game_of, table_of

from cli.exit_codes import Trouble
from cli.local.seat_checks import check_home, check_output
from p2p_hoity.coded_errors import Reason
from p2p_hoity.storage import home, private_files, transcript_archive
from p2p_hoity.storage.journal import JournalError
from p2p_hoity.storage.private_files import NAMED
from protocol.chain.chain_state import Missing
from protocol.transcript import transcript_format
from protocol.transcript.transcript_format import Evidence, StepEntry
from protocol.transcript.verifier import verify

OLD, NEW = b"an older game", b"the game"


@pytest.fixture
def shut(tmp_path: Path) -> Path:
    """A folder in which nothing can be made, whoever asks: a file stands in its place."""
    (tmp_path / "shut").write_bytes(b"")
    return tmp_path / "shut" / "folder"


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full."""
    fill_disk(monkeypatch)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_folder_is_tried_before_it_is_needed(tmp_path: Path, shut: Path) -> None:
    assert transcript_archive.why_not(tmp_path / "not" / "yet" / "there") is None
    assert transcript_archive.why_not(shut) == Reason("system-error", {"number": errno.ENOTDIR})
    assert files(tmp_path) == ["shut"]
    check_output(None)
    check_output(tmp_path / "a.hoity")
    check_output(Path(os.devnull))
    check_home(home.Home(tmp_path / "home"))
    fails(Trouble, r"cannot be written to .*Not a directory", check_output, shut / "a.hoity")
    fails(Trouble, "is a folder", check_output, tmp_path)
    fails(Trouble, r"Games cannot be stored in .*Not a directory", check_home, home.Home(shut))
    assert files(tmp_path) == ["shut"]


def test_the_transcript_goes_where_wished_or_it_is_told_how(tmp_path: Path, shut: Path) -> None:
    wished = tmp_path / "new" / "a.hoity"
    assert transcript_archive.keep(NEW, wished, tmp_path / "usual", None) == wished
    assert files(tmp_path) == ["a.hoity", "shut"]
    assert wished.read_bytes() == NEW
    usual = tmp_path / "transcripts" / "a.hoity"
    assert transcript_archive.keep(NEW, shut / "a.hoity", usual, None) == usual
    assert usual.read_bytes() == NEW
    journal = SimpleNamespace(path=Path("journals/0123456789abcdef.journal"))
    told = fails(
        JournalError, "", transcript_archive.keep, NEW, shut / "a.hoity", shut / "b.hoity", journal
    )
    assert str(told).startswith("transcript-unwritten-but-kept path=")
    assert f"b.hoity' why=(system-error number={errno.ENOTDIR})" in str(told)
    assert told.fields["game"] == "0123456789abcdef"
    with pytest.raises(JournalError, match=rf"^transcript-unwritten .*number={errno.ENOTDIR}\)$"):
        transcript_archive.keep(NEW, shut / "a.hoity", shut / "a.hoity", None)


@pytest.mark.usefixtures("full")
def test_a_full_disk_leaves_the_old_files_and_no_half_of_a_new_one(tmp_path: Path) -> None:
    for name in ("a.hoity", "identity"):
        (tmp_path / name).write_bytes(OLD)
    with pytest.raises(JournalError, match=f"number={errno.ENOSPC}"):
        transcript_archive.keep(NEW, tmp_path / "a.hoity", tmp_path / "b.hoity", None)
    put = private_files.PrivateFiles(tmp_path).put
    fails(OSError, "No space left on device", put, tmp_path / "identity", NEW)
    assert files(tmp_path) == ["a.hoity", "identity"]
    assert (tmp_path / "a.hoity").read_bytes() == (tmp_path / "identity").read_bytes() == OLD


def test_a_transcript_is_its_owners_alone_and_a_device_stays_one(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    before = os.umask(0)
    try:
        transcript_archive.write_transcript(tmp_path / "new" / "a.hoity", NEW)
        private_files.PrivateFiles(tmp_path / "own").put(tmp_path / "own" / "identity", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new" / "a.hoity").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "own" / "identity").stat().st_mode) == 0o600
    transcript_archive.write_transcript(Path(os.devnull), NEW)
    assert not Path(os.devnull).is_file()


def test_no_game_too_large_to_read_is_said_to_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = table_of("two").places[0].machine
    whole = transcript_archive.transcript_of(machine)
    assert verify(whole, game_of).ok
    monkeypatch.setattr(transcript_format, "MAX_FILE", len(whole) - 1)
    fails(JournalError, "game-too-large", transcript_archive.transcript_of, machine)
    monkeypatch.undo()
    monkeypatch.setattr(transcript_format, "MAX_ITEMS", 4)
    fails(JournalError, "game-too-large", transcript_archive.transcript_of, machine)


def cut(whole: transcript_format.Transcript, steps: int, other: bool = False) -> bytes:
    """The file as it was after so many steps, or another history of them."""
    last = StepEntry((Missing.NONE,) * 2)
    entries = whole.content.entries[:steps]
    content = replace(whole.content, entries=(*entries[:-1], last) if other else entries)
    signatures = whole.evidence.signatures[:steps]
    return replace(whole, content=content, evidence=Evidence(signatures)).encode()


def test_a_transcript_replaces_no_other_history_of_its_game(tmp_path: Path) -> None:
    whole = transcript_format.opened(transcript_archive.transcript_of(table_of("two").machine()))
    assert whole.transcript is not None
    early, late = cut(whole.transcript, 9), cut(whole.transcript, 12)
    usual, second = tmp_path / "8daa.claim.hoity", tmp_path / "8daa.2.claim.hoity"
    free, keep = transcript_archive.free_place, transcript_archive.keep
    assert free(usual, early) == usual
    for old, new, due in (
        (early, late, usual),
        (early, early, usual),
        (b"no transcript", early, usual),
        (late, early, second),
        (cut(whole.transcript, 9, other=True), late, second),
    ):
        usual.write_bytes(old)
        assert free(usual, new) == due
    kept = usual.read_bytes()
    assert keep(late, usual, usual, None) == second
    assert (usual.read_bytes(), second.read_bytes()) == (kept, late)
    second.write_bytes(kept)
    assert free(usual, late) == tmp_path / "8daa.3.claim.hoity"
    other = tmp_path / "other"
    assert keep(late, usual, other, None) == other, "the named file has another history"
    usual.write_bytes(early)
    assert keep(late, usual, other, None) == usual, "the named file is an earlier part of this game"
    assert usual.read_bytes() == late


def test_a_file_of_another_table_is_in_nobodys_way(tmp_path: Path) -> None:
    one, other = (transcript_archive.transcript_of(table_of(n).machine()) for n in ("two", "four"))
    usual = tmp_path / "8daa.hoity"
    usual.write_bytes(one)
    assert transcript_archive.free_place(usual, other) == usual


@pytest.mark.parametrize("has_usual", [True, False])
def test_a_file_that_appears_during_the_game_is_not_replaced(
    tmp_path: Path, has_usual: bool
) -> None:
    one, other = (transcript_archive.transcript_of(table_of(n).machine()) for n in ("two", "four"))
    named = tmp_path / "notes.txt"
    usual = tmp_path / "transcripts" / "8daa.hoity" if has_usual else None
    for there in (b"notes", b"", other):
        named.write_bytes(there)
        due = usual or tmp_path / "notes.2.txt"
        assert transcript_archive.keep(one, named, usual, None) == due
        assert (named.read_bytes(), due.read_bytes()) == (there, one)
        due.unlink()
    named.unlink()
    named.symlink_to(tmp_path / "gone")
    assert transcript_archive.keep(one, named, usual, None) == due
    assert named.is_symlink()


def test_only_a_file_of_the_same_game_may_be_named_again(tmp_path: Path) -> None:
    machine = table_of("two").machine()
    game, path = machine.table.id.hex()[:16], tmp_path / "8daa.hoity"
    for other in (b"notes", b"", transcript_archive.transcript_of(table_of("four").machine())):
        path.write_bytes(other)
        for name in (None, game, *([] if verify(other, game_of).ok else [""])):
            fails(Trouble, "exists already", check_output, path, name)
    path.write_bytes(transcript_archive.transcript_of(machine))
    check_output(path, game)
    check_output(path, "")
    fails(Trouble, "exists already", check_output, path)
    path.unlink()
    path.symlink_to(tmp_path / "gone")
    fails(Trouble, "exists already", check_output, path, game)


def test_a_file_is_completed_as_a_whole_and_a_pipe_never(tmp_path: Path) -> None:
    path, gone = tmp_path / "game.hoity", tmp_path / "moved.hoity"
    path.write_bytes(b"first")
    transcript_archive.complete(path, b"first", b"second")
    assert path.read_bytes() == b"second"
    path.write_bytes(b"notes")
    transcript_archive.complete(path, b"second", b"third")
    assert path.read_bytes() == b"notes", "another file has been put there"
    transcript_archive.complete(gone, b"first", b"second")
    assert not gone.exists()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    transcript_archive.complete(pipe, b"first", b"second")  # It would wait for a reader.
    assert not pipe.is_file()


def test_a_file_that_cannot_be_completed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.hoity"
    path.write_bytes(b"first")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(NAMED), "put", full)
    fails(OSError, "space", transcript_archive.write_transcript, path, b"second")
    transcript_archive.complete(path, b"first", b"second")
    assert path.read_bytes() == b"first"
