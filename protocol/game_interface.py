"""The interface between a table and a game: expectations, events, and the methods of a game.

Whoever writes a game needs this page alone, and the table uses nothing else of the game. Seats are
numbered from 0 to n - 1. A *slot* is a position of the shuffled deck, from 0 to cards - 1, and is
the same for every seat. A choice is an int or a tuple of ints. A `Game` is bound to the terms of
one table. Its states are values that are never changed.

The table asks with `expected(state)` what the game waits for, has the seats do that, and tells the
game the outcome with `apply(state, event)`. The next state has the next expectation, until a state
expects `Over`. One kind of event answers each expectation:

    Deal -> Dealt    Seal -> Sealed    Unseal -> Unsealed    Show -> Shown
    Choose -> Chosen    Draw -> Drawn    OpenAll -> Opened

The events `Presence` and `Stopped` answer no expectation. They may come before any of these events,
but never before `Dealt`.

Faulty seats may send anything. The table passes only those choices to `apply` that have the `form`
that the game has declared, and that `check` allows. Any other choice is a fault of its seat, and
the game gets None in place of the choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

Choice = int | tuple[int, ...]
"""A choice of a seat."""
Cards = Mapping[int, int]
"""The numbers of cards, by slot."""
MAX_CARDS: Final = 128
"""The most cards of a deck."""
Field = int | str | tuple[int, ...]
"""A value that an `IllegalMove` contains, for its message."""


class IllegalMove(ValueError):
    """A choice that the rules forbid. Its text is for developers.

    Attributes:
        code: A word in kebab case that names the rule. It is a code of the game, or one of the two
            that all games share: `NOT_OF_FORM` and `NOTHING_ASKED`.
        fields: The numbers and names to which the rule was applied.
    """

    def __init__(self, code: str, **fields: Field) -> None:
        told = ", ".join(f"{name}={value}" for name, value in fields.items())
        super().__init__(f"{code} ({told})" if told else code)
        self.code = code
        self.fields: Mapping[str, Field] = fields


NOT_OF_FORM: Final = "not-of-form"
"""The code for a choice that does not have the form of its kind. The field `kind` has it."""
NOTHING_ASKED: Final = "nothing-asked"
"""The code for a choice that is not asked of this seat now."""


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
        """Return whether a value has this form.

        Args:
            choice: Any value. True and False are no ints here.

        Returns:
            Whether it has.
        """
        if self.count is None:
            return self._within(choice)
        fewest, most = self.count
        is_row = type(choice) is tuple and fewest <= len(choice) <= most
        # The type of `is_row` does not tell mypy that the choice is a tuple.
        return is_row and all(map(self._within, choice))  # type: ignore[call-overload]

    def _within(self, value: Any) -> bool:
        # Not isinstance, because True and False are ints to it.
        return type(value) is int and self.low <= value <= self.high


@dataclass(frozen=True)
class Layout:
    """The layout of the deck.

    Attributes:
        cards: The number of cards, 1 to `MAX_CARDS`.
        hands: For each seat the slots that are dealt to it.
        tops: The slots that are opened to all at the deal.
    """

    cards: int
    hands: tuple[tuple[int, ...], ...]
    tops: tuple[int, ...]


# Expectations


@dataclass(frozen=True)
class Deal:
    """The expectation that the cards of the `Layout` are dealt, and random bytes are drawn."""


@dataclass(frozen=True)
class Seal:
    """The expectation that seats make secret choices, all at once.

    Attributes:
        kind: The kind of choice, by the game's own word for it.
        seats: The seats that choose.
    """

    kind: str
    seats: frozenset[int]


@dataclass(frozen=True)
class Unseal:
    """The expectation that sealed choices are opened.

    Attributes:
        kind: The kind of choice, by the game's own word for it.
        seats: The seats whose choices are opened.
        shows: Whether the choices name slots, whose cards are opened together with the choices.
    """

    kind: str
    seats: frozenset[int]
    shows: bool = False


@dataclass(frozen=True)
class Show:
    """The expectation that one seat shows cards of its choice.

    Attributes:
        kind: The kind of choice, by the game's own word for it.
        seat: Its number, from 0.
    """

    kind: str
    seat: int


@dataclass(frozen=True)
class Choose:
    """The expectation that one seat makes an open choice.

    Attributes:
        kind: The kind of choice, by the game's own word for it.
        seat: Its number, from 0.
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
    """The expectation that the last hidden cards are opened to all.

    A card stays hidden if fewer seats than the quorum of the table help to open it.

    Attributes:
        slots: The slots of the cards, whoever holds them.
    """

    slots: tuple[int, ...]


@dataclass(frozen=True)
class Over:
    """The game expects nothing more, because it has ended."""


Expected = Deal | Seal | Unseal | Show | Choose | Draw | OpenAll | Over
"""What the state of a game waits for."""

# Events


