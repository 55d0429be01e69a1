"""The picture of a finished game that a person saves from a screen."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from ..exit_codes import Trouble
from ..local.new_files import write_new
from ..table_view.stage import Stage
from ..words.translation import _


def save_picture(stage: Stage) -> str | None:
    """Save a picture in the current folder, and return what came of it. None before the end."""
    scene, names = stage.scene, stage.names
    if scene.standings is None or names is None:
        return None
    # Loaded here, because hardly anybody saves a picture.
    from ..pictures.game_picture import game_picture
    from ..pictures.picture_facts import PictureFacts

    path = Path(f"hoity-{scene.game}.svg")
    facts = PictureFacts.of_scene(scene, names, date.today().isoformat())
    try:
        write_new(path, game_picture(facts))
    except Trouble as trouble:
        return str(trouble)
    return _("The picture is in {path}.").format(path=path.absolute())
