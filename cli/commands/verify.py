"""Transcripts checked offline: the verdict in words, or for a program."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from p2p_hoity import cores
from p2p_hoity.game_port import Play, read_game
from p2p_hoity.rules import State
from p2p_hoity.storage.own_files import open_at_once
from protocol import fingerprint, transcript

from ..printing import say, write_line
from ..trouble import NOT_OK, OK, USAGE, Trouble
from ..trouble import report as report_trouble
from ..words.cards import field_name
from ..words.lingo import _
from ..words.reasons import PROTOCOL, meaning

NO_FILE: Final = "no-file"
UNJUDGED: Final = "not-judged"
"""Codes besides the verifier's own: of a file that is not there, and of one it failed on."""


def read_file(path: Path) -> bytes:
    """The bytes of a file, no more than show that it is too large; Trouble if there is no such
    file or it cannot be read."""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            return file.read(transcript.MAX_FILE + 1)
    except OSError as error:
        words = _("{path} cannot be read: {why}. Name a file that is there.")
        raise Trouble(words.format(path=path, why=error.strerror), USAGE) from error


def verify_files(paths: Sequence[Path], as_json: bool) -> int:
    """Check every file in order; the worst exit code of all: 2 for one that is not there."""
    return max(_verify_one(path, as_json) for path in paths)


def _verify_one(path: Path, as_json: bool) -> int:
    try:
        data = read_file(path)
    except Trouble as trouble:
        if as_json:
            write_line(_not_there(path, str(trouble)))
        return report_trouble(trouble)
    report = _judged(data)
    if as_json:
        write_line(as_object(path, report))
    else:
        for line in in_words(path, report):
            say(line)
    return OK if report.ok else NOT_OK


def _judged(data: bytes) -> transcript.Report:
    """The verifier's report, or that there is none: one file must not cost others their verdict."""
    try:
        return _by_all_cores(data)
    except Exception as error:  # noqa: BLE001 - whatever a file brings about, the next one is judged
        words = _(
            "this program failed while judging it ({what}), which says nothing of the file: please"
            " report it, with the file"
        )
        problem = transcript.Problem(
            UNJUDGED, words.format(what=type(error).__name__), None, None, "file", 0
        )
        return transcript.Report("unreadable", problem)


def _by_all_cores(data: bytes) -> transcript.Report:
    """The verifier's report; a process that the system ends leaves the work to this one."""
    try:
        with cores.spread() as submit:
            return transcript.verify(data, read_game, time.perf_counter, submit)
    except BrokenExecutor:
        return transcript.verify(data, read_game, time.perf_counter)


def _not_there(path: Path, words: str) -> dict[str, Any]:
    """For a program: the object of a file that could not be read at all."""
    nothing = transcript.Problem(NO_FILE, words, None, None, "file", 0)
    return as_object(path, transcript.Report("unreadable", nothing))


def state_of(report: transcript.Report) -> State | None:
    """The game as far as the verifier came; None if it came to none."""
    play = report.node.state if report.node is not None else None
    return play.state if isinstance(play, Play) else None


# For programs.


def as_object(path: Path, report: transcript.Report) -> dict[str, Any]:
    """The whole report as one JSON object."""
    state = state_of(report)
    return {
        "file": str(path),
        "verdict": report.verdict,
        "content": report.content or None,
        "table": report.table or None,
        "seats": _seats(report, state),
        "rounds": state.round if state else 0,
        "steps": report.steps,
        "epochs": report.epochs,
        "standings": _standings(report, state),
        "faults": [{**asdict(f), "words": meaning(f.code)} for f in report.faults],
        "checked": asdict(report.counts),
        "timings": {part: round(seconds, 6) for part, seconds in report.timings.items()},
        "problem": _problem_object(report),
    }


def _problem_object(report: transcript.Report) -> dict[str, Any] | None:
    problem = report.problem
    return None if problem is None else {**asdict(problem), "words": _of_problem(problem)}


def _of_problem(problem: transcript.Problem) -> str:
    """What a problem means; two codes of this command bring their own words."""
    return meaning(problem.code) if problem.code in PROTOCOL else problem.words


def _seats(report: transcript.Report, state: State | None) -> list[dict[str, Any]]:
    drawn = state is not None and bool(state.colours)
    return [
        {
            "seat": line.seat,
            "nickname": line.nickname,
            "fingerprint": fingerprint(line.id),
            "colour": state.colour_name(line.seat) if state is not None and drawn else None,
        }
        for line in report.seats
    ]


def _standings(report: transcript.Report, state: State | None) -> list[dict[str, Any]]:
    return [
        {
            "rank": rank,
            "seat": seat,
            "nickname": report.seats[seat].nickname,
            "field": state.figures[seat] if state else None,
        }
        for rank, seat in report.standings
    ]


# For people.


def in_words(path: Path, report: transcript.Report) -> list[str]:
    """The verdict and what stands behind it."""
    if report.problem is not None:
        return [*_problem(path, report, report.problem), *_roster(report)]
    counts = report.counts
    return [
        _("{file}: ok. Everything in it holds.").format(file=path),
        *_roster(report),
        *_course(report),
        _("  checked: {signatures} signatures, {shuffles} shuffles, {shares} shares,"
          " {commitments} commitments, {openings} openings, {escrows} escrows").format(
              **asdict(counts)),
        _("  took {ms} ms").format(ms=round(1000 * sum(report.timings.values()))),
        _("  content {content}").format(content=report.content),
    ]  # fmt: skip


def _roster(report: transcript.Report) -> list[str]:
    text = _("  seat {number}: {nickname}, {fingerprint}")
    return [
        text.format(number=s.seat + 1, nickname=s.nickname, fingerprint=fingerprint(s.id))
        for s in report.seats
    ]


def _course(report: transcript.Report) -> list[str]:
    state = state_of(report)
    rounds = state.round if state else 0
    lines = [_("  rounds: {rounds}, steps: {steps}").format(rounds=rounds, steps=report.steps)]
    for fault in report.faults:
        text = _("  seat {number} was proven at fault in step {step}: {words} ({code})")
        lines.append(
            text.format(
                number=fault.seat + 1, step=fault.step, words=meaning(fault.code), code=fault.code
            )
        )
    for line in _standings(report, state):
        where = "–" if state is None else field_name(state.edition, line["field"])
        lines.append(_("  rank {rank}: {nickname}, {where}").format(**line, where=where))
    return lines


def _problem(path: Path, report: transcript.Report, problem: transcript.Problem) -> list[str]:
    if report.verdict == "unreadable":
        head = _("{file}: unreadable. This is no whole transcript.").format(file=path)
    elif report.unfinished:
        head = _("{file}: not ok. All of it holds, but the game is not over.").format(file=path)
    else:
        head = _("{file}: not ok. This is the first thing that does not hold:").format(file=path)
    where = [] if problem.step is None else [_("step {step}").format(step=problem.step)]
    if problem.seat is not None:
        where.append(_("seat {number}").format(number=problem.seat + 1))
    where.append(_("byte {offset}").format(offset=problem.offset))
    text = _("  {where}: {words} ({code})")
    return [
        head,
        text.format(where=", ".join(where), words=_of_problem(problem), code=problem.code),
    ]
