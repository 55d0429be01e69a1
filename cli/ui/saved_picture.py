"""The picture of a finished game that a person saves from a screen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from ..exit_codes import Trouble
from ..local.new_files import write_new
from ..table_view.stage import Stage
from ..words.translation import _


def save_here(name: str, text: str) -> str:
    """Save a picture as a new file in the current folder, and return what came of it."""
    path = Path(name)
    try:
        write_new(path, text)
    except Trouble as trouble:
        return str(trouble)
    return _("The picture is in {path}.").format(path=path.absolute())


def save_picture(stage: Stage, save: Callable[[str, str], str] = save_here) -> str | None:
    """Save a picture of a game that is over, and return what came of it. None before the end.

    Args:
        save: Saves a text under a name, and returns what came of it.
    """
    scene, names = stage.scene, stage.names
    if scene.standings is None or names is None:
        return None
    # Loaded here, because hardly anybody saves a picture.
    from ..pictures.game_picture import game_picture
    from ..pictures.picture_facts import PictureFacts

    facts = PictureFacts.of_scene(scene, names, date.today().isoformat())
    return save(f"hoity-{scene.game}.svg", game_picture(facts))
