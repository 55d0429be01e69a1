"""Machines compute with cheap building blocks, but where a test chooses them itself."""

import pytest

OWN = ("test_mutants", "test_simulated", "test_weighing")


@pytest.fixture(autouse=True)
def _cheap(request: pytest.FixtureRequest) -> None:
    """Exchange the building blocks."""
    if request.path.stem not in OWN:
        request.getfixturevalue("cheap")
