"""The peers of one seat: links with them, messages to request or pass on, and departures."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from typing import Final, TypeVar

from ..chain.chain_state import Kind
from ..consensus.message_store import Claim
from ..units import PeerId, Quota
from ..wire.peer_frames import Fetch, Sync
from ..wire.signed_messages import Message, StepInput
from ..wire.signed_notices import Departure, check_notice
from .departure_notices import Departures
from .message_log import MessageLog
from .timeouts import Timers

T = TypeVar("T", bytes, int)
MAX_FETCH: Final[Quota] = 512
"""The most messages that one frame asks for by hash."""
MAX_NEW_EPOCHS: Final[Quota] = 64
"""The most epochs whose new-epoch messages one frame asks for."""

Budget = tuple[int, int, Claim]
"""The key of a quota of bytes: the epoch, the seat whose inputs count, and who named them."""


class Peers:
    """The peers as one seat or onlooker knows them: links, departures, and inputs to pass on.

    Attributes:
        direct: The seats from which a frame has come over their own link.
        direct_changed: Whether a seat was removed from `direct` since the peers were last told.
        hears: By the 32-byte id of a peer, the seats whose frames the peer receives over their own
            links. Inputs of these seats need not be passed on to the peer.
        deferred: The hashes of inputs to later steps. Each input is passed on when the followed
            chain reaches its step.
        departures: The last departure notice of each seat.
    """

    def __init__(self, log: MessageLog, timers: Timers, seat: int | None) -> None:
        """Begin without any links, departures, or inputs to pass on.

        Args:
            log: The stored messages and the followed chain.
            timers: The clock and the step timeouts.
            seat: The own seat, None for an onlooker.
        """
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

    def seat_of(self, peer: PeerId | None) -> int | None:
        """Return the seat of a peer.

        Args:
            peer: The id of the peer, 32 bytes. None if it is not known.

        Returns:
            The seat, None if the peer has none.
        """
        ids = self.log.table.ids
        return ids.index(peer) if peer in ids else None

    def link_up(self, peer: PeerId, again: bool) -> int | None:
        """Note a new link, over which nothing has come yet in either direction.

        Args:
            again: Whether the link replaces a live link with the same process. If not, the peer's
                seat has come back, and its notice that it left no longer counts.

        Returns:
            The seat of the peer, None if it has none.
        """
        self.hears.pop(peer, None)
        seat = self.seat_of(peer)
        if seat is not None:
            self.direct.discard(seat)
            self.links.add(seat)
            if not again:
                self.departures.note_link(seat)
        return seat

    def link_down(self, peer: PeerId) -> None:
        """Note that a link has ended.

        From now on, messages of the peer's seat arrive here only through other seats. The next
        `sync` frame tells the other seats about the change.
        """
        self.hears.pop(peer, None)
        seat = self.seat_of(peer)
        if seat is not None:
            self.links.discard(seat)
            if seat in self.direct:
                self.direct.discard(seat)
                self.direct_changed = True

    def hear(self, peer: PeerId | None) -> None:
        """Note that a frame has come from a peer over its own link.

        Args:
            peer: The id of the peer, 32 bytes. None if the peer is not known.
        """
        seat = self.seat_of(peer)
        if seat is not None and seat in self.links:
            self.direct.add(seat)

    def note_direct(self, told: Sync, peer: PeerId | None) -> None:
        """Note which seats a peer hears directly, so that their inputs are not passed on to it.

        Args:
            told: The `sync` frame in which the peer named these seats.
            peer: The id of the peer, 32 bytes. None if it is not known.
        """
        if peer is not None:
            self.hears[peer] = frozenset(told.direct)

    def tell_direct(self) -> bool:
        """Return whether to tell the peers that this node has lost its own link to a seat.

        Returns:
            True if this node has lost its own link to any seat since the last call.
        """
        changed, self.direct_changed = self.direct_changed, False
        return changed

    # Messages to pass on and to ask for

    def defer(self, message: Message) -> None:
        """Note that an input is to be passed on to the peers later.

        The input is passed on once the chain that this seat follows has come to the input's step.
        """
        self.deferred.add(message.hash)

    def take_deferred(self) -> list[Message]:
        """Remove and return the inputs that `defer` kept back until the chain came to this step.

        Returns:
            The stored inputs to the current step, to be passed on now.
        """
        followed, due = self.log.followed, list[Message]()
        for message in (
            self.log.store.inputs(followed.epoch, followed.tip.step) if self.deferred else ()
        ):
            step_input = message.statement
            if (
                message.hash in self.deferred
                and isinstance(step_input, StepInput)
                and step_input.on == followed.tip.digest
            ):
                self.deferred.discard(message.hash)
                due.append(message)
        return due

    def forget_deferred(self) -> None:
        """Cancel the later passing on of all inputs that are not stored any more."""
        self.deferred = {digest for digest in self.deferred if digest in self.log.store}

    def next_fetch(self) -> Fetch | None:
        """Return the request for the messages that this seat lacks.

        Each request continues where the request before ended. So all missing messages get their
        turn, even if nobody stores some of them.

        Returns:
            The request, None if nothing is missing.
        """
        store = self.log.store
        if not self.log.lacks_messages:
            return None
        hashes = _in_turn(store.wants, self._asked_last.hashes, MAX_FETCH)
        new_epochs = _in_turn(store.wanted_new_epochs, self._asked_last.new_epochs, MAX_NEW_EPOCHS)
        self._asked_last = Fetch(hashes, new_epochs)
        return self._asked_last

    def grant(self, place: Budget, size: int, most: int) -> bool:
        """Charge the bytes of a message to a quota, if the quota has room for them.

        Args:
            place: The key of the quota: the epoch, the signer's seat, and a claim. The claim is the
                seat whose epoch promise names the message (None if none does), and whether the
                promise names the message only indirectly.

        Returns:
            Whether the quota had room for the bytes.
        """
        taken = self._granted_bytes.get(place, 0) + size
        if taken > most:
            return False
        self._granted_bytes[place] = taken
        return True

    # Departures

    def keep_departure(self, word: Departure) -> bool:
        """Verify and store a departure notice that came over a link.

        If a stored notice of the same seat has an equal or higher number, the new notice is
        ignored, unless it is the first by which its seat gives up. A notice of the own seat is
        stored, but not passed on.

        Args:
            word: The notice, whose signature has not been verified.

        Returns:
            Whether to pass the notice on.

        Raises:
            Invalid: If the seat of the notice does not exist, or has not signed the notice.

        SPEC: [L-23].
        """
        last = self.departures.last(word.seat)
        is_last = last is None or word.number > last.number
        is_word = self._gives_up(word) and word.seat not in self.departures.given_up
        if not (is_last or is_word):
            return False
        check_notice(word, self.log.table.id, self.log.table.ids)
        if is_word:
            self.departures.keep_word(word)
        if is_last:
            self.departures.keep(word, self.timers.now, has_returned=word.seat == self.seat)
        return word.seat != self.seat

    def note_given_up(self) -> None:
        """Note the departures from setup that came before this node had come to `deck.ok`."""
        for word in self.departures.last_ones():
            if self._gives_up(word) and word.seat != self.seat:
                self.departures.keep_word(word)

    def _gives_up(self, word: Departure) -> bool:
        """Return whether a notice is a departure from before the game, and `deck.ok` is next.

        It may name another chain: a faulty seat that shuffles last can show different shuffles to
        different seats, and all of them confirm.
        """
        if self.log.tip.want.kind is not Kind.DECK_OK or word.is_return:
            return False
        return word.epoch == 0 and word.step <= self.log.table.first_step

    def keep_own(self, word: Departure) -> None:
        """Store a departure notice of the own seat, so that the next notice gets a higher number.

        Args:
            word: The notice. The own seat does not count as away even if the notice says so.
        """
        self.departures.keep(word, self.timers.now, has_returned=True)

    def away(self) -> list[Departure]:
        """Return the departures of the other seats that have left and not come back ([E-25]).

        Returns:
            The departures, by rising seat.
        """
        return self.departures.away(self.log.store, self.log.followed)

    def _may_return(self, word: Departure) -> bool:
        """Return whether a seat that gave up at `deck.ok` may still play."""
        setup_end = self.log.followed.base.parent
        return setup_end is not None and word.on == setup_end.digest

    def all_left(self) -> bool:
        """Return whether all awaited seats have left.

        If so, the step counts as timed out ([E-26]). A departure that came before the player asked
        to wait longer for this step does not count. Nor does one from the step `deck.ok`, since its
        seat returns if it can ([D-10]).

        Returns:
            Whether all awaited seats have left. False if no seat has left.
        """
        followed = self.log.followed
        granted = self.timers.granted_at(followed.tip)
        words = self.departures.away(self.log.store, followed, granted)
        epoch, step = followed.epoch, followed.tip.step
        away = {
            word.seat
            for word in words
            if (word.epoch < epoch or word.step <= step) and not self._may_return(word)
        }
        return bool(away) and self.log.awaited() <= away


def _in_turn(wanted: Set[T], last: Sequence[T], most: int) -> tuple[T, ...]:
    """Return at most `most` of the wanted items, beginning after the last item of `last`.

    The wanted items are taken in rising order. After the highest item, the lowest item follows. If
    `last` is empty, the lowest item is the first.
    """
    ranked = sorted(wanted)
    first = bisect_right(ranked, last[-1]) if last else 0
    return tuple((ranked[first:] + ranked[:first])[:most])
