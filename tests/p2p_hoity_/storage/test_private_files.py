"""Tests of private files: nothing that others prepared is written through or trusted."""

import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.cases import fails
from support.memory_store import MemoryStore

from cli import exit_codes
from cli.app import run
from cli.local.seat_checks import check_home
from p2p_hoity.storage import player_key, private_files, transcript_archive
from p2p_hoity.storage.file_store import FileStore, NotPrivateError
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import NAMED, PrivateFiles, private_folder

WITH_MODES = pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def as_told(error: NotPrivateError) -> list[str]:
    """The command that an error says mends it."""
    return shlex.split(error.fields["command"])


@WITH_MODES
def test_a_prepared_new_file_does_not_take_the_key(tmp_path: Path) -> None:
    prepared = tmp_path / "identity.new"
    prepared.write_bytes(b"")
    prepared.chmod(0o666)
    with prepared.open("rb") as watched:
        player_key.new_identity(Home(tmp_path), "Ada")
        assert watched.read() == b""
    assert mode_of(tmp_path / "identity") == 0o600


@WITH_MODES
def test_no_new_file_has_a_known_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, int]] = []
    honest = os.open

    def look(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            made.append((str(path), flags))
        return honest(path, flags, mode)

    monkeypatch.setattr(os, "open", look)
    for _ in range(2):
        private_files.PrivateFiles(tmp_path).put(tmp_path / "file", b"x")
    assert len({path for path, _ in made}) == len(made) == 2
    assert all(flags & os.O_EXCL and flags & os.O_NOFOLLOW for _, flags in made)
    assert all(path != str(tmp_path / "file") for path, _ in made)


@WITH_MODES
def test_a_link_is_replaced_or_refused_and_what_it_leads_to_is_left_alone(tmp_path: Path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "link"
    victim.write_bytes(b"mine")
    files = private_files.PrivateFiles(tmp_path)
    for write in (files.put, transcript_archive.write_transcript):
        link.symlink_to(victim)
        write(link, b"new")
        assert victim.read_bytes() == b"mine"
        assert not link.is_symlink()
        assert link.read_bytes() == b"new"
        link.unlink()
    link.symlink_to(victim)
    fails(FileExistsError, "", files.append, link, new=True)
    assert victim.read_bytes() == b"mine"
    link.unlink()
    victim.unlink()
    link.symlink_to(victim)
    for refused in (files.get, files.append, files.lock):
        fails(OSError, "symbolic links", refused, link)
    assert not victim.exists()


@WITH_MODES
def test_once_means_never_over_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put = private_files.PrivateFiles(tmp_path).put
    put(tmp_path / "file", b"old", once=True)

    def unable(*_: object, **__: object) -> None:
        raise OSError(95, "Operation not supported")

    for _ in range(2):
        fails(FileExistsError, "", put, tmp_path / "file", b"new", once=True)
        monkeypatch.setattr(os, "link", unable)  # a file system without hard links
    put(tmp_path / "other", b"new", once=True)
    assert (tmp_path / "file").read_bytes() == b"old"
    assert (tmp_path / "other").read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "other"]


@WITH_MODES
@pytest.mark.parametrize(
    ("mode", "name"),
    [
        *((mode, "") for mode in (0o755, 0o750, 0o777, 0o701, 0o770)),
        *((mode, "identity") for mode in (0o644, 0o640, 0o622, 0o666)),
    ],
)
def test_an_open_home_or_key_is_told_how_to_mend_it(tmp_path: Path, mode: int, name: str) -> None:
    home = Home(tmp_path / "it's home")
    player_key.new_identity(home, "Ada")
    (home.path / name).chmod(mode)
    attempts = [] if name else [lambda: check_home(home)]
    for attempt in (*attempts, lambda: player_key.load_identity(home)):
        told = fails(NotPrivateError, "", attempt)
        assert str(home.path / name) in str(told)
        assert exit_codes.told(told).exit_code == exit_codes.USAGE
    subprocess.run(as_told(told), check=True)
    check_home(home)
    assert player_key.load_identity(home).nickname == "Ada"


@WITH_MODES
def test_what_another_user_owns_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    player_key.new_identity(home, "Ada")
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    fails(NotPrivateError, "shared-folder", check_home, home)
    told = fails(NotPrivateError, "owned-by-another", player_key.load_identity, home)
    assert as_told(told)[:4] == ["sudo", "chown", "-h", str(uid + 1)]


@WITH_MODES
def test_where_users_share_a_folder_another_one_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path / "tmp")
    home.path.mkdir()
    home.path.chmod(0o1777)
    told = exit_codes.told(fails(NotPrivateError, "shared-folder", check_home, home))
    assert "HOITY_HOME" in told.words
    assert "chmod" not in told.words
    home.path.chmod(0o1700)
    check_home(home)


@WITH_MODES
def test_a_link_of_another_user_to_a_folder_of_ours_is_refused(tmp_path: Path) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    private_files.private_folder(folder)
    link.symlink_to(folder)
    private_files.private_folder(link)
    if os.geteuid() != 0:
        pytest.skip("only root can give a link away")
    os.chown(link, 12345, -1, follow_symlinks=False)
    fails(NotPrivateError, "owned-by-another", private_files.private_folder, link)


@WITH_MODES
def test_the_command_line_says_so_and_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    monkeypatch.setenv("HOITY_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    for words in (["id", "new"], ["host", "--auto", "--bots", "3"], ["id", "show"]):
        code = run(words)
        err = capsys.readouterr().err
        assert code == 2, words
        assert f"chmod 700 {home}" in err or "there is no key yet" in err
    assert list(home.iterdir()) == []


@WITH_MODES
def test_a_pipe_that_is_read_gets_the_bytes_and_any_other_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    fails(OSError, "No such device", transcript_archive.write_transcript, tmp_path / "pipe", b"x")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    transcript_archive.write_transcript(tmp_path / "pipe", b"bytes")
    assert os.read(reader, 100) == b"bytes"
    os.close(reader)
    os.mkfifo(tmp_path / "identity", 0o600)
    fails(player_key.KeyFileError, r"\(no-regular-file", player_key.load_identity, Home(tmp_path))


@WITH_MODES
def test_a_key_is_copied_to_a_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    assert run(["id", "new", "--name", "Ada"]) == 0
    victim = tmp_path / "victim"
    (tmp_path / "link").symlink_to(victim)
    assert run(["id", "export", "--secret", str(tmp_path / "link")]) == 2
    assert not victim.exists()
    assert run(["id", "export", "--secret", str(tmp_path / "copy")]) == 0
    assert mode_of(tmp_path / "copy") == 0o600


@pytest.fixture(params=["private", "named", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    """Return each store in turn."""
    stores = {"private": PrivateFiles(tmp_path), "named": NAMED, "memory": MemoryStore()}
    return stores[request.param]


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
    monkeypatch.setattr(Path, "replace", refuse)
    fails(PermissionError, "", store.put, tmp_path / "other", b"", once=True)
    assert [path.name for path in tmp_path.iterdir()] == ["identity"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")
def test_where_modes_are_not_stored_another_place_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On FAT and exFAT, and on the drives of Windows in WSL, a change of modes is ignored."""

    def mkdir(path: Path, mode: int = 0o777, **_: bool) -> None:
        os.makedirs(path, exist_ok=True)
        os.chmod(path, 0o777)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    for _ in range(2):
        error = fails(NotPrivateError, "no-modes", private_folder, tmp_path / "home")
        assert "command" not in error.fields
    assert list((tmp_path / "home").iterdir()) == []
