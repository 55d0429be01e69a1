"""The interface of a game: what it must provide so that a table can play it.

A game is written from this page alone, and the table knows nothing else of it. Seats are numbered
from 0 to n - 1. A *slot* is a position of the shuffled deck, from 0 to cards - 1, and is the same
for every seat. A choice is an int or a tuple of ints. A `Game` is bound to the terms of one table.
Its states are values that are never changed.

The table asks with `expected(state)` what the game waits for, has the seats do it, and tells the
game with `apply(state, event)`. The next state expects the next thing, until it expects `Over`.
Each expectation is answered by one event:

    Deal -> Dealt    Seal -> Sealed    Unseal -> Unsealed    Show -> Shown
    Choose -> Chosen    Draw -> Drawn    OpenAll -> Opened

`Presence` and `Stopped` answer nothing. They may come before any of these events, but never before
the deal.

Faulty seats may send anything. The table passes only those choices to the game that are of the
`form` that the game has declared, and that `check` allows. Anything else is a fault of its seat,
and the game gets None in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

Choice = int | tuple[int, ...]
"""A choice of a seat."""
Cards = Mapping[int, int]
"""The number of the card in each of some slots."""
Field = int | str | tuple[int, ...]
"""A value that the message of an illegal move contains."""


class IllegalMove(ValueError):
    """A choice that the rules forbid. The error says which rule, by a code and its fields.

    The code is one of the game, or one of the table: `NOT_OF_FORM` and `NOTHING_ASKED`. The text of
    the error is for developers.

    Attributes:
        code: A fixed word in kebab case.
        fields: The numbers and names to which the rule was applied.
    """

    def __init__(self, code: str, **fields: Field) -> None:
        told = ", ".join(f"{name}={value}" for name, value in fields.items())
        super().__init__(f"{code} ({told})" if told else code)
        self.code = code
        self.fields: Mapping[str, Field] = fields


NOT_OF_FORM: Final = "not-of-form"
"""The code of a choice that does not have the form of its kind, which is the field `kind`."""
NOTHING_ASKED: Final = "nothing-asked"
"""The code of a choice that is not asked of this seat now."""


@dataclass(frozen=True)
class ChoiceForm:
    """The form of a kind of choice: one int, or a tuple of ints.

    Attributes:
        low: The lowest int.
        high: The highest int.
        count: The fewest and the most ints of a tuple. None if the choice is one int.
    """

    low: int
    high: int
    count: tuple[int, int] | None = None

    def admits(self, choice: object) -> bool:
        """Return whether a value is of this form.

        Args:
            choice: Any value. True and False are no ints here.

        Returns:
            Whether it is.
        """
        if self.count is None:
            return self._within(choice)
        fewest, most = self.count
        is_row = type(choice) is tuple and fewest <= len(choice) <= most
        return is_row and all(map(self._within, choice))  # type: ignore[call-overload]

    def _within(self, value: Any) -> bool:
        """Return whether a value is an int within the bounds."""
        return type(value) is int and self.low <= value <= self.high


@dataclass(frozen=True)
class Layout:
    """The layout of the deck.

    Attributes:
        cards: The number of cards.
        hands: For each seat the slots that are dealt to it.
        tops: The slots that are opened to all in the deal.
    """

    cards: int
    hands: tuple[tuple[int, ...], ...]
    tops: tuple[int, ...]


# Expectations


@dataclass(frozen=True)
class Deal:
    """The expectation that hands are dealt, the tops are opened, and the joint coin is made."""


@dataclass(frozen=True)
class Seal:
    """The expectation that seats make secret choices, all at once.

    Attributes:
        kind: The kind of choice.
        seats: The seats that choose.
    """

    kind: str
    seats: frozenset[int]


@dataclass(frozen=True)
class Unseal:
    """The expectation that sealed choices are opened.

    Attributes:
        kind: The kind of choice.
        seats: The seats whose choices are opened.
        shows: Whether a choice names slots whose cards are opened with it.
    """

    kind: str
    seats: frozenset[int]
    shows: bool = False


@dataclass(frozen=True)
class Show:
    """The expectation that one seat shows cards of its choice.

    Attributes:
        kind: The kind of choice.
        seat: The seat.
    """

    kind: str
    seat: int


@dataclass(frozen=True)
class Choose:
    """The expectation that one seat makes an open choice.

    Attributes:
        kind: The kind of choice.
        seat: The seat.
    """

    kind: str
    seat: int


@dataclass(frozen=True)
class Draw:
    """The expectation that cards are opened to all.

    Attributes:
        slots: The slots of the cards.
    """

    slots: tuple[int, ...]


@dataclass(frozen=True)
class OpenAll:
    """The expectation that the last cards are opened to all, as far as t seats can open them.

    Attributes:
        slots: The slots of the cards, in whatever hand they are.
    """

    slots: tuple[int, ...]


@dataclass(frozen=True)
class Over:
    """The expectation of nothing more: the game has ended."""


Expected = Deal | Seal | Unseal | Show | Choose | Draw | OpenAll | Over
"""What the state of a game waits for."""

# Events


@dataclass(frozen=True)
class Dealt:
    """The event that the cards are dealt.

    Attributes:
        coin: The joint coin, 32 random bytes.
        cards: The cards of the tops, by slot.
    """

    coin: bytes
    cards: Cards


@dataclass(frozen=True)
class Sealed:
    """The event that choices were sealed.

    Attributes:
        kind: The kind of choice.
        seats: The seats that sealed one. Other seats do not owe one any more.
    """

    kind: str
    seats: frozenset[int]


@dataclass(frozen=True)
class Unsealed:
    """The event that sealed choices were opened.

    Attributes:
        kind: The kind of choice.
        choices: The choice of each seat. None stands for a void choice.
        cards: The cards that are shown with the choices, by slot.
    """

    kind: str
    choices: Mapping[int, Choice | None]
    cards: Cards = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """The event that one seat has shown cards.

    Attributes:
        kind: The kind of choice.
        seat: The seat.
        choice: Its choice. None if it is absent or at fault.
        cards: The cards that are shown, by slot.
    """

    kind: str
    seat: int
    choice: Choice | None
    cards: Cards = field(default_factory=dict)


@dataclass(frozen=True)
class Chosen:
    """The event that one seat has made an open choice.

    Attributes:
        kind: The kind of choice.
        seat: The seat.
        choice: Its choice. None if it is absent or at fault.
    """

    kind: str
    seat: int
    choice: Choice | None


@dataclass(frozen=True)
class Drawn:
    """The event that cards were opened to all.

    Attributes:
        cards: The cards, by slot.
    """

    cards: Cards


@dataclass(frozen=True)
class Opened:
    """The event that the last cards were opened.

    Attributes:
        cards: The cards, by slot. Cards that nobody could open are missing.
    """

    cards: Cards


@dataclass(frozen=True)
class Presence:
    """The event that the present seats have changed.

    Attributes:
        present: The seats that are present from now on. The game decides when a seat that came back
            takes part again.
        banned: The seats that are out for good.
    """

    present: frozenset[int]
    banned: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Stopped:
    """The event that the table stops the game.

    The state must expect `OpenAll` or `Over` from now on.
    """


Event = Dealt | Sealed | Unsealed | Shown | Chosen | Drawn | Opened | Presence | Stopped
"""What the game is told."""

S = TypeVar("S")
"""The type of the states of a game."""


class Game(Protocol[S]):
    """A game, bound to the terms of one table.

    Every seat computes by itself what follows. So all methods are pure: the same arguments give the
    same result at every seat, and no argument is changed. Only `check` raises an error, and only
    IllegalMove. Any other exception is a mistake of the game, which the table does not catch.

    The kinds of choices are names of the game. The table passes only kinds that the game has named
    in an expectation. The name "coin" is reserved for the table.
    """

    @property
    def layout(self) -> Layout:
        """The layout of the deck, which follows from the terms alone."""

    def form(self, kind: str) -> ChoiceForm:
        """Return the form of a kind of choice, which follows from the terms alone.

        It is asked before every `check`. A choice of another form is never passed to the game.

        Args:
            kind: The kind of choice.

        Returns:
            The form.
        """

    def size(self, kind: str) -> int:
        """Return the most bytes that a legal choice of a kind has when it is encoded.

        Sealed choices are padded to this length, so that their length shows nothing.

        Args:
            kind: The kind of choice.

        Returns:
            The number of bytes.
        """

    def start(self) -> S:
        """Return the state before the deal, which expects `Deal`. Every seat is present in it.

        Returns:
            The state.
        """

    def expected(self, state: S) -> Expected:
        """Return what a state expects next.

        Choices are asked only of seats that are present and do not sit out. For all others `apply`
        uses the default of the game. A state that expects `Unseal` names seats of the last `Sealed`
        of this kind.

        Args:
            state: The state.

        Returns:
            The expectation.
        """

    def apply(self, state: S, event: Event) -> S:
        """Return the state after an event.

        The event answers what the state expects, or is `Presence` or `Stopped`. A choice in it is
        of its form, and `check` has allowed it in this very state. Otherwise it is None.

        Args:
            state: The state before the event.
            event: The event.

        Returns:
            The state after it.
        """

    def check(self, state: S, kind: str, seat: int, choice: Choice, cards: Cards) -> None:
        """Check that the rules allow a choice.

        It is called for the choices of this seat's player, and for what other seats have chosen,
        opened or shown. A choice is of its form, and nothing more is known of it.

        Args:
            state: The state that asks for the choice, or that expects it to be opened.
            kind: The kind of choice.
            seat: The seat that chooses.
            choice: The choice.
            cards: The cards that are known besides those of earlier events, by slot: the hidden
                cards that are shown with the choice, or the player's own hand.

        Raises:
            IllegalMove: If the rules forbid it.
        """

    def standings(self, state: S) -> tuple[tuple[int, int], ...]:
        """Return the final standings. It is asked of a state that expects `Over`.

        Args:
            state: The state.

        Returns:
            The rank and the seat of everyone. Seats may share a rank.
        """
