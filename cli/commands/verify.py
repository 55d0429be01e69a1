"""The command `verify` for one transcript: find the file, check it, and print the verdict.

`cores_` is the number of processes that check proofs, None for one on each core. A file of vouches
has the signatures by which players confirm their seats.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from p2p_hoity import worker_processes
from p2p_hoity.game_adapter import Play, read_game
from p2p_hoity.pasted_text import bare, visible
from p2p_hoity.rules import State
from p2p_hoity.storage.home import home, transcripts
from p2p_hoity.storage.private_files import NAMED, open_at_once
from protocol import Invalid, fingerprint, transcript

from .. import version
from ..exit_codes import NOT_OK, OK, USAGE, Trouble
from ..printing import complain, say, write_line
from ..words.card_names import field_name
from ..words.error_sentences import meaning, meanings, of_system
from ..words.key_names import player_key, table_key
from ..words.translation import _, listed
from .mistaken_files import Kind, explained, indented
from .options import LAST, VerifyOptions, typed_id
from .typed_paths import typed_path

ID: Final = re.compile(r"[0-9a-f]{4,16}")
"""The pattern of a game's id, or of at least four characters of its beginning."""


def transcript_named(word: str) -> Path:
    """Return the path of an existing file, or of the transcript of a game's id or of `last`.

    Args:
        word: A path, the beginning of a game's id, or `last` for the newest transcript.

    Raises:
        Trouble: If several ids begin with the word, if the game is not over, or if no transcript is
            stored for `last`.
    """
    path = typed_path(word)
    if path.exists():
        return path
    own, typed, word = home(), word, typed_id(word)
    named = own.transcripts / typed
    if typed == named.name and named.is_file():  # `hoity games --json` tells such names.
        return named
    if word == LAST:
        if (newest := next(iter(transcripts(own)), None)) is not None:
            return newest
        raise Trouble(
            _(
                "No finished game is stored on this computer yet. hoity resume --claim saves an "
                "unfinished one."
            ),
            USAGE,
        )
    if ID.fullmatch(word):
        found: dict[str, Path] = {}
        for one in transcripts(own):
            name = one.name.partition(".")[0]
            if name.startswith(word) and (name not in found or found[name].stem != name):
                found[name] = one
        if len(found) > 1:
            names = listed(sorted(found))
            words = _("Several games begin with {word}: {names}. Type more of the id.")
            raise Trouble(words.format(word=word, names=names), USAGE)
        if not found and any(own.journals.glob(f"{word}*.journal")):
            words = _(
                "Game {word} is not over and has no transcript yet. Continue it with hoity "
                "resume {word}, or save it as far as it came with hoity resume --claim {word}"
            )
            raise Trouble(words.format(word=word), USAGE)
        return next(iter(found.values()), path)
    unquoted = Path(bare(visible(typed)))
    return unquoted if unquoted.is_file() else path


NO_FILE: Final = "no-file"
UNJUDGED: Final = "not-judged"
"""The code of a file that the verifier itself failed to check. `NO_FILE` is for a missing file."""


@dataclass(frozen=True)
class FileVerdict:
    """The verdict on one file, in plain values that can be sent from another process.

    Attributes:
        code: The exit code for this file.
        found: The verdict as a JSON object.
        lines: The verdict in words for a person.
        complaint: The error message if the file cannot be read, else "".
    """

    code: int
    found: dict[str, Any]
    lines: tuple[str, ...] = ()
    complaint: str = ""


Mark = tuple[int, int]
"""The size of a file in bytes, and the time of its last change in nanoseconds."""


@contextmanager
def marked(path: Path) -> Iterator[tuple[IO[bytes], Mark]]:
    """Open a file for reading while the context lasts, and yield it with its mark.

    Raises:
        Trouble: If there is no such file or it cannot be read.
    """
    try:
        with open(path, "rb", opener=open_at_once) as file:
            # Of the open file, because its name may lead to another one by now.
            found = os.fstat(file.fileno())
            yield file, (found.st_size, found.st_mtime_ns)
    except OSError as error:
        words = _("{path} cannot be read: {why}. Name an existing file.")
        if isinstance(error, FileNotFoundError) and path.name == str(path):
            words = _(
                "There is no file {path} in {here}, and no game in {kept} has an id that begins "
                "so. `hoity games` lists your games."
            )
        kept = home().transcripts
        told = words.format(path=path, why=of_system(error), here=Path.cwd(), kept=kept)
        code = NO_FILE if isinstance(error, FileNotFoundError) else "refused"
        raise Trouble(told, USAGE, code) from error


def verify_file(path: Path, how: VerifyOptions) -> int:
    """Check one transcript and print the verdict, with the players' keys if they are known."""
    verdict = judge(path, how.jobs, partial(players_of, named=how.vouches))
    tell(verdict, how.as_json)
    # Vouches that were named and cannot be used are an error, though the game may be valid.
    is_told = how.vouches is None or not verdict.complaint
    return verdict.code if is_told else max(verdict.code, NOT_OK)


