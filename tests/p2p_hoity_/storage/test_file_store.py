"""Tests of the port of files: all stores do the same."""

import time
from contextlib import closing
from pathlib import Path

import pytest
from support.cases import fails
from support.journals import FIRST
from support.memory_slots import MemorySlots
from support.memory_store import MemoryStore

from p2p_hoity.storage import journal
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.storage.private_files import NAMED, PrivateFiles
from p2p_hoity.storage.slot_store import SlotStore


@pytest.fixture(params=["private", "named", "memory", "slots"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    """Return each store in turn."""
    stores = {
        "private": PrivateFiles(tmp_path),
        "named": NAMED,
        "memory": MemoryStore(),
        "slots": SlotStore(MemorySlots()),
    }
    return stores[request.param]


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


def test_size_and_time_are_told_without_reading(store: FileStore, tmp_path: Path) -> None:
    place, began = tmp_path / "folder" / "a.hoity", time.time_ns() - 10**9
    fails(FileNotFoundError, "", store.info, place)
    store.put(place, b"first")
    first = store.info(place)
    assert (first.size, first == store.info(place)) == (5, True)
    assert began < first.changed < time.time_ns() + 10**9
    with closing(store.append(place)) as file:
        file.seek(5)
        file.write(b" second")
        file.sync()
        assert store.info(place).size == 12
        assert store.info(place).changed >= first.changed
    store.remove(place)
    fails(FileNotFoundError, "", store.info, place)


def test_a_file_has_one_path_of_its_own(store: FileStore, tmp_path: Path) -> None:
    place = store.real(tmp_path) / "folder" / "a.hoity"
    assert store.real(place) == place, "also if it is not there"
    store.put(place, b"")
    assert store.real(place) == place == store.real(store.real(place))
    assert store.real(place.parent) == place.parent


def test_only_the_files_of_a_folder_itself_are_listed(store: FileStore, tmp_path: Path) -> None:
    for name in ("b.hoity", "a.claim.hoity", "a.vouches", "deeper/c.hoity"):
        store.put(tmp_path / "folder" / name, b"")
    found = store.list(tmp_path / "folder", ".hoity")
    assert [path.name for path in found] == ["a.claim.hoity", "b.hoity"]
    assert all(path.parent == tmp_path / "folder" for path in found)


def test_a_file_that_was_replaced_or_removed_is_another_one(
    store: FileStore, tmp_path: Path
) -> None:
    place = tmp_path / "folder" / "game.journal"
    with closing(store.append(place, new=True)) as old:
        for replace in (lambda: store.put(place, b"new"), lambda: store.remove(place)):
            replace()
            old.write(b"lost")
            old.sync()
            assert not store.has(place) or store.get(place) == b"new"
        with closing(store.append(place, new=True)) as new:
            assert new.number != old.number
            new.write(b"kept")
            new.sync()
        assert store.get(place) == b"kept"
        old.seek(0)
        assert old.read() == b"lostlost", "who has it open still has it"


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
