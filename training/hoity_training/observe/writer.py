"""A table of features that is filled column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .scene import Numbers


class Writer:
    """Fills the columns of a table one after the other."""

    def __init__(self, rows: int, columns: int) -> None:
        self._table: Numbers = np.zeros((rows, columns), np.float32)
        self._at = 0

    def put(self, *columns: NDArray[Any] | int) -> None:
        """Each one column (rows,), or several (number, rows), or one number for all rows."""
        for column in columns:
            end = self._at + (1 if isinstance(column, int) or column.ndim == 1 else len(column))
            if not isinstance(column, int) or column:
                self._table[:, self._at : end].T[:] = column
            self._at = end

    def done(self) -> Numbers:
        """The table. RuntimeError if a column is missing, or is one too many."""
        if self._at != self._table.shape[1]:
            raise RuntimeError(f"{self._at} columns are no {self._table.shape[1]}")
        return self._table
