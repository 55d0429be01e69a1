"""The Game port: what a game must say, from a state, for the table to drive it.

The table knows nothing of the game but this page. A game names *slots* (deck positions,
0 … cards-1) and seats (0 … n-1); choices are plain values: ints and tuples of ints.
A game never asks a choice of an absent seat or of one sitting out: its `apply` takes the
declared default by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

Choice = int | tuple[int, ...]
Cards = Mapping[int, int]
"""Slot to card index."""


class IllegalMove(ValueError):
    """A choice the rules forbid; the text says which rule, in the game's words."""


@dataclass(frozen=True)
class Layout:
    """How the deck is laid out; it depends on the number of seats alone."""

    cards: int
    hands: tuple[tuple[int, ...], ...]
    tops: tuple[int, ...]


# What a state expects next.


@dataclass(frozen=True)
class Deal:
    """The deal: hands to their seats, tops to all, and the joint coin."""


@dataclass(frozen=True)
class Seal:
    """Each of `seats` chooses in secret, all at once."""

    kind: str
    seats: frozenset[int]


@dataclass(frozen=True)
class Unseal:
    """The sealed choices of `seats` are opened; with `shows` a choice is the slots shown."""

    kind: str
    seats: frozenset[int]
    shows: bool = False


@dataclass(frozen=True)
class Show:
    """One seat shows cards of its choice."""

    kind: str
    seat: int


@dataclass(frozen=True)
class Choose:
    """One seat makes an open choice."""

    kind: str
    seat: int


@dataclass(frozen=True)
class Draw:
    """These slots are opened to all."""

    slots: tuple[int, ...]


@dataclass(frozen=True)
class OpenAll:
    """The end: these slots, whoever holds them, are opened to all as far as a quorum can."""

    slots: tuple[int, ...]


@dataclass(frozen=True)
class Over:
    """Nothing more is expected."""


Expected = Deal | Seal | Unseal | Show | Choose | Draw | OpenAll | Over

# What happened; `apply` takes one of these.


@dataclass(frozen=True)
class Dealt:
    """The joint coin (32 bytes) and the open tops."""

    coin: bytes
    cards: Cards


@dataclass(frozen=True)
class Sealed:
    """Those who sealed a choice; who owed one and is missing here owes it no more."""

    kind: str
    seats: frozenset[int]


@dataclass(frozen=True)
class Unsealed:
    """The opened choices, None where one is void, and the cards shown with them."""

    kind: str
    choices: Mapping[int, Choice | None]
    cards: Cards = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """What one seat showed; None if it is absent or its choice is void."""

    kind: str
    seat: int
    choice: Choice | None
    cards: Cards = field(default_factory=dict)


@dataclass(frozen=True)
class Chosen:
    """One seat's open choice; None if it is absent or its choice is void."""

    kind: str
    seat: int
    choice: Choice | None


@dataclass(frozen=True)
class Drawn:
    """The drawn cards."""

    cards: Cards


@dataclass(frozen=True)
class Opened:
    """The last cards; what nobody could open is missing."""

    cards: Cards


@dataclass(frozen=True)
class Presence:
    """The seats present from now on; those newly present sit out as the game says."""

    present: frozenset[int]
    banned: frozenset[int]


@dataclass(frozen=True)
class Stopped:
    """The table goes on no longer: what the state expects from here on is `OpenAll`, or `Over`."""


Event = Dealt | Sealed | Unsealed | Shown | Chosen | Drawn | Opened | Presence | Stopped

S = TypeVar("S")


class Game(Protocol[S]):
    """A game bound to one table's terms. All methods are pure."""

    @property
    def layout(self) -> Layout:
        """The deck's layout."""

    def start(self) -> S:
        """The state before the deal; it expects `Deal`."""

    def expected(self, state: S) -> Expected:
        """What the state expects next."""

    def apply(self, state: S, event: Event) -> S:
        """The next state."""

    def check(self, state: S, kind: str, seat: int, choice: Choice, cards: Cards) -> None:
        """Raise IllegalMove if `choice` breaks a rule; `cards` are those shown with it."""

    def size(self, kind: str) -> int:
        """The most bytes an encoded choice of this kind takes; sealed choices are padded to it."""

    def standings(self, state: S) -> tuple[tuple[int, int], ...]:
        """(rank, seat) of everyone once the state is over."""
