"""What comes for the next table while this one still ends: kept in order, a share for each node."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from protocol.bounds import Quota

from ..net.events import Event, Frame

MOST_FRAMES: Final[Quota] = 64
"""Frames kept of each node. Of what is lost the seats ask each other again, save for the frame that
shows a seat's table: without it nothing of that seat is read until its link is made anew. So no
node may use up the room of another."""


@dataclass
class EarlyEvents:
    """Events for the next table.

    Attributes:
        events: What was kept, in the order in which it came.
    """

    events: list[Event] = field(default_factory=list)
    _frames: Counter[bytes] = field(default_factory=Counter)

    def keep(self, event: Event) -> None:
        """Keep an event, unless it is a frame of a node of which enough are kept."""
        if isinstance(event, Frame):
            if self._frames[event.peer] >= MOST_FRAMES:
                return
            self._frames[event.peer] += 1
        self.events.append(event)
