"""What a player may ask of the program at any time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WaitLonger:
    """The request to give the awaited seats more time before the step times out."""


@dataclass(frozen=True)
class Talk:
    """The request to say something to the table: plain text, or the number of a phrase."""

    words: str | int


@dataclass(frozen=True)
class LeaveForNow:
    """The request to leave the table, to tell the others so, and to come back later."""


PlayerRequest = WaitLonger | Talk | LeaveForNow
