"""The interface of a game: what it must say for the table to play it.

A game is written from this page alone, and the table knows nothing of a game but what stands here.
Seats are numbered 0 … n-1, *slots* are the places of the shuffled deck, 0 … cards-1: the same at
every seat. What a seat chooses is a plain int or a tuple of ints. A `Game` is bound to one table's
terms; its states are values that are never changed.

One turn: the table asks `expected(state)` what the game waits for, has the seats do
it, and tells the game by `apply(state, event)`; the next state expects the next thing, until it
expects `Over`. What answers what:

    Deal -> Dealt    Seal -> Sealed    Unseal -> Unsealed    Show -> Shown
    Choose -> Chosen    Draw -> Drawn    OpenAll -> Opened

`Presence` and `Stopped` may come before any of these (never before the deal) and answer nothing.

Hostile seats say what they like. The table lets none of it into the game but what is of the
`form` the game has declared, and what `check` allows; anything else is a fault of its seat, and
the game is told None in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

Choice = int | tuple[int, ...]
Cards = Mapping[int, int]
"""Slot to card index."""
Field = int | str | tuple[int, ...]


class IllegalMove(ValueError):
    """A choice the rules forbid: which rule, as a code of the game's own and its fields.

    Codes are fixed kebab-case words, fields are numbers and names; `NOT_OF_FORM` and
    `NOTHING_ASKED` are the table's own codes. `str()` is for developers.
    """

    def __init__(self, code: str, **fields: Field) -> None:
        told = ", ".join(f"{name}={value}" for name, value in fields.items())
        super().__init__(f"{code} ({told})" if told else code)
        self.code = code
        self.fields: Mapping[str, Field] = fields


NOT_OF_FORM: Final = "not-of-form"
"""The choice has not the form of its kind (field `kind`)."""
NOTHING_ASKED: Final = "nothing-asked"
"""No choice is asked of this seat now."""


@dataclass(frozen=True)
class ChoiceForm:
    """The form of a kind of choice: one int, or a tuple of `count` (fewest, most) ints.

    Each int is from `low` to `high`, both included.
    """

    low: int
    high: int
    count: tuple[int, int] | None = None

    def admits(self, choice: object) -> bool:
        """Whether any value at all is of this form; True and False are no ints here."""
        if self.count is None:
            return self._within(choice)
        fewest, most = self.count
        is_row = type(choice) is tuple and fewest <= len(choice) <= most
        return is_row and all(map(self._within, choice))  # type: ignore[call-overload]

    def _within(self, value: Any) -> bool:
        return type(value) is int and self.low <= value <= self.high


@dataclass(frozen=True)
class Layout:
    """How the deck is laid out: how many cards, whose hand each slot is dealt to, and the slots
    that are opened to all at the deal."""

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
    banned: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Stopped:
    """The table goes on no longer: what the state expects from here on is `OpenAll`, or `Over`."""


Event = Dealt | Sealed | Unsealed | Shown | Chosen | Drawn | Opened | Presence | Stopped

S = TypeVar("S")


class Game(Protocol[S]):
    """A game bound to one table's terms.

    Every seat computes by itself what follows, so all methods are pure: the same arguments give
    the same answer at every seat, and nothing given is changed. Only `check` raises, and only
    IllegalMove; an exception besides is a mistake of the game that the table does not catch.
    Kinds of choices are the game's own names; the table hands back only kinds that the game has
    asked for itself in an `Expected`. ("coin" is the table's own.)
    """

    @property
    def layout(self) -> Layout:
        """The deck's layout; it follows from the terms alone."""

    def form(self, kind: str) -> ChoiceForm:
        """The form of a choice of this kind; it follows from the terms alone.

        Asked before every `check`: what is not of this form never comes to the game.
        """

    def size(self, kind: str) -> int:
        """The most bytes that a legal choice of this kind takes when encoded.

        Sealed choices are padded to it, so that their length tells nothing.
        """

    def start(self) -> S:
        """The state before the deal; it expects `Deal`. Every seat is present."""

    def expected(self, state: S) -> Expected:
        """What the state expects next.

        Choices are asked only of seats that are present and do not sit out; for anyone else
        `apply` takes the game's default by itself. A state that expects `Unseal` names seats of
        the last `Sealed` of this kind.
        """

    def apply(self, state: S, event: Event) -> S:
        """The state after `event`.

        The event answers what `state` expects, or is `Presence` or `Stopped`. A choice in it is
        of its form, and `check` has allowed it in this very state; else it is None.
        """

    def check(self, state: S, kind: str, seat: int, choice: Choice, cards: Cards) -> None:
        """Raise IllegalMove if the rules forbid `seat` this choice.

        Called for what this seat's player chooses and for what others have said, opened or shown:
        `choice` is of its form and nothing more is known of it. `state` is the one that asks for
        the choice, or that expects it to be opened. `cards` are known besides what earlier events
        told: the hidden cards shown with the choice, or the player's own hand.
        """

    def standings(self, state: S) -> tuple[tuple[int, int], ...]:
        """(rank, seat) of everyone; asked of a state that expects `Over`."""
