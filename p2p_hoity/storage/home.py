"""The folder of a player's files (the home): the key, the journals and the transcripts.

Where a store is asked for, None stands for this computer's disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..coded_errors import Code, CodedError
from ..shell_words import command
from .folder_owner import foreign

if TYPE_CHECKING:
    from .file_store import FileStore


Real = Callable[[Path], str | Path]
"""`FileStore.real`, or the function of the disk for it."""
Has = Callable[[Path], bool]
"""`FileStore.has`, or the function of the disk for it."""


class FolderCode(Code):
    """The reasons why an environment variable cannot name a folder of the player's files."""

    RELATIVE = (
        "folder-not-whole",
        "{name} in the environment is {text}. That is not the whole path of a folder, so it would "
        "mean other files in each folder in which you start the program. Set {name} to a whole "
        "path, such as {example}, without quotes, without spaces around it, and without the name "
        "of a variable.",
    )
    GONE = (
        "folder-gone",
        "{path} leads to {target}, which is not there. If it is on a disk that can be taken out, "
        "put the disk in and mount it.",
    )
    NO_FOLDER = (
        "folder-is-none",
        "{path} is no folder. Set {name} to a folder for this program alone, such as {example}.",
    )
    FOREIGN = (
        "folder-of-another",
        "{path} belongs to the user {owner}, so this program cannot use it for {user}. Perhaps it "
        "was made when a program was run with sudo. If it is yours, take it over with: {command}",
    )
    ELSEWHERE = (
        "folder-of-another-elsewhere",
        "{path} belongs to the user {owner}, so this program cannot use it for {user}. Set {name} "
        "to a folder for this program alone, such as {example}.",
    )
    EVERYTHING = (
        "folder-of-everything",
        "{name} in the environment is {text}. That is your home folder or a folder above it, and "
        "the files of this program would lie among all others. Set {name} to a folder for this "
        "program alone, such as {example}.",
    )


class FolderError(CodedError):
    """An error: an environment variable names no folder that can hold the player's files."""


@dataclass(frozen=True)
class Home:
    """The folder of one player's files, with the paths of the files in it."""

    path: Path
    store: FileStore | None = None

    @cached_property
    def files(self) -> FileStore:
        """The store of the files of this folder."""
        from .private_files import PrivateFiles  # A help page does not need it.

        return self.store or PrivateFiles(self.path)

    @cached_property
    def unchecked(self) -> FileStore:
        """The store of the files without a secret, such as transcripts, which others may read."""
        from .private_files import NAMED  # A help page does not need it.

        return self.store or NAMED

    @property
    def identity(self) -> Path:
        """The file with the player's long-lived key."""
        return self.path / "identity"

    @property
    def journals(self) -> Path:
        """The folder of the journals, one for each unfinished game."""
        return self.path / "journals"

    @property
    def transcripts(self) -> Path:
        """The folder of the transcripts of finished games."""
        return self.path / "transcripts"


def transcripts(home: Home) -> list[Path]:
    """Return the paths of the transcripts of finished games, newest first."""
    files = home.unchecked
    found = files.list(home.transcripts, ".hoity")
    return sorted(found, key=lambda path: (-written(files, path), path.name))


def written(files: FileStore, path: Path) -> int:
    """Return when a file was last modified, in seconds since 1970, or 0 if it is gone."""
    with suppress(OSError):
        return files.info(path).changed // 1_000_000_000
    return 0


def home() -> Home:
    """Return the folder that HOITY_HOME names, or else the usual one. It need not exist yet.

    A FolderError is raised if the variable names no folder for this program alone.
    """
    return Home(own_folder("HOITY_HOME", "XDG_DATA_HOME", _usual))


def _usual() -> Path:
    from platformdirs import user_data_path

    return user_data_path("hoity", appauthor=False)


def own_folder(
    variable: str, of_platform: str, usual: Callable[[], Path], store: FileStore | None = None
) -> Path:
    """Return the absolute path of a folder of this program that an environment variable can name.

    Args:
        variable: The variable. `~` at its beginning is the user's home folder, also where no shell
            has replaced it.
        of_platform: The variable on which the usual folder depends.

    Raises:
        FolderError: If the path is relative, leads to a place that is gone, or is no folder, if
            another user keeps this one from the folder, or if it is the user's home folder or above
            it, and nothing of this program is there yet.
    """
    named = os.environ.get(variable, "")
    path = Path(os.path.expanduser(named)) if named else usual()
    own = variable
    instead = _example("hoity-marks" if variable == "HOITY_MARKS" else "hoity")
    if not named:
        variable = of_platform if of_platform in os.environ else "HOME"
    # Spaces around the name would make another folder, which looks the same in a list.
    if not path.is_absolute() or named != named.strip():
        told = named or os.environ.get(variable, "")
        raise FolderError(FolderCode.RELATIVE, name=variable, text=told, example=instead)
    # Not `NAMED`: even a help page looks for the settings in this folder.
    real, has = (store.real, store.has) if store else (os.path.realpath, os.path.lexists)
    _check_links(path, real, has)
    if store is None:
        _check_owner(path, own, instead)
    if named and _is_everything(path, real, has):
        raise FolderError(FolderCode.EVERYTHING, name=variable, text=named, example=instead)
    return path


def _check_links(path: Path, real: Real, has: Has) -> None:
    """Check that no link among a folder and those above it leads to a place that is gone.

    Otherwise the player would be told that there is no key and no game.
    """
    for place in (path, *path.parents):
        with suppress(OSError):
            if has(place) and not has(target := Path(real(place))):
                raise FolderError(FolderCode.GONE, path=str(place), target=str(target))


def _check_owner(path: Path, variable: str, instead: str) -> None:
    """Check that a path is a folder, if it exists, and that no other user keeps it."""
    if os.path.exists(path) and not os.path.isdir(path):
        raise FolderError(FolderCode.NO_FOLDER, path=str(path), name=variable, example=instead)
    if (found := foreign(path)) is None:
        return
    whose = {"path": str(found.path), "owner": found.owner, "user": found.user}
    if found.take is not None:
        raise FolderError(FolderCode.FOREIGN, **whose, command=command(*found.take))
    raise FolderError(FolderCode.ELSEWHERE, **whose, name=variable, example=instead)


def _is_everything(path: Path, real: Real, has: Has) -> bool:
    """Return whether a folder is or contains the user's home folder, and has no key in it."""
    with suppress(OSError, RuntimeError):
        # A player who has a key there already must be able to go on with it.
        return Path(real(Path.home())).is_relative_to(real(path)) and not has(path / "identity")
    return False


def _example(name: str = "hoity") -> str:
    """Return a folder that the user could choose, in the home folder if that is known."""
    folder = Path(os.path.expanduser("~"))
    return str((folder if folder.is_absolute() else Path(os.path.abspath(os.sep))) / name)
