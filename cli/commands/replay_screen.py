"""The replay on a full screen: a verified file as a film of its moments."""

from __future__ import annotations

from p2p_hoity.game_adapter import Play, happenings_since
from protocol import Node, transcript

from ..ui.full_screen.replaying import Film, Moment, ReplayApp


def moments(node: Node) -> list[Moment]:
    """Every step of the game in which something happened, in order."""
    found: list[Moment] = []
    told = 0
    for _before, _slots, after in transcript.steps_to(node):
        play = after.state
        if isinstance(play, Play) and play.length > told:
            found.append(Moment(tuple(happenings_since(play, told)), play.state))
            told = play.length
    return found


def show(node: Node) -> bool:
    """Show it until it is left; whether there was anything to show, and the screen did not fail."""
    found = moments(node)
    if not found:
        return False
    app = ReplayApp(Film(node.table, found))
    app.run()
    return app.failure is None
