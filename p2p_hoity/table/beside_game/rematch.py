"""The agreement on another game with the same people (a rematch), and the chat beside the game."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from typing import Final

import trio

from protocol import (
    Header,
    Invalid,
    SeatEntry,
    Table,
    Terms,
    Vouch,
    codec,
    table_header,
    vouches,
)
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
"""Sends a frame to all links of the table, except to the node with this id if one is given."""


ANSWER: Final[Seconds] = 60.0
"""Seconds within which a player must say whether it wants another game ([A-3])."""
GATHER: Final[Seconds] = 75.0
"""Seconds for which the host waits until all seats have consented to another game ([A-4])."""
MAX_GATHER: Final[Seconds] = 90.0
"""Seconds for which the other seats wait for the host's roster of the next table.

This is longer than GATHER, so that nobody who has consented gives up before the host does.
"""
ALONE: Final[Seconds] = 10.0
"""Seconds without a link to any seat after which a node stops waiting."""
LOOK: Final[Seconds] = 0.1
"""Seconds between two checks whether the next table is agreed on."""


@dataclass(eq=False, repr=False)
class Rematch:
    """The agreement on the next table of the same people, as far as one node knows it.

    Each seat consents or refuses, and the host then signs the next roster. Each frame is passed on
    once. As soon as one seat is unwilling, a node stops waiting for the others.

    Attributes:
        _table: The table that ends.
        _seat: The number of this node's seat. None for an onlooker.
        _keys: The keys of this node at this table, and so at the next. None for an onlooker.
        _flood: Sends the frames of this node, and passes on the frames of others.
        _vouches: For each seat its vouch at this table (the signature of the player's long-lived
            key over the key of the seat), or None.
        _gone: The seats that are absent or banned at the end, for which nobody waits.
        roster: The roster of the next table, as its host has signed it. None until it is known.
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
        """Compute the terms of the next table."""
        self.terms = next_terms(self._table)

    # Frames received

    def receive(self, peer: PeerId, data: bytes) -> bool:
        """Handle a consent, a refusal or the next roster, and pass it on if it is new.

        The rules are [A-2], [A-3] and [A-5].

        Returns:
            True if the frame is valid and new.
        """
        try:
            is_roster = codec.kind_at(data) == "roster"
            key = self._roster(data) if is_roster else self._word(parse_again(data))
        except Invalid:
            return False
        if key is None:
            return False
        self._frames[key] = data
        self._flood(data, peer)
        return True

    def _word(self, word: Consent | Decline) -> object:
        """Store a seat's consent to the next game, or its refusal, if the message is new.

        Return the number of the seat and whether the seat refuses, as a key under which the caller
        can store the frame of the message. Return None if the message is not new, or is of another
        table.
        """
        who = word.id if isinstance(word, Decline) else word.entry[0]
        if word.table != self._table.id or who not in self._table.ids:
            return None
        seat = self._table.ids.index(who)
        if seat in self._refused:
            return None
        if isinstance(word, Consent) and seat in self._entries and not self._is_completed_by(word):
            return None
        if isinstance(word, Decline):
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
        """Return whether a consent has a vouch, and the same consent is stored without it ([A-2]).

        A consent says that a seat agrees to play the next table. A vouch is a signature of the
        player's long-lived key over the key of the seat. The signature of a consent does not cover
        the vouch, so a node that passes the consent on can leave the vouch out.
        """
        seat = self._table.ids.index(word.entry[0])
        is_same = self._entries[seat].value() == word.entry and self._shown[seat] is None
        return is_same and word.vouch is not None and self.roster is None

    def _check_player(self, seat: int, vouch: Vouch | None) -> None:
        """Check that a seat shows the same long-lived key for the rematch as at this table ([A-2]).

        If the seat shows no key at one of the two tables, nothing is checked.

        Raises:
            Invalid: With code `bad-vouch` if the keys differ.
        """
        before = self._vouches[seat]
        if vouch is not None and before is not None and vouch.id != before.id:
            raise Invalid(vouches.BAD_VOUCH, "a seat shows another player than at this table")

    def _roster(self, data: bytes) -> object:
        """Check and store the roster of the next table, if this node waits for a roster.

        A seat waits for a roster only after its own consent ([A-5]). Return the class `Roster` if
        the roster was stored now, and None otherwise. The caller stores the frame under this class.
        """
        waits = self._seat is None or self.is_waiting
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
        """Return the valid consents, refusals and roster so far, for a node that is newly linked.

        Returns:
            The bytes of each frame, in the order in which they were stored.
        """
        return tuple(self._frames.values())

    # Frames of this seat

    def consent(self) -> None:
        """Consent to the next table: sign an entry for its roster and send it to all ([A-2])."""
        if self._keys is None or self._seat is None:
            return
        nickname, before = self._table.header.roster[self._seat].nickname, self._vouches[self._seat]
        entry, vouch = self._keys.consent(self.terms, nickname)
        if before is None or vouch is None or vouch.id != before.id:
            vouch = None
        self._entries[self._seat], self._shown[self._seat] = entry, vouch
        self._say((self._seat, False), Consent(self._table.id, entry.value(), vouch).encode())

    def refuse(self) -> None:
        """Refuse the next table and tell all nodes, even if this seat consented before ([A-3])."""
        if self._keys is None or self._seat is None or self._seat in self._refused:
            return
        self._refused.add(self._seat)
        self._say((self._seat, True), refuse(self._table.id, self._keys.seat).encode())

    def _say(self, key: object, frame: bytes) -> None:
        """Store a frame that this node made, and send the frame to all linked nodes.

        `key` names the content of the frame: the seat and whether it refuses, or the class `Roster`
        for a roster.
        """
        self._frames[key] = frame
        self._flood(frame, None)

    def sign(self) -> None:
        """Sign the next roster as the host, and send it, once all seats have consented ([A-4]).

        Do nothing if this seat is not the host's, or if a consent is missing.
        """
        if self._keys is None or self._seat != 0 or self._refused or self.roster is not None:
            return
        seats = range(self._table.seats)
        if len(self._entries) == len(seats):
            complete = Header(self.terms, tuple(self._entries[seat] for seat in seats))
            signature = table_header.sign_roster(complete, self._keys.seat)
            shown = tuple(self._shown[seat] for seat in seats)
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
    ) -> Roster | None:
        """Wait until the next table is agreed on, or it is clear that there is none.

        Args:
            player: The player that is asked whether it wants another game. None for an onlooker.
            gone: The seats that are absent or banned at the end of this game.
            screen: Is told which seats are willing and which are not.
            linked: Returns the numbers of the seats that are linked and let in.

        Returns:
            The roster of the next table, or None if there is no next table.
        """
        self._gone, heard = gone, trio.current_time()
        screen(told := self.standing)
        last = heard + (GATHER if self._seat == 0 else MAX_GATHER)
        async with open_nursery() as nursery:
            if player is not None and self._seat is not None and not told.unwilling:
                nursery.start_soon(self._ask, player)
            while not (self.standing.unwilling or self.roster):
                now = trio.current_time()
                heard = now if linked() else heard
                if now >= min(last, heard + ALONE):
                    break
                await trio.sleep(LOOK)
                self.sign()
                if self.standing != told:
                    screen(told := self.standing)
            nursery.cancel_scope.cancel()
        found = self.standing
        if self.roster is None and not found.unwilling:
            # A silent seat counts as unwilling. If all have consented, the host was silent.
            self.refuse()
            silent = frozenset(range(self._table.seats)) - found.willing or frozenset({0})
            found = updates.Again(found.willing - silent, silent)
        if self.roster is None and found != told:
            screen(found)
        return self.roster

    async def _ask(self, player: Player) -> None:
        """Ask the player for another game, and consent or refuse.

        A late answer counts as a refusal.
        """
        willing = False
        with trio.move_on_after(ANSWER):
            willing = await player.again()
        if willing:
            self.consent()
        else:
            self.refuse()