@dataclass(frozen=True)
class Dealt:
    """The event that the cards are dealt.

    Attributes:
        coin: 32 random bytes to which all seats have contributed.
        cards: The cards in the slots of `Layout.tops`.
    """

    coin: bytes
    cards: Cards


@dataclass(frozen=True)
class Sealed:
    """The event that choices were sealed.

    Attributes:
        kind: The kind of choice, by the game's own word for it.
        seats: The seats that sealed a choice. No other seat owes a choice any more.
    """

    kind: str
    seats: frozenset[int]


@dataclass(frozen=True)
class Unsealed:
    """The event that sealed choices were opened.

    Attributes:
        kind: The kind of choice, by the game's own word for it.
        choices: For each seat the choice that was opened. None stands for a choice that is void
            because of a fault of its seat.
        cards: The cards that the choices show. Empty if no choice shows cards.
    """

    kind: str
    choices: Mapping[int, Choice | None]
    cards: Cards = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """The event that a step is complete in which one seat had to make a choice and show its cards.

    Attributes:
        kind: The kind of choice, by the game's own word for it.
        seat: Its number, from 0.
        choice: The choice. None if the seat is absent or at fault. Then there are no cards either.
        cards: The shown cards.
    """

    kind: str
    seat: int
    choice: Choice | None
    cards: Cards = field(default_factory=dict)


@dataclass(frozen=True)
class Chosen:
    """The event that one seat has made an open choice.

    Attributes:
        kind: The kind of choice, by the game's own word for it.
        seat: Its number, from 0.
        choice: The choice. None if the seat is absent or at fault.
    """

    kind: str
    seat: int
    choice: Choice | None


@dataclass(frozen=True)
class Drawn:
    """The event that cards were opened to all.

    Attributes:
        cards: The opened cards.
    """

    cards: Cards


@dataclass(frozen=True)
class Opened:
    """The event that the last hidden cards were opened.

    Attributes:
        cards: The opened cards. Cards that nobody could open are missing.
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

    After this event the game may expect only `OpenAll` or `Over`.
    """


Event = Dealt | Sealed | Unsealed | Shown | Chosen | Drawn | Opened | Presence | Stopped
"""What the game is told."""

S = TypeVar("S")
"""The type of the states of a game."""


class Game(Protocol[S]):
    """A game, bound to the terms of one table.

    Every seat computes the course of the game by itself. So all methods are pure: the same
    arguments give the same result at every seat, and no argument is changed. Only `check` raises an
    error, and only IllegalMove. Any other exception is a bug of the game, which the table does not
    catch.

    The game names its kinds of choices. The table passes only kinds that a result of `expected` has
    named. The name "coin" is reserved for the table.
    """

    @property
    def layout(self) -> Layout:
        """The layout of the deck, which follows from the terms alone."""

    def form(self, kind: str) -> ChoiceForm:
        """Return the form of a kind of choice. It depends on the terms of the table alone.

        The table calls this before every `check`, which gets no choice of another form.

        Args:
            kind: The kind of choice, by the game's own word for it.

        Returns:
            The form.
        """

    def size(self, kind: str) -> int:
        """Return the most bytes that a legal choice of a kind has when it is encoded.

        Sealed choices are padded to this length, so that their length shows nothing.

        Args:
            kind: The kind of choice, by the game's own word for it.

        Returns:
            The number of bytes.
        """

    def start(self) -> S:
        """Return the state before the deal, which expects `Deal`. Every seat is present in it.

        Returns:
            The state.
        """

    def expected(self, state: S) -> Expected:
        """Return what the game waits for in a state.

        Only seats that are present and do not sit out are asked for choices. For all other seats,
        `apply` uses the default of the game. An `Unseal` names only seats that the last `Sealed`
        event named for the same kind of choice.

        Args:
            state: The state.

        Returns:
            What the game waits for.
        """

    def apply(self, state: S, event: Event) -> S:
        """Return the state after an event.

        The event is the outcome of what the state expects, or is `Presence` or `Stopped`. Every
        choice in it was allowed by `check` in this state. None stands in place of a choice that was
        refused or is missing.

        Args:
            state: The state before the event.
            event: The event.

        Returns:
            The state after the event.
        """

    def check(self, state: S, kind: str, seat: int, choice: Choice, cards: Cards) -> None:
        """Check that the rules allow a choice.

        The table calls this for the choices of this seat's player, and for choices that other seats
        have made, opened or shown. It has checked only that the choice has its `form`.

        Args:
            state: The state that asks for the choice, or that expects the choice to be opened.
            kind: The kind of choice, by the game's own word for it.
            seat: The seat that chooses.
            choice: The choice.
            cards: The cards that are known here but not yet to the state: hidden cards that are
                shown with the choice, or the player's own hand.

        Raises:
            IllegalMove: If the rules forbid the choice.
        """

    def standings(self, state: S) -> tuple[tuple[int, int], ...]:
        """Return the final standings of a game that is over.

        Args:
            state: The state, which expects `Over`.

        Returns:
            A pair (rank, seat) for every seat. Seats may share a rank.
        """
