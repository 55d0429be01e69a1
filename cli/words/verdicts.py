"""A verifier's report on a transcript, as a JSON object and in words for a person."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from p2p_hoity.game_adapter import Play
from p2p_hoity.rules import State
from protocol import fingerprint, transcript

from .. import version
from .card_names import field_name
from .error_sentences import meaning, meanings
from .key_names import player_key, table_key
from .translation import _

Players = tuple[bytes | None, ...]
"""The long-lived key of each seat, None for a seat that shows none. Empty if nothing is known."""

UNJUDGED: Final = "not-judged"
"""The code of a file that the verifier itself failed to check."""

Mark = tuple[int, int]
"""The size of a file in bytes, and the time of its last change in nanoseconds."""


def unjudged(words: str, code: str = UNJUDGED) -> transcript.Report:
    """Return a report on a file that was not checked, with the reason in words and as a code."""
    problem = transcript.Problem(code, words, None, None, "file", 0)
    return transcript.Report("unreadable", problem)


def failed(error: Exception) -> transcript.Report:
    """Return a report that says that the verifier has a bug, which a file has brought out."""
    words = _(
        "this program has a bug and failed while checking it ({what}). This says nothing "
        "about the file. Please report this, with the file"
    )
    return unjudged(words.format(what=type(error).__name__))


def state_of(report: transcript.Report) -> State | None:
    """Return the last state of the game that the verifier reached, None if it reached none."""
    play = report.node.state if report.node is not None else None
    return play.state if isinstance(play, Play) else None


# JSON output

FAULT = dict.fromkeys(("seat", "step", "code", "words"))
"""The first keys of a fault's JSON object, in their order."""


def as_object(
    path: Path, report: transcript.Report, mark: Mark | None, players: Players = ()
) -> dict[str, Any]:
    """Return a report as the JSON object that `hoity verify --json` prints.

    Args:
        mark: None if the file could not be read.
    """
    size, modified = mark or (None, None)
    problem = report.problem
    state = state_of(report)
    return {
        "file": str(path),
        "size": size,
        "modified": modified,
        "verdict": report.verdict,
        "program": version(),
        "digest": report.digest or None,
        "table": report.table or None,
        "seats": _seats(report, state, players),
        "rounds": state.round if state else 0,
        "steps": report.steps,
        "epochs": report.epochs,
        "standings": _standings(report, state),
        "faults": [{**FAULT, **asdict(f), "words": meaning(f.code)} for f in report.faults],
        "checked": asdict(report.counts),
        "timings": {part: round(seconds, 6) for part, seconds in report.timings.items()},
        "problem": problem and {**asdict(problem), "words": of_problem(problem)},
    }


def of_problem(problem: transcript.Problem) -> str:
    """Return in words what is wrong with a file."""
    return meaning(problem.code) if problem.code in meanings() else problem.words


def _seats(
    report: transcript.Report, state: State | None, players: Players
) -> list[dict[str, Any]]:
    """Return the seats of the table as JSON objects."""
    drawn = state is not None and bool(state.colours)
    keys = [key and fingerprint(key) for key in players or [None] * len(report.seats)]
    return [
        {
            "seat": seat,
            "nickname": entry.nickname,
            "fingerprint": key,
            "table_key": fingerprint(entry.id),
            "colour": state.colour_name(seat) if state is not None and drawn else None,
        }
        for seat, (entry, key) in enumerate(zip(report.seats, keys, strict=True))
    ]


def _standings(report: transcript.Report, state: State | None) -> list[dict[str, Any]]:
    """Return the ranks of the seats as JSON objects."""
    return [
        {
            "rank": rank,
            "seat": seat,
            "nickname": report.seats[seat].nickname,
            "field": state.figures[seat] if state else None,
        }
        for rank, seat in report.standings
    ]


# Output for people


def in_words(path: Path, report: transcript.Report, players: Players = ()) -> list[str]:
    """Return the verdict for a person, with the seats and the result."""
    if report.problem is not None:
        return [*_problem(path, report, report.problem), *_roster(report, players)]
    counts = report.counts
    state = state_of(report)
    rounds = state.round if state else 0
    lines = [_("  rounds: {rounds}, steps: {steps}").format(rounds=rounds, steps=report.steps)]
    for fault in report.faults:
        text = _("  seat {number} cheated in step {step}: {words} ({code})")
        if fault.place is not None:
            text = _("  seat {number} cheated in step {step}, in field `{field}` of its body:"
                     " {words} ({code})")  # fmt: skip
        lines.append(
            text.format(
                number=fault.seat + 1,
                step=fault.step,
                field=fault.place,
                words=meaning(fault.code),
                code=fault.code,
            )
        )
    for line in _standings(report, state):
        where = "–" if state is None else field_name(state.edition, line["field"])
        lines.append(_("  rank {rank}: {nickname}, {where}").format(**line, where=where))
    return [
        _("{file}: ok. Everything in it is valid.").format(file=path),
        *_roster(report, players),
        *lines,
        _("  checked: {signatures} signatures, {shuffles} shuffles, {shares} shares,"
          " {commitments} commitments, {openings} openings, {escrows} escrows").format(
              **asdict(counts)),
        _("  took {ms} ms").format(ms=round(1000 * sum(report.timings.values()))),
        _("  game {game}, digest {digest}").format(game=report.table[:16], digest=report.digest),
    ]  # fmt: skip


def _roster(report: transcript.Report, players: Players) -> list[str]:
    """Return a line for each seat with its nickname and its keys."""
    lines = []
    for seat, entry in enumerate(report.seats):
        known = [player_key(players[seat])] if players else []
        keys = "; ".join((*known, table_key(entry.id)))
        text = _("  seat {number}: {nickname}, {keys}")
        lines.append(text.format(number=seat + 1, nickname=entry.nickname, keys=keys))
    return lines


def _problem(path: Path, report: transcript.Report, problem: transcript.Problem) -> list[str]:
    """Return the lines that say what is wrong with a file, and where."""
    if report.verdict == "unreadable":
        head = _("{file}: unreadable. This is not a complete transcript.").format(file=path)
    elif report.unfinished:
        head = _("{file}: not ok. Everything in it is valid, but the game is not over.").format(
            file=path
        )
    else:
        head = _("{file}: not ok. This is the first thing that is invalid:").format(file=path)
    where = [] if problem.step is None else [_("step {step}").format(step=problem.step)]
    if problem.seat is not None:
        where.append(_("seat {number}").format(number=problem.seat + 1))
    if problem.place is not None:
        where.append(_("field `{field}` of the body").format(field=problem.place))
    where.append(_("byte {offset}").format(offset=problem.offset))
    text = _("  {where}: {words} ({code})")
    return [
        head,
        text.format(where=", ".join(where), words=of_problem(problem), code=problem.code),
    ]
