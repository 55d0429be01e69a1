"""Tests of the command line as a whole: help, exit codes, and errors in words."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import typer
from support.paths import ROOT, VECTORS
from support.sampling import sample
from support.shell import Shell, modules_after, modules_of
from support.short_game import short_file

from cli.app import EXAMPLES, build
from cli.local import settings
from cli.local.settings import Settings
from cli.words import translation

SOME = pytest.mark.sampled(3)
COMMANDS = [
    "play", "host", "join", "tables", "resume", "watch", "games", "forget", "verify",
    "replay", "relay", "id", "rules", "learn", "bench",
]  # fmt: skip


def python(*words: object) -> str:
    """Return what Python prints, run with these words in another process."""
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


# Help.


@SOME
def test_without_docstrings_the_commands_are_there_and_have_no_help() -> None:
    command = [sys.executable, "-OO", "-m", "cli", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "verify" in done.stdout


def test_help_lists_every_command(hoity: Shell) -> None:
    done = hoity.done(0, "--help")
    assert all(f"\n  {command} " in done.out for command in COMMANDS)
    assert "Exit codes" in done.out
    assert hoity("--version").out.startswith("hoity ")
    assert hoity("-V").out == hoity("--version").out
    whole = hoity.told(0, "--help")
    assert hoity.told(0, "-h") == hoity.told(0, "help") == whole
    assert hoity.told(0, "help", "verify") == hoity.told(0, "verify", "-h") != whole


@pytest.mark.parametrize("command", [*COMMANDS, "id new", "id show", "id export"])
def test_every_command_has_help_with_an_example_in_english_only(hoity: Shell, command: str) -> None:
    done = hoity.done(0, *command.split(), "--help")
    assert f"Example: {EXAMPLES[command.split()[-1]]}" in done.out
    english = set(done.out.splitlines())
    for language in ("es", "de"):
        other = hoity.done(0, *command.split(), "--help", "--lang", language)
        assert "Example" not in other.out
        assert "Show this message" not in other.out
        assert len(english & set(other.out.splitlines())) < len(english) / 2


@SOME
def test_a_command_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    """No screen, no network, no process, no seat: half of a small file's time is what is loaded."""
    heavy = {"trio", "nacl", "msgpack", "rich", "protocol", "zeroconf", "textual", "segno"}
    names = ("coded_errors", "installation", "shell_words", "storage")
    stored = ("storage.home", "storage.folder_owner")
    ours = {"p2p_hoity", *(f"p2p_hoity.{name}" for name in (*names, *stored))}
    loaded = modules_of(0, "--help")
    assert not heavy & loaded
    assert {name for name in loaded if name.startswith("p2p_hoity")} <= ours
    (tmp_path / "a.hoity").write_bytes(b"x")
    loaded = modules_of(1, "verify", tmp_path / "a.hoity")
    assert "protocol.transcript.verifier" in loaded
    heavy = {"trio", "textual", "zeroconf", "cryptography", "multiprocessing", "concurrent"}
    assert not heavy & {name.split(".")[0] for name in loaded}
    above = {"protocol.seat.seat_machine", "p2p_hoity.table", "p2p_hoity.bots", "p2p_hoity.net"}
    assert not {*above, "cli.ui"} & loaded
    whole = VECTORS / "failures" / "another-game.hoity"
    of_many = {"multiprocessing", "cli.commands.verify_archive", "distributed", "asyncio"}
    assert not of_many & modules_of(1, "verify", whole, "--jobs", "1")
    loaded = modules_of(0, "rules")
    assert "p2p_hoity.rules" in loaded
    heavy = {"trio", "nacl", "ssl", "socket", "textual", "multiprocessing", "asyncio"}
    assert not heavy & {name.split(".")[0] for name in loaded}
    above = {"game_adapter", "benchmarks", "presentation", "net", "table", "bots", "reachability"}
    assert not {f"p2p_hoity.{name}" for name in above} & loaded
    assert not {"protocol.crypto", "protocol.chain", "protocol.seat", "cli.ui"} & loaded


