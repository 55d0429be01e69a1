"""Whose a folder on this computer's disk is, and which advice about its access harms nobody.

Who follows the advice to close /etc, or to take it over, as root would break the computer. So such
advice is given only for folders of this program, and for those inside the user's home folder.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

KEY: Final = b"hoity-key-"
"""How the file of a player's key begins."""
OURS: Final = ("identity", "journals", "transcripts", "settings.json", "games.json")
"""The names of files and folders in the highest folder of a player's files."""
BESIDE: Final = (".joining", ".held", ".new", "bots")
"""How all other names in that folder end."""
NEAR: Final = 5
"""How many folders above a path are looked at: a bot's files are as deep in the player's."""


def closing(path: Path, is_folder: bool) -> tuple[str | Path, ...] | None:
    """Return the command that keeps other users from a file or folder of this program.

    In a copy of a player's folder all files are open. So the command is for the whole folder, if
    nothing else is in it. It is given as words that are not quoted, and None if the folder may have
    files of other programs, as /etc has.
    """
    above = (path, *path.parents)[: NEAR + 1]
    for place in reversed(above):
        if _has_key(place) and _has_only_ours(place):
            return "chmod", "-R", "go=", os.path.realpath(place)
    if not is_folder:
        return "chmod", "600", path
    return ("chmod", "700", path) if _is_harmless(path, above) else None


def _has_key(folder: Path) -> bool:
    """Return whether the file of a player's key is in a folder."""
    with suppress(OSError):
        # A folder above may be another user's: a pipe there would block, a link lead anywhere.
        if stat.S_ISREG((folder / "identity").lstat().st_mode):
            return (folder / "identity").read_bytes().startswith(KEY)
    return False


def _has_only_ours(folder: Path) -> bool:
    """Return whether everything in a folder is of this program, and no system could need it."""
    names = [path.name for path in folder.iterdir()]
    known = all(name in OURS or name.endswith(BESIDE) or name.startswith(".") for name in names)
    # A folder directly below the root may be the system's, whatever its names look like.
    return known and bool(names) and len(folder.parts) > 2


def _is_harmless(folder: Path, above: tuple[Path, ...]) -> bool:
    """Return whether closing a folder to other users would harm no other program."""
    try:
        is_empty = not any(folder.iterdir())
    except OSError:
        return True  # The error of the system is told when the folder is used.
    if is_empty:
        return _is_below_home(folder)
    ours = [place for place in above if any(os.path.lexists(place / name) for name in OURS)]
    return any(_is_below_home(place) or _has_only_ours(place) for place in ours)


def _is_below_home(path: Path) -> bool:
    """Return whether a path, without its links, is below the user's home folder."""
    with suppress(OSError, RuntimeError):
        own, real = Path(os.path.realpath(Path.home())), Path(os.path.realpath(path))
        # The home folder of a service may be the root, and then everything would be below it.
        return len(own.parts) > 1 and own in real.parents
    return False


@dataclass(frozen=True)
class Foreign:
    """A folder or file that another user owns and this one cannot use.

    Attributes:
        owner: The name of the other user.
        user: The name of the user of this process.
        take: The words of the command that takes it over, not quoted. None outside the user's home
            folder.
    """

    path: Path
    owner: str
    user: str
    take: tuple[str, ...] | None


def foreign(folder: Path) -> Foreign | None:
    """Return what keeps the user from a folder because another user owns it, or None.

    It may be the folder, which need not exist, the nearest one above it, or what is in it.
    """
    if os.name == "nt":
        return None
    there = next(place for place in (folder, *folder.parents) if _owner(place) is not None)
    inside = [folder / name for name in (*OURS, "bots")] if there == folder else []
    for place in (there, *inside):
        owner = _owner(place)
        if owner is None or owner == os.geteuid() or _is_usable(place):
            continue
        is_own, is_above = _is_below_home(place), there != folder
        if is_above and not is_own and os.access(place, os.X_OK):
            return None  # That no folder can be made in /srv, the system tells.
        take = _taking(folder if place in inside else place, owner) if is_own else None
        return Foreign(place, _name(owner), _name(os.geteuid()), take)
    return None


def _owner(path: Path) -> int | None:
    """Return the number of the user who owns a file or folder. None if it cannot be told."""
    with suppress(OSError):
        return path.stat().st_uid
    return None


def _is_usable(path: Path) -> bool:
    """Return whether the user of this process can use a file or folder of another user."""
    needed = os.R_OK | (os.X_OK if path.is_dir() else 0)
    return os.access(path, needed | (os.W_OK if _is_below_home(path) else 0))


def _taking(path: Path, owner: int) -> tuple[str, ...]:
    """Return the command that takes over the highest folder below the home folder of this owner."""
    top = path
    while _is_below_home(top.parent) and _owner(top.parent) == owner:
        top = top.parent
    return "sudo", "chown", "-R", _name(os.geteuid()), os.path.realpath(top)


def _name(number: int) -> str:
    """Return the name of a user."""
    import pwd  # Windows has none.

    with suppress(KeyError):
        return pwd.getpwuid(number).pw_name
    return str(number)
