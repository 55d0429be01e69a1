"""Work that processes do at pieces, as they find it by its name."""

import os
import threading
from pathlib import Path

_meeting = threading.Barrier(2)


def doubled(number: int) -> int:
    """Twice as much; a negative number ends the process that works at it."""
    if number < 0:
        os._exit(3)
    return 2 * number


def ended_once(path: str) -> str:
    """Ends the process if this file is not there yet, and makes it."""
    if path and not Path(path).exists():
        Path(path).touch()
        os._exit(3)
    return path


def refused(number: int) -> int:
    """ValueError at 3."""
    if number == 3:
        raise ValueError(number)
    return number


def who(number: int) -> tuple[int, int]:
    """The number, and the process that worked at it."""
    return number, os.getpid()


def is_disturbed(number: int) -> bool:
    """Whether another thread of this process works at a piece within a quarter of a second."""
    try:
        _meeting.wait(0.25)
    except threading.BrokenBarrierError:
        _meeting.reset()
        return False
    return True
