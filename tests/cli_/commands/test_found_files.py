"""Folders of transcripts: what is found, in which order, and what is said of the rest."""

import os
import socket
import sys
from pathlib import Path

import pytest

from cli.commands.verify_archive import all_in
from cli.exit_codes import Trouble

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")


def made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def found(*paths: Path) -> tuple[list[Path], dict[Path, str]]:
    """(files, what is said of others)."""
    all_of_them = list(all_in(paths))
    files = [one for one in all_of_them if isinstance(one, Path)]
    return files, {one[0]: str(one[1]) for one in all_of_them if not isinstance(one, Path)}


def test_files_come_by_name_and_from_below_and_whatever_is_named(tmp_path: Path) -> None:
    names = ["a/1.hoity", "a/b/2.hoity", "a/c.hoity", "b.hoity/x.hoity", "z.hoity"]
    paths = [made(tmp_path / name) for name in names]
    made(tmp_path / "a/notes.txt")
    made(tmp_path / "hoity")
    assert found(tmp_path) == (paths, {})
    assert found(paths[4], tmp_path / "a", paths[0]) == ([paths[4], *paths[:3], paths[0]], {})
    named = [made(tmp_path / "a/notes.txt"), tmp_path / "not-there"]
    assert found(*named) == (named, {})


def test_a_folder_without_any_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    files, told = found(tmp_path)
    assert files == []
    assert "no *.hoity file" in told[tmp_path]
    (trouble,) = (one for _, one in all_in([tmp_path]) if isinstance(one, Trouble))  # type: ignore[misc]
    assert trouble.exit_code == 2


@POSIX
def test_named_links_are_followed_and_other_links_to_folders_are_told(tmp_path: Path) -> None:
    game = made(tmp_path / "games" / "a.hoity")
    circle = tmp_path / "games" / "circle"
    circle.symlink_to(tmp_path)
    files, told = found(tmp_path)
    assert (files, list(told)) == ([game], [circle])
    assert "not followed" in told[circle]
    circle.unlink()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "games")
    assert found(link) == ([link / "a.hoity"], {})
    (link / "b.hoity").symlink_to(game)  # links to files are files, even to none
    (link / "c.hoity").symlink_to(tmp_path / "nowhere")
    (link / "d.hoity").symlink_to(link / "d.hoity")
    assert found(link) == ([link / f"{letter}.hoity" for letter in "abcd"], {})


@POSIX
def test_what_is_no_regular_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = made(tmp_path / "a.hoity")
    os.mkfifo(tmp_path / "pipe.hoity")
    (tmp_path / "zero.hoity").symlink_to("/dev/zero")
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.hoity")
        files, told = found(tmp_path)
    assert files == [game]
    assert [path.name for path in told] == ["pipe.hoity", "socket.hoity", "zero.hoity"]
    assert all("is not a regular file" in words for words in told.values())


@POSIX
def test_a_closed_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, game = tmp_path / "closed", made(tmp_path / "open" / "a.hoity")
    made(closed / "b.hoity")
    real = os.scandir

    def scandir(path: Path) -> object:  # root may read every folder
        if path == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    files, told = found(tmp_path)
    assert files == [game]
    assert "Permission denied" in told[closed]


@POSIX
def test_folders_may_be_deeper_than_any_recursion(tmp_path: Path) -> None:
    depth = 300
    deep = tmp_path.joinpath(*["d"] * depth)
    game = made(deep / "a.hoity")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(250)
    try:
        files = list(all_in([tmp_path]))
    finally:
        sys.setrecursionlimit(limit)
    assert files == [game]
