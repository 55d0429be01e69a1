"""Work on many computers: pieces of work are handed to a Dask cluster, a limited number at a time.

The package `distributed` of Dask is an extra of this package, `cluster`, and is imported only when
it is used. Its scheduler gives the work of a lost worker to another one. Whoever can connect to a
cluster can have it run any code. So a cluster is for computers of one owner, and the work must not
contain secrets.
"""

from __future__ import annotations

import gc
import logging
import pickle
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from protocol.units import Seconds

from .coded_errors import NETWORK, NOT_OK, Code, CodedError
from .installation import install_command, is_one_file
from .worker_processes import ProcessEnded, work_in_own_process

if TYPE_CHECKING:
    from distributed import Client

Piece = TypeVar("Piece")
Found = TypeVar("Found")
AHEAD: Final = 3
"""The pieces per core that are handed out at a time.

There are more than on one machine, because each piece takes time on its way there and back.
"""
EVERY: Final[Seconds] = 5.0
"""Seconds after which the cores of the cluster are counted again."""
SCHEDULER_TIMEOUT: Final[Seconds] = 10.0
"""Seconds within which the scheduler has to answer."""


class ClusterCode(Code):
    """Why a cluster does no work."""

    NO_LIBRARY = (
        "no-cluster-library",
        "a cluster needs the package {name}: install it with {command}",
    )
    NOT_IN_FILE = (
        "no-cluster-in-file",
        "a cluster needs the package {name}, which is not in this program of one file: use hoity "
        "from its source",
    )
    UNREACHED = (
        "cluster-unreached",
        "no Dask scheduler answers at {address}: name it as tcp://HOST:8786",
        NETWORK,
    )
    EMPTY = (
        "cluster-empty",
        "the cluster at {address} has no worker: start some, for example with dask worker",
        NETWORK,
    )
    GONE = "cluster-gone", "the cluster at {address} is gone before all files were judged", NETWORK
    OTHERWISE = (
        "cluster-otherwise",
        "the cluster at {address} cannot do this ({kind}): all its machines need the same version"
        " of p2p-hoity as this one",
        NOT_OK,
    )


class ClusterError(CodedError):
    """An error: a cluster cannot be used, or not any more."""


def on_cluster(
    address: str, work: Callable[[Piece], Found], pieces: Iterable[Piece]
) -> Generator[tuple[Piece, Found | ProcessEnded], None, None]:
    """Work at pieces on the cluster at an address, and yield each result as soon as it is there.

    If several worker processes crash while they work at the same piece, the piece is tried again
    after all others, in a process of this computer. The result is `ProcessEnded` if it crashes
    there.

    Args:
        address: The address of the scheduler.
        work: Is pickled, like the pieces, so the workers must have it under the same name.

    Raises:
        ClusterError: If there is no cluster, or if the cluster fails.
    """
    suspects: list[Piece] = []
    with _client(address) as client:
        yield from _handed_out(client, address, work, pieces, suspects)
    for piece in suspects:
        # Threads of the library may still run, so the process must not be a copy of this one.
        yield piece, work_in_own_process(work, piece, copied=False)


def in_order(
    address: str, work: Callable[[Piece], Found], pieces: Sequence[Piece]
) -> Iterator[Found | ProcessEnded]:
    """Work at pieces, all of them different, as `on_cluster`, and yield the results in order.

    A result that arrives early is kept until its turn.

    Raises:
        ClusterError: If there is no cluster, or if the cluster fails.
    """
    done, early = on_cluster(address, work, pieces), dict[Piece, Found | ProcessEnded]()
    # So that the link to the cluster is closed, too, if the caller takes no more results.
    with closing(done):
        for piece in pieces:
            while piece not in early:
                other, found = next(done)
                early[other] = found
            yield early.pop(piece)


