"""The command `verify` for many transcripts, which it finds in folders and checks in parallel.

The verdicts can be stored in a file, so that an interrupted run can be continued.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final

from p2p_hoity import worker_processes
from p2p_hoity.dask_cluster import on_cluster
from p2p_hoity.storage.private_files import hold
from p2p_hoity.worker_processes import ProcessEnded
from protocol import transcript
from protocol.units import Seconds

from .. import printing, version
from ..exit_codes import NOT_OK, OK, USAGE, Trouble, ctrl_c_means
from ..words import translation
from ..words.error_sentences import of_system
from ..words.translation import _, figures
from ..words.verdicts import UNJUDGED, Mark
from . import verify
from .options import VerifyOptions
from .verify import FileVerdict

BEGINNING: Final = b'{"file": "'
"""The first bytes of each line of a file of verdicts."""
MAX_LINE: Final = 1 << 20
"""The greatest length of a line of a file of verdicts, in bytes."""


class Verdicts:
    """An open file of verdicts on transcripts, as a context manager.

    A transcript needs no new check if this version of the program has written a verdict on it, and
    its name, size and time of change are the same. `Trouble` is raised for a file of anything else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[bytes, str] = {}
        self._file = self._opened()
        self._write = self._file.write
        # It closes, and so unlocks, a file that is none of verdicts.
        with ExitStack() as unless_read:
            unless_read.enter_context(self._file)
            self._read()
            unless_read.pop_all()

    def __enter__(self) -> Verdicts:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def verdict_of(self, path: Path) -> str | None:
        """Return `ok`, `fault` or `unreadable`, None without a verdict on this size and time."""
        if not self.known:
            return None
        try:
            found = path.stat()
        except OSError:
            return None
        return self.known.get(_key(str(path), found.st_size, found.st_mtime_ns))

    def add(self, found: dict[str, Any]) -> None:
        """Write a verdict as JSON, and flush it at once."""
        self._write(json.dumps(found).encode("ascii") + b"\n")
        self._file.flush()

    def _opened(self) -> IO[bytes]:
        """Open and lock the file of verdicts, or raise Trouble."""
        try:
            if self.path.exists() and not stat.S_ISREG(self.path.stat().st_mode):
                raise OSError(22, _("it is not a regular file"))
            file = open(self.path, "a+b")  # noqa: SIM115 - closed by the context
        except OSError as error:
            words = _("Verdicts cannot be written into {path}: {why}. Name another file.")
            raise Trouble(words.format(path=self.path, why=of_system(error)), USAGE) from error
        if hold(file):
            return file
        file.close()
        words = _("Another run is writing its verdicts into {path}. Name another file.")
        raise Trouble(words.format(path=self.path), USAGE)

    def _read(self) -> None:
        """Read the earlier verdicts, and cut off a last line that is incomplete."""
        self._file.seek(0)
        whole = 0
        while (line := self._file.readline(MAX_LINE)).endswith(b"\n"):
            self._take(line)
            whole += len(line)
        # What is left is cut off only if it can be the beginning of a verdict, and is no one else's
        # file.
        if len(line) == MAX_LINE or not BEGINNING.startswith(line[: len(BEGINNING)]):
            raise self._foreign()
        if whole < self._file.seek(0, os.SEEK_END):
            self._file.truncate(whole)

    def _take(self, line: bytes) -> None:
        """Remember the verdict in a line, or raise Trouble. Skip one by another version."""
        try:
            found = json.loads(line)
            key = _key(found["file"], found["size"], found["modified"])
            kind, program = _kind(found), found.get("program")
        except (ValueError, KeyError, TypeError, RecursionError):
            raise self._foreign() from None
        if program == version() and kind in ("ok", "fault", "unreadable"):
            self.known[key] = kind

    def _foreign(self) -> Trouble:
        words = _("{path} contains something else than verdicts. Name another file for them.")
        return Trouble(words.format(path=self.path), USAGE)


def _kind(found: dict[str, Any]) -> str:
    """Return the verdict in a JSON object, or `UNJUDGED` if the file was not checked."""
    problem = found["problem"]
    is_unjudged = problem is not None and problem["code"] in (verify.NO_FILE, UNJUDGED)
    return UNJUDGED if is_unjudged else found["verdict"]


def _key(file: str, size: int | None, modified: int | None) -> bytes:
    """Return 16 bytes for a file's name, size and time: those of a million files fit in memory."""
    whole = f"{size} {modified} {file}".encode(errors="surrogatepass")
    return blake2b(whole, digest_size=16).digest()


