"""The peers of one node: its links, what was delivered over them, budgets and departures."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from typing import Final, TypeVar

from ..bounds import Quota
from ..consensus.message_store import Claim
from ..wire.peer_frames import Fetch, Sync
from ..wire.signed_messages import Message, StepInput
from ..wire.signed_notices import Departure, check_notice
from .departure_notices import Departures
from .message_log import MessageLog
from .timeouts import Timers

T = TypeVar("T", bytes, int)
MAX_FETCH: Final[Quota] = 512
"""Messages asked for by hash in one frame."""
MAX_NEW_EPOCHS: Final[Quota] = 64

Budget = tuple[int, int, Claim]
"""An epoch, the seat whose inputs are counted, and whose epoch promises name them."""


class Peers:
    """What one node knows of its links and of who is there.

    Attributes:
        links: The seats that this node is linked with.
        direct: The seats that this node hears over a direct link.
        direct_changed: Whether `direct` became smaller since the others were told.
        hears: By node the seats that it hears itself, and whose inputs it need not be sent.
        deferred: Hashes of inputs that are passed on once the followed chain comes to their step.
        departures: The last departure notice of each seat.
    """

    def __init__(self, log: MessageLog, timers: Timers, seat: int | None) -> None:
        """Begin without a link."""
        self.log, self.timers, self.seat = log, timers, seat
        self.links: set[int] = set()
        self.direct: set[int] = set()
        self.direct_changed = False
        self.hears: dict[bytes, frozenset[int]] = {}
        self.deferred: set[bytes] = set()
        self.departures = Departures()
        self._asked_last = Fetch((), ())
        self._granted_bytes: dict[Budget, int] = {}

    # Links

    def seat_of(self, peer: bytes | None) -> int | None:
        """Return the seat of a node with this id; None if it has none."""
        ids = self.log.table.ids
        return ids.index(peer) if peer in ids else None

    def link_up(self, peer: bytes, again: bool) -> int | None:
        """Note a new link, over which nothing has come yet, either way.

        Args:
            peer: The id of the node, 32 bytes.
            again: Whether another link with the same process was there until now. A seat that has
                left is back otherwise.

        Returns:
            The seat of the node, None if it has none.
        """
        self.hears.pop(peer, None)
        seat = self.seat_of(peer)
        if seat is not None:
            self.direct.discard(seat)
            self.links.add(seat)
            if not again:
                self.departures.note_link(seat)
        return seat

    def link_down(self, peer: bytes) -> None:
        """Note that a link is gone. What its seat signs comes past others now, who are told."""
        self.hears.pop(peer, None)
        seat = self.seat_of(peer)
        if seat is not None:
            self.links.discard(seat)
            if seat in self.direct:
                self.direct.discard(seat)
                self.direct_changed = True

    def hear(self, peer: bytes | None) -> None:
        """Note that a frame has come from a linked node itself."""
        seat = self.seat_of(peer)
        if seat is not None and seat in self.links:
            self.direct.add(seat)

    def spare(self, told: Sync, peer: bytes | None) -> None:
        """Note whose inputs a linked node hears from their authors."""
        if peer is not None:
            self.hears[peer] = frozenset(told.direct)

    def tell_direct(self) -> bool:
        """Return whether `near` became smaller since the last call."""
        changed, self.direct_changed = self.direct_changed, False
        return changed

    # What was delivered

    def defer(self, message: Message) -> None:
        """Pass an input on later, once the followed chain comes to its step."""
        self.deferred.add(message.hash)

    def take_deferred(self) -> list[Message]:
        """Return the deferred inputs of the step at which the chain stands, each once."""
        view, due = self.log.view, list[Message]()
        for message in self.log.store.inputs(view.epoch, view.tip.step) if self.deferred else ():
            step_input = message.statement
            if (
                message.hash in self.deferred
                and isinstance(step_input, StepInput)
                and step_input.on == view.tip.digest
            ):
                self.deferred.discard(message.hash)
                due.append(message)
        return due

    def forget_deferred(self) -> None:
        """Defer nothing that is stored no more."""
        self.deferred = {digest for digest in self.deferred if digest in self.log.store}

    def next_fetch(self) -> Fetch | None:
        """Return the request for what is lacking, None if nothing is.

        All of it has its turn, so that what nobody stores does not crowd out the rest.
        """
        store = self.log.store
        if not self.log.lacks_messages:
            return None
        hashes = _in_turn(store.wants, self._asked_last.hashes, MAX_FETCH)
        new_epochs = _in_turn(store.wanted_new_epochs, self._asked_last.new_epochs, MAX_NEW_EPOCHS)
        self._asked_last = Fetch(hashes, new_epochs)
        return self._asked_last

    def grant(self, place: Budget, size: int, most: int) -> bool:
        """Take room for so many bytes from a budget; return False if it has not so much left."""
        taken = self._granted_bytes.get(place, 0) + size
        if taken > most:
            return False
        self._granted_bytes[place] = taken
        return True

    # Departures

    def keep_departure(self, word: Departure) -> bool:
        """Store a departure notice that came over a link.

        One whose number is not above that of the stored one is not read any further, so that a
        replay costs nothing. The own one is stored for its number alone.

        Returns:
            Whether to pass it on.

        Raises:
            Invalid: If its seat has not signed it.

        SPEC: [L-23].
        """
        last = self.departures.last(word.seat)
        if last is not None and word.number <= last.number:
            return False
        check_notice(word, self.log.table.id, self.log.table.ids)
        self.departures.keep(word, self.timers.now, has_returned=word.seat == self.seat)
        return word.seat != self.seat

    def keep_own(self, word: Departure) -> None:
        """Store an own notice for its number: to itself a seat is never away."""
        self.departures.keep(word, self.timers.now, has_returned=True)

    def away(self) -> list[Departure]:
        """Return the departures of other seats that hold here and now ([E-25])."""
        return self.departures.away(self.log.store, self.log.view)

    def all_left(self) -> bool:
        """Return whether all awaited seats have left; not if the player waits for them longer.

        SPEC: [E-26].
        """
        view = self.log.view
        granted = self.timers.granted_at(view.tip)
        words = self.departures.away(self.log.store, view, granted)
        epoch, step = view.epoch, view.tip.step
        away = {word.seat for word in words if word.epoch < epoch or word.step <= step}
        return bool(away) and self.log.awaited() <= away


def _in_turn(wanted: Set[T], last: Sequence[T], most: int) -> tuple[T, ...]:
    """Return what to ask for after `last`, at most so many."""
    ranked = sorted(wanted)
    first = bisect_right(ranked, last[-1]) if last else 0
    return tuple((ranked[first:] + ranked[:first])[:most])
