"""Departure notices, by which a seat says that it leaves for now, or that it is back.

This module stores the notices, and tells which seats count as away.

A departure does not make its seat absent. But when every awaited seat has signed a departure, a
node need not wait for the end of the step timeout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..chain.chain_state import SETUP, Node
from ..consensus.followed_chain import FollowedChain
from ..consensus.message_store import MessageStore
from ..units import DriverTime
from ..wire.signed_notices import Departure


@dataclass(frozen=True)
class StoredDeparture:
    """The last departure notice of one seat.

    Attributes:
        since: When the notice came, in seconds of a monotonic clock.
        has_returned: Whether the seat does not count as away in spite of the notice. That is so if
            a link with the seat has come up since, or if it is the own seat.
    """

    departure: Departure
    since: float
    has_returned: bool = False


class Departures:
    """The last departure notice of each seat.

    Only one notice is stored for each seat, however many a faulty seat signs ([L-23]), and the one
    by which it has given up.

    Attributes:
        given_up: For each seat a departure from a step of setup ([D-9]). It stays, also if the seat
            has returned since.
    """

    def __init__(self) -> None:
        """Create an empty store of notices."""
        self.given_up: dict[int, Departure] = {}
        self._stored: dict[int, StoredDeparture] = {}
        self._told: dict[int, int] = {}

    def last(self, seat: int) -> Departure | None:
        """Return the stored notice of a seat, which is the one with the highest number.

        Args:
            seat: The seat that signed the notice.

        Returns:
            The departure or return, None if none is stored.
        """
        stored = self._stored.get(seat)
        return None if stored is None else stored.departure

    def last_ones(self) -> list[Departure]:
        """Return the stored notice of each seat.

        Returns:
            The notices, at most one of each seat.
        """
        return [stored.departure for stored in self._stored.values()]

    def keep_word(self, departure: Departure) -> None:
        """Store a departure from a step of setup for good, if none of its seat is stored.

        Args:
            departure: The departure, whose signature is valid.
        """
        self.given_up.setdefault(departure.seat, departure)

    def numbers(self) -> dict[int, int]:
        """Return the number of each seat's stored notice.

        Returns:
            The number by seat. An odd number is a departure, an even one a return.
        """
        return {seat: stored.departure.number for seat, stored in self._stored.items()}

    def keep(self, departure: Departure, now: DriverTime, has_returned: bool = False) -> None:
        """Store a departure notice, which replaces the stored notice of its seat.

        Args:
            departure: The notice, whose signature is valid.
            now: When the notice came, in seconds of a monotonic clock.
            has_returned: Whether the seat counts as back, even if the notice says that it leaves.
        """
        self._stored[departure.seat] = StoredDeparture(departure, now, has_returned)

    def since(self, seat: int) -> float:
        """Return when the stored notice of a seat came.

        Returns:
            The time in seconds of a monotonic clock.
        """
        return self._stored[seat].since

    def note_link(self, seat: int) -> None:
        """Note a new link with a seat. A departure notice of the seat no longer counts.

        Args:
            seat: The seat at the other end of the link.
        """
        if seat in self._stored:
            self._stored[seat] = replace(self._stored[seat], has_returned=True)

    def returns(self) -> list[Departure]:
        """Return the stored notices that are returns, by rising seat ([E-28]).

        Returns:
            The notices of seats that have left and have signed that they are back.
        """
        return [
            stored.departure
            for _, stored in sorted(self._stored.items())
            if stored.departure.is_return
        ]

    def away(
        self, store: MessageStore, followed: FollowedChain, granted: float | None = None
    ) -> list[Departure]:
        """Return the departure notices of the seats that are away ([E-25]).

        Args:
            followed: The current epoch, and the chain that this seat follows.
            granted: When the player last asked to wait longer for the current step, in seconds of a
                monotonic clock. Notices that came before that time are left out. None if the player
                has not asked.

        Returns:
            The notice of each seat that is away, by rising seat.
        """
        return [
            stored.departure
            for _, stored in sorted(self._stored.items())
            if _is_away(stored, store, followed) and (granted is None or stored.since > granted)
        ]

    def news(self, away: list[Departure]) -> list[Departure]:
        """Return the given departures that no earlier call has returned.

        Args:
            away: The departures of the seats that are away now.

        Returns:
            The departures whose number is above that of the last departure returned for their seat.
        """
        fresh = [
            departure for departure in away if self._told.get(departure.seat, 0) < departure.number
        ]
        self._told.update((departure.seat, departure.number) for departure in fresh)
        return fresh


def _is_away(stored: StoredDeparture, store: MessageStore, followed: FollowedChain) -> bool:
    """Return whether a notice makes its seat count as away on the followed chain ([E-25])."""
    departure = stored.departure
    if stored.has_returned or departure.is_return or departure.epoch > followed.epoch:
        return False
    if departure.seat not in followed.tip.present:
        return False
    if followed.tip.want.kind not in SETUP and _has_said_since(departure, store):
        return False
    node = _left_at(departure, followed)
    return node is not None and _absences(node, departure.seat) == _absences(
        followed.tip, departure.seat
    )


def _left_at(departure: Departure, followed: FollowedChain) -> Node | None:
    """Return the chain node at which a departure notice says that its seat left.

    Return None if the followed chain does not contain this node. Return None also if the notice is
    of the current epoch, and the node lies before the base with which this epoch began.
    """
    node: Node | None = followed.tip
    while node is not None and node.step >= departure.step - 1:
        if node.digest == departure.on:
            is_here = node.step in (departure.step, departure.step - 1)
            return (
                node
                if is_here and (departure.epoch < followed.epoch or departure.on in followed.path)
                else None
            )
        node = node.parent
    return None


def _absences(node: Node, seat: int) -> int:
    """Return how often a seat has been made absent; 0 in setup, where nobody is counted."""
    return node.absences[seat] if node.absences else 0


def _has_said_since(departure: Departure, store: MessageStore) -> bool:
    """Return whether the seat that signed a departure notice has given an input since the notice.

    Inputs to the step that the notice names, to later steps, and of later epochs count.
    """
    place = (departure.epoch, departure.step)
    last = store.last_steps.items()
    return any((epoch, step) >= place for (epoch, seat), step in last if seat == departure.seat)
