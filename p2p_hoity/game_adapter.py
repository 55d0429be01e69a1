"""The adapter between rules and protocol: Hoity Toity as a `protocol.game_interface.Game`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any, Final, cast

from protocol import Header, Invalid, Table, Terms, table_header
from protocol.game_interface import MAX_CARDS, Cards, Choice, ChoiceForm, Event, Expected, Layout

from . import rules
from .editions.edition_bytes import known_edition, read_canonical
from .rules import Edition, Happening, State

GAME: Final = "hoity-toity"
RULES_VERSION: Final = 1
VARIANTS: Final = ("", "surprise", "confrontation")

SIZES: Final[Mapping[str, int]] = {
    "place": 1,
    "action": 1,
    "turn": 3,
    "window": 1,
    "exhibit": 131,
    "theft": 16,
}
"""The most bytes of an encoded choice of each kind.

An exhibit may name up to 128 slots, each encoded in one byte.
"""

BAD: Final = "bad-game"


def game_value(edition: Edition, variant: rules.Variant) -> tuple[Any, ...]:
    """Return the value by which the terms of a table name the game.

    Args:
        variant: The rules for two seats. None for more seats.

    Returns:
        Three items: a pair of the game's name and the rules version, the canonical bytes of
        the edition, and the variant ("" for None).
    """
    return ((GAME, RULES_VERSION), edition.canonical(), variant or "")


def read_game(terms: Terms) -> HoityToity:
    """Return the game that the terms of a table name.

    Args:
        terms: The terms, as `table_header.parse_terms` has read them.

    Raises:
        Invalid: With code `bad-game` if the terms name another game, or a version, edition or
            variant that cannot be played here.

    SPEC: [H-7], [X-1].
    """
    value = terms.game
    head: Any = value[0] if isinstance(value, tuple) and value else None
    _need(isinstance(head, tuple) and len(head) == 2, "it is not of a known form")
    _need(head[0] == GAME, "it is another game")
    same = type(head[1]) is int and head[1] == RULES_VERSION
    _need(same, "it goes by another version of the rules")
    _need(len(value) == 3, "it is not of a known form")
    _, canonical, variant = value
    known = isinstance(canonical, bytes) and variant in VARIANTS
    _need(known, "it is not of a known form")
    _need(2 <= terms.seats <= 6, "it has not 2 to 6 seats")
    _need((terms.seats == 2) == bool(variant), "it has a variant if it has two seats, else none")
    try:
        edition = known_edition(read_canonical(canonical))
    except ValueError as error:
        raise Invalid(BAD, f"the edition is not valid: {error}") from error
    fits = 4 * terms.seats <= len(edition.collectibles) <= MAX_CARDS
    _need(fits, "the edition has too few Collectibles for these seats, or too many")
    _need(terms.seats <= len(edition.colours), "the edition has fewer colours than seats")
    return HoityToity(edition, terms.seats, variant or None)


def _need(holds: bool, words: str) -> None:
    """Reject the terms, with `words` as the reason, unless a condition holds."""
    if not holds:
        raise Invalid(BAD, f"the game of the table cannot be played here: {words}")


def bind(header: Header) -> Table:
    """Return the table that a header describes, with the rules of the game that its terms name.

    Args:
        header: The header of a table: its terms and its roster.

    Raises:
        Invalid: If the game cannot be played here.
    """
    return Table(header, read_game(header.terms))


def bind_raw(raw: bytes) -> Table:
    """Return the table that an encoded header describes, together with its game.

    Raises:
        Invalid: If the header is invalid, or its game cannot be played here.
    """
    return bind(table_header.parse_header(raw))


@dataclass(frozen=True)
class Play:
    """A state of the game that is linked to the states before it.

    Attributes:
        past: The play of the state before. None for the first state.
        length: The number of events of the game up to this state.
    """

    state: State
    past: Play | None = field(default=None, repr=False)
    length: int = 0

    def then(self, state: State) -> Play:
        """Link the next state of the game to this state.

        Args:
            state: The next state. The events in its `news` count as part of the game's history.
        """
        return Play(state, self, self.length + len(state.news))

    def back(self) -> Iterator[Play]:
        """Go back through the history.

        Yields:
            This play and all before it, the latest first.
        """
        at: Play | None = self
        while at is not None:
            yield at
            at = at.past


def happenings_since(play: Play, since: int = 0) -> list[Happening]:
    """Return the events of a game from an index on.

    Args:
        play: The state of the game, which is linked to all earlier states.
        since: The number of events to leave out.

    Returns:
        The events, in their order.
    """
    newer = [*takewhile(lambda at: at.length > since, play.back())]
    found = [item for at in reversed(newer) for item in at.state.news]
    return found[len(found) + since - play.length :]


def shared_length(one: Play, other: Play) -> int:
    """Return how many events two histories of a game have in common from the start.

    A play is a state with links to all states before it. Two plays share a state only if both link
    to the same object.

    Args:
        other: Another play.

    Returns:
        The number of events.
    """
    known = set(map(id, one.back()))
    return next((at.length for at in other.back() if id(at) in known), 0)


@dataclass(frozen=True)
class HoityToity:
    """The game Hoity Toity, as an implementation of `protocol.game_interface.Game`.

    The states of the game are `Play` objects.

    Attributes:
        variant: The rules for two seats. None for more seats.
    """

    edition: Edition
    seats: int
    variant: rules.Variant

    @cached_property
    def layout(self) -> Layout:
        """The number of cards, the deck slots dealt to each seat, and those that are opened to all.

        The opened slots are the tops of the two windows (piles of the Auction Hall).
        """
        plan = rules.layout(len(self.edition.collectibles), self.seats)
        return Layout(len(self.edition.collectibles), plan.hands, plan.tops)

    def start(self) -> Play:
        """Return the state before the deal."""
        return Play(rules.start(self.edition, self.seats, self.variant))

    def expected(self, state: Play) -> Expected:
        """Return what the rules expect next."""
        return rules.expected(state.state)

    def apply(self, state: Play, event: Event) -> Play:
        """Return the state of the game after an event.

        Args:
            state: The state before the event, linked to all earlier states.

        Returns:
            The state after the event, linked to the state before.
        """
        return state.then(rules.apply(state.state, event))

    def check(
        self,
        state: Play,
        kind: str,
        seat: int,
        choice: Choice,
        cards: Cards,
    ) -> None:
        """Check that the rules allow a seat a choice.

        Args:
            cards: Known Collectibles by deck slot, in addition to those that are open to all.

        Raises:
            IllegalMove: If the rules forbid it. Its code names the rule.
        """
        rules.check(state.state, cast(rules.Kind, kind), seat, choice, cards)

    def form(self, kind: str) -> ChoiceForm:
        """Return the form of a kind of choice: the range and the count of its numbers.

        Returns:
            The form, by which the protocol checks and encodes choices.
        """
        return rules.FORMS[cast(rules.Kind, kind)]

    def size(self, kind: str) -> int:
        """Return the most bytes of an encoded choice."""
        return SIZES[kind]

    def standings(self, state: Play) -> tuple[tuple[int, int], ...]:
        """Return the result of a finished game.

        Returns:
            A pair (rank, seat) for each seat.
        """
        return tuple((line.rank, line.seat) for line in state.state.standings)


def table_name(table: Table) -> str:
    """Return the name of a table's game in commands and files.

    Returns:
        The first 16 hexadecimal digits of the table id.
    """
    return table.id.hex()[:16]
