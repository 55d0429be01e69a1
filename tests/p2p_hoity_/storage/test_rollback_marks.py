"""Tests of marks: kept outside the home, of one very file, and gone with their journal."""

import os
import shutil
import stat
from functools import cache
from pathlib import Path

import pytest
from support.cases import fails
from support.journals import fill_disk, fresh, play_on, read
from support.journals import write as played

from p2p_hoity.storage import (
    home,
    journal,
    journal_format,
    player_key,
    private_files,
    rollback_marks,
)


@pytest.fixture(autouse=True)
def own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Marks of this test alone."""
    place = tmp_path_factory.mktemp("own-marks")
    monkeypatch.setenv("HOITY_MARKS", str(place))
    return place


def current(path: Path, passphrase: str | None = None) -> bool:
    return read(path, passphrase)[0]


def test_a_mark_lies_outside_the_home_however_that_is_reached(tmp_path: Path, own: Path) -> None:
    path = played(tmp_path / "home", b"one")
    assert rollback_marks.path_of(path).parent == own
    assert [p.name for p in (tmp_path / "home").rglob("*") if p.is_file()] == ["game.journal"]
    assert current(path)
    (tmp_path / "link").symlink_to(tmp_path / "home")
    assert current(tmp_path / "link" / "journals" / path.name)


def test_a_home_restored_whole_or_a_copy_of_it_is_noticed(tmp_path: Path) -> None:
    path = played(tmp_path / "home", b"one")
    shutil.copytree(tmp_path / "home", tmp_path / "backup")
    play_on(path)
    shutil.rmtree(tmp_path / "home")
    shutil.copytree(tmp_path / "backup", tmp_path / "home")
    (tmp_path / "home" / "journals").chmod(0o700)
    assert not current(path)
    path = played(tmp_path / "other" / "home", b"one")
    shutil.copytree(tmp_path / "other" / "home", tmp_path / "other" / "copy")
    assert not current(tmp_path / "other" / "copy" / "journals" / "game.journal")
    copied = path.with_name("copied")
    shutil.copyfile(path, copied)
    copied.chmod(0o600)
    copied.replace(path)  # the same bytes in the same place, but another file
    assert not current(path)


def test_a_journal_that_lacks_what_its_mark_names_is_older_and_a_moved_one_is_not(
    tmp_path: Path, own: Path
) -> None:
    """Only the first is known to be older than what was signed ([E-22])."""

    def is_older() -> bool:
        book, _, _ = journal.reopen(path)
        book._let_go()
        return book.is_older

    path = played(tmp_path / "home", b"one")
    old = path.read_bytes()
    mark = rollback_marks.path_of(path)
    begun = mark.read_bytes()
    play_on(path)
    assert not is_older()
    new = path.read_bytes()
    path.write_bytes(old)  # the same file
    assert is_older()
    copied = path.with_name("copied")
    copied.write_bytes(old)
    copied.chmod(0o600)
    copied.replace(path)  # another file, as after a restore
    assert is_older()
    path.write_bytes(new)
    assert not current(path)
    assert not is_older()
    mark.write_bytes(begun)
    assert not is_older(), "a mark that lags names what is there"
    mark.unlink()
    assert not current(path)
    assert not is_older(), "without a mark nothing is known"


def test_marks_reach_the_disk(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    honest = os.fsync

    def look(descriptor: int) -> None:
        synced.append(os.path.realpath(f"/proc/self/fd/{descriptor}"))
        honest(descriptor)

    if not Path("/proc/self/fd").exists():
        pytest.skip("only Linux tells which file a descriptor is")
    monkeypatch.setattr(os, "fsync", look)
    path = played(tmp_path / "home")
    assert synced[0].startswith(str(own / "."))
    assert synced[1:] == [str(own), str(path), str(path.parent)]
    synced.clear()
    play_on(path)
    assert synced[0] == str(path)
    assert synced[1].startswith(str(own / "."))


def test_a_mark_may_lag_and_never_names_what_is_not_on_disk(tmp_path: Path) -> None:
    book = fresh(tmp_path / "home")
    path = book.path
    begun = book.mark.read_bytes()
    book.append(b"one")
    book.set_mark()
    assert book.mark.read_bytes() == begun, "the record is not on disk yet"
    assert book.settle()
    assert not book.settle()
    assert book.mark.read_bytes() == begun, "nobody waits for the mark"
    shutil.copyfile(path, tmp_path / "killed")
    book._let_go()  # as when the process dies here
    assert current(path), "a mark that lags names a record that is there"


def test_no_mark_outlives_its_journal_and_a_failing_one_is_told(tmp_path: Path, own: Path) -> None:
    book = fresh(tmp_path / "home")
    book.append(b"one")
    book.settle()
    book.remove()
    book.set_mark()
    assert not book.mark.exists()
    path = played(tmp_path / "home")
    book, _, _ = journal.reopen(path)
    book.remove()
    assert list(own.iterdir()) == []
    book = fresh(tmp_path / "home")
    shutil.rmtree(own)
    book.append(b"one")
    book.close()
    assert current(book.path)
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    path = played(tmp_path / "other" / "home")
    shutil.rmtree(own)
    own.write_bytes(b"no folder")
    told = fails(journal.JournalError, "", play_on, path)
    assert (told.code, told.fields["path"]) == (
        "journal-stopped",
        str(rollback_marks.path_of(path)),
    )


@pytest.mark.parametrize("passphrase", [None, "open sesame"])
def test_a_mark_cannot_be_made_without_the_keys_of_its_journal(
    tmp_path: Path, passphrase: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The passphrase is stretched once: that costs a tenth of a second each time."""
    monkeypatch.setattr(journal_format, "stretched", cache(player_key.stretched))
    path = played(tmp_path / "home", b"one", passphrase=passphrase)
    mark = rollback_marks.path_of(path)
    whole = mark.read_bytes()
    assert current(path, passphrase)
    for at in range(len(whole)):
        mark.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert not current(path, passphrase)
    for other in (b"", whole[:-1], whole + b"x", whole[:20]):
        mark.write_bytes(other)
        assert not current(path, passphrase)
    mark.write_bytes(whole)
    assert current(path, passphrase)


