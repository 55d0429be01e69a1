"""Tests of what an ordinary machine may be like: nothing of it is called a bug."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from support.odd_files import a_folder, a_pipe, huge
from support.sampling import sample
from support.shell import Shell

from cli import exit_codes
from cli.app import run
from cli.words.error_sentences import sentence
from p2p_hoity.coded_errors import Reason
from p2p_hoity.storage import player_key
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import private_folder
from p2p_hoity.table.playing import session
from p2p_hoity.table.playing.frames_in import FramesIn
from protocol.errors import Invalid

SOME = pytest.mark.sampled(3)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes, devices and raw bytes")
NO_TEXT = b"\xff\xfe"


@pytest.fixture
def home(home: Home) -> Path:
    return private_folder(home.path)


def hoity(code: int, *words: str | bytes, **given: Any) -> str:
    """Run a command in another process to this code, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "cli", *words], capture_output=True, timeout=60, check=False, **given
    )
    told = (done.stderr + done.stdout).decode()
    assert done.returncode == code, told
    assert "bug in the program" not in told
    assert "Traceback" not in told
    return told


@pytest.fixture
def run_here(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command in this process to this code, and return what it printed in one line."""
    shell = Shell(capsys, Home(home))

    def run_words(code: int, *words: object) -> str:
        told = shell.told(code, *words)
        assert "bug in the program" not in told
        assert "Traceback" not in told
        return told

    return run_words


# The environment and the streams.


@SOME
def test_a_passphrase_that_is_no_text_is_told_and_makes_nothing(home: Path) -> None:
    odd = {**os.environb, b"HOITY_PASSPHRASE": NO_TEXT}
    assert "not text in UTF-8" in hoity(2, "id", "new", env=odd)
    assert list(home.iterdir()) == []
    good = {**os.environ, "HOITY_PASSPHRASE": "pässword"}
    hoity(0, "id", "new", env=good)
    assert "not text in UTF-8" in hoity(2, "id", "show", env=odd)
    hoity(0, "id", "show", env=good)


@SOME
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every path is text")
def test_a_home_that_is_no_text_works(tmp_path: Path) -> None:
    place = os.fsencode(tmp_path) + b"/\xff"
    env = {**os.environb, b"HOITY_HOME": place}
    hoity(0, "id", "new", env=env)
    hoity(0, "id", "show", "--json", env=env)
    assert Path(os.fsdecode(place)).joinpath("identity").exists()


@SOME
@pytest.mark.parametrize(
    "locale", sample(["C", "xx_YY.nonsense", "de_DE.ISO-8859-1", ""], 2, "odd locales")
)
def test_an_odd_locale_is_spoken_to(home: Path, locale: str) -> None:
    env = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0"}
    env.pop("LANGUAGE", None)
    hoity(0, "rules", env=env)
    hoity(0, "rules", "--lang", "de", env={**env, "PYTHONIOENCODING": "ascii"})


@SOME
@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_a_closed_stream_takes_no_number_of_a_file(home: Path, closed: tuple[int, ...]) -> None:
    shut = " ".join(f"{number}>&-" if number else "<&-" for number in closed)
    command = f'exec "$0" -m cli id new --name Ada {shut}'
    done = subprocess.run(["sh", "-c", command, sys.executable], capture_output=True, check=False)
    assert done.returncode == 0
    assert b"bug in the program" not in done.stderr
    assert player_key.load_identity(Home(home)).nickname == "Ada"


@SOME
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has such a device")
@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_full_device_is_told(home: Path, buffered: str) -> None:
    hoity(0, "id", "new")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cli", "id", "show"],
            env={**os.environ, "PYTHONUNBUFFERED": buffered},
            stdout=full,
            stderr=-1,
            check=False,
        )
    assert done.returncode == 1
    assert b"No space left" in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_program_that_is_not_installed_has_no_version_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == "hoity (run from its source, not installed)\n"


# Files.


PLAY = ("play", "--auto", "--bots", "1")


@pytest.mark.parametrize("make", [a_folder, a_pipe, huge])
@pytest.mark.parametrize("words", [("id", "show"), ("host", "--auto", "--bots", "3")])
def test_a_key_that_is_no_file_of_ours_is_told(
    home: Path, make: Callable[[Path], None], words: tuple[str, ...], run_here: Any
) -> None:
    make(home / "identity")
    assert "identity" in run_here(2, *words)


def test_what_cannot_be_a_home_a_number_or_an_edition_is_told(
    tmp_path: Path, run_here: Any
) -> None:
    a_pipe(tmp_path / "mine.toml")
    assert "mine.toml" in run_here(2, *PLAY, "--edition", tmp_path / "mine.toml")
    for words in (("play", "--patience", "nan"), ("tables", "--wait", "nan")):
        assert "a number of seconds is needed" in run_here(2, *words)
    for option in ("--patience", "--step-patience"):
        assert "2592000" in run_here(2, "host", option, "2592001")
    assert exit_codes.told(OSError("odd")).words == "The system reports an error: odd."


@pytest.mark.parametrize("place", ["/dev/null", "/proc/self/nowhere", "relative\nline"])
def test_a_home_that_can_be_none_is_told(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_here: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOITY_HOME", place)
    if place.startswith("relative"):
        Path(place).write_bytes(b"")
    for words in (("id", "new"), ("play", "--auto"), ("resume",)):
        assert "there is a key already" not in run_here(2, *words)


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_endless_and_huge_files_are_too_large(tmp_path: Path, command: str, run_here: Any) -> None:
    huge(tmp_path / "huge")
    for name in ("/dev/zero", tmp_path / "huge"):
        assert "the file is too large for a game (too-large)" in run_here(1, command, name)


# A link over which comes what this table cannot read.


def test_what_cannot_be_read_is_said_of_the_link_alone() -> None:
    dropped: list[tuple[bytes, Reason]] = []

    def receive(*_: object) -> None:
        raise Invalid("bad-message", "it is of another table")

    def drop(peer: bytes, reason: Reason) -> None:
        dropped.append((peer, reason))

    table = SimpleNamespace(ids=(b"p",))
    machine = SimpleNamespace(table=table, tip=None, job=None, has_begun=True)
    machine.receive, hub = receive, SimpleNamespace(drop=drop)
    limit: Any = SimpleNamespace(may_read=lambda *_: True, spend=lambda *_: 0)
    access = SimpleNamespace(may_send=lambda *_: True)

    async def hear() -> None:
        given: Any = (machine, hub, limit, float, None)
        here = SimpleNamespace(
            machine=machine,
            _access=access,
            _rate_limit=limit,
            _frames_in=FramesIn(*given),
        )
        session.Session._on_frame(cast(Any, here), b"p", b"\x92\x00\xc4\x00")

    trio.run(hear)
    ((peer, reason),) = dropped
    assert (peer, reason.code) == (b"p", "frame-unreadable")
    assert sentence(reason) == (
        "it sent something that is invalid at this table (a message is malformed)"
    )
