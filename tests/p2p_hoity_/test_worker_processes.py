"""Tests of all cores: work handed out to processes, and files judged by them."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import pieces
from support.limits import LIMIT
from support.paths import VECTORS
from support.proof_pile import bare
from support.sampling import sample

from p2p_hoity import worker_processes
from p2p_hoity.game_adapter import read_game
from protocol.transcript.verifier import verify

BOTH_WAYS = pytest.mark.parametrize("copies", [True, False], ids=["copied", "begun anew"])
EXAMPLE = VECTORS / "example.hoity"
ONLY_WHERE_FORKED = pytest.mark.skipif(
    not hasattr(os, "fork") or os.uname().sysname != "Linux",
    reason="processes are begun as copies of this one on Linux alone",
)


def end_oneself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _end_one_of_two() -> None:
    with worker_processes.process_pool(2) as submit:
        assert submit is not None
        submit(end_oneself).result()


@ONLY_WHERE_FORKED
def test_work_is_done_by_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    with worker_processes.process_pool(2) as submit:
        assert submit is not None
        assert submit(os.getpid).result() != os.getpid()
        assert submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
    monkeypatch.delattr(worker_processes, "_processes")
    with worker_processes.process_pool(2) as submit:
        assert submit is not None
        assert verify(b"no transcript", read_game, None, submit).verdict == "unreadable"


def test_on_one_core_nothing_is_handed_out() -> None:
    with worker_processes.process_pool(1) as submit:
        assert submit is None
    assert worker_processes.core_count() >= 1


@ONLY_WHERE_FORKED
@pytest.mark.parametrize("spoilt", [None, 300, 5000, -2000])
def test_processes_come_to_the_same_verdict(spoilt: int | None) -> None:
    data = bytearray(EXAMPLE.read_bytes())
    if spoilt is not None:
        data[spoilt] ^= 1
    with worker_processes.process_pool(2) as submit:
        report = verify(bytes(data), read_game, None, submit)
    assert bare(report) == bare(verify(bytes(data), read_game))


@ONLY_WHERE_FORKED
def test_a_process_that_is_ended_is_told_or_once_forgiven(tmp_path: Path) -> None:
    with pytest.raises(worker_processes.ProcessEnded):
        _end_one_of_two()
    with pytest.raises(RuntimeError, match="ours"), worker_processes.process_pool(2):
        raise RuntimeError("ours")
    given = ["", str(tmp_path / "was here")]
    assert sorted(worker_processes.work_in_processes(pieces.ended_once, given, 2)) == [
        (one, one) for one in given
    ]


PARENT = """
import os, sys
from p2p_hoity import worker_processes
with worker_processes.process_pool(2) as submit:
    submit(os.getpid).result()
    print("ready", flush=True)
    sys.stdin.read()
"""


@ONLY_WHERE_FORKED
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_they_go_with_the_process_that_has_begun_them(end: signal.Signals) -> None:
    """Its output ends for whoever reads it: nobody else holds it open."""
    words = [sys.executable, "-c", PARENT]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"ready\n"
        first.send_signal(end)
        assert first.communicate(timeout=LIMIT)[0] == b""
    assert first.returncode == -end


@pytest.fixture
def way(monkeypatch: pytest.MonkeyPatch, copies: bool) -> None:
    """How processes are begun; as copies only where that is done at all."""
    if copies and not sys.platform.startswith("linux"):
        pytest.skip("processes are begun as copies of this one on Linux alone")
    monkeypatch.setattr(worker_processes, "can_copy", lambda: copies)


@pytest.mark.sampled(1)
@BOTH_WAYS
@pytest.mark.usefixtures("way")
def test_each_piece_comes_with_what_is_made_of_it_though_one_ends_its_process() -> None:
    found = dict(worker_processes.work_in_processes(pieces.doubled, range(30), 2))
    assert found == {number: 2 * number for number in range(30)}
    assert dict(worker_processes.work_in_processes(pieces.doubled, [], 2)) == {}
    given = [1, -1, 2, 3, -2, 4]
    found = dict(worker_processes.work_in_processes(pieces.doubled, given, 2))
    assert set(found) == set(given)
    for number, made in found.items():
        assert isinstance(made, worker_processes.ProcessEnded) if number < 0 else made == 2 * number


@ONLY_WHERE_FORKED
def test_pieces_are_taken_as_there_is_room() -> None:
    taken: list[int] = []

    def many() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    for done, _ in enumerate(worker_processes.work_in_processes(pieces.doubled, many(), 2)):
        assert len(taken) <= done + 1 + 2 * worker_processes.AHEAD


@ONLY_WHERE_FORKED
def test_a_process_gives_its_place_to_a_fresh_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_processes, "SHIFT", 3)
    found = dict(worker_processes.work_in_processes(pieces.who, range(9), 1)).values()
    shifts = [{made[1] for made in found if made[0] // 3 == shift} for shift in range(3)]
    assert [len(shift) for shift in shifts] == [1, 1, 1]
    assert len(set.union(*shifts)) == 3


@ONLY_WHERE_FORKED
def test_nobody_stays_when_work_raises_or_no_more_is_looked_at() -> None:
    with pytest.raises(ValueError, match="3"):
        list(worker_processes.work_in_processes(pieces.refused, range(9), 2))
    assert multiprocessing.active_children() == []
    found = worker_processes.work_in_processes(pieces.doubled, range(1000), 2)
    next(found)
    found.close()
    assert multiprocessing.active_children() == []


NARROW = """
import os, resource, sys
from p2p_hoity import worker_processes
most = len(os.listdir("/proc/self/fd")) - 1 + int(sys.argv[1])
with open("/dev/null"):
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
with worker_processes.process_pool(2) as submit:
    print("alone" if submit(os.getpid).result() == os.getpid() else "together")
"""


@ONLY_WHERE_FORKED
def test_without_room_for_processes_there_are_none_and_the_command_ends() -> None:
    """Wherever the system says that it has no more, some of them may have been begun by then."""
    told = set()
    for room in (1, *sample(range(2, 17), 3, "rooms"), 17):
        words = [sys.executable, "-c", NARROW, str(room)]
        done = subprocess.run(words, capture_output=True, timeout=LIMIT, text=True)
        assert (done.returncode, done.stderr) == (0, ""), room
        told.add(done.stdout)
    assert told == {"alone\n", "together\n"}


@ONLY_WHERE_FORKED
def test_a_system_without_semaphores_has_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container without /dev/shm."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("multiprocessing.synchronize._multiprocessing.SemLock", refuse)
    with worker_processes.process_pool(2) as submit:
        assert submit is not None
        assert submit(os.getpid).result() == os.getpid()
    found = worker_processes.work_in_processes(abs, [-1, 2, -3], 2)
    assert list(found) == [(-1, 1), (2, 2), (-3, 3)]
