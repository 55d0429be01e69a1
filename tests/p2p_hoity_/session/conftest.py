"""Whole tables in one process: a node that one seat has checked is checked for all of them."""

from collections.abc import Iterator

import pytest
from support.sim.cheap import shared_nodes


@pytest.fixture(autouse=True)
def _each_proof_checked_once() -> Iterator[None]:
    """The seats of a table share its nodes; who verifies its transcripts shares nothing."""
    with shared_nodes():
        yield
