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
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from p2p_hoity import worker_processes
from p2p_hoity.game_adapter import read_game
from p2p_hoity.pasted_text import bare, visible
from p2p_hoity.storage.home import home, transcripts
from p2p_hoity.storage.private_files import NAMED, open_at_once
from protocol import Invalid, transcript

from ..exit_codes import NOT_OK, OK, USAGE, Trouble
from ..local.mistaken_files import Kind, explained, explanation
from ..printing import complain, say, write_line
from ..words.error_sentences import of_system
from ..words.translation import _, listed
from ..words.verdicts import Mark, Players, as_object, failed, in_words, unjudged
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
"""The code of a missing file."""


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


def not_read(path: Path, trouble: Trouble) -> FileVerdict:
    """Return the verdict on a file that could not be read, and why."""
    found = as_object(path, unjudged(str(trouble), NO_FILE), None)
    return FileVerdict(trouble.exit_code, found, (), str(trouble))


def ended_with(path: Path) -> FileVerdict:
    """Return the verdict, neither good nor bad, on a file whose worker process has crashed."""
    words = _(
        "the process that checked it ended twice, because of the system or a bug in this "
        "program. This says nothing about the file. Check it on a machine with more memory, or "
        "please report this, with the file"
    )
    report = unjudged(words)
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
        return failed(error)
