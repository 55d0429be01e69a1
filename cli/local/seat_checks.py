"""The checks of this machine before a player sits down: that there is room to store the game."""

from __future__ import annotations

from pathlib import Path

from p2p_hoity.storage import journal as journals
from p2p_hoity.storage import rollback_marks, transcript_archive
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import check_if_there

from ..exit_codes import USAGE, Trouble
from ..words.error_sentences import sentence
from ..words.translation import _


def check_output(path: Path | None, game: str | None = None) -> None:
    """Check that a transcript could be written to a file, a device or a pipe, and replaces none.

    Args:
        game: The name of the game that is continued, which may replace its own file. None for a new
            game. "" for a game that is not known yet, whose file any transcript may be.

    Raises:
        Trouble: If it could not be written, or the file is there already.
    """
    if path is None:
        return
    is_link_to_nothing = path.is_symlink() and not path.exists()  # The link would be replaced.
    is_own = game is not None and path.is_file() and transcript_archive.is_of_game(path, game)
    if (path.is_file() and not is_own) or is_link_to_nothing:
        words = _("{path} exists already, and a transcript replaces no file. Name another file.")
        raise Trouble(words.format(path=path), USAGE)
    if path.is_dir():
        words = _("{path} is a folder; name a file for the transcript.")
        raise Trouble(words.format(path=path), USAGE)
    why = None if path.exists() else transcript_archive.why_not(path.parent)
    if why is not None:
        words = _("The transcript cannot be written to {path}: {why}. Name another file.")
        raise Trouble(words.format(path=path, why=sentence(why)), USAGE)


def check_home(home: Home) -> None:
    """Check that a game could be stored on this computer.

    Raises:
        Trouble: If it could not be stored.
    """
    places = (home.journals, home.transcripts)
    named = [
        *((place, "HOITY_HOME") for place in places),
        (rollback_marks.folder(None), "HOITY_MARKS"),
    ]
    for folder, variable in named:
        why = transcript_archive.why_not(folder)
        if why is not None:
            words = _(
                "Games cannot be stored in {path}: {why}. Make sure that there is room and that "
                "you may write there, or choose another folder with {variable}."
            )
            raise Trouble(words.format(path=folder, why=sentence(why), variable=variable), USAGE)
        check_if_there(folder)
    check_if_there(home.path)
    journals.check_marks(home.path)
