"""The agreement on another game with the same people (a rematch), and the chat beside the game.

Each seat sends a consent, which says that it will play at the next table, or a refusal. The host
then signs the next roster. A vouch is the signature of the player's long-lived key over the key of
the seat, None for a seat that shows none.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from typing import Final

import trio

from protocol import Header, Invalid, SeatEntry, Table, Terms, Vouch, codec, table_header, vouches
from protocol.units import PeerId, Quota, Seconds

from ...coded_errors import Reason, because
from ...net.hub import Hub
from ...presentation import screen_updates as updates
from ...presentation.screen_updates import Screen, Unsaid
from ..gathering.lobby import Ask, Roster, encode_lobby, parse_lobby
from ..gathering.table_keys import TableKeys
from ..gathering.ticket_proof import Capability
from ..playing.frame_access import Access, check_signed
from ..playing.player_interface import Player
from ..task_groups import open_nursery
from .chat import ChatHistory, Heard, TalkCode
from .rematch_frames import Consent, Decline, next_terms, parse_again, refuse

Flood = Callable[[bytes, bytes | None], None]
"""Sends a frame to all links of the table, except to the peer with this id if one is given."""


ANSWER: Final[Seconds] = 60.0
"""Seconds within which a player must say whether it wants another game ([A-3])."""
GATHER: Final[Seconds] = 75.0
"""Seconds for which the host waits until all seats have consented to another game ([A-4])."""
MAX_GATHER: Final[Seconds] = 90.0
"""Seconds for which the others wait for the roster. They must not give up before the host."""
ALONE: Final[Seconds] = 10.0
"""Seconds without a link to any seat after which a peer stops waiting."""
LOOK: Final[Seconds] = 0.1
"""Seconds between two checks whether the next table is agreed on."""


@dataclass(eq=False, repr=False)
class Rematch:
    """The agreement on the next table of the same people, as far as one peer knows it.

    Each frame is passed on once. As soon as one seat is unwilling, a peer stops waiting for the
    others.

    Attributes:
        _table: The table that ends.
        _seat: The number of this peer's seat. None for an onlooker.
        _keys: The keys of this peer at this table, and so at the next. None for an onlooker.
        _gone: The seats that are absent or banned at the end, for which nobody waits.
        roster: The roster of the next table. None until it is known.
    """

    _table: Table
    _seat: int | None
    _keys: TableKeys | None
    _flood: Flood
    _vouches: tuple[Vouch | None, ...]
    _gone: frozenset[int] = frozenset()
    _entries: dict[int, SeatEntry] = field(default_factory=dict)
    _shown: dict[int, Vouch | None] = field(default_factory=dict)
    _refused: set[int] = field(default_factory=set)
    _frames: dict[object, bytes] = field(default_factory=dict)
    terms: Terms = field(init=False)
    roster: Roster | None = None

    def __post_init__(self) -> None:
        self.terms = next_terms(self._table)

    # Frames received

    def receive(self, peer: PeerId, data: bytes) -> bool:
        """Pass on a consent, a refusal or the next roster, if it is valid and new.

        Return whether it is ([A-2], [A-3], [A-5]).
        """
        try:
            is_roster = codec.kind_at(data) == "roster"
            key = self._roster(data) if is_roster else self._word(parse_again(data))
        except Invalid:
            return False
        if key is None:
            return False
        # Only what is valid and new is stored and passed on, so that nobody can fill memory or
        # links.
        self._frames[key] = data
        self._flood(data, peer)
        return True

    def _word(self, word: Consent | Decline) -> object:
        """Store a seat's consent to the next game, or its refusal.

        Return the key of its frame: the number of the seat and whether it refuses. None if it is
        not new, or is of another table.
        """
        who = word.id if isinstance(word, Decline) else word.entry[0]
        if word.table != self._table.id or who not in self._table.ids:
            return None
        seat = self._table.ids.index(who)
        # A refusal is final: a consent that comes after it, perhaps delayed, changes nothing.
        if seat in self._refused:
            return None
        if isinstance(word, Consent) and seat in self._entries and not self._is_completed_by(word):
            return None
        if isinstance(word, Decline):
            # Before it is stored: otherwise anybody could refuse in the name of another seat.
            word.check()
            self._refused.add(seat)
        else:
            entry = table_header.parse_entry(self.terms, word.entry)
            if entry.nickname != self._table.header.roster[seat].nickname:
                raise Invalid("bad-header", "a seat consents under another name")
            self._check_player(seat, word.vouch)
            if word.vouch is not None:
                vouches.check_vouch(word.vouch, self.terms, entry)
            self._entries[seat], self._shown[seat] = entry, word.vouch
        return seat, isinstance(word, Decline)

    def _is_completed_by(self, word: Consent) -> bool:
        """Return whether a consent is stored without the vouch that this one has ([A-2])."""
        seat = self._table.ids.index(word.entry[0])
        # The signature of a consent does not cover the vouch, so a peer that passes it on can leave
        # the vouch out.
        is_same = self._entries[seat].value() == word.entry and self._shown[seat] is None
        return is_same and word.vouch is not None and self.roster is None

    def _check_player(self, seat: int, vouch: Vouch | None) -> None:
        """Check that a seat shows the same key as before, if any, or raise `bad-vouch` ([A-2])."""
        before = self._vouches[seat]
        if vouch is not None and before is not None and vouch.id != before.id:
            raise Invalid(vouches.BAD_VOUCH, "a seat shows another player than at this table")

    def _roster(self, data: bytes) -> object:
        """Check and store the roster of the next table, if this peer waits for a roster ([A-5]).

        Return the class `Roster` if it was stored now, as the key of its frame, and None otherwise.
        """
        # Without its own consent a seat would be bound by a roster that it never agreed to.
        waits = self._seat is None or self.is_waiting
        # Once only: a second roster would make another table than the one that begins here.
        found = parse_lobby(data) if waits and self.roster is None else None
        if not isinstance(found, Roster):
            return None
        # It must have the same people in the same order, and the computed terms.
        complete = table_header.parse_header(found.header)
        check_signed(found, complete)
        here = [(one.id, one.nickname) for one in self._table.header.roster]
        there = [(one.id, one.nickname) for one in complete.roster]
        if here != there or complete.terms.digest() != self.terms.digest():
            raise Invalid("bad-header", "the roster is not of the next table")
        if self._seat is not None and complete.roster[self._seat] != self._entries[self._seat]:
            raise Invalid("bad-header", "the roster does not hold this seat's own consent")
        for seat, vouch in enumerate(found.vouches):
            self._check_player(seat, vouch)
        # A vouch that was left out on the way may be known from the consent ([A-5]).
        known = (
            self._shown.get(seat) if self._entries.get(seat) == entry else None
            for seat, entry in enumerate(complete.roster)
        )
        shown = tuple(a or b for a, b in zip(found.vouches, known, strict=True))
        self.roster = replace(found, vouches=shown)
        return Roster

    @property
    def is_waiting(self) -> bool:
        """True if this seat has consented, no seat has refused, and there is no roster yet."""
        return self._seat in self._entries and not self._refused and self.roster is None

    def accepted_frames(self) -> tuple[bytes, ...]:
        """Return the valid frames so far, in their order, for a peer that is newly linked."""
        return tuple(self._frames.values())

    # Frames of this seat

    def consent(self) -> None:
        """Consent to the next table: sign an entry for its roster and send it to all ([A-2])."""
        if self._keys is None or self._seat is None:
            return
        nickname, before = self._table.header.roster[self._seat].nickname, self._vouches[self._seat]
        entry, vouch = self._keys.consent(self.terms, nickname)
        # Others drop a vouch of another key than at this table. Who has shown none shows none now.
        if before is None or vouch is None or vouch.id != before.id:
            vouch = None
        self._entries[self._seat], self._shown[self._seat] = entry, vouch
        self._say((self._seat, False), Consent(self._table.id, entry.value(), vouch).encode())

    def refuse(self) -> None:
        """Refuse the next table and tell all, even if this seat consented before ([A-3])."""
        if self._keys is None or self._seat is None or self._seat in self._refused:
            return
        self._refused.add(self._seat)
        self._say((self._seat, True), refuse(self._table.id, self._keys.seat).encode())

    def _say(self, key: object, frame: bytes) -> None:
        self._frames[key] = frame
        self._flood(frame, None)

    def sign(self) -> None:
        """Sign the next roster, if this is the host and all seats have consented ([A-4])."""
        # A second signature for these terms would be a proof against this host.
        if self._keys is None or self._seat != 0 or self._refused or self.roster is not None:
            return
        seats = range(self._table.seats)
        if len(self._entries) == len(seats):
            complete = Header(self.terms, tuple(self._entries[seat] for seat in seats))
            signature = table_header.sign_roster(complete, self._keys.seat)
            shown = tuple(self._shown[seat] for seat in seats)
            # Without addresses, since those of this table stay ([A-5]).
            self.roster = Roster(complete.encode(), ((),) * len(seats), signature, shown)
            self._say(Roster, encode_lobby(self.roster))

    @property
    def standing(self) -> updates.Again:
        """The seats that want a rematch, and the seats that have refused or are gone."""
        unwilling = self._refused | self._gone
        return updates.Again(frozenset(self._entries) - unwilling, frozenset(unwilling))

    async def settle(
        self,
        player: Player | None,
        gone: frozenset[int],
        screen: Screen,
        linked: Callable[[], Set[int]],
        is_unhurried: bool = False,
    ) -> Roster | None:
        """Wait until the next table is agreed on, and return its roster, or None if there is none.

        Args:
            player: None for an onlooker.
            gone: The seats that are absent or banned at the end of this game.
            linked: Returns the numbers of the seats that are linked and let in.
            is_unhurried: Whether no time runs, as at a table of one player with its own bots.
        """
        self._gone, began = gone, trio.current_time()
        heard = began
        screen(told := self.standing)
        answer, gather = ANSWER, GATHER if self._seat == 0 else MAX_GATHER
        if is_unhurried:
            answer = gather = math.inf
        async with open_nursery() as nursery:
            # Not if a seat is gone: there can be no next table then, so nobody is asked in vain.
            if player is not None and self._seat is not None and not told.unwilling:
                nursery.start_soon(self._ask, player, answer)
            while not (self.standing.unwilling or self.roster):
                now = trio.current_time()
                heard = now if linked() else heard
                if now >= min(began + gather, heard + ALONE):
                    break
                await trio.sleep(LOOK)
                self.sign()
                if self.standing != told:
                    screen(told := self.standing)
            nursery.cancel_scope.cancel()
        found = self.standing
        if self.roster is None and not found.unwilling:
            # Refused, so that a roster that comes later does not bind a seat that has given up.
            # A silent seat counts as unwilling. If all have consented, the host was silent.
            self.refuse()
            silent = frozenset(range(self._table.seats)) - found.willing or frozenset({0})
            found = updates.Again(found.willing - silent, silent)
        if self.roster is None and found != told:
            screen(found)
        return self.roster

    async def _ask(self, player: Player, seconds: Seconds) -> None:
        """Ask the player for another game, and consent or refuse. A late answer is a refusal."""
        willing = False
        with trio.move_on_after(seconds):
            willing = await player.again()
        if willing:
            self.consent()
        else:
            self.refuse()


@dataclass(frozen=True)
class Agreed:
    """A table that all seats have agreed on, and the secret of its ticket."""

    roster: Roster
    capability: Capability


RECENT: Final[Seconds] = 10.0
"""Seconds for which a chat message is sent to peers that are let in after it."""
MOST_RECENT: Final[Quota] = 8
"""The most chat messages that are stored for peers that are let in later."""


class SideChannel:
    """The frames of one peer beside the game: chat, and the agreement on a rematch."""

    def __init__(
        self, access: Access, keys: TableKeys, hub: Hub, screen: Screen, talks: bool = True
    ) -> None:
        """Make the channel. Messages of others are passed on whether the player `talks` or not."""
        self._table, self._seat, self._access = access.table, access.seat, access
        self._hub, self._screen, self._talks = hub, screen, talks
        self._conversation = ChatHistory(
            self._table, self._seat, keys.seat, lambda: time.time_ns() // 1_000_000
        )
        shown = access.roster.vouches
        self.rematch = Rematch(self._table, self._seat, keys, self.flood, shown)
        self._latest: deque[tuple[float, bytes]] = deque(maxlen=MOST_RECENT)

    def hear(self, peer: PeerId, data: bytes) -> None:
        """Handle a frame of chat: show the message and pass it on, or drop the frame ([W-6])."""
        heard = self._conversation.receive(peer, data, trio.current_time())
        if heard is not None:
            self._tell(heard)
            self._spread(heard.frame, peer)

    def _tell(self, heard: Heard) -> None:
        if self._talks:
            self._screen(heard.said)

    def _spread(self, frame: bytes, source: bytes | None) -> None:
        """Send a chat message to all but its source. An onlooker passes nothing on ([W-6])."""
        if self._seat is not None:
            self._latest.append((trio.current_time(), frame))
            self.flood(frame, source)

    def flood(self, frame: bytes, source: bytes | None) -> None:
        """Send a frame to all peers with access to the table, except to its source, if any."""
        for peer in self._hub.links():
            if peer != source and self._access.is_let_in(peer):
                self._hub.post(peer, frame)

    # Messages of this peer

    def say(self, words: str | int) -> None:
        """Send a text of the player, or the phrase of a number, or tell why it is not sent."""
        found = because(TalkCode.OFF) if not self._talks else self._said(words)
        if isinstance(found, Reason):
            self._screen(Unsaid(found))
            return
        self._tell(found)
        self._spread(found.frame, None)
        if self._seat is None:
            # The message names this seat as the one that passes it on.
            self._hub.post(self._table.ids[min(self.linked_seats())], found.frame)

    def _said(self, words: str | int) -> Heard | Reason:
        return self._conversation.say(words, self.linked_seats(), trio.current_time())

    def linked_seats(self) -> frozenset[int]:
        """Return the numbers of the seats that are linked with this peer and were let in."""
        here = [self._hub.linked(peer) and self._access.is_let_in(peer) for peer in self._table.ids]
        return frozenset(seat for seat, is_here in enumerate(here) if is_here)

    # Agreement on another game

    def catch_up(self, peer: PeerId) -> None:
        """Send a peer that was just let in what it may have missed ([W-6], [A-6]).

        This is the chat of the last seconds, and the frames about another game.
        """
        since = trio.current_time() - RECENT
        words = (frame for when, frame in self._latest if when > since)
        for frame in (*words, *self.rematch.accepted_frames()):
            self._hub.post(peer, frame)

    def link_up(self, peer: PeerId) -> None:
        """Ask a newly linked seat for the next roster, if this seat waits for it ([A-6])."""
        if peer in self._table.ids and self.rematch.is_waiting:
            # Without a proof, since a seat of the roster needs none ([L-18]).
            self._hub.post(peer, encode_lobby(Ask(b"")))

    async def settle(
        self, player: Player | None, asks: bool, present: frozenset[int], is_unhurried: bool
    ) -> Agreed | None:
        """Wait until a next table of the same people is agreed on, or there will be none ([A-3]).

        Args:
            asks: Whether this peer takes part in the agreement. If not, it refuses at once.
            present: The seats that are present and not banned at the end of this game.
            is_unhurried: Whether no time runs for the answers.
        """
        if not asks:
            self.rematch.refuse()
            return None
        gone = frozenset(range(self._table.seats)) - present
        roster = await self.rematch.settle(
            player, gone, self._screen, self.linked_seats, is_unhurried
        )
        if roster is None:
            return None
        capability = self._access.capability.next(self.rematch.terms.digest())
        # The roster of a next table names no addresses that are read ([A-5]).
        return Agreed(replace(roster, addresses=self._access.roster.addresses), capability)
