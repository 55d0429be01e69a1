"""Tests of the port of files: all stores do the same."""

import os
import sys
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.cases import fails
from support.journals import FIRST
from support.memory_store import MemoryStore

from p2p_hoity.storage import journal, private_files
from p2p_hoity.storage.file_store import FileStore, NotPrivateError
from p2p_hoity.storage.private_files import NAMED, PrivateFiles


@pytest.fixture(params=["private", "named", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    """Return each store in turn."""
    stores = {"private": PrivateFiles(tmp_path), "named": NAMED, "memory": MemoryStore()}
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


@pytest.mark.skipif(not private_files.CHECKED, reason="Windows has no mode bits")
@pytest.mark.parametrize("shut", ["", "journals"])
def test_a_folder_that_others_can_enter_is_not_listed(tmp_path: Path, shut: str) -> None:
    store, folder = PrivateFiles(tmp_path / "home"), tmp_path / "home" / "journals"
    assert store.list(folder, "") == []
    store.put(folder / "a.journal", b"")
    (tmp_path / "home" / shut).chmod(0o755)
    fails(NotPrivateError, "open-to-others", store.list, folder, ".journal")
    assert NAMED.list(folder, ".journal") == [folder / "a.journal"]


def test_what_a_player_names_may_be_a_link_and_need_not_be_private(tmp_path: Path) -> None:
    store, place, link = PrivateFiles(tmp_path), tmp_path / "file", tmp_path / "link"
    place.write_bytes(b"shared")
    place.chmod(0o644)
    link.symlink_to(place)
    assert (NAMED.get(link), NAMED.get(link, 2)) == (b"shared", b"sh")
    assert NAMED.info(link) == NAMED.info(place) == store.info(place)
    assert NAMED.real(link) == NAMED.real(place)
    fails(OSError, "symbolic links", store.get, link)
    for refused in (NAMED.get, NAMED.info):
        fails(OSError, "", refused, tmp_path)


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


@pytest.mark.skipif(not private_files.CHECKED, reason="there are no mode bits")
def test_a_folder_of_others_or_a_device_is_not_to_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who followed such advice about /etc as root would break the machine."""
    folder = tmp_path / "etc"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    fails(NotPrivateError, "shared-folder", private_files.check_folder, folder)  # As empty as /srv.
    monkeypatch.setenv("HOME", str(tmp_path))
    fails(NotPrivateError, "open-to-others", private_files.check_folder, folder)
    (folder / "passwd").touch()
    fails(NotPrivateError, "shared-folder", private_files.check_folder, folder)
    (folder / "identity").write_bytes(b"hoity-key-1\n")
    told = fails(NotPrivateError, "open-to-others", private_files.check_folder, folder)
    assert told.fields["command"] == f"chmod 700 {folder}", "not all that is in it"
    monkeypatch.setenv("HOME", "/")
    fails(NotPrivateError, "shared-folder", private_files.check_folder, folder)
    fails(NotPrivateError, "shared-folder", private_files.check_folder, Path("/dev/null"))
