"""Files judged by other machines: named or sent, with the verdicts that they have here."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.dask_cluster import begun
from support.paths import VECTORS

from cli.app import run
from cli.commands.elsewhere import Task, judge_task
from cli.words import lingo

FAILURE = VECTORS / "failures" / "body-changed.hoity"


@pytest.fixture(scope="module")
def scheduler() -> Any:
    """The address of a cluster of two workers."""
    with begun(2) as local:
        yield local.scheduler_address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in (FAILURE, VECTORS / "example.hoity"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "empty.hoity").write_bytes(b"")
    (tmp_path / "gone.hoity").symlink_to(tmp_path / "nowhere")
    return tmp_path


def verified(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    """(exit code, what was found of each file but for how long it took)."""
    code = run(["verify", "--json", *map(str, words)])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return code, {line["file"]: {**line, "timings": None} for line in lines}


@pytest.mark.parametrize("way", [[], ["--send"]], ids=["named", "sent"])
def test_the_verdicts_are_those_of_this_machine(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    scheduler: str,
    folder: Path,
    way: list[str],
) -> None:
    monkeypatch.chdir(folder.parent)  # names need not be whole
    here = verified(capsys, folder.name, "--jobs", 1)
    assert here[0] == 2
    assert len(here[1]) == 4
    assert verified(capsys, folder.name, "--dask", scheduler, *way) == here


def test_what_is_judged_there_is_kept_here(
    capsys: pytest.CaptureFixture[str], scheduler: str, folder: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "verdicts"
    words = (folder / "empty.hoity", "--dask", scheduler, "--verdicts", kept)
    assert len(verified(capsys, *words)[1]) == 1
    assert verified(capsys, *words) == (1, {})


@pytest.fixture
def task() -> Task:
    found = FAILURE.stat()
    return Task("a.hoity", str(FAILURE), (found.st_size, found.st_mtime_ns), None)


def test_a_task_is_judged_under_the_name_it_was_given(task: Task) -> None:
    sent = Task(task.name, "/not/there", task.mark, FAILURE.read_bytes())
    one, other = judge_task("de", task), judge_task("de", sent)
    lingo.speak("en")
    assert one.found["file"] == "a.hoity"
    assert one.found["problem"] == other.found["problem"] is not None
    assert "nicht in Ordnung" in one.lines[0]


@pytest.mark.parametrize("lack", ["no such file", "another size"])
def test_what_a_worker_does_not_have_is_not_judged(task: Task, lack: str) -> None:
    where = "/not/there" if lack == "no such file" else str(VECTORS / "example.hoity")
    found = judge_task("en", Task(task.name, where, task.mark, None))
    assert (found.code, found.found["problem"]["code"]) == (2, "no-file")
    assert "--send" in found.complaint


def test_without_the_library_the_extra_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert run(["verify", str(FAILURE), "--dask", "tcp://127.0.0.1:9"]) == 2
    assert "p2p-hoity[cluster]" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--send"], ["--dask", "tcp://127.0.0.1:9", "--jobs", "2"]])
def test_words_that_do_not_go_together_are_usage(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert run(["verify", str(FAILURE), *words]) == 2
    assert "--dask" in capsys.readouterr().err
