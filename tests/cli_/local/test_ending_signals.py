"""Signals that ask the process to end: what a second one does, and what stays ignored."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from cli.local.ending_signals import (
    AGAIN,
    ENDING_SIGNALS,
    LATEST,
    ending_calls,
    interrupted,
    once,
    wait_for,
)

ALL = (*ENDING_SIGNALS, *[getattr(signal, name) for name in ("SIGHUP",) if hasattr(signal, name)])


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
@pytest.mark.parametrize("number", [one for one in ALL if one != signal.SIGINT])
def test_a_process_that_is_awaited_is_asked_to_end_too(number: int) -> None:
    parent = os.getpid()
    told = f"import os, time; os.kill({parent}, {int(number)}); time.sleep(600)"
    assert wait_for(subprocess.Popen([sys.executable, "-c", told])) is True
    assert wait_for(subprocess.Popen([sys.executable, "-c", ""])) is False


@pytest.fixture(autouse=True)
def hangups() -> Iterator[None]:
    """A closed terminal ends this program, even where `nohup` has that ignored."""
    if not hasattr(signal, "SIGHUP"):
        yield
        return
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", ALL)
async def test_the_first_interrupt_leaves_and_the_next_is_the_systems(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons, alarms = list[str](), list[int]()
    monkeypatch.setattr(signal, "alarm", alarms.append, raising=False)
    before = signal.getsignal(number)
    async with trio.open_nursery() as nursery:
        await nursery.start(interrupted, reasons.append)
        assert signal.getsignal(number) is not before
        os.kill(os.getpid(), number)
        while not reasons:
            await trio.sleep(0)
    assert reasons == ["Interrupted"]
    assert alarms == ([] if number in ENDING_SIGNALS else [LATEST])
    assert signal.getsignal(number) is before


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no terminal is closed there")
async def test_what_a_closed_terminal_is_told_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The very next line of the program writes there already, before trio hears of anything."""
    monkeypatch.setattr(signal, "alarm", lambda seconds: None)
    controller, terminal = os.openpty()
    kept = os.dup(2)
    os.dup2(terminal, 2)
    os.close(terminal)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(interrupted, lambda reason: None)
            os.close(controller)
            with pytest.raises(OSError, match="Input/output error"):
                os.write(2, b"lost")
            os.kill(os.getpid(), signal.SIGHUP)
            assert os.write(2, b"thrown away") == 11
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@pytest.mark.parametrize("numbers", [*((number,) for number in ALL), ALL])
async def test_where_one_or_all_of_them_are_ignored_they_stay_so(numbers: tuple[int, ...]) -> None:
    reasons: list[str] = []
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(interrupted, reasons.append)
            for number in numbers:
                os.kill(os.getpid(), number)
            await trio.testing.wait_all_tasks_blocked()
            if numbers != ALL:  # else nothing is awaited
                nursery.cancel_scope.cancel()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert reasons == []
