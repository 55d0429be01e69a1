"""Work on all cores of this computer, for work that consists of independent parts.

Other processes do the parts, because Python runs one thread at a time. Two threads that multiply
curve points, a tenth of a millisecond each, would mostly wait for each other. Only public data may
be handed out, so that no secret leaves its process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from protocol.units import Seconds

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Piece = TypeVar("Piece")
Found = TypeVar("Found")
AHEAD: Final = 2
"""The pieces per process that are handed out at a time: one in work, and one that waits."""
SHIFT: Final = 200
"""The pieces after which a process is replaced by a new one, so that its memory stays bounded."""
MOST: Final = 61
"""The most processes at a time. Windows cannot wait for more than this."""
HANDOVER: Final[Seconds] = 0.0005
"""Seconds after which a computing thread lets the thread that hands out work run.

With Python's usual 5 ms the other processes would wait for work.
"""
CANNOT: Final = (OSError, ImportError, NotImplementedError, RuntimeError)
"""The errors raised on a system that has no room for processes, or no semaphores for them."""


class ProcessEnded(Exception):
    """An error: a worker process was killed, or crashed, before it had done its piece of work.

    As the result of a piece it says that the piece was tried twice, the second time in a process of
    its own.
    """


def core_count() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_copy() -> bool:
    """Return whether this system can start a copy of this process (a fork) quickly and safely."""
    return sys.platform.startswith("linux")


@contextmanager
def process_pool(cores: int | None = None) -> Iterator[Callable[..., Any] | None]:
    """Provide a function like `Executor.submit`, which hands work to other processes.

    It is None if other processes would gain nothing: on one core, and on systems that cannot copy
    this process, where a start takes longer than most work. The processes are started with the
    first work. If the system has no room for them, this process does the work itself.

    Args:
        cores: The number of processes, this one included. None for one process per core.

    Raises:
        ProcessEnded: If one of the processes ended before its work was done.
    """
    cores = cores or core_count()
    # On one core a second process would only take turns with this one, which works too.
    if cores < 2 or not can_copy():
        yield None
        return
    with ExitStack() as stack:
        begun = list[Callable[..., Any]]()

        def submit(work: Callable[..., Any], *given: Any) -> Any:
            if not begun:
                begun.append(_submit_of(cores - 1, stack))
            return begun[0](work, *given)

        with _told():
            yield submit


@contextmanager
def _told() -> Iterator[None]:
    """Turn the error of an executor whose process has ended into `ProcessEnded`."""
    try:
        yield
    except RuntimeError as error:
        from concurrent.futures import BrokenExecutor

        if isinstance(error, BrokenExecutor):
            raise ProcessEnded from error
        raise


def _submit_of(cores: int, stack: ExitStack) -> Callable[..., Any]:
    """Start processes, which end with the stack, and return a function like `Executor.submit`.

    If the system cannot start them, the function returned does the work in this process.
    """
    try:
        with ExitStack() as beginning:
            executor = beginning.enter_context(_processes(cores))
            # The first work starts all processes.
            executor.submit(core_count)
            # Only now: if the start has failed, the processes end with this function.
            stack.enter_context(beginning.pop_all())
    except CANNOT:
        return _here
    stack.callback(sys.setswitchinterval, sys.getswitchinterval())
    sys.setswitchinterval(HANDOVER)
    return executor.submit


def _here(work: Callable[..., Any], *given: Any) -> Future[Any]:
    """Do the work in this process, at once, and return it as a finished future."""
    from concurrent.futures import Future

    future = Future[Any]()
    future.set_result(work(*given))
    return future


def work_in_processes(
    work: Callable[[Piece], Found], pieces: Iterable[Piece], processes: int
) -> Generator[tuple[Piece, Found | ProcessEnded], None, None]:
    """Work at pieces in several processes, and yield each result as soon as it is there.

    If the system has no room for processes, this process does the work. If a process ends before
    its work is done, the results of all pieces that were handed out are lost. These are tried
    again, each in a process of its own. The result is `ProcessEnded` if that ends as well. An error
    that `work` raises is raised here.

    Args:
        work: Is pickled, like the pieces.
        pieces: Are taken as there is room for them.
    """
    if not _have_room(min(processes, MOST)):
        yield from ((piece, work(piece)) for piece in pieces)
        return
    rest = iter(pieces)
    for first in rest:
        at_most = min(processes, MOST) * SHIFT
        shift = chain([first], islice(rest, at_most - 1))
        suspects = yield from _one_shift(work, shift, min(processes, MOST))
        # Each alone, so that one bad piece cannot take others down with it again.
        for piece in suspects:
            yield piece, work_in_own_process(work, piece)


def work_in_own_process(
    work: Callable[[Piece], Found], piece: Piece, copied: bool | None = None
) -> Found | ProcessEnded:
    """Return the result of a piece in a process of its own, or a `ProcessEnded`.

    The process is a copy of this one (a fork) if `copied`, or for None where that is possible.
    """
    from concurrent.futures import BrokenExecutor

    with _processes(1, copied) as executor:
        try:
            return executor.submit(work, piece).result()
        except BrokenExecutor:
            return ProcessEnded()


def _one_shift(
    work: Callable[[Piece], Found], pieces: Iterable[Piece], processes: int
) -> Generator[tuple[Piece, Found | ProcessEnded], None, list[Piece]]:
    """Work at pieces in several processes until all pieces are done or a process has crashed.

    Yield each piece with its result, and return the pieces at which a process may have crashed.
    """
    from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

    suspects: list[Piece] = []
    under_way: dict[Future[Found], Piece] = {}
    taken = iter(pieces)
    with _processes(processes) as executor:
        while True:
            # A broken executor takes no more work. What is under way comes to its end as a suspect.
            room = 0 if suspects else processes * AHEAD - len(under_way)
            for piece in islice(taken, room):
                try:
                    under_way[executor.submit(work, piece)] = piece
                except BrokenExecutor:
                    suspects.append(piece)
                    break
            if not under_way:
                return suspects
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                piece = under_way.pop(future)
                try:
                    yield piece, future.result()
                except BrokenExecutor:
                    suspects.append(piece)


# Processes


def _have_room(processes: int) -> bool:
    """Return whether the system lets this many worker processes start."""
    try:
        with _processes(processes) as executor:
            executor.submit(core_count).result()
    except CANNOT:
        return False
    return True


@contextmanager
def _processes(count: int, copied: bool | None = None) -> Iterator[Executor]:
    """Run processes during the body of the `with`. For `copied` see `work_in_own_process`.

    After an error in the body they are terminated. Otherwise they finish their work first.
    """
    # These are imported here, since most commands start no processes.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Processes of another pool must not be terminated with these.
    others = set(multiprocessing.active_children())
    copied = can_copy() if copied is None else copied
    context = multiprocessing.get_context("fork" if copied else "spawn")
    executor = ProcessPoolExecutor(count, context, _begin)
    finished = False
    try:
        yield executor
        finished = True
    finally:
        if not finished:
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
        executor.shutdown(cancel_futures=True)


def _begin() -> None:
    """Prepare a worker process."""
    # At Ctrl-C the parent process ends its workers. If it dies in another way, they end themselves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_go_with_the_first, daemon=True).start()
    # If memory runs out, the system should kill a worker rather than the parent.
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def _go_with_the_first() -> None:
    """Wait until the parent process ends, and then end this worker process."""
    from multiprocessing import parent_process

    first = parent_process()
    if first is not None:
        first.join()
    # `sys.exit` would end only this thread.
    os._exit(1)
