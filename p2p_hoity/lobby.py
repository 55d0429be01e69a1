"""Sitting down: the frames between host and guests before there is a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from protocol import encoding, header
from protocol.errors import Invalid
from protocol.header import Header, SeatEntry, Terms, is_nickname
from protocol.text import is_plain

from .lookalikes import twins

MAX_LOBBY = 64 * 1024
MAX_ADDRESSES = 12
MAX_ADDRESS = 300
MAX_REASON = 200


@dataclass(frozen=True)
class Offer:
    """The host's terms and who has sat down so far."""

    terms: Terms
    names: tuple[str, ...]


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
    """The guest cannot sit down, and why."""

    reason: str


@dataclass(frozen=True)
class Roster:
    """The table is complete: its header, and each seat's addresses."""

    header: bytes
    addresses: tuple[tuple[str, ...], ...]


LobbyFrame = Offer | Sit | Names | Refuse | Roster


def encode_lobby(frame: LobbyFrame) -> bytes:
    """The bytes that travel; the first field is a word, unlike in a table's frames."""
    match frame:
        case Offer(terms, names):
            return encoding.encode(("offer", terms.value(), names))
        case Sit(entry, addresses):
            return encoding.encode(("sit", entry, addresses))
        case Names(names):
            return encoding.encode(("names", names))
        case Refuse(reason):
            return encoding.encode(("refuse", reason))
        case Roster(data, addresses):
            return encoding.encode(("roster", data, addresses))


def _need(condition: bool) -> None:
    if not condition:
        raise Invalid("bad-frame", "a lobby frame is not of a known form")


def _words(value: Any, most: int, size: int) -> tuple[str, ...]:
    _need(isinstance(value, tuple) and len(value) <= most)
    _need(all(isinstance(word, str) and len(word) <= size and is_plain(word) for word in value))
    return tuple(value)


def _names(value: Any) -> tuple[str, ...]:
    _need(isinstance(value, tuple) and len(value) <= header.MAX_SEATS)
    _need(all(isinstance(name, str) and is_nickname(name) for name in value))
    return tuple(value)


def parse_lobby(data: bytes) -> LobbyFrame:
    """A lobby frame from its bytes; Invalid otherwise."""
    match encoding.decode(data, MAX_LOBBY):
        case ("offer", tuple() as terms, names):
            return Offer(header.parse_terms(terms), _names(names))
        case ("sit", tuple() as entry, addresses):
            return Sit(entry, _words(addresses, MAX_ADDRESSES, MAX_ADDRESS))
        case ("names", names):
            return Names(_names(names))
        case ("refuse", str() as reason) if len(reason) <= MAX_REASON and is_plain(reason):
            return Refuse(reason)
        case ("roster", bytes() as raw, tuple() as lists) if len(lists) <= header.MAX_SEATS:
            return Roster(raw, tuple(_words(a, MAX_ADDRESSES, MAX_ADDRESS) for a in lists))
    raise Invalid("bad-frame", "a lobby frame is not of a known form")


def is_lobby(data: bytes) -> bool:
    """Whether a frame is one of the lobby: an array that begins with a word."""
    return len(data) > 1 and (data[1] & 0xE0 == 0xA0 or data[1] == 0xD9)


def _taken(name: str, wished: str) -> str:
    if name == wished:
        return f"someone here is called {name} already: take another name"
    return f"someone here is called {name}, which {wished} is too like: take another name"


class Seating:
    """The host's list of who sits down; a seat is held while its link is."""

    def __init__(self, terms: Terms, own: SeatEntry, addresses: Sequence[str]) -> None:
        """The host sits first."""
        self.terms = terms
        self._seats: dict[bytes, tuple[SeatEntry, tuple[str, ...]]] = {
            own.id: (own, tuple(addresses)[:MAX_ADDRESSES])
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The nicknames so far."""
        return tuple(entry.nickname for entry, _ in self._seats.values())

    @property
    def full(self) -> bool:
        """Whether everyone has sat down."""
        return len(self._seats) == self.terms.seats

    def sit(self, peer: bytes, request: Sit) -> str | None:
        """Seat a guest; why not, if it cannot be. Invalid if its consent does not verify."""
        if self.full and peer not in self._seats:
            return "the table is full"
        entry = header.parse_entry(self.terms, request.entry)
        if entry.id != peer:
            raise Invalid("bad-header", "a seat entry is of another identity than the link")
        for other, _ in self._seats.values():
            if other.id != peer and twins(other.nickname, entry.nickname):
                return _taken(other.nickname, entry.nickname)
        self._seats[peer] = (entry, request.addresses)
        return None

    def leave(self, peer: bytes) -> bool:
        """A guest's link is gone; whether it had a seat."""
        return self._seats.pop(peer, None) is not None

    def roster(self) -> Roster:
        """The complete table."""
        complete = Header(self.terms, tuple(entry for entry, _ in self._seats.values()))
        return Roster(complete.encode(), tuple(where for _, where in self._seats.values()))
