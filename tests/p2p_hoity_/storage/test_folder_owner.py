"""Tests of whose a folder is, and of which advice about its access harms nobody."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from support.cases import fails

from p2p_hoity.storage import folder_owner, private_files, rollback_marks
from p2p_hoity.storage.file_store import NotPrivateError
from p2p_hoity.storage.home import FolderError, home


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


@pytest.mark.skipif(not private_files.CHECKED, reason="there are no mode bits")
def test_a_copy_of_a_players_folder_is_closed_as_a_whole_if_nothing_else_is_in_it(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "copy"
    (copy / "journals").mkdir(parents=True)
    (copy / "identity").write_bytes(folder_owner.KEY + b"1\n")
    whole = ("chmod", "-R", "go=", str(copy))
    for place, is_folder in ((copy, True), (copy / "journals", True), (copy / "identity", False)):
        assert folder_owner.closing(place, is_folder) == whole
    (copy / "holiday.jpg").touch()
    assert folder_owner.closing(copy / "identity", False) == ("chmod", "600", copy / "identity")
    (copy / "identity").write_bytes(b"another program's")
    assert folder_owner.closing(copy / "journals", True) != whole


@pytest.mark.skipif(not private_files.CHECKED, reason="there are no users")
def test_what_another_user_owns_inside_is_found_unless_it_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home = tmp_path / "hoity"
    (home / "journals").mkdir(parents=True)
    me = os.geteuid() or 1000
    monkeypatch.setattr(os, "geteuid", lambda: me)
    assert folder_owner.foreign(home) is None
    monkeypatch.setattr(folder_owner, "_owner", owned_by(home / "journals", 0, me))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    found = folder_owner.foreign(home)
    assert found is not None
    assert (found.path, found.owner) == (home / "journals", "root")
    monkeypatch.setattr(os, "access", lambda path, mode: True)
    assert folder_owner.foreign(home) is None
