"""Fixtures of the protocol's tests."""

from collections.abc import Iterator

import pytest
from support.sim.cheap import cheap_blocks


@pytest.fixture
def cheap() -> Iterator[None]:
    """Let the machines of a test compute with cheap building blocks, and share their nodes."""
    with cheap_blocks():
        yield