Players = tuple[bytes | None, ...]
"""The long-lived key of each seat, None for a seat that shows none. Empty if nothing is known."""


def players_of(report: transcript.Report, named: Path | None) -> tuple[Players, str]:
    """Return the long-lived keys of a table's players, and a complaint if that failed.

    They are read from the file of vouches that is named, or for None from the one on this computer.
    The verdict on the transcript does not depend on them.
    """
    from p2p_hoity.storage.kept_vouches import MAX_FILE, place_of, read_vouches

    header = report.node.table.header if report.node is not None else None
    if header is None:
        return (), ""
    path = named or place_of(home().transcripts, header.table_id)
    try:
        return read_vouches(NAMED.get(path, MAX_FILE + 1), header), ""
    except OSError as error:
        words = _("{path} cannot be read: {why}. Name an existing file.")
        return (), "" if named is None else words.format(path=path, why=of_system(error))
    except Invalid:
        words = _("{path} contains no valid vouches of this game.").format(path=path)
        return (), f"{words} {explained(path, Kind.VOUCHES)}".rstrip()


def tell(verdict: FileVerdict, as_json: bool) -> None:
    """Print a verdict, and the complaint about a file that cannot be read."""
    if as_json:
        write_line(verdict.found)
    else:
        say(*verdict.lines)
    if verdict.complaint:
        complain(f"hoity: {verdict.complaint}")


WhoSat = Callable[[transcript.Report], tuple[Players, str]]
"""A function that returns the players of a report's table, and a complaint if that failed."""


def nobody_known(report: transcript.Report) -> tuple[Players, str]:
    """Return no players and no complaint."""
    return (), ""


def judge(path: Path, cores_: int | None, who_sat: WhoSat = nobody_known) -> FileVerdict:
    """Check a file, and return a verdict even if it cannot be read."""
    try:
        with marked(path) as (file, mark):
            return judge_file(path, file, mark, cores_, who_sat)
    except Trouble as trouble:
        return not_read(path, trouble)


def judge_file(
    path: Path,
    file: transcript.File,
    mark: Mark,
    cores_: int | None,
    who_sat: WhoSat = nobody_known,
) -> FileVerdict:
    """Check a file that is open, or its bytes.

    Raises:
        OSError: If the file cannot be read.
    """
    report = _judged(file, cores_)
    players, complaint = who_sat(report)
    found = as_object(path, report, mark, players)
    lines = [*in_words(path, report, players), *explanation(path, report, file)]
    return FileVerdict(OK if report.ok else NOT_OK, found, tuple(lines), complaint)


def explanation(
    path: Path, report: transcript.Report, file: transcript.File | None = None
) -> list[str]:
    """Return a line that says what a refused file probably is, if anything is known.

    Args:
        file: The bytes, if the name may lead to another file.
    """
    if report.ok or report.problem is None or report.unfinished:
        return []
    data = file if isinstance(file, bytes) else None
    return indented(explained(path, Kind.GAME, data, report.problem.code))


def not_read(path: Path, trouble: Trouble) -> FileVerdict:
    """Return the verdict on a file that could not be read, and why."""
    found = as_object(path, _unjudged(str(trouble), NO_FILE), None)
    return FileVerdict(trouble.exit_code, found, (), str(trouble))


def ended_with(path: Path) -> FileVerdict:
    """Return the verdict, neither good nor bad, on a file whose worker process has crashed."""
    words = _(
        "the process that checked it ended twice, because of the system or a bug in this "
        "program. This says nothing about the file. Check it on a machine with more memory, or "
        "please report this, with the file"
    )
    report = _unjudged(words)
    return FileVerdict(NOT_OK, as_object(path, report, None), tuple(in_words(path, report)))


def _judged(file: transcript.File, cores_: int | None) -> transcript.Report:
    """Return the verifier's report on a file, or a report that says that the verifier has a bug.

    An OSError is raised if the file cannot be opened.
    """
    whole = None
    try:
        whole = transcript.opened(file, time.perf_counter)
        # If the system ends one of the processes, this one does the work.
        with (
            suppress(worker_processes.ProcessEnded),
            worker_processes.process_pool(cores_) as submit,
        ):
            return transcript.verify(whole, read_game, time.perf_counter, submit)
        return transcript.verify(whole, read_game, time.perf_counter)
    except Exception as error:  # Whatever a file causes, the next one is checked.
        if whole is None and isinstance(error, OSError):
            raise
        words = _(
            "this program has a bug and failed while checking it ({what}). This says nothing "
            "about the file. Please report this, with the file"
        )
        return _unjudged(words.format(what=type(error).__name__))


def _unjudged(words: str, code: str = UNJUDGED) -> transcript.Report:
    """Return a report on a file that was not checked, with the reason in words and as a code."""
    problem = transcript.Problem(code, words, None, None, "file", 0)
    return transcript.Report("unreadable", problem)


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
