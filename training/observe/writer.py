"""A table of features that is filled column by column."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from .scene import Numbers


class Writer:
    """Fills the columns of a table one after the other."""

    def __init__(self, rows: int, columns: int) -> None:
        self._table: Numbers = np.zeros((rows, columns), np.float32)
        self._at = 0

    def put(self, *columns: ArrayLike) -> None:
        """These columns; each (rows,) or one number for all."""
        self.put_all(columns)

    def put_all(self, columns: Iterable[ArrayLike]) -> None:
        """The same."""
        for column in columns:
            if not isinstance(column, int) or column:
                self._table[:, self._at] = column
            self._at += 1

    def done(self) -> Numbers:
        """The table. RuntimeError if a column is missing, or is one too many."""
        if self._at != self._table.shape[1]:
            raise RuntimeError(f"{self._at} columns are no {self._table.shape[1]}")
        return self._table
