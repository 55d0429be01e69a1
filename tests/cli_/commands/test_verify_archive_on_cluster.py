"""Files judged by other machines: named or sent, with the verdicts that they have here."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.dask_cluster import begun
from support.paths import VECTORS
from support.shell import Shell

from cli.commands import verify_archive
from cli.commands.verify_archive import Task, judge_task
from cli.words import translation

pytestmark = pytest.mark.usefixtures("patient")

FAILURE = VECTORS / "failures" / "body-changed.hoity"


def in_this_process(
    _: str, work: Callable[[Any], Any], pieces: Iterable[Any]
) -> Iterator[tuple[Any, Any]]:
    """Stands for `p2p_hoity.dask_cluster.on_cluster`."""
    return ((piece, work(piece)) for piece in pieces)


@pytest.fixture(params=["this process", pytest.param("a cluster", marks=pytest.mark.nightly)])
def scheduler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a cluster of two workers, or one of which this process does the work."""
    if request.param == "this process":
        monkeypatch.setattr(verify_archive, "on_cluster", in_this_process)
        yield "tcp://127.0.0.1:9"
        return
    with begun(2) as local:
        yield local.scheduler_address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in (FAILURE, VECTORS / "example.hoity"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "empty.hoity").write_bytes(b"")
    (tmp_path / "gone.hoity").symlink_to(tmp_path / "nowhere")
    return tmp_path


def verified(hoity: Shell, *words: object) -> tuple[int, dict[str, Any]]:
    """(exit code, what was found of each file but for how long it took)."""
    done = hoity("verify", "--json", *words)
    return done.code, {line["file"]: {**line, "timings": None} for line in done.lines}


def test_the_verdicts_are_those_of_this_machine_and_kept(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch, scheduler: str, folder: Path
) -> None:
    monkeypatch.chdir(folder.parent)  # names need not be whole
    here = verified(hoity, folder.name, "--jobs", 1)
    assert here[0] == 2
    assert len(here[1]) == 4
    for way in ([], ["--send"]):
        assert verified(hoity, folder.name, "--dask", scheduler, *way) == here
    words = (folder / "empty.hoity", "--dask", scheduler, "--verdicts", folder / "verdicts")
    assert len(verified(hoity, *words)[1]) == 1
    assert verified(hoity, *words) == (1, {})


SIZE, TIME = FAILURE.stat().st_size, FAILURE.stat().st_mtime_ns
TASK = Task("a.hoity", str(FAILURE), (SIZE, TIME), None)


def test_a_task_is_judged_under_the_name_it_was_given() -> None:
    sent = replace(TASK, where="/not/there", data=FAILURE.read_bytes())
    one, other = judge_task("de", TASK), judge_task("de", sent)
    translation.speak("en")
    assert one.found["file"] == "a.hoity"
    assert one.found["problem"] == other.found["problem"] is not None
    assert "nicht in Ordnung" in one.lines[0]
    for path in ("/not/there", str(VECTORS / "example.hoity")):  # which is of another size
        found = judge_task("en", replace(TASK, where=path))
        assert (found.code, found.found["problem"]["code"]) == (2, "no-file")
        assert "--send" in found.complaint


def test_without_the_library_the_extra_is_named_and_words_that_do_not_go_together_are_usage(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["--send"], ["--dask", "tcp://127.0.0.1:9", "--jobs", "2"]):
        assert "--dask" in hoity.told(2, "verify", FAILURE, *words)
    monkeypatch.setitem(sys.modules, "distributed", None)
    told = hoity.told(2, "verify", FAILURE, "--dask", "tcp://127.0.0.1:9")
    assert f"{sys.executable} -m pip install distributed" in told
