"""Tests of the port of files: both stores do the same, and a table keeps its files nowhere else."""

import os
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
from support.cases import fails
from support.journals import FIRST
from support.memory_store import MemoryStore
from support.player_table import CALM, PlayerTable, past_round

from p2p_hoity.storage import journal, private_files
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.storage.private_files import PrivateFiles


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    """Return each store in turn."""
    return PrivateFiles(tmp_path) if request.param == "disk" else MemoryStore()


def test_a_file_is_put_whole_and_got_again(store: FileStore, tmp_path: Path) -> None:
    place = tmp_path / "folder" / "one.mark"
    assert not store.has(place)
    fails(FileNotFoundError, "", store.get, place)
    store.put(place, b"first")
    store.put(place, b"second", settle=False)
    fails(FileExistsError, "", store.put, place, b"third", once=True)
    assert (store.get(place), store.get(place, 3), store.get(place, 0)) == (b"second", b"sec", b"")
    store.put(tmp_path / "folder" / "two.journal", b"")
    store.put(tmp_path / "folder" / "a.mark", b"")
    found = store.list(tmp_path / "folder", ".mark")
    assert [path.name for path in found] == ["a.mark", "one.mark"]
    assert store.list(tmp_path / "nowhere", "") == []
    store.remove(place)
    store.remove(place)
    assert not store.has(place)


def test_an_open_file_is_locked_and_grows(store: FileStore, tmp_path: Path) -> None:
    place = tmp_path / "folder" / "game.journal"
    fails(FileNotFoundError, "", store.append, place)
    with closing(store.append(place, new=True)) as file:
        file.write(b"one two")
        file.sync()
        assert store.get(place) == b"one two"
        fails(BlockingIOError, "", store.append, place)
    fails(FileExistsError, "", store.append, place, new=True)
    with closing(store.append(place)) as file:
        assert (file.read(3), file.tell(), file.read()) == (b"one", 3, b" two")
        file.seek(3)
        file.truncate()
        file.write(b"!")
        file.sync()
        assert not file.closed
        with closing(store.append(tmp_path / "folder" / "copy.journal", new=True)) as copy:
            assert copy.number != file.number
    assert file.closed
    assert store.get(place) == b"one!"


def test_one_at_a_time_holds_a_lock(store: FileStore, tmp_path: Path) -> None:
    held = store.lock(tmp_path / "lock")
    assert held is not None
    assert store.lock(tmp_path / "lock") is None
    held.close()
    again = store.lock(tmp_path / "lock", wait=True)
    assert again is not None
    again.close()


def test_a_file_that_its_holder_removed_meanwhile_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process opened it just before: what it wrote there would be lost, and others could hold a
    file of that name, too."""
    store, place = PrivateFiles(tmp_path), tmp_path / "file"
    hold = private_files.hold

    def late(file: private_files.DiskFile, wait: bool = False) -> bool:
        monkeypatch.setattr(private_files, "hold", hold)
        place.unlink()
        return hold(file, wait)

    place.touch(0o600)
    monkeypatch.setattr(private_files, "hold", late)
    fails(FileNotFoundError, "", store.append, place)
    place.touch(0o600)
    monkeypatch.setattr(private_files, "hold", late)
    held = store.lock(place)
    assert held is not None
    assert store.lock(place) is None
    held.close()


def test_windows_locks_one_byte_behind_the_end_whose_file_others_still_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[int] = []

    def locking(descriptor: int, way: int, size: int) -> None:
        places.append(os.lseek(descriptor, 0, os.SEEK_CUR))
        if way:
            raise PermissionError(13, "Permission denied")

    fake = SimpleNamespace(locking=locking, LK_LOCK=0, LK_NBLCK=1)
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    (tmp_path / "file").write_bytes(b"one two")
    with open(tmp_path / "file", "r+b", buffering=0) as file:
        file.seek(3)
        monkeypatch.setattr(os, "name", "nt")
        assert private_files.hold(file, wait=True)
        assert not private_files.hold(file)
        monkeypatch.undo()
        assert file.read() == b" two"
    assert places == [private_files.LOCKED_BYTE] * 2


def test_without_hard_links_a_file_is_not_replaced_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, place = PrivateFiles(tmp_path), tmp_path / "identity"
    renamed: list[bool] = []

    def refuse(*paths: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    def noting(fresh: Path, path: Path) -> Path:
        renamed.append(path.exists())
        return rename(fresh, path)

    rename = Path.replace
    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(Path, "replace", noting)
    store.put(place, b"one's own", once=True)
    assert renamed == [True], "the name was taken before, so that no other process can take it"
    fails(FileExistsError, "", store.put, place, b"another's", once=True)
    assert store.get(place) == b"one's own"
    assert [path.name for path in tmp_path.iterdir()] == ["identity"]


@pytest.mark.parametrize("synced", range(4))
def test_after_a_power_failure_a_journal_has_what_was_put_on_disk(synced: int) -> None:
    store, path = MemoryStore(), Path("/home/journals/a.journal")
    book = journal.create(path, FIRST, None, store)
    for number in range(4):
        book.append(b"record %d" % number)
        if number < synced:
            book.sync()
    store.fail()
    again, first, records = journal.reopen(path, None, store)
    assert (first, list(records)) == (FIRST, [b"record %d" % number for number in range(synced)])
    assert again.current


async def test_a_table_keeps_its_journals_and_keys_in_its_store_alone(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    store = MemoryStore()
    table = PlayerTable(tmp_path, 3, CALM, thinking=0.5, store=store)
    kept: list[Path] = []

    async def crash() -> None:
        assert await table.sit_until(1, past_round(2))
        kept.extend(path for path in store.written if path.suffix in (".journal", ".mark"))
        await table.resume(1)

    await table.play({1: crash})
    assert len({guest.end.standings for guest in table.guests}) == 1
    assert table.guests[1].end.standings
    assert len(kept) == 2 * 3
    assert {path.name for path in store.written} == {"identity"}
    on_disk = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in on_disk} == {".hoity", ".vouches"}
