"""How this program starts itself again: a bot, or the lesson before a game."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from p2p_hoity.installation import is_one_file


def own_command(*words: str) -> list[str]:
    """Return the command that runs the same installation with these words after `hoity`."""
    if is_one_file():
        return [sys.executable, *words]
    # By `-P` no module in the folder where the player stands is run in place of ours.
    return [sys.executable, "-P", "-m", "cli", *words]


def own_environment() -> Mapping[str, str]:
    """Return the environment in which `own_command` finds the program's packages."""
    if is_one_file():
        return os.environ
    here = str(Path(__file__).resolve().parents[2])
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
