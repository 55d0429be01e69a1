"""A folder of the player's files that the environment names is the same wherever one stands."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from support.cases import fails

from p2p_hoity.storage import folder_owner, private_files, rollback_marks
from p2p_hoity.storage.file_store import NotPrivateError
from p2p_hoity.storage.home import FolderError, home
from p2p_hoity.storage.private_files import private_folder

NOT_WHOLE = [
    "hoity",
    "./hoity",
    "~nobody-of-this-name/hoity",
    "$HOME/hoity",
    "${HOME}/hoity",
    '"/hoity"',
    "'~/hoity'",
    "/hoity ",
    "/hoity\r",
    " ",
]


@pytest.mark.parametrize("text", NOT_WHOLE)
def test_a_path_that_is_not_whole_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    for name, folder in (("HOITY_HOME", home), ("HOITY_MARKS", rollback_marks.folder)):
        monkeypatch.setenv(name, text)
        error = fails(FolderError, "folder-not-whole", folder)
        assert (error.fields["name"], error.fields["text"]) == (name, text)
        assert os.path.isabs(error.fields["example"])


def test_a_home_folder_is_expanded_and_never_used_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("HOITY_HOME", "~/hoity")
    assert home().path == tmp_path / "hoity"
    for text in ("~", str(tmp_path), str(tmp_path / "x" / ".."), str(tmp_path.parent), os.sep):
        monkeypatch.setenv("HOITY_HOME", text)
        fails(FolderError, "folder-of-everything", home)
    # Whoever keeps a key there already goes on.
    (tmp_path / "identity").touch()
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    assert home().path == tmp_path


@pytest.mark.skipif(os.name == "nt", reason="Windows names the folder in another way")
def test_a_relative_folder_of_the_platform_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOITY_HOME", raising=False)
    monkeypatch.setattr("p2p_hoity.storage.home._usual", lambda: Path("data/hoity"))
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert fails(FolderError, "folder-not-whole", home).fields["name"] == "XDG_DATA_HOME"


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


def test_a_link_to_a_place_that_is_gone_is_told_and_not_taken_for_an_empty_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "stick"
    link.symlink_to(tmp_path / "unplugged")
    for named in (link, link / "hoity"):
        monkeypatch.setenv("HOITY_HOME", str(named))
        with pytest.raises(FolderError, match="folder-gone"):
            home()
    (tmp_path / "unplugged").mkdir()
    assert home().path == link / "hoity"


@pytest.mark.skipif(not private_files.CHECKED, reason="there are no users")
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("place", [".local/state", ".local/share/hoity/journals"])
def test_what_root_has_made_is_told_with_the_command_that_takes_it_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, named: bool
) -> None:
    """After `sudo hoity`, with the user's HOME, the user can no longer enter these folders."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HOITY_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOITY_MARKS"):
        monkeypatch.delenv(name, raising=False)
    foreign = tmp_path / place
    foreign.mkdir(parents=True)
    if named:
        mine = tmp_path / ".local/share/hoity" if "journals" in place else foreign / "hoity"
        monkeypatch.setenv("HOITY_HOME", str(mine))
        monkeypatch.setenv("HOITY_MARKS", str(mine))
    attempt = home if "journals" in place or named else partial(rollback_marks.folder, None)
    attempt()  # It is the user's own.
    monkeypatch.setattr(folder_owner, "_owner", owned_by(foreign, 0, os.geteuid() or 1000))
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() or 1000)
    attempt()  # It can be used nevertheless.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    error = fails(FolderError, "folder-of-another", attempt)
    whole = foreign.parent if "journals" in place else foreign
    taken = f"sudo chown -R {error.fields['user']} {whole}"
    assert (error.fields["owner"], error.fields["command"]) == ("root", taken)
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    if named and "journals" in place:
        error = fails(FolderError, "folder-of-another-elsewhere", attempt)
        assert "command" not in error.fields
    elif named:
        fails(FolderError, "folder-of-another-elsewhere", attempt)
        monkeypatch.setattr(os, "access", lambda path, mode: mode == os.X_OK)
        attempt()  # That no folder can be made there, the system tells.


def owned_by(foreign: Path, its: int, others: int) -> Callable[[Path], int | None]:
    """Return who owns a path, if one folder and what is in it is another user's."""

    def owner(path: Path) -> int | None:
        if not path.exists():
            return None
        return its if path == foreign or foreign in path.parents else others

    return owner
