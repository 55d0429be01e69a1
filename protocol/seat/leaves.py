"""What one node holds of seats that have left for now: of each its last word, and who is away.

A leave makes nobody absent. It lets a node count its own patience as out, and only where all who
are awaited have signed one: to everybody else that node's clock is merely fast.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..chain.state import SETUP, Node
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
    """The last word of each seat: one each, whatever a liar signs ([L-23])."""

    def __init__(self) -> None:
        """Nobody has left."""
        self._held: dict[int, Held] = {}
        self._told: dict[int, int] = {}

    def last(self, seat: int) -> Leave | None:
        """The word of this seat with the highest number, if any."""
        held = self._held.get(seat)
        return None if held is None else held.leave

    def number(self, seat: int) -> int:
        """The highest number of a word of this seat; 0 for none."""
        last = self.last(seat)
        return 0 if last is None else last.number

    def keep(self, leave: Leave, now: float) -> None:
        """Put a word, whose signature holds, in the place of the seat's one before."""
        self._held[leave.seat] = Held(leave, now)

    def since(self, seat: int) -> float:
        """Since when the seat's last word is held."""
        return self._held[seat].since

    def note_link(self, seat: int) -> None:
        """A link with this seat is up: whoever left before is there again."""
        if seat in self._held:
            self._held[seat].is_back = True

    def returns(self) -> list[Leave]:
        """The words of those, by seat, who have left and are back ([E-28])."""
        return [held.leave for _, held in sorted(self._held.items()) if held.leave.says_back]

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
    leave = held.leave
    if held.is_back or leave.says_back or leave.epoch > view.epoch:
        return False
    if leave.seat not in view.tip.present:
        return False
    if view.tip.want.kind not in SETUP and _has_said_since(leave, store):
        return False
    node = _left_at(leave, view)
    return node is not None and _absences(node, leave.seat) == _absences(view.tip, leave.seat)


def _left_at(leave: Leave, view: View) -> Node | None:
    """The node of the followed chain at which the seat has left, if there is one.

    In the leave's own epoch it lies on what was followed there, no further back than its base.
    """
    node: Node | None = view.tip
    while node is not None and node.step >= leave.step - 1:
        if node.digest == leave.on:
            is_here = node.step in (leave.step, leave.step - 1)
            return node if is_here and (leave.epoch < view.epoch or leave.on in view.path) else None
        node = node.parent
    return None


def _absences(node: Node, seat: int) -> int:
    """How often the seat has been absent; in setup nobody is counted."""
    return node.absences[seat] if node.absences else 0


def _has_said_since(leave: Leave, store: MessageStore) -> bool:
    """Whether a say of the seat in that step or a later one, or a later epoch, came in."""
    place = (leave.epoch, leave.step)
    last = store.last_steps.items()
    return any((epoch, step) >= place for (epoch, seat), step in last if seat == leave.seat)
