"""All cores: work handed out to processes, and files judged by them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor

import pytest
from support.hasty import bare
from support.paths import VECTORS

from p2p_hoity import cores
from p2p_hoity.game_port import read_game
from protocol.transcript.verifier import verify

EXAMPLE = VECTORS / "example.hoity"
ONLY_WHERE_FORKED = pytest.mark.skipif(
    not hasattr(os, "fork") or os.uname().sysname != "Linux",
    reason="processes are begun as copies of this one on Linux alone",
)


def end_oneself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@ONLY_WHERE_FORKED
def test_work_is_done_by_other_processes() -> None:
    with cores.spread(2) as submit:
        assert submit is not None
        assert submit(os.getpid).result() != os.getpid()


@ONLY_WHERE_FORKED
def test_a_keyboard_does_not_reach_them() -> None:
    with cores.spread(2) as submit:
        assert submit is not None
        assert submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN


def test_on_one_core_nothing_is_handed_out() -> None:
    with cores.spread(1) as submit:
        assert submit is None
    assert cores.count() >= 1


@ONLY_WHERE_FORKED
@pytest.mark.parametrize("spoilt", [None, 300, 5000, -2000])
def test_processes_come_to_the_same_verdict(spoilt: int | None) -> None:
    data = bytearray(EXAMPLE.read_bytes())
    if spoilt is not None:
        data[spoilt] ^= 1
    with cores.spread(2) as submit:
        assert bare(verify(bytes(data), read_game, None, submit)) == bare(
            verify(bytes(data), read_game)
        )


@ONLY_WHERE_FORKED
def test_a_process_that_is_ended_is_told() -> None:
    with cores.spread(2) as submit:
        assert submit is not None
        lost = submit(end_oneself)
        with pytest.raises(BrokenExecutor):
            lost.result()


PARENT = """
import os, sys
from p2p_hoity import cores
with cores.spread(2) as submit:
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
        assert first.communicate(timeout=60)[0] == b""
    assert first.returncode == -end
