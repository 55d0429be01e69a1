"""The peers of one seat: links with them, messages to request or pass on, and departures.

A peer's id is None if it is not known. A peer without a seat is an onlooker.
"""

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
        hears: By a peer's id, the seats whose inputs need not be passed on to it.
        deferred: The hashes of inputs to later steps, which are passed on when the chain comes
            there.
    """

    def __init__(self, log: MessageLog, timers: Timers, seat: int | None) -> None:
        """Begin without any links, departures, or inputs to pass on."""
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
        """Return the seat of a peer, None if it has none."""
        ids = self.log.table.ids
        return ids.index(peer) if peer in ids else None

    def link_up(self, peer: PeerId, again: bool) -> int | None:
        """Note a new link, over which nothing has come yet, and return the seat of its peer.

        Args:
            again: Whether the link replaces a live link with the same process. If not, the peer's
                seat has come back, and its departure no longer counts.
        """
        # A new process may hear nobody yet. Until its next `sync` it gets everything.
        self.hears.pop(peer, None)
        seat = self.seat_of(peer)
        if seat is not None:
            self.direct.discard(seat)
            self.links.add(seat)
            # The link of a new process: the seat is back, also if its return is lost or comes
            # later.
            if not again:
                self.departures.note_link(seat)
        return seat

    def link_down(self, peer: PeerId) -> None:
        """Note that a link has ended, so that its seat's messages come only through other seats."""
        self.hears.pop(peer, None)
        seat = self.seat_of(peer)
        if seat is not None:
            self.links.discard(seat)
            # Only such a seat was named to the peers, who now have to pass on its inputs again.
            if seat in self.direct:
                self.direct.discard(seat)
                self.direct_changed = True

    def hear(self, peer: PeerId | None) -> None:
        """Note that a frame has come from a peer over its own link."""
        seat = self.seat_of(peer)
        # A late frame of an ended link must not count: peers would stop passing its inputs on.
        if seat is not None and seat in self.links:
            self.direct.add(seat)

    def note_direct(self, told: Sync, peer: PeerId | None) -> None:
        """Note which seats a peer hears directly, so that their inputs are not passed on to it."""
        if peer is not None:
            self.hears[peer] = frozenset(told.direct)

    def tell_direct(self) -> bool:
        """Return whether to tell the peers that this program has lost its own link to a seat.

        The next `sync` frame tells it. The answer is True once for each loss.
        """
        changed, self.direct_changed = self.direct_changed, False
        return changed

    # Messages to pass on and to ask for

    def defer(self, message: Message) -> None:
        """Note that an input is to be passed on once the followed chain has come to its step."""
        self.deferred.add(message.hash)

    def take_deferred(self) -> list[Message]:
        """Remove and return the stored inputs that are to be passed on at the current step."""
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
        """Return the request for the messages that this seat lacks, None if nothing is missing.

        Each request continues where the request before ended. So all missing messages get their
        turn, even if nobody stores some of them.
        """
        store = self.log.store
        if not self.log.lacks_messages:
            return None
        hashes = _in_turn(store.wants, self._asked_last.hashes, MAX_FETCH)
        new_epochs = _in_turn(store.wanted_new_epochs, self._asked_last.new_epochs, MAX_NEW_EPOCHS)
        self._asked_last = Fetch(hashes, new_epochs)
        return self._asked_last

    def grant(self, place: Budget, size: int, most: int) -> bool:
        """Charge the bytes of a message to a quota, and return whether it had room for them."""
        taken = self._granted_bytes.get(place, 0) + size
        if taken > most:
            return False
        # Not given back in this epoch, even if the message is dropped ([M-15]).
        self._granted_bytes[place] = taken
        return True

    # Departures

    def keep_departure(self, word: Departure) -> bool:
        """Verify and store a departure notice, and return whether to pass it on ([L-23]).

        Only the highest number of a seat counts, and the first notice by which it gives up. A
        notice of the own seat is not passed on.

        Raises:
            Invalid: If the seat of the notice does not exist, or has not signed the notice.
        """
        last = self.departures.last(word.seat)
        is_last = last is None or word.number > last.number
        is_word = self._gives_up(word) and word.seat not in self.departures.given_up
        # Before the signature: a notice that comes round again costs nothing.
        if not (is_last or is_word):
            return False
        check_notice(word, self.log.table.id, self.log.table.ids)
        if is_word:
            self.departures.keep_word(word)
        if is_last:
            self.departures.keep(word, self.timers.now, has_returned=word.seat == self.seat)
        # The peers have it already. Only this seat may have lost it, and needs its number.
        return word.seat != self.seat

    def note_given_up(self) -> None:
        """Note the departures from setup that came before this program had come to `deck.ok`."""
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
        # That step included: a seat that has confirmed the deck names it when it leaves.
        return word.epoch == 0 and word.step <= self.log.table.first_step

    def keep_own(self, word: Departure) -> None:
        """Store a notice of the own seat, which never counts as away.

        The next gets a higher number.
        """
        self.departures.keep(word, self.timers.now, has_returned=True)

    def away(self) -> list[Departure]:
        """Return the departures of the other seats that are away, by rising seat ([E-25])."""
        return self.departures.away(self.log.store, self.log.followed)

    def _may_return(self, word: Departure) -> bool:
        """Return whether a seat that gave up at `deck.ok` may still play."""
        followed = self.log.followed
        # Only in epoch 0 does the node before the base want `deck.ok` ([E-26], 4).
        setup_end = followed.base.parent if followed.epoch == 0 else None
        return setup_end is not None and word.on == setup_end.digest

    def all_left(self) -> bool:
        """Return whether all awaited seats have left: the step then counts as timed out ([E-26]).

        A departure that came before the player asked to wait longer for this step does not count.
        Nor does one from the step `deck.ok`, since its seat returns if it can ([D-10]). The answer
        is False if no seat has left.
        """
        followed = self.log.followed
        granted = self.timers.granted_at(followed.tip)
        words = self.departures.away(self.log.store, followed, granted)
        epoch, step = followed.epoch, followed.tip.step
        # A later step in the notice means that its seat has given its input to this one.
        away = {
            word.seat
            for word in words
            if (word.epoch < epoch or word.step <= step) and not self._may_return(word)
        }
        # The own seat is never away, so its own delay cannot shorten the timeout ([E-26], 1).
        return bool(away) and self.log.awaited() <= away


def _in_turn(wanted: Set[T], last: Sequence[T], most: int) -> tuple[T, ...]:
    """Return at most `most` of the wanted items in rising order, beginning after the end of `last`.

    After the highest item, the lowest item follows.
    """
    ranked = sorted(wanted)
    first = bisect_right(ranked, last[-1]) if last else 0
    return tuple((ranked[first:] + ranked[:first])[:most])
