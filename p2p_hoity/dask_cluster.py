"""Many machines: pieces of work handed to a Dask cluster, bounded and as they are done.

Dask's `distributed` is an extra of this package, `cluster`, and loaded only when asked for. Its
scheduler finds another worker for what a worker leaves undone. Whoever reaches a cluster has it run
what they like, so it is for machines of one owner; what is handed out must be public.
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

from protocol.bounds import Seconds

from .coded_errors import NETWORK, NOT_OK, Code, CodedError, installing
from .worker_processes import ProcessEnded, alone

if TYPE_CHECKING:
    from distributed import Client

Piece = TypeVar("Piece")
Found = TypeVar("Found")
AHEAD: Final = 3
"""Pieces for each core of the cluster that are handed out at a time: more than at home, since each
takes a way there and back."""
EVERY: Final[Seconds] = 5.0
"""Seconds after which the cores are counted again."""
SCHEDULER_TIMEOUT: Final[Seconds] = 10.0
"""Seconds for the scheduler to answer."""


class ClusterCode(Code):
    """Why nothing is done by a cluster."""

    NO_LIBRARY = (
        "no-cluster-library",
        "a cluster needs the package {name}: install it with {command}",
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
    """A cluster was asked for and cannot be had, or not any more."""


def on_cluster(
    address: str, work: Callable[[Piece], Found], pieces: Iterable[Piece]
) -> Generator[tuple[Piece, Found | ProcessEnded], None, None]:
    """Each piece with what `work` makes of it, as they are done; `work` and pieces are pickled, and
    `work` is there under the same name. ClusterError if there is no cluster, or none any more.

    A piece at which worker after worker ended is done once more, last, in a process of this
    machine; one that ends this, too, comes with `ProcessEnded`.
    """
    suspects: list[Piece] = []
    with _client(address) as client:
        yield from _handed_out(client, address, work, pieces, suspects)
    for piece in suspects:
        yield piece, alone(work, piece, copied=False)  # threads of the library may still run


def in_order(
    address: str, work: Callable[[Piece], Found], pieces: Sequence[Piece]
) -> Iterator[Found | ProcessEnded]:
    """What `work` makes of each piece, in the order of the pieces, no two of which are equal; in
    all else as `on_cluster`. What is done early waits here."""
    done, early = on_cluster(address, work, pieces), dict[Piece, Found | ProcessEnded]()
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
    import cloudpickle
    from distributed import as_completed

    under_way: dict[Any, Piece] = {}
    done, taken, room = as_completed(loop=client.loop), iter(pieces), _Room(client, address)
    while True:
        for piece in islice(taken, max(0, room.pieces() - len(under_way))):
            call = cloudpickle.dumps(_Call(work, piece))
            future = client.submit(pickle.loads, call, pure=False)
            under_way[future] = piece
            done.add(future)
        if not under_way:
            return
        future = next(done)
        if future.status == "lost":  # its worker died with the result, and another one begins anew
            done.add(future)
        else:
            yield from _outcome(address, future, under_way.pop(future), suspects)


class _Call:
    """Who loads it pickled makes the call. A worker that lacks what the call needs can say so then;
    handed over in the library's own way it would end the worker's link instead, again and again."""

    def __init__(self, work: Callable[[Piece], object], piece: Piece) -> None:
        self.work, self.piece = work, piece

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, object]]:
        """The call."""
        return _in_turn, (self.work, self.piece)


_turn = threading.Lock()


def _in_turn(work: Callable[[Piece], Found], piece: Piece) -> Found:
    """Work at a piece while no other thread of this process works at one.

    A worker may have several threads. Work may change what belongs to the whole process, as the
    language of messages and the building blocks of a simulated game do, and threads would not make
    it faster, since Python gives its interpreter to one of them at a time.
    """
    with _turn:
        return work(piece)


def _outcome(
    address: str, future: Any, piece: Piece, suspects: list[Piece]
) -> Iterator[tuple[Piece, Any]]:
    """What came of one piece; ClusterError if nothing could."""
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
    """How many pieces may be handed out at a time, by the cores that the cluster has just now."""

    def __init__(self, client: Client, address: str) -> None:
        self.client, self.address = client, address
        self.asked, self.most = float("-inf"), 0

    def pieces(self) -> int:
        """Return how many; ClusterError if nobody knows."""
        if time.monotonic() - self.asked > EVERY:
            try:
                cores = sum(map(int, self.client.ncores().values()))
            except OSError as error:
                raise ClusterError(ClusterCode.GONE, address=self.address) from error
            self.most = AHEAD * max(1, cores)  # who died may come back
            self.asked = time.monotonic()
        return self.most


@contextmanager
def _client(address: str) -> Iterator[Client]:
    """Linked to the scheduler, with workers there. What the library would tell a person in its own
    way, of links that end and workers that die, is not told."""
    try:
        from distributed import Client
    except ImportError as error:
        name, command = error.name or "distributed", installing("distributed")
        raise ClusterError(ClusterCode.NO_LIBRARY, name=name, command=command) from None
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with _linked(Client, address) as client:
                yield client
    finally:
        logging.disable(logging.NOTSET)


def _linked(kind: type[Client], address: str) -> Client:
    """Return a client of the scheduler there.

    Raises:
        ClusterError: if no scheduler answers there, or no worker is at it.
    """
    client = _client_at(kind, address)
    if client is None:
        gc.collect()
        raise ClusterError(ClusterCode.UNREACHED, address=address)
    try:
        client.wait_for_workers(1, timeout=SCHEDULER_TIMEOUT)
    except OSError as error:
        client.close()
        raise ClusterError(ClusterCode.EMPTY, address=address) from error
    return client


def _client_at(kind: type[Client], address: str) -> Client | None:
    """Return a client, or None if no scheduler answers there.

    A client that cannot be made closes itself when it is collected, and takes a lock to do so that
    the next client may hold just then. So nothing may refer to it afterwards, not even an error.
    """
    try:
        return kind(address, timeout=SCHEDULER_TIMEOUT, set_as_default=False)
    except (OSError, ValueError):
        return None
