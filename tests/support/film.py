"""A whole game by the rules alone, as a film that a replay shows."""

from cli.table_view.film import Film, Moment
from p2p_hoity import rules
from protocol import game_interface
from support.moments import begun
from support.screened import table


def film(seats: int = 3, seed: int = 1) -> Film:
    """A whole game by its moments."""
    shown, found = begun(seats, seed), []
    while not isinstance(rules.expected(shown.driver.state), game_interface.Over):
        before = len(shown.driver.record)
        shown.driver.step()
        if items := tuple(shown.driver.record[before:]):
            found.append(Moment(items, shown.driver.state))
    return Film(table(seats, shown.driver.state.variant), found)
