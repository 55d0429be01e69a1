"""Fixtures of the tests of consensus."""

from collections.abc import Iterator

import pytest
from support.models.epochs import Model
from support.tiny_table import tiny_steps


@pytest.fixture
def model() -> Iterator[Model]:
    """Return a small table of four seats, of which the last is faulty, and two steps."""
    with tiny_steps():
        yield Model(4, 3, {3}, "AA")
