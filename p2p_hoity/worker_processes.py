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
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from protocol.bounds import Seconds

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Piece = TypeVar("Piece")
Found = TypeVar("Found")
AHEAD: Final = 2
"""Pieces for each process that are handed out at a time: one in work, one that waits for it."""
SHIFT: Final = 200
"""Pieces after which a process gives its place to a fresh one, so that its memory stays bounded."""
MOST: Final = 61
"""Processes at a time: Windows waits for no more."""
HANDOVER: Final[Seconds] = 0.0005
"""Seconds after which a thread that computes lets the one that hands out have its turn: with the
usual five ms the other processes wait for their work."""
CANNOT: Final = (OSError, ImportError, NotImplementedError, RuntimeError)
"""What a system says that has no room for processes, or not what they share: semaphores."""


class ProcessEnded(Exception):
    """The process that worked at a piece was ended, by the system or by the piece; where it is what
    came of a piece, twice."""


def count() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def spread(cores: int | None = None) -> Iterator[Callable[..., Any] | None]:
    """The `submit` of processes that with this one are so many, one for each core unless said
    otherwise; None where that wins nothing: on one core, and on systems where a process cannot be
    begun as a copy of this one, which takes longer than most files do. They are begun with the
    first work, so that who has none does not wait for them; where there is no room for them, this
    process does the work. ProcessEnded out of the block if one of them was ended.
    """
    cores = cores or count()
    if cores < 2 or not _copies():
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
    """Of a process that was ended, in our own words."""
    try:
        yield
    except RuntimeError as error:
        from concurrent.futures import BrokenExecutor

        if isinstance(error, BrokenExecutor):
            raise ProcessEnded from error
        raise


def _submit_of(cores: int, stack: ExitStack) -> Callable[..., Any]:
    """The `submit` of so many processes, which end with the stack."""
    try:
        with ExitStack() as beginning:
            executor = beginning.enter_context(_processes(cores))
            executor.submit(count)  # whose first work begins them all
            stack.enter_context(beginning.pop_all())
    except CANNOT:
        return _here
    stack.callback(sys.setswitchinterval, sys.getswitchinterval())
    sys.setswitchinterval(HANDOVER)
    return executor.submit


def _here(work: Callable[..., Any], *given: Any) -> Future[Any]:
    """Done by this process, at once."""
    from concurrent.futures import Future

    future = Future[Any]()
    future.set_result(work(*given))
    return future


def side_by_side(
    work: Callable[[Piece], Found], pieces: Iterable[Piece], processes: int
) -> Generator[tuple[Piece, Found | ProcessEnded], None, None]:
    """Each piece with what `work` makes of it, as they are done; `work` and pieces are pickled.

    Where the system has no room for processes, this one does them in turn. Pieces are taken as
    there is room for them. A process that is ended costs those their result
    that were handed out just then, so they are done again, each in a process of its own: the one
    that ends this one, too, comes with `ProcessEnded`. What `work` raises is raised here.
    """
    if not _have_room(min(processes, MOST)):
        yield from ((piece, work(piece)) for piece in pieces)
        return
    rest = iter(pieces)
    for first in rest:
        at_most = min(processes, MOST) * SHIFT
        shift = chain([first], islice(rest, at_most - 1))
        suspects = yield from _one_shift(work, shift, min(processes, MOST))
        for piece in suspects:
            yield piece, alone(work, piece)


def alone(
    work: Callable[[Piece], Found], piece: Piece, copied: bool | None = None
) -> Found | ProcessEnded:
    """Return what `work` makes of this piece in a process of its own, or ProcessEnded.

    Args:
        work: Does the work.
        piece: What is worked at.
        copied: Whether the process is a copy of this one. None: it is one where that is possible.

    Returns:
        What `work` returns, or a `ProcessEnded` if the process was ended.
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
    """Until all are done, or a process is ended; returns the pieces that may have ended it."""
    from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

    suspects: list[Piece] = []
    under_way: dict[Future[Found], Piece] = {}
    taken = iter(pieces)
    with _processes(processes) as executor:
        while True:
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


# Processes.


def _copies() -> bool:
    """Whether a process can be begun as a copy of this one, quickly and safely."""
    return sys.platform.startswith("linux")


def _have_room(processes: int) -> bool:
    """Whether the system lets so many begin."""
    try:
        with _processes(processes) as executor:
            executor.submit(count).result()
    except CANNOT:
        return False
    return True


@contextmanager
def _processes(count: int, copied: bool | None = None) -> Iterator[Executor]:
    """So many, which end with this block: if it is left by an error, in the midst of their work."""
    import multiprocessing  # here, so that who needs neither does not load them
    from concurrent.futures import ProcessPoolExecutor

    others = set(multiprocessing.active_children())
    copied = _copies() if copied is None else copied
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
    """Ctrl-C reaches all processes of a terminal: the first one ends the others. If something ends
    the first one, they go with it: they hold its output open, and would wait for work for ever.
    Where memory runs out, the system should rather take one of them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_go_with_the_first, daemon=True).start()
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def _go_with_the_first() -> None:
    from multiprocessing import parent_process

    first = parent_process()
    if first is not None:
        first.join()
    os._exit(1)
