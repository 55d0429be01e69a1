"""Signals that ask the process to end: what counts as a second one, and who hears them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest
import trio
from trio.testing import MockClock

from cli.local.ending_signals import (
    AGAIN,
    ENDING_SIGNALS,
    ending_calls,
    interrupted,
    once,
    wait_for,
)


async def test_a_signal_that_comes_again_at_once_is_the_same_one(
    autojump_clock: MockClock,
) -> None:
    async def received() -> AsyncIterator[int]:
        for pause, number in ((0, 2), (AGAIN / 2, 2), (AGAIN / 4, 15), (AGAIN / 4, 2), (9, 2)):
            await trio.sleep(pause)
            yield number

    assert [number async for number in once(received())] == [2, 15, 2]


async def test_a_repetition_does_not_end_the_process_while_it_leaves() -> None:
    """Its handler would be the system's again, and nobody would be told of the departure."""
    left: list[str] = []
    with trio.CancelScope() as scope:

        def leave(reason: str) -> None:
            left.append(reason)
            scope.cancel()

        async with trio.open_nursery() as nursery:
            await nursery.start(interrupted, leave)
            os.kill(os.getpid(), signal.SIGTERM)
            while not left:
                await trio.lowlevel.checkpoint_if_cancelled()
                await trio.lowlevel.cancel_shielded_checkpoint()
            os.kill(os.getpid(), signal.SIGTERM)
    assert left == ["Interrupted"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_the_first_signal_calls_and_a_second_one_is_the_systems(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, called = [100.0], list[int]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with ending_calls(lambda: called.append(1)):
        signal.raise_signal(signal.SIGINT)
        now[0] += AGAIN / 2
        signal.raise_signal(signal.SIGTERM)
        assert called == [1]
        now[0] += AGAIN
        monkeypatch.setattr(signal, "SIG_DFL", signal.default_int_handler)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
@pytest.mark.parametrize("number", [one for one in ENDING_SIGNALS if one != signal.SIGINT])
def test_a_process_that_is_awaited_is_asked_to_end_too(number: int) -> None:
    parent = os.getpid()
    told = f"import os, time; os.kill({parent}, {int(number)}); time.sleep(600)"
    assert wait_for(subprocess.Popen([sys.executable, "-c", told])) is True
    assert wait_for(subprocess.Popen([sys.executable, "-c", ""])) is False
