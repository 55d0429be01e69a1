"""The signals that ask this process to end: Ctrl-C, SIGTERM and others, SIGHUP of a terminal.

A full screen that such a signal kills would leave the terminal unusable, and a seat would vanish
without a word. So the first signal ends the program in order, and the next one ends it at once.
Signals that are ignored, as under nohup, stay ignored.

The same signal often arrives twice: `timeout`, service managers and the program of one file send it
to a process and to its group. A repetition within `AGAIN` seconds is not a second signal.
"""

from __future__ import annotations

import errno
import math
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any, Final

import trio

from protocol.units import Seconds

from ..words.translation import _

_NAMES = ("SIGINT", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGBREAK")
ENDING_SIGNALS: Final = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
"""The signals that ask a process to end. SIGALRM is none of them, because of `LATEST`."""
LATEST: Final[Seconds] = 6
"""The time after which the system ends a process that has lost its terminal, in seconds."""
AGAIN: Final[Seconds] = 0.2
"""The time within which a signal that comes again is the same one, in seconds."""


async def once(signals: AsyncIterable[int]) -> AsyncIterator[int]:
    """Yield the signals of a receiver, each repetition left out."""
    last = dict[int, float]()
    async for number in signals:
        before, last[number] = last.get(number, -math.inf), trio.current_time()
        if last[number] - before > AGAIN:
            yield number


async def interrupted(
    leave: Callable[[str], None], task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Wait for the first signal to end the program, and give `leave` a translated reason then."""
    wanted = _not_ignored(ENDING_SIGNALS)
    if not wanted:
        task_status.started()
        return
    with trio.open_signal_receiver(*wanted) as signals, _hangup_is_heard():
        task_status.started()
        await anext(signals)
        leave(_("Interrupted"))
        # `leave` may cancel this task, and the repetition would then end the process at once.
        with trio.move_on_after(AGAIN, shield=True):
            async for _number in signals:
                pass


@contextmanager
def ending_calls(act: Callable[[], Any]) -> Iterator[None]:
    """Call `act` at the first signal to end the program, while the context lasts.

    It is called between two steps of the main thread, so it must not wait.
    """
    first: list[float] = []
    wanted = _not_ignored(ENDING_SIGNALS)

    def heard(number: int, _frame: FrameType | None) -> None:
        if not first:
            first.append(time.monotonic())
            act()
        elif time.monotonic() - first[0] > AGAIN:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    with ExitStack() as stack:
        for number in wanted:
            stack.callback(signal.signal, number, signal.signal(number, heard))
        if wanted:
            stack.enter_context(_hangup_is_heard())
        yield


def wait_for(process: subprocess.Popen[bytes]) -> bool:
    """Wait for a process that shares this terminal, and pass the signals to end on to it.

    Return whether there was one, other than a Ctrl-C, which the process receives and answers
    itself.
    """
    asked: list[int] = []

    def heard(number: int, _frame: FrameType | None) -> None:
        asked.append(number)
        process.send_signal(number)

    hangup = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []
    numbers = {*ENDING_SIGNALS, *hangup} - {signal.SIGINT}
    with ExitStack() as stack:
        for number in _not_ignored(numbers):
            stack.callback(signal.signal, number, signal.signal(number, heard))
        while True:
            try:
                process.wait()
                return bool(asked)
            except KeyboardInterrupt:
                continue


def _not_ignored(numbers: Iterable[signal.Signals]) -> list[signal.Signals]:
    return [one for one in numbers if signal.getsignal(one) is not signal.SIG_IGN]


def is_closed(stream: int) -> bool:
    """Return whether a descriptor is of a terminal that has closed, False if that is unknown."""
    try:
        import termios
    except ImportError:  # Windows ends a program with its terminal.
        return False
    try:
        termios.tcgetattr(stream)
    except termios.error as error:
        return bool(error.args[0] == errno.EIO)
    return False


def hang_up() -> None:
    """End this process as SIGHUP does: by an ending signal, or else after `LATEST` seconds."""
    null = os.open(os.devnull, os.O_RDWR)
    # Writing to a terminal that has closed would fail or block.
    for stream in (0, 1, 2):
        if is_closed(stream):  # Otherwise SIGHUP was sent by hand: restore the screen.
            os.dup2(null, stream)
    os.close(null)
    # Set first, so that the process ends even if the signal below ends nothing.
    signal.alarm(math.ceil(LATEST))
    for number in _not_ignored(ENDING_SIGNALS)[:1]:
        signal.raise_signal(number)


@contextmanager
def _hangup_is_heard() -> Iterator[None]:
    """Answer SIGHUP by `hang_up` while the context lasts, unless it is ignored."""
    name = getattr(signal, "SIGHUP", None)
    if name is None or signal.getsignal(name) is signal.SIG_IGN:
        yield
        return
    before = signal.signal(name, lambda _number, _frame: hang_up())
    try:
        yield
    finally:
        signal.signal(name, before)
