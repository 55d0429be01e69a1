"""Tests of the player's own files: nothing that others prepared is written through or trusted."""

import os
import shlex
import stat
import subprocess
from pathlib import Path

import pytest
from support.cases import fails

from cli import exit_codes
from cli.app import run
from cli.local.seat_checks import check_home
from p2p_hoity.storage import player_key, private_files, transcript_archive
from p2p_hoity.storage.file_store import NotPrivateError
from p2p_hoity.storage.home import Home

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def as_told(error: NotPrivateError) -> list[str]:
    """The command that an error says mends it."""
    return shlex.split(error.fields["command"])


def test_a_prepared_new_file_does_not_take_the_key(tmp_path: Path) -> None:
    prepared = tmp_path / "identity.new"
    prepared.write_bytes(b"")
    prepared.chmod(0o666)
    with prepared.open("rb") as watched:
        player_key.new_identity(Home(tmp_path), "Ada")
        assert watched.read() == b""
    assert mode_of(tmp_path / "identity") == 0o600


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


def test_what_another_user_owns_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    player_key.new_identity(home, "Ada")
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    fails(NotPrivateError, "shared-folder", check_home, home)
    told = fails(NotPrivateError, "owned-by-another", player_key.load_identity, home)
    assert as_told(told)[:4] == ["sudo", "chown", "-h", str(uid + 1)]


def test_where_users_share_a_folder_another_one_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path / "tmp")
    home.path.mkdir()
    home.path.chmod(0o1777)
    told = exit_codes.told(fails(NotPrivateError, "shared-folder", check_home, home))
    assert "HOITY_HOME" in told.words
    assert "chmod" not in told.words
    home.path.chmod(0o1700)
    check_home(home)


def test_a_link_of_another_user_to_a_folder_of_ours_is_refused(tmp_path: Path) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    private_files.private_folder(folder)
    link.symlink_to(folder)
    private_files.private_folder(link)
    if os.geteuid() != 0:
        pytest.skip("only root can give a link away")
    os.chown(link, 12345, -1, follow_symlinks=False)
    fails(NotPrivateError, "owned-by-another", private_files.private_folder, link)


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


def test_a_pipe_that_is_read_gets_the_bytes_and_any_other_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    fails(OSError, "No such device", transcript_archive.write_transcript, tmp_path / "pipe", b"x")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    transcript_archive.write_transcript(tmp_path / "pipe", b"bytes")
    assert os.read(reader, 100) == b"bytes"
    os.close(reader)
    os.mkfifo(tmp_path / "identity", 0o600)
    fails(player_key.KeyFileError, r"\(no-regular-file", player_key.load_identity, Home(tmp_path))


def test_a_key_is_copied_to_a_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    assert run(["id", "new", "--name", "Ada"]) == 0
    victim = tmp_path / "victim"
    (tmp_path / "link").symlink_to(victim)
    assert run(["id", "export", "--secret", str(tmp_path / "link")]) == 2
    assert not victim.exists()
    assert run(["id", "export", "--secret", str(tmp_path / "copy")]) == 0
    assert mode_of(tmp_path / "copy") == 0o600
