"""Tests of a player's folders: one that the environment names is the same wherever one stands."""

import os
from pathlib import Path

import pytest
from support.cases import fails

from p2p_hoity.storage import rollback_marks
from p2p_hoity.storage.home import FolderError, Home, home

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


def test_hoity_home_moves_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    place = home()
    assert place == Home(tmp_path)
    paths = (place.identity, place.journals, place.transcripts)
    assert all(tmp_path in path.parents for path in paths)
    monkeypatch.delenv("HOITY_HOME")
    assert tmp_path not in home().identity.parents
