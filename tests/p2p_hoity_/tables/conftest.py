"""Whole tables in one process: integers in the place of card points, and shared nodes."""

from support.player_table import cheap_table

__all__ = ["cheap_table"]
