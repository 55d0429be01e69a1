"""Departure notices: what a seat signs when it leaves for now or is back, and where it holds.

A departure makes nobody absent. It lets a node count its own step timeout as over, and only where
all who are awaited have signed one: to everybody else the clock of that node is merely fast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..chain.chain_state import SETUP, Node
from ..consensus.followed_chain import FollowedChain
from ..consensus.message_store import MessageStore
from ..wire.signed_notices import Departure


@dataclass(frozen=True)
class StoredDeparture:
    """A notice, when it came, and whether a link with its seat has come up since."""

    departure: Departure
    since: float
    has_returned: bool = False


class Departures:
    """The last notice of each seat: one each, whatever a faulty seat signs ([L-23])."""

    def __init__(self) -> None:
        """Begin without a notice."""
        self._stored: dict[int, StoredDeparture] = {}
        self._told: dict[int, int] = {}

    def last(self, seat: int) -> Departure | None:
        """Return the notice of this seat with the highest number, if there is one."""
        stored = self._stored.get(seat)
        return None if stored is None else stored.departure

    def numbers(self) -> dict[int, int]:
        """Return the number of each seat's last notice."""
        return {seat: stored.departure.number for seat, stored in self._stored.items()}

    def keep(self, departure: Departure, now: float, has_returned: bool = False) -> None:
        """Store a notice, whose signature holds, in the place of the seat's one before."""
        self._stored[departure.seat] = StoredDeparture(departure, now, has_returned)

    def since(self, seat: int) -> float:
        """Return when the seat's last notice came."""
        return self._stored[seat].since

    def note_link(self, seat: int) -> None:
        """Note that a link with this seat is up: whoever left before is there again."""
        if seat in self._stored:
            self._stored[seat] = replace(self._stored[seat], has_returned=True)

    def returns(self) -> list[Departure]:
        """Return the notices of those, by seat, who have left and are back ([E-28])."""
        return [
            stored.departure
            for _, stored in sorted(self._stored.items())
            if stored.departure.is_return
        ]

    def away(
        self, store: MessageStore, view: FollowedChain, granted: float | None = None
    ) -> list[Departure]:
        """Return the departures that hold where this node stands, by seat ([E-25]).

        Args:
            store: The messages that this node stores.
            view: The epoch and the chain that it follows.
            granted: When a player last wished to wait longer: only what came later counts.
        """
        return [
            stored.departure
            for _, stored in sorted(self._stored.items())
            if _holds(stored, store, view) and (granted is None or stored.since > granted)
        ]

    def news(self, away: list[Departure]) -> list[Departure]:
        """Return of these departures those not returned here before."""
        fresh = [
            departure for departure in away if self._told.get(departure.seat, 0) < departure.number
        ]
        self._told.update((departure.seat, departure.number) for departure in fresh)
        return fresh


def _holds(stored: StoredDeparture, store: MessageStore, view: FollowedChain) -> bool:
    departure = stored.departure
    if stored.has_returned or departure.is_return or departure.epoch > view.epoch:
        return False
    if departure.seat not in view.tip.present:
        return False
    if view.tip.want.kind not in SETUP and _has_said_since(departure, store):
        return False
    node = _left_at(departure, view)
    return node is not None and _absences(node, departure.seat) == _absences(
        view.tip, departure.seat
    )


def _left_at(departure: Departure, view: FollowedChain) -> Node | None:
    """Return the node of the followed chain at which the seat has left, if there is one.

    In the notice's own epoch it lies on what was followed there, no further back than its base.
    """
    node: Node | None = view.tip
    while node is not None and node.step >= departure.step - 1:
        if node.digest == departure.on:
            is_here = node.step in (departure.step, departure.step - 1)
            return (
                node
                if is_here and (departure.epoch < view.epoch or departure.on in view.path)
                else None
            )
        node = node.parent
    return None


def _absences(node: Node, seat: int) -> int:
    """Return how often the seat has been absent; in setup nobody is counted."""
    return node.absences[seat] if node.absences else 0


def _has_said_since(departure: Departure, store: MessageStore) -> bool:
    """Return whether an input of the seat in that step or later, or a later epoch, is stored."""
    place = (departure.epoch, departure.step)
    last = store.last_steps.items()
    return any((epoch, step) >= place for (epoch, seat), step in last if seat == departure.seat)
