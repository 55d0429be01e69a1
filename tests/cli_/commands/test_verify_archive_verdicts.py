"""The file of verdicts: what it knows, and what it is not taken for."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import version
from cli.commands import verify_archive
from cli.commands.verify_archive import Verdicts
from cli.exit_codes import Trouble


def line_of(path: Path, verdict: str = "ok", code: str | None = None) -> dict[str, Any]:
    """What is told of a file that is there."""
    found = path.stat()
    problem = None if code is None else {"code": code}
    marks = {"size": found.st_size, "modified": found.st_mtime_ns, "program": version()}
    return {
        "file": str(path),
        **marks,
        "verdict": verdict,
        "problem": problem,
        "program": version(),
    }


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.hoity"
    path.write_bytes(b"a game")
    return path


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "verdicts"


def known(kept: Path, game: Path) -> str | None:
    """What a later run knows of a file."""
    with Verdicts(kept) as found:
        return found.verdict_of(game)


def add(kept: Path, *lines: dict[str, Any]) -> None:
    """Let a run write these lines."""
    with Verdicts(kept) as found:
        for line in lines:
            found.add(line)


def test_what_was_judged_is_known_and_the_newest_verdict_counts(game: Path, kept: Path) -> None:
    assert known(kept, game) is None
    for code in ("no-file", "not-judged"):
        add(kept, line_of(game, "unreadable", code))
        assert known(kept, game) is None
    add(kept, line_of(game, "fault", "bad-proof"))
    assert known(kept, game) == "fault"
    assert known(kept, game.with_name("other")) is None
    add(kept, line_of(game, "fault", "torn"), line_of(game))
    assert known(kept, game) == "ok"


def test_what_another_version_has_judged_is_judged_again(
    game: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(kept, line_of(game))
    assert known(kept, game) == "ok"
    monkeypatch.setattr(verify_archive, "version", lambda: "9.9")
    assert known(kept, game) is None


@pytest.mark.parametrize("change", ["size", "time"])
def test_a_file_that_has_changed_is_not_known(game: Path, kept: Path, change: str) -> None:
    add(kept, line_of(game))
    then = game.stat().st_mtime_ns
    if change == "size":
        game.write_bytes(b"another")
    os.utime(game, ns=(then, then + (change == "time") * 10**9))
    assert known(kept, game) is None


@pytest.mark.parametrize(
    "other",
    [
        b"hoity",
        b"\n",
        b"notes\n",
        b'{"file": "x"}\n',
        b"[]\n",
        b'{"file": "x", "size": 1, "modified": 1, "verdict": "ok", "problem": "none"}\n',
        b"[" * 100_000 + b"\n",
        b"x" * (1 << 20),
        b"\xff\xfe\n",
    ],
    ids=lambda data: repr(data[:12]),
)
def test_something_else_is_neither_read_nor_written_to(kept: Path, other: bytes) -> None:
    kept.write_bytes(other)
    with pytest.raises(Trouble, match="something else") as caught:
        Verdicts(kept)
    assert caught.value.exit_code == 2
    assert kept.read_bytes() == other


@given(st.binary(max_size=200))
def test_any_bytes_are_verdicts_or_refused(tmp_path_factory: Any, data: bytes) -> None:
    kept = tmp_path_factory.mktemp("any") / "verdicts"
    kept.write_bytes(data)
    try:
        with Verdicts(kept):
            pass
    except Trouble:
        assert kept.read_bytes() == data


def test_a_folder_or_a_pipe_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "no-folder" / "verdicts"):
        with pytest.raises(Trouble, match="cannot be written into"):
            Verdicts(place)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(Trouble, match="regular"):
            Verdicts(tmp_path / "pipe")


def test_a_torn_line_goes_and_two_runs_do_not_share_one(kept: Path, game: Path) -> None:
    with Verdicts(kept), pytest.raises(Trouble, match="Another run"):
        Verdicts(kept)
    with Verdicts(kept):
        pass
    whole = (json.dumps(line_of(game)) + "\n").encode()
    for end in range(1, len(whole)):
        kept.write_bytes(whole + whole[:end])
        assert known(kept, game) == "ok"
        assert kept.read_bytes() == whole


def test_a_name_in_no_encoding_is_kept(tmp_path: Path, kept: Path) -> None:
    game = tmp_path / os.fsdecode(b"g\xe4me.hoity")
    try:
        game.write_bytes(b"a game")
    except OSError:
        pytest.skip("this system has no such names")
    add(kept, line_of(game))
    assert known(kept, game) == "ok"
