"""The screen of lines of one seat at a table of three, and what it says."""

from cli.ui.lines.line_screen import LineScreen
from p2p_hoity import game_adapter, rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from protocol.chain.chain_state import Table
from protocol.wire import table_header
from protocol.wire.table_header import Terms
from support.cli_stage import until
from support.machine_table import identity, seat_at
from support.rules_driver import Referee

MUSTER = updates.Muster(3, 2, 2)
"""All seats of a table of three are there, and two are enough."""


def bound(seats: int = 3) -> Table:
    """Return a table of seeded seats before its first step."""
    game = game_adapter.game_value(load(), None)
    terms = Terms(identity(0).public, b"n" * 32, game, seats, table_header.default_quorum(seats))
    return seat_at(terms, game_adapter.read_game)[0]


def view() -> rules.View:
    """Return what seat 0 sees when it first chooses a Place."""
    return until(Referee.seat(load(), 3, 1), "place", 0)


def told(options: str = "") -> tuple[LineScreen, list[str]]:
    """Return the screen of seat 0, and what it says from now on."""
    said: list[str] = []
    screen = LineScreen(said.append, options)
    screen(updates.Started(bound(), 0))
    screen.follow(updates.Happened((), view()))
    said.clear()
    return screen, said


def said_of(*heard: updates.Update) -> list[str]:
    """Return what the screen of seat 0 says when it hears this."""
    screen, said = told()
    for update in heard:
        screen(update)
    return said
