"""Paths that are typed where no shell replaces `~`, for every option that is a path."""

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import typer
from support.shell import Shell

from cli.app import build
from cli.commands.typed_paths import typed_path
from cli.exit_codes import Trouble
from cli.words import translation


@pytest.fixture
def my_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home folder of the user, in which one stands in another folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


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


def params(command: Any) -> Iterator[Any]:
    """Yield the parameters of a command and of all commands in it."""
    yield from command.params
    for inner in getattr(command, "commands", {}).values():
        yield from params(inner)


def test_every_option_that_is_a_path_is_expanded(my_home: Path) -> None:
    found = set()
    for param in params(typer.main.get_command(build())):
        if type(param.type).__name__.endswith("Path") or param.name in ("edition",):
            found.add(param.opts[0])
            context: Any = typer.Context(typer.main.get_command(build()))
            assert str(param.callback(context, param, "~/x")) == str(my_home / "x"), param.name
    assert found >= {
        "--edition",
        "--from",
        "--save-certificate",
        "--secret",
        "--transcript",
        "--verdicts",
        "--vouches",
    }


@pytest.mark.parametrize("command", [("verify",), ("verify", "--certificate"), ("replay",)])
def test_files_to_read_are_expanded(my_home: Path, hoity: Shell, command: tuple[str, ...]) -> None:
    (my_home / "x.hoity").write_bytes(b"x")
    assert str(my_home / "x.hoity") in hoity.told(1, *command, "~/x.hoity")


@pytest.mark.parametrize("url", ["file:///tmp/my%20game.hoity", "file:/tmp/my%20game.hoity"])
def test_the_url_of_a_file_is_its_path(url: str) -> None:
    assert typed_path(url) == typed_path(Path(url)) == Path("/tmp/my game.hoity")


def values(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each command with "" for an argument, and with each option that has a value."""
    yield path, ""
    for param in command.params:
        if param.param_type_name == "option" and not param.is_flag:
            yield from ((path, word) for word in param.opts)
    for name, inner in getattr(command, "commands", {}).items():
        yield from values(inner, (*path, name))


def test_an_empty_word_is_refused_for_every_parameter_of_every_command(hoity: Shell) -> None:
    """It would mean the folder in which one stands, or the only game."""
    found = set(values(typer.main.get_command(build())))
    assert {command[0] for command, _ in found if command} == set(translation.NAMES)
    assert found >= {(("forget",), ""), (("verify",), ""), (("id", "export"), "--secret")}
    for (command, option), blank in product(found, ("", " \t", "\u00a0", "\u200b")):
        given = [option] if option else []
        forms = [(*command, *given, blank)]
        forms += [(*command, f"{option}={blank}")] if option.startswith("--") else []
        for words in forms:
            told = hoity.told(2, *words)
            assert "is empty. Is a variable of your shell not set?" in told, words
            assert f"after {option or (*command, 'hoity')[0]}" in told, words


@pytest.mark.parametrize("words", [["--lang", ""], ["--lang="], ["--lang= "]])
def test_an_empty_language_is_refused(hoity: Shell, words: list[str]) -> None:
    assert "--lang" in hoity.done(2, "games", *words).err


def test_a_transcript_replaces_no_file(hoity: Shell, tmp_path: Path) -> None:
    kept = tmp_path / "notes.txt"
    kept.write_text("notes")
    for command in (["play", "--auto"], ["host", "--auto"], ["watch", "hoity3abc"], ["join", "x"]):
        done = hoity.done(2, *command, "--transcript", str(kept))
        assert "exists already" in done.err.replace("\n ", "")
    assert kept.read_text() == "notes"


@pytest.mark.parametrize("command", [["id"], ["games"], ["verify", "last"], ["play", "--auto"]])
def test_a_device_as_home_is_told_by_every_command(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("HOITY_HOME", os.devnull)
    told = hoity.told(2, *command)
    assert f"{os.devnull} is no folder. Set HOITY_HOME to a folder" in told
    assert "chmod" not in told
