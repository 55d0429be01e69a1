"""Machines compute with cheap building blocks, but where a test chooses them itself."""

import pytest
from support.inspection import alter
from support.machine_table import MachineTable, begun_table
from support.toy_game import ToyGame

OWN = ("test_mutants", "test_simulated", "test_weighing")


@pytest.fixture(autouse=True)
def _cheap(request: pytest.FixtureRequest) -> None:
    """Exchange the building blocks."""
    if request.path.stem not in OWN:
        request.getfixturevalue("cheap")


@pytest.fixture
def table() -> MachineTable:
    """Return a game that has begun for seat 0, which knows of no links between others."""
    found = begun_table(ToyGame(4, 1))
    alter(found.machine(), hears={})
    return found
