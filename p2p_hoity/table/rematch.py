"""Another game with the same people: consents, refusals, the roster they make, and the question."""

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
from protocol.bounds import Quota, Seconds

from ..coded_errors import Reason, because
from ..net.hub import Hub
from ..presentation import screen_updates as updates
from ..presentation.screen_updates import Screen, Unsaid
from .chat import ChatHistory, Heard, TalkCode
from .frame_access import Access, check_signed
from .lobby import Ask, Roster, encode_lobby, parse_lobby
from .player_interface import Player
from .rematch_frames import Consent, Decline, next_terms, parse_again, refuse
from .table_keys import TableKeys
from .task_groups import open_nursery
from .ticket_proof import Capability

Flood = Callable[[bytes, bytes | None], None]
"""Sends a frame to all links of the table, but to the one it came from."""


ANSWER: Final[Seconds] = 60.0
"""Seconds in which a player must have said whether it wants another game ([A-3])."""
GATHER: Final[Seconds] = 75.0
"""Seconds for which the host waits for all consents ([A-4])."""
MAX_GATHER: Final[Seconds] = 90.0
"""Seconds for which all others wait for the roster: longer, so that who has consented comes."""
ALONE: Final[Seconds] = 10.0
"""Seconds without a link to any seat after which nobody is waited for."""
LOOK: Final[Seconds] = 0.1
"""Seconds between two looks at what has come."""


