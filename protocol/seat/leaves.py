"""What one node holds of seats that have left for now: of each its last leave, and who is away.

A leave makes nobody absent. It lets a node count its own patience as out, and only where all who
are awaited have signed one: to everybody else that node's clock is merely fast.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..consensus.message_store import MessageStore
from ..consensus.view import View
from ..wire.leaves import Leave


@dataclass
class Held:
    """A leave, since when it is held, and whether a link with its seat has come up since."""

    leave: Leave
    since: float
    is_back: bool = False


class Leaves:
    """The last leave of each seat: one each, whatever a liar signs ([L-23])."""

    def __init__(self) -> None:
        """Nobody has left."""
        self._held: dict[int, Held] = {}
        self._told: dict[int, int] = {}

    def last(self, seat: int) -> Leave | None:
        """The leave of this seat with the highest number, if any."""
        held = self._held.get(seat)
        return None if held is None else held.leave

    def number(self, seat: int) -> int:
        """The highest number of a leave of this seat; 0 for none."""
        last = self.last(seat)
        return 0 if last is None else last.number

    def keep(self, leave: Leave, now: float) -> None:
        """Put a leave, whose signature holds, in the place of the seat's one before."""
        self._held[leave.seat] = Held(leave, now)

    def since(self, seat: int) -> float:
        """Since when the seat's last leave is held."""
        return self._held[seat].since

    def note_link(self, seat: int) -> None:
        """A link with this seat is up: whoever left before is there again."""
        if seat in self._held:
            self._held[seat].is_back = True

    def away(self, store: MessageStore, view: View, granted: float | None = None) -> list[Leave]:
        """The leaves that hold where this node stands, by seat ([E-25]).

        `granted`: only those that came after this moment, at which a player wished to wait longer.
        """
        return [
            held.leave
            for _, held in sorted(self._held.items())
            if _holds(held, store, view) and (granted is None or held.since > granted)
        ]

    def news(self, away: list[Leave]) -> list[Leave]:
        """Of these leaves those not given here before."""
        fresh = [leave for leave in away if self._told.get(leave.seat, 0) < leave.number]
        self._told.update((leave.seat, leave.number) for leave in fresh)
        return fresh


def _holds(held: Held, store: MessageStore, view: View) -> bool:
    leave, node = held.leave, view.path.get(held.leave.on)
    if held.is_back or node is None or leave.epoch != view.epoch:
        return False
    if leave.seat not in view.tip.present or node.step not in (leave.step, leave.step - 1):
        return False
    return not _has_said_since(leave, store)


def _has_said_since(leave: Leave, store: MessageStore) -> bool:
    """Whether a say of the seat in that step or a later one, or a later epoch, came in."""
    place = (leave.epoch, leave.step)
    last = store.last_steps.items()
    return any((epoch, step) >= place for (epoch, seat), step in last if seat == leave.seat)
