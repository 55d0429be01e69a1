"""Many transcripts: judged side by side, told as they are done, and gone on with after a break."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from p2p_hoity import worker_processes
from protocol.bounds import Seconds

from .. import printing
from ..trouble import NOT_OK, OK, ctrl_c_means
from ..words import lingo
from ..words.lingo import _
from .found_files import all_in
from .verdicts import Verdicts
from .verify import Verdict, ended_with, judge, not_read, tell

OFTEN: Final[Seconds] = 0.2
"""Seconds between two lines of progress."""


@dataclass(frozen=True)
class Wishes:
    """How files are to be judged: told to a program, by so many processes (None: one for each
    core), with their verdicts kept in a file; or by the cluster with this address, to which they
    are sent."""

    as_json: bool = False
    jobs: int | None = None
    verdicts: Path | None = None
    dask: str | None = None
    send: bool = False


def verify_all(paths: Sequence[Path], wishes: Wishes) -> int:
    """Check files and all in folders; the worst exit code of all: 2 for one that is not there."""
    with ExitStack() as stack:
        kept = stack.enter_context(Verdicts(wishes.verdicts)) if wishes.verdicts else None
        brief = any(map(os.path.isdir, paths))
        run = _Run(paths, wishes, kept, brief)
        with ctrl_c_means(run.broken_off):
            run.through()
        return run.worst


def judge_elsewhere(language: str, path: Path) -> Verdict:
    """The verdict on a file, in words of this language; for other processes."""
    lingo.go_on_in(language)
    return judge(path, 1)


@dataclass
class _Run:
    """What is found so far. With `brief` a file that is ok is counted, not told."""

    paths: Sequence[Path]
    wishes: Wishes
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
        with closing(self._verdicts()) as verdicts:
            for verdict in verdicts:
                self._take(verdict)
        self._clear()
        if not self.wishes.as_json:
            printing.say(self._summary())

    def _verdicts(self) -> Generator[Verdict, None, None]:
        """Of all that is not known yet, as they are done."""
        for path, found in self._found():
            yield ended_with(path) if isinstance(found, worker_processes.Ended) else found

    def _found(self) -> Iterator[tuple[Path, Verdict | worker_processes.Ended]]:
        if self.wishes.dask is None:
            return _side_by_side(self._files(), self.wishes.jobs)
        from .elsewhere import by_cluster

        return by_cluster(self.wishes.dask, self._files(), self.wishes.send, self._take)

    def _files(self) -> Iterator[Path]:
        """What is to be judged by others; what cannot be, or is known, is taken in here."""
        for one in all_in(self.paths):
            if not isinstance(one, Path):
                self._take(not_read(*one))
            elif self.kept is not None and (known := self.kept.verdict_of(one)):
                self.earlier += 1
                self._count(known, OK if known == "ok" else NOT_OK)
            elif os.path.exists(one) and not os.path.isfile(one):
                self._take(judge(one, 1))  # a pipe, which may be there in this process alone
            else:
                yield one

    def _take(self, verdict: Verdict) -> None:
        if self.kept is not None:
            self.kept.add(verdict.found)
        problem = verdict.found["problem"]
        unjudged = problem is not None and problem["code"] in ("no-file", "not-judged")
        self._count("not-judged" if unjudged else verdict.found["verdict"], verdict.code)
        if self.wishes.as_json or verdict.code != OK or not self.brief:
            self._clear()
            tell(verdict, self.wishes.as_json)
        self._show()

    def _count(self, kind: str, code: int) -> None:
        self.kinds[kind] += 1
        self.worst = max(self.worst, code)

    # What is told of all.

    def broken_off(self) -> str:
        """What Ctrl-C means just now."""
        self._clear()
        done = _("Interrupted. {done} files are judged.").format(done=self.kinds.total())
        if self.kept is None:
            return f"{done} " + _("With --verdicts FILE another run would go on from there.")
        more = _("Their verdicts are in {path}: the same command goes on from there.")
        return f"{done} {more.format(path=self.kept.path)}"

    def _summary(self) -> str:
        words = _(
            "{files} files: {ok} ok, {faults} not ok, {unreadable} no transcripts, {unjudged} not"
            " judged"
        ).format(
            files=self.kinds.total(),
            ok=self.kinds["ok"],
            faults=self.kinds["fault"],
            unreadable=self.kinds["unreadable"],
            unjudged=self.kinds["not-judged"],
        )
        if not self.earlier:
            return words
        return words + _("; {earlier} of them in an earlier run").format(earlier=self.earlier)

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


def _side_by_side(
    files: Iterable[Path], jobs: int | None
) -> Iterator[tuple[Path, Verdict | worker_processes.Ended]]:
    """Each file with its verdict, as they are done; if one job is wished for in this process, in
    turn."""
    if jobs == 1:
        return ((path, judge(path, 1)) for path in files)
    work = partial(judge_elsewhere, lingo.language())
    return worker_processes.side_by_side(work, files, jobs or worker_processes.count())