@dataclass(eq=False, repr=False)
class Rematch:
    """What one node of a table knows of the next one, and how it gets there.

    Each frame is passed on once. Who knows that one seat is unwilling ends.

    Attributes:
        _table: The table that ends.
        _seat: The seat of this node. None for an onlooker.
        _keys: The keys of this node at this table, and so at the next. None for an onlooker.
        _flood: Sends frames of this node, and those of others on.
        _vouches: The vouches that the seats have shown at this table.
        _gone: The seats that are not at this table any more, and are not waited for.
        terms: The terms of the next table.
        roster: The next table, as its host has signed it.
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
        """Make the terms of the next table."""
        self.terms = next_terms(self._table)

    # What comes in.

    def receive(self, peer: bytes, data: bytes) -> bool:
        """Take a consent, a refusal or the roster; whether it was of use ([A-2], [A-3], [A-5])."""
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
        """What a new word is kept by; None if it is not new, or of another table."""
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
        """Return whether a consent is one that is stored, with the vouch that it lacked ([A-2]).

        No signature covers the vouch of a consent, so whoever passes it on can leave that out.
        """
        seat = self._table.ids.index(word.entry[0])
        is_same = self._entries[seat].value() == word.entry and self._shown[seat] is None
        return is_same and word.vouch is not None and self.roster is None

    def _check_player(self, seat: int, vouch: Vouch | None) -> None:
        """Check that a seat shows no other player than at this table ([A-2])."""
        before = self._vouches[seat]
        if vouch is not None and before is not None and vouch.id != before.id:
            raise Invalid(vouches.BAD_VOUCH, "a seat shows another player than at this table")

    def _roster(self, data: bytes) -> object:
        """The roster of the next table, for who has consented, or looks on ([A-5])."""
        waits = self._seat is None or self.is_waiting
        found = parse_lobby(data) if waits and self.roster is None else None
        if not isinstance(found, Roster):
            return None
        # It must have the very same people in the same order, on the very same terms.
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
        # A vouch that was left out on the way is known from the consent itself ([A-5]).
        known = (
            self._shown.get(seat) if self._entries.get(seat) == entry else None
            for seat, entry in enumerate(complete.roster)
        )
        shown = tuple(a or b for a, b in zip(found.vouches, known, strict=True))
        self.roster = replace(found, vouches=shown)
        return Roster

    @property
    def is_waiting(self) -> bool:
        """Whether this seat has consented, and nobody has refused."""
        return self._seat in self._entries and not self._refused and self.roster is None

    def known(self) -> tuple[bytes, ...]:
        """All that a new link may have missed."""
        return tuple(self._frames.values())

    # What this seat says.

    def consent(self) -> None:
        """Sit down at the next table, by a fresh entry ([A-2])."""
        if self._keys is None or self._seat is None:
            return
        nickname, before = self._table.header.roster[self._seat].nickname, self._vouches[self._seat]
        entry, vouch = self._keys.consent(self.terms, nickname)
        if before is None or vouch is None or vouch.id != before.id:
            vouch = None
        self._entries[self._seat], self._shown[self._seat] = entry, vouch
        self._say((self._seat, False), Consent(self._table.id, entry.value(), vouch).encode())

    def refuse(self) -> None:
        """Do not sit down there, whatever was said before ([A-3])."""
        if self._keys is None or self._seat is None or self._seat in self._refused:
            return
        self._refused.add(self._seat)
        self._say((self._seat, True), refuse(self._table.id, self._keys.seat).encode())

    def _say(self, key: object, frame: bytes) -> None:
        self._frames[key] = frame
        self._flood(frame, None)

    def sign(self) -> None:
        """The host's part, once all have consented: one roster for these terms ([A-4])."""
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
        """Who is willing, and who is not, as far as is known here."""
        unwilling = self._refused | self._gone
        return updates.Again(frozenset(self._entries) - unwilling, frozenset(unwilling))

    async def settle(
        self,
        player: Player | None,
        gone: frozenset[int],
        screen: Screen,
        linked: Callable[[], Set[int]],
    ) -> Roster | None:
        """Go from a finished table to the next.

        Args:
            player: Is asked whether it wants another game. None for an onlooker.
            gone: The seats that are not at this table any more.
            screen: Is told who is willing, and who is not.
            linked: Returns the seats to which there is a link.

        Returns:
            The roster of the next table, or None if there is none.
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
            # Who kept silent counts as unwilling. If all have consented, the host gave no roster.
            self.refuse()
            silent = frozenset(range(self._table.seats)) - found.willing or frozenset({0})
            found = updates.Again(found.willing - silent, silent)
        if self.roster is None and found != told:
            screen(found)
        return self.roster

    async def _ask(self, player: Player) -> None:
        """No answer in time is a refusal."""
        willing = False
        with trio.move_on_after(ANSWER):
            willing = await player.again()
        if willing:
            self.consent()
        else:
            self.refuse()


@dataclass(frozen=True)
class Agreed:
    """The next table of the same people, as its host has signed it."""

    roster: Roster
    capability: Capability


RECENT: Final[Seconds] = 10.0
"""Seconds for which words are told to links that are let in after them."""
MOST_RECENT: Final[Quota] = 8


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


class SideChannel:
    """The side channel of one node, over the links that `access` has let in. `talks`: whether this
    node shows what is said, and says anything; what others say it passes on in any case."""

    def __init__(
        self, access: Access, keys: TableKeys, hub: Hub, screen: Screen, talks: bool = True
    ) -> None:
        self._table, self._seat, self._access = access.table, access.seat, access
        self._hub, self._screen, self._talks = hub, screen, talks
        self._conversation = ChatHistory(self._table, self._seat, keys.seat, _milliseconds)
        shown = access.roster.vouches
        self.rematch = Rematch(self._table, self._seat, keys, self.flood, shown)
        self._latest: deque[tuple[float, bytes]] = deque(maxlen=MOST_RECENT)

    def hear(self, peer: bytes, data: bytes) -> None:
        """Take a frame of talk; one that is of no use is dropped silently ([W-6])."""
        heard = self._conversation.receive(peer, data, trio.current_time())
        if heard is not None:
            self._tell(heard)
            self._spread(heard.frame, peer)

    def _tell(self, heard: Heard) -> None:
        if self._talks:
            self._screen(heard.said)

    def _spread(self, frame: bytes, source: bytes | None) -> None:
        """To all others, once ([W-6]); an onlooker's would be taken from nobody."""
        if self._seat is not None:
            self._latest.append((trio.current_time(), frame))
            self.flood(frame, source)

    def flood(self, frame: bytes, source: bytes | None) -> None:
        """Send a frame to all links that are let in, but to the one it came from."""
        for peer in self._hub.links():
            if peer != source and self._access.hears(peer):
                self._hub.post(peer, frame)

    # Of its own.

    def say(self, words: str | int) -> None:
        """Say the player's words, or tell it why not."""
        found = because(TalkCode.OFF) if not self._talks else self._said(words)
        if isinstance(found, Reason):
            self._screen(Unsaid(found))
            return
        self._tell(found)
        self._spread(found.frame, None)
        if self._seat is None:
            self._hub.post(self._table.ids[min(self.doors())], found.frame)  # as it is signed

    def _said(self, words: str | int) -> Heard | Reason:
        return self._conversation.say(words, self.doors(), trio.current_time())

    def doors(self) -> frozenset[int]:
        """The seats that are linked and heard."""
        here = [self._hub.linked(peer) and self._access.hears(peer) for peer in self._table.ids]
        return frozenset(seat for seat, is_here in enumerate(here) if is_here)

    # Another game.

    def catch_up(self, peer: bytes) -> None:
        """A link was let in: tell what it may have missed ([W-6], [A-6])."""
        since = trio.current_time() - RECENT
        words = (frame for when, frame in self._latest if when > since)
        for frame in (*words, *self.rematch.known()):
            self._hub.post(peer, frame)

    def link_up(self, peer: bytes) -> None:
        """A seat that has consented asks for the roster on each new link: it may be out ([A-6])."""
        if peer in self._table.ids and self.rematch.is_waiting:
            self._hub.post(peer, encode_lobby(Ask(b"")))

    async def settle(
        self, player: Player | None, asks: bool, present: frozenset[int]
    ) -> Agreed | None:
        """The next table of the same people, if all want one; without `asks` this one does not.

        SPEC: [A-3].
        """
        if not asks:
            self.rematch.refuse()
            return None
        gone = frozenset(range(self._table.seats)) - present
        roster = await self.rematch.settle(player, gone, self._screen, self.doors)
        if roster is None:
            return None
        capability = self._access.capability.next(self.rematch.terms.digest())
        return Agreed(replace(roster, addresses=self._access.roster.addresses), capability)
