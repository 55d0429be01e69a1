"""Whole tables in one process: cheap cards, shared nodes and, but for threads, a virtual clock."""

import pytest
from support.patient_clock import run_on_virtual_time
from support.player_table import cheap_table, pair, three

__all__ = ["cheap_table", "pair", "three"]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let all tests but those that wait for threads run on a virtual clock."""
    if item.path.name != "test_frames_in.py":
        run_on_virtual_time(item)
