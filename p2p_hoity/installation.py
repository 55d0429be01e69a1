"""How this program was installed: as packages of a Python, or as one file that holds everything."""

from __future__ import annotations

import sys

from .shell_words import command


def is_one_file() -> bool:
    """Return whether this is the program of one file, with a Python that takes no packages."""
    return bool(getattr(sys, "frozen", False))


def download_place() -> str:
    """Return where this build of the program can be had: the URL `Download` of [project.urls].

    It is "" if pyproject.toml has none, or if the program runs from its source.
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
    """Return the command, quoted for the shell, that installs packages for this Python."""
    return command(sys.executable, "-m", "pip", "install", *packages)
