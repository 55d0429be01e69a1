"""Sitting down: the frames between host and guests before there is a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from protocol import (
    SIGNATURE_SIZE,
    Header,
    Identity,
    Invalid,
    Raw,
    SeatEntry,
    Terms,
    codec,
    is_plain,
    table_header,
)

from ..confusable_names import is_stacked, twins
from .frame_kinds import longest

MAX_ADDRESSES = 12
MAX_ADDRESS = 300


PROOF = 32


class Refusal(StrEnum):
    """Why there is no seat, or nothing to see."""

    UNPROVEN = "unproven"
    FULL = "full"
    NAME = "name"
    DENIED = "denied"
    UNHEARD = "unheard"
    UNWATCHED = "unwatched"


@dataclass(frozen=True)
class Ask:
    """A guest's first word: the proof that it holds the ticket; empty if it has no secret."""

    proof: bytes


@dataclass(frozen=True)
class Offer:
    """The host's terms and who has sat down so far, behind the proof that it gave the ticket;
    `watched`: onlookers are let in."""

    proof: bytes
    terms: Terms
    names: tuple[str, ...]
    watched: bool = True


@dataclass(frozen=True)
class Sit:
    """A guest's signed consent and where it can be reached."""

    entry: Any
    addresses: tuple[str, ...]


@dataclass(frozen=True)
class Names:
    """Who has sat down so far."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Refuse:
    """The guest cannot sit down, or look on, and why."""

    reason: Refusal


@dataclass(frozen=True)
class Asked:
    """The host is asked whether the guest may sit down."""


@dataclass(frozen=True)
class Roster:
    """The table is complete: its header, each seat's addresses, and the host's signature, also of
    whether onlookers are let in."""

    header: bytes
    addresses: tuple[tuple[str, ...], ...]
    signature: bytes
    watched: bool = True


@dataclass(frozen=True)
class Shown:
    """The table a seat plays at, with the signature of its host, and what else that signs."""

    table: bytes
    signature: bytes
    watched: bool = True


LobbyFrame = Ask | Offer | Sit | Names | Refuse | Asked | Roster | Shown


def encode_lobby(frame: LobbyFrame) -> bytes:
    """The bytes that travel; the first field is a word, unlike in a table's frames."""
    match frame:
        case Ask(proof):
            return codec.encode(("ask", proof))
        case Offer(proof, terms, names, watched):
            return codec.encode(("offer", proof, terms.value(), names, watched))
        case Sit(entry, addresses):
            return codec.encode(("sit", entry, addresses))
        case Names(names):
            return codec.encode(("names", names))
        case Refuse(reason):
            return codec.encode(("refuse", reason.value))
        case Asked():
            return codec.encode(("asked",))
        case Roster(data, addresses, signature, watched):
            return codec.encode(("roster", data, addresses, watched, signature))
        case Shown(table, signature, watched):
            return codec.encode(("table", table, watched, signature))


def parse_lobby(data: bytes) -> LobbyFrame:
    """A lobby frame from its bytes; Invalid otherwise ([X-2])."""
    raw = Raw(codec.decode(data, longest(data)), "bad-frame", "a lobby frame")
    kind = raw.head("its kind").text()
    raw.need(kind in _READERS, "is of no known kind")
    return _READERS[kind](raw)


def _words(raw: Raw) -> tuple[str, ...]:
    words = raw.items("an address", MAX_ADDRESSES)
    for word in words:
        word.need(is_plain(word.text(MAX_ADDRESS)), "is not plain")
    return tuple(word.value for word in words)


def _names(raw: Raw) -> tuple[str, ...]:
    names = raw.items("a nickname", table_header.MAX_SEATS)
    for name in names:
        name.need(table_header.is_nickname(name.text()), "is none")
    return tuple(name.value for name in names)


def _read_ask(raw: Raw) -> Ask:
    _, proof = raw.row("its kind", "the proof")
    return Ask(proof.octets(0, PROOF))


def _read_offer(raw: Raw) -> Offer:
    _, proof, terms, names, watched = raw.row(
        "its kind", "the proof", "the terms", "the names", "whether it is watched"
    )
    terms.items("a field")
    read = table_header.parse_terms(terms.value)
    return Offer(proof.octets(0, PROOF), read, _names(names), watched.flag())


def _read_sit(raw: Raw) -> Sit:
    _, entry, addresses = raw.row("its kind", "the entry", "the addresses")
    entry.items("a field")
    return Sit(entry.value, _words(addresses))


def _read_names(raw: Raw) -> Names:
    _, names = raw.row("its kind", "the names")
    return Names(_names(names))


