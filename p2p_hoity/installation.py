"""How this program was installed: as packages of a Python, or as one file that holds everything."""

from __future__ import annotations

import sys

from .shell_words import command


def is_one_file() -> bool:
    """Return whether this is the program of one file.

    Returns:
        True if so: it holds a Python of its own, into which no package can be installed.
    """
    return bool(getattr(sys, "frozen", False))


def download_place() -> str:
    """Return where this build of the program can be had.

    Returns:
        The URL `Download` of `[project.urls]` in pyproject.toml. "" if it has none, or if the
        program runs from its source.
    """
    from importlib import metadata  # Only a host needs it.

    try:
        listed = metadata.metadata("p2p-hoity").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    for name, _, place in (line.partition(",") for line in listed):
        if name.lower() == "download":
            return str(place.strip())
    return ""


def install_command(*packages: str) -> str:
    """Return the command that installs packages for the Python that runs this program.

    Args:
        packages: The names of the packages.

    Returns:
        The command, quoted for the shell.
    """
    return command(sys.executable, "-m", "pip", "install", *packages)
