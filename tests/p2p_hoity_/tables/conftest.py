"""Whole tables in one process: cheap cards, shared nodes and a virtual clock."""

from support.patient_clock import run_on_virtual_time as pytest_itemcollected
from support.player_table import cheap_table, pair, three

__all__ = ["cheap_table", "pair", "pytest_itemcollected", "three"]
