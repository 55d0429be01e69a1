"""A lying process that tries to part honest `hoity` processes before the game begins ([D-3]).

Either all of them play, or all leave and can take their seats again.
"""

from pathlib import Path

import pytest
from support.liars.parting import CARRIERS, CLOSED
from support.process_table import ProcessTable
from support.sampling import AT_WORK

pytestmark = AT_WORK

TIMES = "8000,3000,1000,8000"
QUICK = "notice"


def parted(path: Path, carrier: str, seconds: str) -> ProcessTable:
    """Return a table of four whose host lies, once all others are there and have ended."""
    habits = {0: (f"lie=part:{carrier}:{seconds}",)}
    table = ProcessTable(path, 4, habits, timeouts=TIMES)
    with table:
        table.fill()
        table.running[0].read_until("type", "parted")
        for number in (1, 2, 3):
            table.running[number].end()
    for number in (1, 2, 3):
        assert "Traceback" not in table.running[number].errors()
    return table


@pytest.mark.parametrize(
    "carrier", [c if c == QUICK else pytest.param(c, marks=pytest.mark.nightly) for c in CARRIERS]
)
def test_whoever_is_told_something_else_plays_with_the_others(tmp_path: Path, carrier: str) -> None:
    table = parted(tmp_path, carrier, "1.5")
    for number in (1, 2, 3):
        assert table.running[number].last["code"] is None, table.running[number].lines[-5:]
        assert not table.seen(number, "away")


@pytest.mark.nightly
@pytest.mark.parametrize("carrier", CARRIERS)
def test_who_waits_until_a_link_ends_begins_no_game(tmp_path: Path, carrier: str) -> None:
    table = parted(tmp_path, carrier, CLOSED)
    for number in (1, 2, 3):
        last = table.running[number].last
        assert (last["type"], last["code"]) == ("ending", "deck-unconfirmed")
        assert list((tmp_path / str(number)).glob("**/*.journal"))
