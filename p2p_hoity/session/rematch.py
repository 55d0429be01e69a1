"""Another game with the same people: who consents, who refuses, and the roster they make."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from protocol import Header, Identity, Invalid, SeatEntry, Table, table_header
from protocol.bounds import Pace, Quota

from . import updates
from .access import check_signed
from .conversation import Voices
from .lobby import Roster, encode_lobby, parse_lobby
from .next_table import Consent, Refusal, is_roster, next_terms, parse_again, refuse

FRAMES: Final[Pace] = (6.0, 1.0)
"""Frames that a link may bring, so many at once for each seat: an honest one brings a consent and a
refusal of each, and a roster, and the same once more when it is made anew."""
MOST_LINKS: Final[Quota] = 64
Flood = Callable[[bytes, bytes | None], None]
"""Sends a frame to all links of the table, but to the one it came from."""


class Rematch:
    """What one node of a table knows of the next one. Each frame is passed on once; who knows
    that one seat is unwilling ends."""

    def __init__(
        self,
        table: Table,
        seat: int | None,
        me: Identity | None,
        flood: Flood,
        watched: bool = True,
    ) -> None:
        """`watched`: onlookers are let in at this table, and so at the next."""
        self._table, self._seat, self._me, self._flood = table, seat, me, flood
        self._watched = watched
        self.terms = next_terms(table)
        self._entries: dict[int, SeatEntry] = {}
        self._refused: set[int] = set()
        self._frames: dict[object, bytes] = {}
        self._links = Voices((FRAMES[0] * table.seats, FRAMES[1]), MOST_LINKS)
        self.roster: Roster | None = None

    # What comes in.

    def receive(self, peer: bytes, data: bytes, now: float) -> bool:
        """Take a consent, a refusal or the roster; whether it was of use ([A-2], [A-3], [A-5])."""
        if not self._links.may_speak(peer, now):
            return False
        try:
            key = self._roster(data) if is_roster(data) else self._word(parse_again(data))
        except Invalid:
            return False
        if key is None:
            return False
        self._frames[key] = data
        self._flood(data, peer)
        return True

    def _word(self, word: Consent | Refusal) -> object:
        """What a new word is kept by; None if it is not new, or of another table."""
        who = word.id if isinstance(word, Refusal) else word.entry[0]
        if word.table != self._table.id or who not in self._table.ids:
            return None
        seat = self._table.ids.index(who)
        if seat in self._refused or (isinstance(word, Consent) and seat in self._entries):
            return None
        if isinstance(word, Refusal):
            word.check()
            self._refused.add(seat)
        else:
            self._entries[seat] = self._checked(seat, word)
        return seat, isinstance(word, Refusal)

    def _checked(self, seat: int, word: Consent) -> SeatEntry:
        entry = table_header.parse_entry(self.terms, word.entry)
        if entry.nickname != self._table.header.roster[seat].nickname:
            raise Invalid("bad-header", "a seat consents under another name")
        return entry

    def _roster(self, data: bytes) -> object:
        """The roster of the next table, for who has consented, or looks on ([A-5])."""
        waits = self._seat is None or self.is_waiting
        found = parse_lobby(data) if waits and self.roster is None else None
        if not isinstance(found, Roster):
            return None
        self._check(found)
        self.roster = found
        return Roster

    def _check(self, found: Roster) -> None:
        """Invalid unless it has the very same people in their order on the very same terms."""
        complete = table_header.parse_header(found.header)
        check_signed(found, complete)
        here = [(one.id, one.nickname) for one in self._table.header.roster]
        there = [(one.id, one.nickname) for one in complete.roster]
        terms, watched = complete.terms.digest(), found.watched
        if here != there or (terms, watched) != (self.terms.digest(), self._watched):
            raise Invalid("bad-header", "the roster is not of the next table")
        if self._seat is not None and complete.roster[self._seat] != self._entries[self._seat]:
            raise Invalid("bad-header", "the roster does not hold this seat's own consent")

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
        if self._me is None or self._seat is None:
            return
        nickname = self._table.header.roster[self._seat].nickname
        entry = table_header.sit(self.terms, self._me, nickname, os.urandom(32))
        self._entries[self._seat] = entry
        self._say((self._seat, False), Consent(self._table.id, entry.value()).encode())

    def refuse(self) -> None:
        """Do not sit down there, whatever was said before ([A-3])."""
        if self._me is None or self._seat is None or self._seat in self._refused:
            return
        self._refused.add(self._seat)
        self._say((self._seat, True), refuse(self._table.id, self._me).encode())

    def _say(self, key: object, frame: bytes) -> None:
        self._frames[key] = frame
        self._flood(frame, None)

    def sign(self) -> None:
        """The host's part, once all have consented: one roster for these terms ([A-4])."""
        if self._me is None or self._seat != 0 or self._refused or self.roster is not None:
            return
        if len(self._entries) == self._table.seats:
            complete = Header(self.terms, tuple(one for _, one in sorted(self._entries.items())))
            signature = table_header.sign_roster(complete, self._me, self._watched)
            where = ((),) * self._table.seats
            self.roster = Roster(complete.encode(), where, signature, self._watched)
            self._say(Roster, encode_lobby(self.roster))

    @property
    def standing(self) -> updates.Again:
        """Who is willing, and who is not, as far as is known here."""
        return updates.Again(frozenset(self._entries) - self._refused, frozenset(self._refused))
