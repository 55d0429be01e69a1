"""Whether this machine can keep a game: where its transcript goes, and where its journal is."""

from __future__ import annotations

from pathlib import Path

from p2p_hoity.storage import journal as journals
from p2p_hoity.storage import rollback_marks, transcript_archive
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import check_if_there

from ..exit_codes import USAGE, Trouble
from ..words.reasons import sentence
from ..words.translation import _


def check_output(path: Path | None) -> None:
    """Trouble if the transcript could not be written there."""
    if path is None:
        return
    if path.is_dir():
        words = _("{path} is a folder; name a file for the transcript.")
        raise Trouble(words.format(path=path), USAGE)
    why = None if path.exists() and not path.is_file() else transcript_archive.why_not(path.parent)
    if why is not None:
        words = _("The transcript cannot be written to {path}: {why}. Name another file.")
        raise Trouble(words.format(path=path, why=sentence(why)), USAGE)


def check_home(home: Home) -> None:
    """Trouble if a game could not be kept there."""
    places = (home.journals, home.transcripts)
    named = [*((place, "HOITY_HOME") for place in places), (rollback_marks.folder(), "HOITY_MARKS")]
    for folder, variable in named:
        why = transcript_archive.why_not(folder)
        if why is not None:
            words = _(
                "Games cannot be kept in {path}: {why}. Make room there and let it be written to,"
                " or name another folder with {variable}."
            )
            raise Trouble(words.format(path=folder, why=sentence(why), variable=variable), USAGE)
        check_if_there(folder)
    check_if_there(home.path)
    journals.check_marks(home.path)
