"""Departure notices, by which a seat says that it leaves for now, or that it is back.

A departure does not make its seat absent. But when every awaited seat has signed one, nobody need
wait for the end of the step timeout. A notice has a rising number, which is odd for a departure and
even for a return.
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
        has_returned: Whether the seat does not count as away in spite of the notice: a link with it
            has come up since, or it is the own seat.
    """

    departure: Departure
    since: float
    has_returned: bool = False


class Departures:
    """The last departure notice of each seat, however many a faulty seat signs ([L-23]).

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
        """Return the stored notice of a seat, which is the one with the highest number."""
        stored = self._stored.get(seat)
        return None if stored is None else stored.departure

    def last_ones(self) -> list[Departure]:
        """Return the stored notice of each seat."""
        return [stored.departure for stored in self._stored.values()]

    def keep_word(self, departure: Departure) -> None:
        """Store a valid departure from a step of setup for good, if none of its seat is stored."""
        # A word counts for good ([D-9], 3): no later notice of a faulty seat may replace it here
        # only.
        self.given_up.setdefault(departure.seat, departure)

    def numbers(self) -> dict[int, int]:
        """Return the number of each seat's stored notice."""
        return {seat: stored.departure.number for seat, stored in self._stored.items()}

    def keep(self, departure: Departure, now: DriverTime, has_returned: bool = False) -> None:
        """Store a valid notice, which replaces the stored one of its seat.

        Args:
            has_returned: Whether the seat counts as back, even if the notice says that it leaves.
        """
        self._stored[departure.seat] = StoredDeparture(departure, now, has_returned)

    def since(self, seat: int) -> float:
        """Return when the stored notice of a seat came, as driver time."""
        return self._stored[seat].since

    def note_link(self, seat: int) -> None:
        """Note a new link with a seat, whose departure no longer counts."""
        if seat in self._stored:
            self._stored[seat] = replace(self._stored[seat], has_returned=True)

    def returns(self) -> list[Departure]:
        """Return the stored notices that are returns, by rising seat ([E-28])."""
        return [
            stored.departure
            for _, stored in sorted(self._stored.items())
            if stored.departure.is_return
        ]

    def away(
        self, store: MessageStore, followed: FollowedChain, granted: float | None = None
    ) -> list[Departure]:
        """Return the departure notices of the seats that are away, by rising seat ([E-25]).

        Args:
            granted: When the player last asked to wait longer for the current step, None if never.
                Notices that came before are left out.
        """
        return [
            stored.departure
            for _, stored in sorted(self._stored.items())
            if _is_away(stored, store, followed) and (granted is None or stored.since > granted)
        ]

    def news(self, away: list[Departure]) -> list[Departure]:
        """Return the given departures that no earlier call has returned."""
        fresh = [
            departure for departure in away if self._told.get(departure.seat, 0) < departure.number
        ]
        # By number and not by seat, because a seat can leave again after it was back.
        self._told.update((departure.seat, departure.number) for departure in fresh)
        return fresh


def _is_away(stored: StoredDeparture, store: MessageStore, followed: FollowedChain) -> bool:
    """Return whether a notice makes its seat count as away on the followed chain ([E-25])."""
    departure = stored.departure
    # Of an epoch that is not entered yet, it cannot be told at which node the seat left.
    if stored.has_returned or departure.is_return or departure.epoch > followed.epoch:
        return False
    if departure.seat not in followed.tip.present:
        return False
    if followed.tip.want.kind not in SETUP and _has_said_since(departure, store):
        return False
    node = _left_at(departure, followed)
    # A seat that was absent meanwhile has rejoined after it left, so the notice is an old one.
    return node is not None and _absences(node, departure.seat) == _absences(
        followed.tip, departure.seat
    )


def _left_at(departure: Departure, followed: FollowedChain) -> Node | None:
    """Return the node at which a departure notice says that its seat left.

    Return None if it is not on the followed chain, or if the notice is of the current epoch and the
    node lies before its base.
    """
    node: Node | None = followed.tip
    while node is not None and node.step >= departure.step - 1:
        if node.digest == departure.on:
            # One more than the node's step if the seat had given its input to that one.
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
    """Return whether a seat has given an input to the step of its departure or later."""
    # That step too: the notice names the first step without an input, so one to it is later.
    place = (departure.epoch, departure.step)
    last = store.last_steps.items()
    return any((epoch, step) >= place for (epoch, seat), step in last if seat == departure.seat)