ENDING: Final = ".hoity"
Found = Path | tuple[Path, Trouble]
"""A file, or a path that cannot be checked and the reason."""


def all_in(paths: Sequence[Path]) -> Iterator[Found]:
    """Find each named file, and each transcript below a named folder, which is read in its turn."""
    for path in paths:
        if os.path.isdir(path):
            yield from _all_below(path)
        else:
            yield path


def _all_below(folder: Path) -> Iterator[Found]:
    """Yield the transcripts in and below a folder, and an error for what cannot be read.

    If there is nothing to yield, the only item is `folder` and an error.
    """
    empty, left = True, [iter([folder])]
    while left:
        path = next(left[-1], None)
        if path is None:
            left.pop()
        elif os.path.isdir(path) and (path == folder or not os.path.islink(path)):
            try:
                left.append(_inside(path))
            except OSError as error:
                empty = False
                words = _("The folder {path} cannot be read: {why}. Nothing in it was checked.")
                yield path, Trouble(words.format(path=path, why=of_system(error)), USAGE)
        else:
            empty = False
            yield _looked_at(path)
    if empty:
        words = _("There is no *.hoity file in {path}. Name a folder that contains transcripts.")
        yield folder, Trouble(words.format(path=folder), USAGE)


def _inside(folder: Path) -> Iterator[Path]:
    """Return the transcripts and folders directly in a folder, sorted by name, or raise OSError."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if _concerns(entry))
    return (folder / name for name in names)


def _concerns(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder, a link to a folder, or named like a transcript."""
    try:
        return entry.name.endswith(ENDING) or entry.is_dir()
    except OSError:
        return False


def _looked_at(path: Path) -> Found:
    """Return the path of a file that can be checked, or the path with the reason why it cannot."""
    # Links to folders may form a circle.
    if os.path.isdir(path):
        words = _(
            "{path} is a link to a folder, and links are not followed. Name the folder itself."
        )
        return path, Trouble(words.format(path=path), USAGE)
    if os.path.isfile(path) or not os.path.exists(path):
        return path
    # Pipes and devices are not read, since they may have no end.
    words = _("{path} is not a regular file, so it was not checked. Remove it from the folder.")
    return path, Trouble(words.format(path=path), USAGE)


@dataclass(frozen=True)
class Task:
    """A file that another process or another computer checks.

    Attributes:
        name: The path of the file as the player named it.
        where: The absolute path, for other computers.
        mark: The mark on this computer. None if the work stays here.
        data: The bytes of the file. None if they are not sent.
    """

    name: str
    where: str = ""
    mark: Mark | None = None
    data: bytes | None = None


def judge_task(language: str, task: Task) -> FileVerdict:
    """Check the file of a task, in a worker process or on another computer."""
    translation.go_on_in(language)
    path = Path(task.name)
    if task.mark is None:
        return verify.judge(path, 1)
    if task.data is not None:
        return verify.judge_file(path, task.data, task.mark, 1)
    with suppress(Trouble), verify.marked(Path(task.where)) as (file, mark):
        # The time of change may differ between computers that have the same file.
        if mark[0] == task.mark[0]:
            return verify.judge_file(path, file, task.mark, 1)
    words = _(
        "A worker of the cluster does not have the same file {path}. Use --send to send the bytes."
    )
    return verify.not_read(path, Trouble(words.format(path=path), USAGE))


OFTEN: Final[Seconds] = 0.2
"""The time between two updates of the progress, in seconds."""


def verify_all(paths: Sequence[Path], how: VerifyOptions) -> int:
    """Check files and all transcripts in folders, print the verdicts, and return the highest code.

    It is 2 if a file does not exist.
    """
    with ExitStack() as stack:
        kept = stack.enter_context(Verdicts(how.verdicts)) if how.verdicts else None
        brief = any(map(os.path.isdir, paths))
        run = ArchiveRun(paths, how, kept, brief)
        with ctrl_c_means(run.broken_off):
            run.through()
        return run.worst