@dataclass(frozen=True)
class Agreed:
    """A table that all seats have agreed on, and the secret of its ticket.

    Attributes:
        roster: The roster, as its host has signed it.
        capability: The secret of the table's ticket.
    """

    roster: Roster
    capability: Capability


RECENT: Final[Seconds] = 10.0
"""Seconds for which a chat message is sent to nodes that are let in after it."""
MOST_RECENT: Final[Quota] = 8
"""The most chat messages that are stored for nodes that are let in later."""


class SideChannel:
    """The frames of one node that are not part of the game: chat, and the agreement on a rematch.

    Attributes:
        rematch: The agreement on another game.
    """

    def __init__(
        self, access: Access, keys: TableKeys, hub: Hub, screen: Screen, talks: bool = True
    ) -> None:
        """Make the channel for a node's chat and for its agreement on another game.

        Args:
            access: Decides which links are let in.
            keys: The keys with which this node signs.
            screen: The function that is called with each update.
            talks: Whether this node shows chat messages and sends those of its player. Messages of
                others are passed on in any case.
        """
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
        """Show a message, unless chat is switched off here."""
        if self._talks:
            self._screen(heard.said)

    def _spread(self, frame: bytes, source: bytes | None) -> None:
        """Send a chat message to all nodes but `source`, from which it came ([W-6]).

        `source` is None for a message of this node. At an onlooker, do nothing.
        """
        if self._seat is not None:
            self._latest.append((trio.current_time(), frame))
            self.flood(frame, source)

    def flood(self, frame: bytes, source: bytes | None) -> None:
        """Send a frame to all nodes with access to the table, except to the frame's source.

        Args:
            source: The id of the node from which the frame came. None if the frame is this node's
                own.
        """
        for peer in self._hub.links():
            if peer != source and self._access.is_let_in(peer):
                self._hub.post(peer, frame)

    # Messages of this node

    def say(self, words: str | int) -> None:
        """Send a chat message of the player, or tell the player why it is not sent.

        Args:
            words: The text as typed, or the number of a phrase.
        """
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
        """Sign a chat message of the player, or return the reason why it cannot be sent."""
        return self._conversation.say(words, self.linked_seats(), trio.current_time())

    def linked_seats(self) -> frozenset[int]:
        """Return the seats that are linked with this node and were let in.

        Returns:
            The numbers of the seats.
        """
        here = [self._hub.linked(peer) and self._access.is_let_in(peer) for peer in self._table.ids]
        return frozenset(seat for seat, is_here in enumerate(here) if is_here)

    # Agreement on another game

    def catch_up(self, peer: PeerId) -> None:
        """Send a node that was just let in what it may have missed ([W-6], [A-6]).

        This is the chat of the last seconds, and the frames about another game.

        Args:
            peer: The id of the node.
        """
        since = trio.current_time() - RECENT
        words = (frame for when, frame in self._latest if when > since)
        for frame in (*words, *self.rematch.accepted_frames()):
            self._hub.post(peer, frame)

    def link_up(self, peer: PeerId) -> None:
        """Ask a newly linked seat for the next table's roster, if this seat waits for it ([A-6]).

        Args:
            peer: The id of the linked node.
        """
        if peer in self._table.ids and self.rematch.is_waiting:
            self._hub.post(peer, encode_lobby(Ask(b"")))

    async def settle(
        self, player: Player | None, asks: bool, present: frozenset[int]
    ) -> Agreed | None:
        """Wait until a next table of the same people is agreed on, or there will be none.

        Args:
            player: The player that is asked. None for an onlooker.
            asks: Whether this node takes part in the agreement. If not, it refuses at once.
            present: The seats that are present and not banned at the end of this game.

        Returns:
            The next table, or None if there is none.

        SPEC: [A-3].
        """
        if not asks:
            self.rematch.refuse()
            return None
        gone = frozenset(range(self._table.seats)) - present
        roster = await self.rematch.settle(player, gone, self._screen, self.linked_seats)
        if roster is None:
            return None
        capability = self._access.capability.next(self.rematch.terms.digest())
        return Agreed(replace(roster, addresses=self._access.roster.addresses), capability)
