"""The size below which there is no full screen."""

from __future__ import annotations

from typing import Final

COLUMNS: Final = 80


ROWS: Final = 24


def is_small(columns: int, rows: int) -> bool:
    """Whether a window is too small for the table."""
    return columns < COLUMNS or rows < ROWS
