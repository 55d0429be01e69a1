"""The lines that a screen leaves on the terminal when it has closed."""

from __future__ import annotations

from ..words.end_sentences import ended, kept_as, won
from ..words.translation import _
from .stage import Stage


def closing_lines(stage: Stage) -> list[str]:
    """Return how the game ended and where the transcript is."""
    scene, names, lines = stage.scene, stage.names, list[str]()
    if scene.standings and names is not None:
        lines.append(won(scene.standings, names))
        each = [f"{s.rank} {names.nicknames[s.seat]} {s.field}" for s in scene.standings]
        lines.append(_("The game is over: {standings}").format(standings=" · ".join(each)))
    if scene.ended is not None:
        lines.append(ended(scene.ended, names, scene.game))
    if scene.transcript is not None:
        lines += kept_as(scene.transcript, bool(scene.standings))
    return lines