@dataclass
class ArchiveRun:
    """The run of one command over many files, with what was found so far.

    Attributes:
        brief: Whether files that are ok are only counted.
        kinds: The number of files for each verdict.
        total: The number of all files. None if no progress is shown.
        began: When the run began, in seconds of a monotonic clock.
        shown: When the progress was last shown, by the same clock. 0 if none is on the screen.
    """

    paths: Sequence[Path]
    how: VerifyOptions
    kept: Verdicts | None
    brief: bool
    worst: int = OK
    kinds: Counter[str] = field(default_factory=Counter)
    earlier: int = 0
    total: int | None = None
    began: float = field(default_factory=time.monotonic)
    shown: float = 0.0

    def through(self) -> None:
        """Check all files and print the verdicts and the summary."""
        if printing.is_watched():
            self.total = sum(1 for _one in all_in(self.paths))
        # If this run is interrupted, the worker processes have to end too.
        with closing(self._found()) as judged:
            for task, found in judged:
                if isinstance(found, ProcessEnded):
                    found = verify.ended_with(Path(task.name))
                self._take(found)
        self._clear()
        if not self.how.as_json:
            printing.say(self._summary())

    def _found(self) -> Generator[tuple[Task, FileVerdict | ProcessEnded], None, None]:
        """Return each task with its verdict as soon as there is one."""
        how, work = self.how, partial(judge_task, translation.language())
        if how.dask is not None:
            return on_cluster(how.dask, work, self._tasks())
        if how.jobs == 1:
            return ((task, work(task)) for task in self._tasks())
        jobs = how.jobs or worker_processes.core_count()
        return worker_processes.work_in_processes(work, self._tasks(), jobs)

    def _tasks(self) -> Iterator[Task]:
        """Yield a task for each file that others check, and count what cannot be opened."""
        for path in self._files():
            if self.how.dask is None:
                yield Task(str(path))
                continue
            try:
                # The workers of a cluster compare their file with the mark of this one.
                with verify.marked(path) as (file, mark):
                    data = file.read(transcript.MAX_FILE + 1) if self.how.send else None
            except Trouble as trouble:
                self._take(verify.not_read(path, trouble))
            else:
                yield Task(str(path), os.path.abspath(path), mark, data)

    def _files(self) -> Iterator[Path]:
        """Yield the files that others have to check, and count the other ones at once."""
        for one in all_in(self.paths):
            if not isinstance(one, Path):
                self._take(verify.not_read(*one))
            elif self.kept is not None and (known := self.kept.verdict_of(one)):
                self.earlier += 1
                self._count(known, OK if known == "ok" else NOT_OK)
            elif os.path.exists(one) and not os.path.isfile(one):
                self._take(verify.judge(one, 1))  # A pipe may exist in this process only.
            else:
                yield one

    def _take(self, verdict: FileVerdict) -> None:
        """Store, count and print a verdict."""
        if self.kept is not None:
            self.kept.add(verdict.found)
        self._count(_kind(verdict.found), verdict.code)
        if self.how.as_json or verdict.code != OK or not self.brief:
            self._clear()
            verify.tell(verdict, self.how.as_json)
        self._show()

    def _count(self, kind: str, code: int) -> None:
        """Count a verdict, and remember the highest exit code."""
        self.kinds[kind] += 1
        self.worst = max(self.worst, code)

    # Progress and summary

    def broken_off(self) -> str:
        """Return the message for a run that Ctrl-C has ended, with how it can be continued."""
        self._clear()
        done = _("Interrupted. Files checked so far: {done}.").format(done=self.kinds.total())
        if self.kept is None:
            return f"{done} " + _("Use --verdicts FILE to be able to continue an interrupted run.")
        more = _("Their verdicts are in {path}. Repeat the command to continue from there.")
        return f"{done} {more.format(path=self.kept.path)}"

    def _summary(self) -> str:
        """Return the last line of a run, with the number of files for each verdict."""
        words = _(
            "Files: {files}. Ok: {ok}, not ok: {faults}, no transcripts: {unreadable}, not "
            "checked: {unjudged}"
        ).format(
            files=self.kinds.total(),
            ok=self.kinds["ok"],
            faults=self.kinds["fault"],
            unreadable=self.kinds["unreadable"],
            unjudged=self.kinds[UNJUDGED],
        )
        if not self.earlier:
            return words
        return words + _("; {earlier} of them were checked in an earlier run").format(
            earlier=self.earlier
        )

    def _show(self) -> None:
        """Update the progress on the terminal, unless it was updated just now."""
        now = time.monotonic()
        if self.total is None or now - self.shown < OFTEN:
            return
        self.shown = now
        judged = self.kinds.total() - self.earlier
        text = _("{done} of {total} files, {rate} a second, {bad} not ok")
        words = text.format(
            done=self.kinds.total(),
            total=self.total,
            rate=figures(judged / max(now - self.began, OFTEN)),
            bad=self.kinds.total() - self.kinds["ok"],
        )
        printing.standing(words)

    def _clear(self) -> None:
        """Remove the progress from the terminal before another line is printed."""
        if self.shown:
            printing.standing("")
            self.shown = 0.0