def _handed_out(
    client: Client,
    address: str,
    work: Callable[[Piece], Found],
    pieces: Iterable[Piece],
    suspects: list[Piece],
) -> Iterator[tuple[Piece, Found]]:
    """Hand out pieces to the workers of a cluster, and yield each piece with its result.

    Pieces at which workers crashed are added to `suspects` instead.
    """
    import cloudpickle
    from distributed import as_completed

    under_way: dict[Any, Piece] = {}
    done, taken, room = as_completed(loop=client.loop), iter(pieces), _Room(client, address)
    while True:
        for piece in islice(taken, max(0, room.pieces() - len(under_way))):
            call = cloudpickle.dumps(_Call(work, piece))
            # Not pure, or equal calls would share one future.
            future = client.submit(pickle.loads, call, pure=False)
            under_way[future] = piece
            done.add(future)
        if not under_way:
            return
        future = next(done)
        # If a worker died with the result, another one does the work again.
        if future.status == "lost":
            done.add(future)
        else:
            yield from _outcome(address, future, under_way.pop(future), suspects)


class _Call:
    """A function call for a worker, which makes it by unpickling this object.

    If the worker lacks a module for the call, it reports an error and stays connected.
    """

    def __init__(self, work: Callable[[Piece], object], piece: Piece) -> None:
        self.work, self.piece = work, piece

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, object]]:
        return _in_turn, (self.work, self.piece)


_turn = threading.Lock()


def _in_turn(work: Callable[[Piece], Found], piece: Piece) -> Found:
    """Return `work(piece)`, for one thread of this process at a time."""
    # A worker may have several threads, and `work` may change settings of the whole process, such
    # as the language of messages.
    with _turn:
        return work(piece)


def _outcome(
    address: str, future: Any, piece: Piece, suspects: list[Piece]
) -> Iterator[tuple[Piece, Any]]:
    """Yield a piece with the result of its finished future.

    If the workers that ran the piece have crashed, add the piece to `suspects` instead. Raise
    `ClusterError` if the cluster has failed.
    """
    from distributed import KilledWorker

    if future.status == "finished":
        yield piece, future.result()
        return
    error = None if future.status == "cancelled" else future.exception()
    if error is None:
        raise ClusterError(ClusterCode.GONE, address=address)
    if not isinstance(error, KilledWorker):
        kind = type(error).__name__
        raise ClusterError(ClusterCode.OTHERWISE, address=address, kind=kind)
    suspects.append(piece)


class _Room:
    """The limit on how many pieces of work a cluster is given at a time, by its cores."""

    def __init__(self, client: Client, address: str) -> None:
        self.client, self.address = client, address
        self.asked, self.most = float("-inf"), 0

    def pieces(self) -> int:
        """Return how many pieces of work the cluster may have at a time.

        Raises:
            ClusterError: If the scheduler does not answer.
        """
        # Workers may come and go.
        if time.monotonic() - self.asked > EVERY:
            try:
                cores = sum(map(int, self.client.ncores().values()))
            except OSError as error:
                raise ClusterError(ClusterCode.GONE, address=self.address) from error
            # A cluster that has lost all workers may get new ones.
            self.most = AHEAD * max(1, cores)
            self.asked = time.monotonic()
        return self.most


@contextmanager
def _client(address: str) -> Iterator[Client]:
    """Connect to a scheduler that has workers. The library's own messages are suppressed."""
    try:
        from distributed import Client
    except ImportError as error:
        name, command = error.name or "distributed", install_command("distributed")
        if is_one_file():
            raise ClusterError(ClusterCode.NOT_IN_FILE, name=name) from None
        raise ClusterError(ClusterCode.NO_LIBRARY, name=name, command=command) from None
    # The library's messages would mix with the output of the command.
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with _linked(Client, address) as client:
                yield client
    finally:
        logging.disable(logging.NOTSET)


def _linked(kind: type[Client], address: str) -> Client:
    """Return a client of a scheduler that has workers, or raise `ClusterError`."""
    client = _client_at(kind, address)
    if client is None:
        # The failed client goes now, before another one is made (see `_client_at`).
        gc.collect()
        raise ClusterError(ClusterCode.UNREACHED, address=address)
    try:
        client.wait_for_workers(1, timeout=SCHEDULER_TIMEOUT)
    except OSError as error:
        client.close()
        raise ClusterError(ClusterCode.EMPTY, address=address) from error
    return client


def _client_at(kind: type[Client], address: str) -> Client | None:
    """Return a client of the scheduler at an address, or None if no scheduler answers there.

    The call keeps no reference to a client that failed to connect, not even in an error.
    Otherwise the failed client could block a later client when it is garbage-collected.
    """
    try:
        return kind(address, timeout=SCHEDULER_TIMEOUT, set_as_default=False)
    except (OSError, ValueError):
        return None
