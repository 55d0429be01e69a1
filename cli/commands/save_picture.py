"""The option `--picture` of `replay`, which saves the picture of a game in a new file."""

from __future__ import annotations

from pathlib import Path

from protocol import transcript

from ..exit_codes import NOT_OK, OK, Trouble
from ..local.mistaken_files import explanation
from ..local.new_files import write_new
from ..pictures.game_picture import game_picture
from ..pictures.picture_facts import PictureFacts
from ..printing import complain, say
from ..words.translation import _
from ..words.verdicts import Mark, in_words
from .list_games import date


def save_picture(source: Path, mark: Mark, report: transcript.Report, target: Path) -> int:
    """Save the picture of a game, as far as its transcript is valid, in a new file.

    Args:
        source: The path of the transcript, for messages.
        target: The new file, or a device or pipe.

    Raises:
        Trouble: If the game was not even set up, or the file exists or cannot be written.
    """
    facts = PictureFacts.of_report(report, date(mark[1] // 1_000_000_000)[:10])
    if facts is None:
        raise Trouble([*in_words(source, report), *explanation(source, report)], NOT_OK)
    # A device may be the standard output, where only the picture belongs.
    if write_new(target, game_picture(facts)):
        say(_("The picture is in {path}.").format(path=target))
    for line in [] if report.ok else in_words(source, report):
        complain(line)
    return OK if report.ok else NOT_OK
