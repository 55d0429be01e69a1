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
from .editions.received_edition import known_edition, read_canonical
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
"""The most bytes of an encoded choice: an exhibit may name up to 128 slots of one byte each."""

BAD: Final = "bad-game"


def game_value(edition: Edition, variant: rules.Variant) -> tuple[Any, ...]:
    """Return the value by which the terms of a table name the game.

    It has three items: a pair of the game's name and the rules version, the canonical bytes of the
    edition, and the variant ("" for None, with more than two seats).
    """
    return ((GAME, RULES_VERSION), edition.canonical(), variant or "")


def read_game(terms: Terms) -> HoityToity:
    """Return the game that the terms of a table name, as `table_header.parse_terms` has read them.

    Raises:
        Invalid: With code `bad-game` if the terms name another game, or a version, edition or
            variant that cannot be played here.

    SPEC: [H-7], [X-1].
    """
    value = terms.game
    head: Any = value[0] if isinstance(value, tuple) and value else None
    _need(isinstance(head, tuple) and len(head) == 2, "it is not of a known form")
    _need(head[0] == GAME, "it is another game")
    # True is equal to 1, but encoded in another way.
    same = type(head[1]) is int and head[1] == RULES_VERSION
    _need(same, "it goes by another version of the rules")
    # Only after the version, since another version may have more or fewer items.
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
        past: None for the first state.
        length: The number of events of the game up to this state.
    """

    state: State
    past: Play | None = field(default=None, repr=False)
    length: int = 0

    def then(self, state: State) -> Play:
        """Link the next state, with the events in its `news`, to this one."""
        return Play(state, self, self.length + len(state.news))

    def back(self) -> Iterator[Play]:
        """Find this play and all before it, the latest first."""
        at: Play | None = self
        while at is not None:
            yield at
            at = at.past


def happenings_since(play: Play, since: int = 0) -> list[Happening]:
    """Return the events of a game, in their order, without the first `since` ones."""
    newer = [*takewhile(lambda at: at.length > since, play.back())]
    found = [item for at in reversed(newer) for item in at.state.news]
    # The cut may lie between two events of one state, so whole states are not enough.
    return found[len(found) + since - play.length :]


def shared_length(one: Play, other: Play) -> int:
    """Return how many events two histories of a game have in common from the start."""
    # By identity, since `==` of two plays compares all states before them, too.
    known = set(map(id, one.back()))
    return next((at.length for at in other.back() if id(at) in known), 0)


@dataclass(frozen=True)
class HoityToity:
    """The game as an implementation of `protocol.game_interface.Game`. Its states are plays."""

    edition: Edition
    seats: int
    variant: rules.Variant

    @cached_property
    def layout(self) -> Layout:
        """The cards, the slots dealt to each seat, and those opened to all: the tops of windows."""
        plan = rules.layout(len(self.edition.collectibles), self.seats)
        return Layout(len(self.edition.collectibles), plan.hands, plan.tops)

    def start(self) -> Play:
        """Return the state before the deal."""
        return Play(rules.start(self.edition, self.seats, self.variant))

    def expected(self, state: Play) -> Expected:
        """Return what the rules expect next."""
        return rules.expected(state.state)

    def apply(self, state: Play, event: Event) -> Play:
        """Return the state after an event, linked to the state before."""
        return state.then(rules.apply(state.state, event))

    def check(self, state: Play, kind: str, seat: int, choice: Choice, cards: Cards) -> None:
        """Check that the rules allow a seat a choice.

        Args:
            cards: Known Collectibles by slot, in addition to those that are open to all.

        Raises:
            IllegalMove: If the rules forbid it. Its code names the rule.
        """
        rules.check(state.state, cast(rules.Kind, kind), seat, choice, cards)

    def form(self, kind: str) -> ChoiceForm:
        """Return the form of a kind of choice, by which the protocol checks and encodes choices."""
        return rules.FORMS[cast(rules.Kind, kind)]

    def size(self, kind: str) -> int:
        """Return the most bytes of an encoded choice."""
        return SIZES[kind]

    def standings(self, state: Play) -> tuple[tuple[int, int], ...]:
        """Return a pair (rank, seat) for each seat of a finished game."""
        return tuple((line.rank, line.seat) for line in state.state.standings)


def table_name(table: Table) -> str:
    """Return the name of a table's game in commands and files: 16 hexadecimal digits of its id."""
    return table.id.hex()[:16]
