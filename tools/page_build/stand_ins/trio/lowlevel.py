"""Turns of the loop, and tasks that wait."""

from __future__ import annotations

from ._scopes import checkpoint
from ._turns import ParkingLot

__all__ = ["ParkingLot", "checkpoint"]