def test_nothing_of_the_page_is_loaded_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOITY_MARKS", str(tmp_path / "marks"))
    page = {"cli.ui.web", "p2p_hoity.web", "wsproto"}
    edition = str(short_file(tmp_path))
    play = ["play", "--bots", "1", "--auto", "--json", "--edition", edition]
    loaded = modules_after(["id", "new", "--name", "Ada", "--json"], play)
    assert "trio" in loaded
    assert not {name for name in loaded if name.startswith(tuple(page))}


@SOME
def test_a_command_has_no_other_and_python_m_cli_is_hoity(game: Path) -> None:
    assert [one.name for one in build("verify").registered_commands] == ["verify"]
    assert build("id").registered_commands == []
    everything = len(build("jion").registered_commands)
    assert everything == len(build().registered_commands) > 10
    told = python("-m", "cli", "--lang", "de", "--help")
    assert "Befehle" in told
    assert "Optionen" in told
    assert json.loads(python("-m", "cli", "verify", game, "--json"))["verdict"] == "ok"


# Usage.


@pytest.mark.parametrize(
    "words",
    [
        "jion",
        "play --bots 6",
        "play --bots 0",
        "play --variant chess",
        "play --variant surprise --bots 2",
        "play --edition no-such-edition",
        "play --quorum 9",
        "play --quorum 1",
        "play --quorum 0",
        "play --patience 0",
        "play --transcript /",
        "host --seats 7",
        "host --seats 3 --bots 3",
        "host --listen nowhere",
        "host --listen [::1:0",
        "host --listen 'a b:1'",
        "host --relay foo",
        "host --relay foo:99999",
        "host" + " --relay a:1" * 5,
        "join hoity3abc --relay foo",
        "join hoity3abc --listen foo",
        "relay --listen 'a b:1'",
        "join",
        "join nonsense",
        "join hoity3abcdef",
        "join hoity2abcdef",
        "watch hoity4abcdef",
        "watch nonsense",
        "resume no-such-game",
        "verify",
        "verify no-such-file.hoity",
        "replay no-such-file.hoity",
        "relay --listen nowhere",
        "id new --name ''",
        "id new --name " + "x" * 25,
        "id show",
        "id export",
        "rules --edition no-such-edition",
        "bench --cards 7",
        "--lang fr rules",
        "rules --lang",
        "resume",
        "resume --claim",
    ],
)
def test_impossible_words_are_usage(hoity: Shell, words: str) -> None:
    done = hoity.done(2, *shlex.split(words))
    assert done.err.strip()
    assert "Traceback" not in done.err
    if words.startswith("resume") and "no-such" not in words:  # without a key none is missed
        assert "no game is waiting for you" in done.err
        assert "key" not in done.err


@SOME
def test_a_reader_that_has_gone_or_was_never_there_is_no_error(game: Path) -> None:
    """Even help cannot be put into a pipe whose read end is closed already."""
    commands = (f"replay {game} --json", f"replay {game}", f"verify {game} --json", "rules")
    for words in sample(commands, 1, "commands whose reader goes"):
        command = f"set -o pipefail; {sys.executable} -m cli {words} | head -c 1"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) in ((0, ""), (141, "")), words
    helps = (["--help"], ["rules"], ["play", "--help"])
    for words in sample(helps, 1, "commands without a reader"):
        read, write = os.pipe()
        os.close(read)
        process = subprocess.Popen(
            [sys.executable, "-m", "cli", *words], stdout=write, stderr=subprocess.PIPE
        )
        os.close(write)
        assert process.communicate()[1] == b""
        assert process.returncode == 141


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


def test_the_kept_language_is_spoken(hoity: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "es_ES")
    settings.keep(hoity.home, Settings("Ana", "de"))
    assert "Befehle" in hoity("--help").out
    assert "Commands" in hoity("--help", "--lang", "en").out
    out = hoity("id", "new").out
    assert "Deutsch" in out
    assert "Ana" in out
    assert hoity("id").out == out
