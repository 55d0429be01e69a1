"""Files for other machines: named, where these share the disk, or sent; and judged there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from p2p_hoity.dask_cluster import on_cluster
from p2p_hoity.worker_processes import Ended

from ..trouble import USAGE, Trouble
from ..words import lingo
from ..words.lingo import _
from .verify import Mark, Verdict, bytes_of, judge_file, marked, not_read, unreadable


@dataclass(frozen=True)
class Task:
    """One file: as it was named, where it is, what it was like here, its bytes if they are sent."""

    name: str
    where: str
    mark: Mark
    data: bytes | None


def by_cluster(
    address: str, files: Iterable[Path], send: bool, unread: Callable[[Verdict], None]
) -> Iterator[tuple[Path, Verdict | Ended]]:
    """Each file with its verdict, as they are done; ClusterError if there is no cluster. What this
    machine cannot read is told to `unread`."""
    work = partial(judge_task, lingo.language())
    for task, found in on_cluster(address, work, _tasks(files, send, unread)):
        yield Path(task.name), found


def _tasks(files: Iterable[Path], send: bool, unread: Callable[[Verdict], None]) -> Iterator[Task]:
    for path in files:
        try:
            data, mark = bytes_of(path) if send else (None, _mark_of(path))
        except Trouble as trouble:
            unread(not_read(path, trouble))
        else:
            yield Task(str(path), os.path.abspath(path), mark, data)


def _mark_of(path: Path) -> Mark:
    """Trouble if there is no such file."""
    try:
        found = path.stat()
    except OSError as error:
        raise unreadable(path, error) from error
    return found.st_size, found.st_mtime_ns


def judge_task(language: str, task: Task) -> Verdict:
    """The verdict on a file, in words of this language; on whichever machine this runs."""
    lingo.go_on_in(language)
    path = Path(task.name)
    if task.data is not None:
        return judge_file(path, task.data, task.mark, 1)
    try:
        with marked(Path(task.where)) as (file, mark):
            is_here = mark[0] == task.mark[0]
            return judge_file(path, file, task.mark, 1) if is_here else _lacking(path)
    except Trouble:
        return _lacking(path)


def _lacking(path: Path) -> Verdict:
    words = _(
        "A worker of the cluster does not have {path} as it is here. With --send it gets the bytes."
    )
    return not_read(path, Trouble(words.format(path=path), USAGE))
