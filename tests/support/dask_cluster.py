"""A Dask cluster of this machine: workers are processes that a nanny begins anew when they die."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import pytest

from p2p_hoity import dask_cluster

LACKING: Final = "Dask's distributed is not installed: it is the extra `cluster`"


SETTINGS: Final = {
    "distributed.scheduler.allowed-failures": 1,
    "distributed.deploy.lost-worker-timeout": "1 hour",
    "distributed.comm.timeouts.connect": "3s",
}
"""The second worker that dies of a piece was the last. A worker that is dead again when so much
time has passed since it died before is still begun anew, which by default it is not. A worker that
died is given up as soon as it does not answer, and not only after the usual 30 s."""


@contextmanager
def begun(workers: int, threads: int = 1) -> Iterator[Any]:
    """So many workers of so many threads each, and their scheduler."""
    distributed = pytest.importorskip("distributed", reason=LACKING)
    import dask

    with (
        dask.config.set(SETTINGS),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            host="127.0.0.1",
            dashboard_address=":0",
            silence_logs=50,
        ) as local,
    ):
        yield local


def kill_workers(local: Any, most: int = 1) -> list[int]:
    """Kill so many workers that run, and return their ids. One that died before is begun anew."""
    import psutil  # which Dask needs

    killed: list[int] = []
    while not killed:
        for pid in [one.pid for one in local.workers.values()][:most]:
            with suppress(psutil.NoSuchProcess):
                if pid:  # psutil takes None for this process
                    psutil.Process(pid).kill()
                    killed.append(int(pid))
        time.sleep(0.05)
    return killed


class Reaper:
    """Stands for `p2p_hoity.dask_cluster.in_order`: kills a worker after the first result."""

    def __init__(self, local: Any) -> None:
        self.local, self.killed = local, list[int]()

    def __call__(
        self, address: str, work: Callable[[Any], Any], pieces: Iterable[Any]
    ) -> Iterator[Any]:
        found = dask_cluster.in_order(address, work, pieces)
        yield next(found)
        if not self.killed:
            self.killed += kill_workers(self.local)
        yield from found
