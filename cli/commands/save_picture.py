"""The option `--picture` of `replay`, which saves the picture of a game in a new file."""

from __future__ import annotations

from pathlib import Path

from p2p_hoity.game_adapter import Play, happenings_since
from p2p_hoity.presentation.figure_paths import figure_paths
from p2p_hoity.storage import transcript_archive
from p2p_hoity.storage.private_files import NAMED
from protocol import transcript

from ..exit_codes import NOT_OK, OK, USAGE, Trouble
from ..pictures.game_picture import game_picture
from ..pictures.picture_facts import PictureFacts
from ..printing import complain, say
from ..words.error_sentences import of_system
from ..words.translation import _
from .list_games import date
from .verify import Mark, explanation, in_words, of_problem


def check_picture(path: Path) -> None:
    """Check that a picture would replace no file.

    Raises:
        Trouble: If there is a file or a folder already.
    """
    if path.is_dir():
        words = _("{path} is a folder; name a file for the picture.")
        raise Trouble(words.format(path=path), USAGE)
    is_link_to_nothing = path.is_symlink() and not path.exists()  # The link would be replaced.
    if path.is_file() or is_link_to_nothing:
        raise _replaces(path)


def _replaces(path: Path) -> Trouble:
    words = _("{path} exists already, and a picture replaces no file. Name another file.")
    return Trouble(words.format(path=path), USAGE)


def save_picture(source: Path, mark: Mark, report: transcript.Report, target: Path) -> int:
    """Save the picture of a game, as far as its transcript is valid, in a new file.

    Args:
        source: The path of the transcript, for messages.
        target: The new file, or a device or pipe.

    Raises:
        Trouble: If the game was not even set up, or the file exists or cannot be written.
    """
    facts = facts_of(report, date(mark[1] // 1_000_000_000)[:10])
    if facts is None:
        raise Trouble([*in_words(source, report), *explanation(source, report)], NOT_OK)
    write_picture(target, game_picture(facts))
    for line in [] if report.ok else in_words(source, report):
        complain(line)
    return OK if report.ok else NOT_OK


def facts_of(report: transcript.Report, day: str) -> PictureFacts | None:
    """Return what a picture of a game is about, None if the game was not even set up."""
    play = report.node.state if report.node is not None else None
    record = happenings_since(play) if isinstance(play, Play) else []
    if not isinstance(play, Play) or not figure_paths(record):
        return None
    return PictureFacts(
        edition=play.state.edition,
        nicknames=tuple(entry.nickname for entry in report.seats),
        record=tuple(record),
        standings=play.state.standings,
        game=report.table[:16],
        date=day,
        is_valid=report.ok or report.unfinished,
        verdict=verdict(report),
    )


def verdict(report: transcript.Report) -> str:
    """Return the sentence of a picture about its file."""
    if report.unfinished:
        return _("Verified as far as it was played: every signature, proof, commitment and rule.")
    if report.problem is None:
        return _("Verified: every signature, proof, commitment and rule.")
    words = _("Not valid. The picture ends before the first thing that is invalid: {words}.")
    return words.format(words=of_problem(report.problem))


def write_picture(path: Path, picture: str) -> None:
    """Write a picture into a new file, and say where it is, or into a device or pipe.

    Raises:
        Trouble: If the file exists or cannot be written.
    """
    is_stream = transcript_archive.is_stream(path)
    try:
        NAMED.put(path.absolute(), picture.encode(), once=not is_stream)
    except FileExistsError as error:
        raise _replaces(path) from error
    except OSError as error:
        words = _("The picture cannot be written to {path}: {why}. Name another file.")
        raise Trouble(words.format(path=path, why=of_system(error)), USAGE) from error
    # A device may be the standard output, where only the picture belongs.
    if not is_stream:
        say(_("The picture is in {path}.").format(path=path))