def _read_refuse(raw: Raw) -> Refuse:
    _, reason = raw.row("its kind", "the reason")
    reason.need(reason.text() in set(Refusal), "is no known one")
    return Refuse(Refusal(reason.value))


def _read_asked(raw: Raw) -> Asked:
    raw.row("its kind")
    return Asked()


def _read_roster(raw: Raw) -> Roster:
    _, data, lists, watched, signature = raw.row(
        "its kind", "the header", "the addresses", "whether it is watched", "the signature"
    )
    where = tuple(_words(one) for one in lists.items("a seat's addresses", table_header.MAX_SEATS))
    return Roster(data.octets(), where, signature.octets(SIGNATURE_SIZE), watched.flag())


def _read_shown(raw: Raw) -> Shown:
    _, table, watched, signature = raw.row(
        "its kind", "the table", "whether it is watched", "the signature"
    )
    return Shown(table.octets(32), signature.octets(SIGNATURE_SIZE), watched.flag())


_READERS: Final[Mapping[str, Callable[[Raw], LobbyFrame]]] = {
    "ask": _read_ask,
    "offer": _read_offer,
    "sit": _read_sit,
    "names": _read_names,
    "refuse": _read_refuse,
    "asked": _read_asked,
    "roster": _read_roster,
    "table": _read_shown,
}


def is_lobby(data: bytes) -> bool:
    """Whether a frame is one of the lobby: an array that begins with a word."""
    return len(data) > 1 and (data[1] & 0xE0 == 0xA0 or data[1] == 0xD9)


class Seating:
    """The host's list of who sits down; a seat is held while its link is, and a little longer."""

    def __init__(
        self, terms: Terms, own: SeatEntry, addresses: Sequence[str], watched: bool = True
    ) -> None:
        """The host sits first. `watched`: onlookers are let in."""
        self.terms, self.watched = terms, watched
        self._seats: dict[bytes, tuple[SeatEntry, tuple[str, ...]]] = {
            own.id: (own, tuple(addresses)[:MAX_ADDRESSES])
        }
        self._away: dict[bytes, float] = {}

    def move(self, addresses: Sequence[str]) -> None:
        """The host is reached at these addresses now."""
        own = self.terms.host
        self._seats[own] = (self._seats[own][0], tuple(addresses)[:MAX_ADDRESSES])

    @property
    def names(self) -> tuple[str, ...]:
        """The nicknames so far."""
        return tuple(entry.nickname for entry, _ in self._seats.values())

    @property
    def ids(self) -> frozenset[bytes]:
        """Who sits here."""
        return frozenset(self._seats)

    @property
    def complete(self) -> bool:
        """Whether everyone has sat down and is there."""
        return len(self._seats) == self.terms.seats and not self._away

    @property
    def is_kept(self) -> bool:
        """Whether a seat is kept for one whose link is gone."""
        return bool(self._away)

    def sit(self, peer: bytes, request: Sit) -> Refusal | None:
        """Seat a guest; why not, if it cannot be. Invalid if its consent does not verify."""
        entry = self.may_sit(peer, request)
        if isinstance(entry, Refusal):
            return entry
        self._seats[peer] = (entry, request.addresses)
        self._away.pop(peer, None)
        return None

    def may_sit(self, peer: bytes, request: Sit) -> SeatEntry | Refusal:
        """A guest's entry as it would stand in the roster, or why it cannot. Invalid if its consent
        does not verify.

        SPEC: [L-8], [H-11].
        """
        entry = table_header.parse_entry(self.terms, request.entry)
        if entry.id != peer:
            raise Invalid("bad-header", "a seat entry is of another identity than the link")
        if len(self._seats) == self.terms.seats and peer not in self._seats:
            return Refusal.FULL
        others = (e.nickname for e, _ in self._seats.values() if e.id != peer)
        name = entry.nickname
        if is_stacked(name) or any(twins(other, name) for other in others):
            return Refusal.NAME
        return entry

    def leave(self, peer: bytes, now: float) -> None:
        """A guest's link is gone; it may be back at once."""
        if peer in self._seats:
            self._away[peer] = now

    def give_up(self, since: float) -> bool:
        """Free the seats whose links have been gone since then or longer; whether there are any.

        SPEC: [L-8].
        """
        gone = [peer for peer, when in self._away.items() if when <= since]
        for peer in gone:
            del self._seats[peer], self._away[peer]
        return bool(gone)

    def roster(self, host: Identity) -> Roster:
        """The complete table, signed by its host."""
        complete = Header(self.terms, tuple(entry for entry, _ in self._seats.values()))
        where = tuple(where for _, where in self._seats.values())
        signature = table_header.sign_roster(complete, host, self.watched)
        return Roster(complete.encode(), where, signature, self.watched)
