"""Paths that are typed where no shell replaces `~`, and names of files that are dragged."""

import os
from pathlib import Path

import pytest
from support.cli_stage import played_file
from support.shell import Shell

from cli.commands.typed_paths import typed_path
from cli.exit_codes import Trouble


def test_a_home_folder_is_expanded(my_home: Path) -> None:
    assert typed_path("~/a b.hoity") == my_home / "a b.hoity"
    assert typed_path(Path("~/a.hoity")) == my_home / "a.hoity"
    assert typed_path("~") == my_home
    for same in ("a~", "./~/a", "-x", "~draft", "$", "$5 game", "a/$HOME", "%"):
        assert str(typed_path(same)) == same.removeprefix("./")


@pytest.mark.parametrize("word", ["~nobody-of-this-name/a", "$HOME/a", "${HOME}/a", "%HOME%"])
def test_what_no_shell_has_replaced_is_refused(my_home: Path, word: str) -> None:
    with pytest.raises(Trouble, match=r"no user nobody|shell has not replaced"):
        typed_path(word)
    if not word.startswith("~"):
        (my_home / "here" / word.split("/")[0]).mkdir()
        assert str(typed_path(word)) == word


@pytest.mark.parametrize("command", [("verify",), ("verify", "--certificate"), ("replay",)])
def test_files_to_read_are_expanded(my_home: Path, hoity: Shell, command: tuple[str, ...]) -> None:
    (my_home / "x.hoity").write_bytes(b"x")
    assert str(my_home / "x.hoity") in hoity.told(1, *command, "~/x.hoity")


@pytest.mark.parametrize("url", ["file:///tmp/my%20game.hoity", "file:/tmp/my%20game.hoity"])
def test_the_url_of_a_file_is_its_path(url: str) -> None:
    assert typed_path(url) == typed_path(Path(url)) == Path("/tmp/my game.hoity")


@pytest.mark.parametrize("command", [["id"], ["games"], ["verify", "last"], ["play", "--auto"]])
def test_a_device_as_home_is_told_by_every_command(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("HOITY_HOME", os.devnull)
    told = hoity.told(2, *command)
    assert f"{os.devnull} is no folder. Set HOITY_HOME to a folder" in told
    assert "chmod" not in told


@pytest.mark.parametrize("named", ["my game.hoity", "50%.hoity", "Größe#1?.hoity", "a+b.hoity"])
@pytest.mark.usefixtures("cheap")
def test_a_file_dragged_from_a_file_manager_is_read(
    hoity: Shell, tmp_path: Path, named: str
) -> None:
    path = tmp_path / named
    path.write_bytes(played_file())
    for url in (path.as_uri(), path.as_uri().replace("file://", "file://localhost")):
        assert "ok. Everything in it is valid" in hoity.told(0, "verify", url)
    folder = tmp_path.as_uri()
    assert "1" in hoity.told(0, "verify", folder)
    new = tmp_path / "new one.cert"
    assert hoity.told(0, "verify", path.as_uri(), "--save-certificate", new.as_uri())
    assert new.is_file()