def test_marks_of_journals_that_are_gone_are_swept_and_no_others(tmp_path: Path, own: Path) -> None:
    kept = played(tmp_path / "kept")
    gone = played(tmp_path / "gone")
    gone.rename(gone.with_name("renamed"))
    (own / "a note.mark").write_bytes(b"no mark")
    played(tmp_path / "new")
    assert not rollback_marks.path_of(gone).exists()
    assert rollback_marks.path_of(kept).exists()
    assert current(kept)
    assert (own / "a note.mark").exists()


@pytest.mark.parametrize("left", [(), ("journals",)])
def test_the_marks_of_a_home_on_a_disk_that_is_not_there_are_kept(
    tmp_path: Path, left: tuple[str, ...]
) -> None:
    home = tmp_path / "disk" / "home"
    path = played(home, b"one")
    home.rename(tmp_path / "unplugged")
    if left:
        home.joinpath(*left).mkdir(parents=True)
    played(tmp_path / "other")
    shutil.rmtree(home, ignore_errors=True)
    (tmp_path / "unplugged").rename(home)
    assert current(path)


def test_a_mark_is_gone_from_the_disk_before_a_damaged_journal_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mark that lags names a record before the damage, and a crash may not bring it back."""
    path = played(tmp_path / "home", b"one", b"two", b"three")
    whole, done = path.read_bytes(), []
    path.write_bytes(whole.replace(b"two", b"owt"))
    cut, sync = private_files.DiskFile.truncate, private_files.sync_folder
    monkeypatch.setattr(private_files, "sync_folder", lambda at: (done.append(at), sync(at)))
    monkeypatch.setattr(
        private_files.DiskFile, "truncate", lambda file: (done.append("cut"), cut(file))[1]
    )
    assert not current(path)
    assert done == [path.parent, rollback_marks.folder(), "cut"], "the copy, the mark, the cut"
    path = played(tmp_path / "other", b"one", b"two", b"three")
    path.write_bytes(damaged := path.read_bytes().replace(b"two", b"owt"))
    fill_disk(monkeypatch)
    for _ in range(2):
        told = fails(journal.JournalError, "", journal.reopen, path)
        assert told.code == "journal-unusable"
        assert path.read_bytes() == damaged, "nothing is cut off, and its lock is free again"
        rollback_marks.path_of(path).touch(0o600)


def test_marks_inside_the_home_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOITY_MARKS", str(tmp_path / "home" / "marks"))
    with pytest.raises(journal.JournalError, match="marks-inside"):
        played(tmp_path / "home")
    monkeypatch.setenv("HOITY_MARKS", str(tmp_path / "elsewhere"))
    played(tmp_path / "home")
    monkeypatch.delenv("HOITY_MARKS")
    monkeypatch.delenv("HOITY_HOME", raising=False)
    assert not rollback_marks.lies_with(home.home().path)
    assert not home.home().path.is_relative_to(rollback_marks.folder())
