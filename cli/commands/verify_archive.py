"""Many transcripts: found in folders, judged side by side, and passed over by a later run."""

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
from protocol.bounds import Seconds

from .. import printing, version
from ..exit_codes import NOT_OK, OK, USAGE, Trouble, ctrl_c_means
from ..words import translation
from ..words.error_sentences import of_system
from ..words.translation import _
from . import verify
from .options import VerifyOptions
from .verify import FileVerdict, Mark

BEGINNING: Final = b'{"file": "'
"""How each line begins."""
MAX_LINE: Final = 1 << 20
"""Bytes of a line."""


class Verdicts:
    """An open file of verdicts: a context; Trouble if it cannot be one.

    What this version of the program judged in it before is known by name, size and time of change.
    What another version judged is judged again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[bytes, str] = {}
        self._file = self._opened()
        self._write = self._file.write
        with ExitStack() as unless_read:
            unless_read.enter_context(self._file)
            self._read()
            unless_read.pop_all()

    def __enter__(self) -> Verdicts:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def verdict_of(self, path: Path) -> str | None:
        """Return what was found of a file, or None unless size and time are still the same."""
        if not self.known:
            return None
        try:
            found = path.stat()
        except OSError:
            return None
        return self.known.get(_key(str(path), found.st_size, found.st_mtime_ns))

    def add(self, found: dict[str, Any]) -> None:
        """Write a line, at once."""
        self._write(json.dumps(found).encode("ascii") + b"\n")
        self._file.flush()

    def _opened(self) -> IO[bytes]:
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
        """Take in what is there. The last line may be torn, and goes."""
        self._file.seek(0)
        whole = 0
        while (line := self._file.readline(MAX_LINE)).endswith(b"\n"):
            self._take(line)
            whole += len(line)
        if len(line) == MAX_LINE or not BEGINNING.startswith(line[: len(BEGINNING)]):
            raise self._foreign()
        if whole < self._file.seek(0, os.SEEK_END):
            self._file.truncate(whole)

    def _take(self, line: bytes) -> None:
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
    """Return the verdict on a file, or that there is none, of an object as it is written."""
    problem = found["problem"]
    is_unjudged = problem is not None and problem["code"] in (verify.NO_FILE, verify.UNJUDGED)
    return verify.UNJUDGED if is_unjudged else found["verdict"]


def _key(file: str, size: int | None, modified: int | None) -> bytes:
    """Short, so that a million of them have room."""
    whole = f"{size} {modified} {file}".encode(errors="surrogatepass")
    return blake2b(whole, digest_size=16).digest()


ENDING: Final = ".hoity"
Found = Path | tuple[Path, Trouble]
"""A file, or what cannot be judged and why."""


def all_in(paths: Sequence[Path]) -> Iterator[Found]:
    """Yield the files named, and for a folder those in it and below; a folder is read when its turn
    comes."""
    for path in paths:
        if os.path.isdir(path):
            yield from _all_below(path)
        else:
            yield path


def _all_below(folder: Path) -> Iterator[Found]:
    """By a list of what is left to do, not by recursion, which deep folders would exhaust."""
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
    """Yield what concerns us in a folder.

    Raises:
        OSError: If it cannot be read.
    """
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if _concerns(entry))
    return (folder / name for name in names)


def _concerns(entry: os.DirEntry[str]) -> bool:
    """Return whether it is a folder, a link to one, or named as a transcript is."""
    try:
        return entry.name.endswith(ENDING) or entry.is_dir()
    except OSError:
        return False


def _looked_at(path: Path) -> Found:
    """Links to folders are not followed, since they may lead around in a circle; a pipe might never
    end, and a device is none of the archive."""
    if os.path.isdir(path):
        words = _(
            "{path} is a link to a folder, and links are not followed. Name the folder itself."
        )
        return path, Trouble(words.format(path=path), USAGE)
    if os.path.isfile(path) or not os.path.exists(path):
        return path
    words = _("{path} is not a regular file, so it was not checked. Remove it from the folder.")
    return path, Trouble(words.format(path=path), USAGE)


@dataclass(frozen=True)
class Task:
    """One file that another process judges, or another machine.

    Attributes:
        name: The file as it was named.
        where: Where it is on other machines.
        mark: What it was like here; None if the work stays on this machine.
        data: Its bytes, if they are sent.
    """

    name: str
    where: str = ""
    mark: Mark | None = None
    data: bytes | None = None


def judge_task(language: str, task: Task) -> FileVerdict:
    """Return the verdict on a file, in words of this language; on whichever machine this runs."""
    translation.go_on_in(language)
    path = Path(task.name)
    if task.mark is None:
        return verify.judge(path, 1)
    if task.data is not None:
        return verify.judge_file(path, task.data, task.mark, 1)
    with suppress(Trouble), verify.marked(Path(task.where)) as (file, mark):
        if mark[0] == task.mark[0]:
            return verify.judge_file(path, file, task.mark, 1)
    words = _(
        "A worker of the cluster does not have the same file {path}. Use --send to send the bytes."
    )
    return verify.not_read(path, Trouble(words.format(path=path), USAGE))


OFTEN: Final[Seconds] = 0.2
"""Seconds between two lines of progress."""


def verify_all(paths: Sequence[Path], how: VerifyOptions) -> int:
    """Check files and all in folders; the worst exit code of all: 2 for one that is not there."""
    with ExitStack() as stack:
        kept = stack.enter_context(Verdicts(how.verdicts)) if how.verdicts else None
        brief = any(map(os.path.isdir, paths))
        run = ArchiveRun(paths, how, kept, brief)
        with ctrl_c_means(run.broken_off):
            run.through()
        return run.worst


@dataclass
class ArchiveRun:
    """What is found so far. With `brief` a file that is ok is counted, not told."""

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
        """Judge all."""
        if printing.is_watched():
            self.total = sum(1 for _one in all_in(self.paths))
        with closing(self._found()) as judged:
            for task, found in judged:
                if isinstance(found, ProcessEnded):
                    found = verify.ended_with(Path(task.name))
                self._take(found)
        self._clear()
        if not self.how.as_json:
            printing.say(self._summary())

    def _found(self) -> Generator[tuple[Task, FileVerdict | ProcessEnded], None, None]:
        """Return each file with its verdict, as they are done."""
        how, work = self.how, partial(judge_task, translation.language())
        if how.dask is not None:
            return on_cluster(how.dask, work, self._tasks())
        if how.jobs == 1:
            return ((task, work(task)) for task in self._tasks())
        jobs = how.jobs or worker_processes.core_count()
        return worker_processes.work_in_processes(work, self._tasks(), jobs)

    def _tasks(self) -> Iterator[Task]:
        """Yield what others are to judge; what this machine cannot read is taken in here."""
        for path in self._files():
            if self.how.dask is None:
                yield Task(str(path))
                continue
            try:
                with verify.marked(path) as (file, mark):
                    data = file.read(transcript.MAX_FILE + 1) if self.how.send else None
            except Trouble as trouble:
                self._take(verify.not_read(path, trouble))
            else:
                yield Task(str(path), os.path.abspath(path), mark, data)

    def _files(self) -> Iterator[Path]:
        """Yield what is to be judged by others; what cannot be, or is known, is taken in here."""
        for one in all_in(self.paths):
            if not isinstance(one, Path):
                self._take(verify.not_read(*one))
            elif self.kept is not None and (known := self.kept.verdict_of(one)):
                self.earlier += 1
                self._count(known, OK if known == "ok" else NOT_OK)
            elif os.path.exists(one) and not os.path.isfile(one):
                self._take(verify.judge(one, 1))  # a pipe, which may be there in this process alone
            else:
                yield one

    def _take(self, verdict: FileVerdict) -> None:
        if self.kept is not None:
            self.kept.add(verdict.found)
        self._count(_kind(verdict.found), verdict.code)
        if self.how.as_json or verdict.code != OK or not self.brief:
            self._clear()
            verify.tell(verdict, self.how.as_json)
        self._show()

    def _count(self, kind: str, code: int) -> None:
        self.kinds[kind] += 1
        self.worst = max(self.worst, code)

    # What is told of all.

    def broken_off(self) -> str:
        """Return what Ctrl-C means just now."""
        self._clear()
        done = _("Interrupted. Files checked so far: {done}.").format(done=self.kinds.total())
        if self.kept is None:
            return f"{done} " + _("Use --verdicts FILE to be able to continue an interrupted run.")
        more = _("Their verdicts are in {path}. Repeat the command to continue from there.")
        return f"{done} {more.format(path=self.kept.path)}"

    def _summary(self) -> str:
        words = _(
            "Files: {files}. Ok: {ok}, not ok: {faults}, no transcripts: {unreadable}, not "
            "checked: {unjudged}"
        ).format(
            files=self.kinds.total(),
            ok=self.kinds["ok"],
            faults=self.kinds["fault"],
            unreadable=self.kinds["unreadable"],
            unjudged=self.kinds[verify.UNJUDGED],
        )
        if not self.earlier:
            return words
        return words + _("; {earlier} of them were checked in an earlier run").format(
            earlier=self.earlier
        )

    def _show(self) -> None:
        now = time.monotonic()
        if self.total is None or now - self.shown < OFTEN:
            return
        self.shown = now
        judged = self.kinds.total() - self.earlier
        text = _("{done} of {total} files, {rate} a second, {bad} not ok")
        words = text.format(
            done=self.kinds.total(),
            total=self.total,
            rate=f"{judged / max(now - self.began, OFTEN):.1f}",
            bad=self.kinds.total() - self.kinds["ok"],
        )
        printing.standing(words)

    def _clear(self) -> None:
        """Take the line of progress away, which others would be written into."""
        if self.shown:
            printing.standing("")
            self.shown = 0.0
