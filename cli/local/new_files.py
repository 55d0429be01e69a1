"""Files that a command writes for the player, such as a picture: new ones, none is replaced."""

from __future__ import annotations

from pathlib import Path

from p2p_hoity.storage import transcript_archive
from p2p_hoity.storage.private_files import NAMED

from ..exit_codes import USAGE, Trouble
from ..words.error_sentences import of_system
from ..words.translation import _


def check_new(path: Path) -> None:
    """Check that a file would replace none.

    Raises:
        Trouble: If there is a file or a folder already.
    """
    if path.is_dir():
        raise Trouble(_("{path} is a folder; name a file.").format(path=path), USAGE)
    is_link_to_nothing = path.is_symlink() and not path.exists()  # The link would be replaced.
    if path.is_file() or is_link_to_nothing:
        raise _replaces(path)


def _replaces(path: Path) -> Trouble:
    words = _("{path} exists already, and no file is replaced. Name another file.")
    return Trouble(words.format(path=path), USAGE)


def write_new(path: Path, text: str) -> bool:
    """Write a new file, or to a device or pipe. Return whether it is a file.

    Raises:
        Trouble: If the file exists or cannot be written.
    """
    is_stream = transcript_archive.is_stream(path)
    try:
        NAMED.put(path.absolute(), text.encode(), once=not is_stream)
    except FileExistsError as error:
        raise _replaces(path) from error
    except OSError as error:
        words = _("{path} cannot be written: {why}. Name another file.")
        raise Trouble(words.format(path=path, why=of_system(error)), USAGE) from error
    return not is_stream
