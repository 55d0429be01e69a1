"""Tests of many machines: work handed to a Dask cluster of this machine, whose workers die."""

import importlib
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support import pieces
from support.cases import fails
from support.dask_cluster import begun, kill_workers

from p2p_hoity import dask_cluster
from p2p_hoity.dask_cluster import ClusterError, in_order, on_cluster
from p2p_hoity.worker_processes import ProcessEnded

pytestmark = pytest.mark.usefixtures("patient")

SOME = pytest.mark.sampled(1)

NOWHERE = "tcp://127.0.0.1:9"


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    """Two workers, each a process that a nanny begins anew when it dies."""
    with begun(2) as one:
        yield one


@SOME
def test_each_piece_comes_with_what_is_made_of_it_or_with_what_went_wrong(local: Any) -> None:
    found = dict(on_cluster(local.scheduler_address, pieces.doubled, range(30)))
    assert found == {number: 2 * number for number in range(30)}
    assert dict(on_cluster(local.scheduler_address, pieces.doubled, [])) == {}
    found = dict(on_cluster(local.scheduler_address, pieces.doubled, [1, -1, 2, 3, 4]))
    assert isinstance(found.pop(-1), ProcessEnded)
    assert found == {1: 2, 2: 4, 3: 6, 4: 8}
    found = list(in_order(local.scheduler_address, pieces.doubled, [5, -1, *range(20, 0, -1)]))
    assert isinstance(found.pop(1), ProcessEnded)
    assert found == [10, *range(40, 0, -2)]
    work = on_cluster(local.scheduler_address, pieces.refused, range(9))
    assert fails(ClusterError, "cluster-otherwise", list, work).fields["kind"] == "ValueError"


@pytest.mark.nightly
def test_a_worker_of_several_threads_works_at_one_piece_at_a_time() -> None:
    with begun(1, threads=3) as several:
        found = list(in_order(several.scheduler_address, pieces.is_disturbed, range(4)))
    assert found == [False] * 4


@SOME
def test_pieces_are_taken_as_there_is_room(local: Any) -> None:
    found = on_cluster(local.scheduler_address, pieces.doubled, taken := Counted())
    for done, _ in zip(range(50), found, strict=False):
        assert taken.count <= done + 1 + 2 * dask_cluster.AHEAD


class Counted:
    """Numbers without end, and how many of them were taken."""

    count = 0

    def __iter__(self) -> Iterator[int]:
        for self.count in count(1):
            yield self.count


@SOME
def test_another_worker_does_what_a_dead_one_left(local: Any, tmp_path: Path) -> None:
    given = ["a", str(tmp_path / "was here"), "b"]
    Path(tmp_path / "a").touch()
    work = [str(tmp_path / "a"), given[1], ""]
    found = sorted(on_cluster(local.scheduler_address, pieces.ended_once, work))
    assert found == sorted((one, one) for one in work)
    assert Path(given[1]).exists()


@pytest.mark.nightly
def test_what_a_dead_worker_had_done_is_done_again(local: Any) -> None:
    """The results of all pieces but one wait at workers, which die before anybody takes them."""
    found = on_cluster(local.scheduler_address, pieces.doubled, range(6))
    first = next(found)
    tasks = local.scheduler.tasks
    while any(task.state != "memory" for task in tasks.values()):
        time.sleep(0.01)
    kill_workers(local, 2)
    while all(task.state == "memory" for task in tasks.values()):
        time.sleep(0.01)
    assert dict([first, *found]) == {number: 2 * number for number in range(6)}


@SOME
def test_missing_code_is_told(local: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "here_alone.py").write_text("def work(piece):\n    return piece\n")
    monkeypatch.syspath_prepend(tmp_path)
    here_alone: Any = importlib.import_module("here_alone")
    work = on_cluster(local.scheduler_address, here_alone.work, range(9))
    assert fails(ClusterError, "", list, work).fields["kind"] == "ModuleNotFoundError"


@SOME
def test_a_cluster_that_goes_is_told() -> None:
    with begun(1) as local:
        found = on_cluster(local.scheduler_address, pieces.doubled, count())
        next(found)
        local.close()
        fails(ClusterError, "cluster-gone", list, found)


@SOME
def test_a_cluster_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with begun(0) as local:
        monkeypatch.setattr(dask_cluster, "SCHEDULER_TIMEOUT", 0.5)
        work = on_cluster(local.scheduler_address, pieces.doubled, [1])
        fails(ClusterError, "cluster-empty", list, work)


@pytest.mark.parametrize("address", [NOWHERE, "carrier-pigeon://here", "nowhere", ""])
def test_where_no_cluster_is_that_is_told(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    monkeypatch.setattr(dask_cluster, "SCHEDULER_TIMEOUT", 0.5)
    for _again in range(2):  # a client that could not be made must not lock the next one out
        fails(ClusterError, "cluster-unreached", list, on_cluster(address, pieces.doubled, [1]))


def test_without_the_library_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    caught = fails(ClusterError, "", list, on_cluster(NOWHERE, pieces.doubled, [1]))
    assert caught.fields["name"] == "distributed"
