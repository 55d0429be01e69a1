"""A file lock: one process at a time holds it, and lets go of it however it ends."""

from __future__ import annotations

import os
from typing import IO, Any


def hold(file: IO[Any], wait: bool = False) -> bool:
    """Hold an open file until it is closed; whether it is ours. With `wait` wait for our turn."""
    try:
        if os.name == "nt":
            import msvcrt

            way = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
            msvcrt.locking(file.fileno(), way, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True
