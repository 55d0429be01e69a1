"""All cores of this machine, for work that falls into independent parts.

Parts are done by other processes, since Python gives its interpreter to one thread at a time: two
threads that multiply points, a tenth of a millisecond each, wait for each other more than they win.
What is handed out must be public: no secret leaves its process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def count() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def spread(cores: int | None = None) -> Iterator[Callable[..., Any] | None]:
    """The `submit` of so many processes, of one for each core unless said otherwise; None where
    that wins nothing: on one core, and on systems where a process cannot be begun as a copy of this
    one, which takes longer than most files do.
    """
    cores = cores or count()
    if cores < 2 or not sys.platform.startswith("linux"):
        yield None
        return
    import multiprocessing  # here, so that who needs neither does not load them
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork")
    processes = ProcessPoolExecutor(cores, context, _begin)
    try:
        yield processes.submit
    finally:
        processes.shutdown(cancel_futures=True)


def _begin() -> None:
    """Ctrl-C reaches all processes of a terminal: the first one ends the others. If something ends
    the first one, they go with it: they hold its output open, and would wait for work for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_go_with_the_first, daemon=True).start()


def _go_with_the_first() -> None:
    from multiprocessing import parent_process

    first = parent_process()
    if first is not None:
        first.join()
    os._exit(1)
