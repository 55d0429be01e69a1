"""The rules bound to the table: Hoity Toity as a game the protocol can drive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any, Final, cast

from protocol import Header, Invalid, Table, Terms
from protocol.game_interface import Cards, Choice, ChoiceForm, Event, Expected, Layout

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
"""The most bytes an encoded choice takes: an exhibit may hold up to 128 slots below 128."""

MAX_COLLECTIBLES: Final = 128
BAD: Final = "bad-game"


def game_value(edition: Edition, variant: rules.Variant) -> tuple[Any, ...]:
    """Return the game as the terms name it: [name, version], the whole edition, the variant."""
    return ((GAME, RULES_VERSION), edition.canonical(), variant or "")


def read_game(terms: Terms) -> HoityToity:
    """Return the game that the terms of a table name.

    Args:
        terms: The terms, as `table_header.parse_terms` has read them.

    Raises:
        Invalid: 'bad-header' if they name another game, or one that cannot be played.

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
    fits = 4 * terms.seats <= len(edition.collectibles) <= MAX_COLLECTIBLES
    _need(fits, "the edition has too few Collectibles for these seats, or too many")
    return HoityToity(edition, terms.seats, variant or None)


def _need(holds: bool, words: str) -> None:
    if not holds:
        raise Invalid(BAD, f"the game of the table cannot be played here: {words}")


def bind(header: Header) -> Table:
    """The table of a header."""
    return Table(header, read_game(header.terms))


@dataclass(frozen=True)
class Play:
    """The state of the game, how it came about, and how many things have happened by then."""

    state: State
    past: Play | None = field(default=None, repr=False)
    length: int = 0

    def then(self, state: State) -> Play:
        """The next state, whose news happened last."""
        return Play(state, self, self.length + len(state.news))

    def back(self) -> Iterator[Play]:
        """This play and all before it, the latest first."""
        at: Play | None = self
        while at is not None:
            yield at
            at = at.past


def happenings_since(play: Play, since: int = 0) -> list[Happening]:
    """What happened, in order, from the index `since` on."""
    newer = [*takewhile(lambda at: at.length > since, play.back())]
    found = [item for at in reversed(newer) for item in at.state.news]
    return found[len(found) + since - play.length :]


def shared_length(one: Play, other: Play) -> int:
    """How many happenings two plays have in common from the start.

    The chain gives the same objects for the same steps, so plays are compared by identity.
    """
    known = set(map(id, one.back()))
    return next((at.length for at in other.back() if id(at) in known), 0)


@dataclass(frozen=True)
class HoityToity:
    """The rules and the log of what happened, as a `protocol.game_interface.Game`."""

    edition: Edition
    seats: int
    variant: rules.Variant

    @cached_property
    def layout(self) -> Layout:
        """Hands and window tops."""
        plan = rules.layout(len(self.edition.collectibles), self.seats)
        return Layout(len(self.edition.collectibles), plan.hands, plan.tops)

    def start(self) -> Play:
        """The state before the deal."""
        return Play(rules.start(self.edition, self.seats, self.variant))

    def expected(self, state: Play) -> Expected:
        """What the rules expect."""
        return rules.expected(state.state)

    def apply(self, state: Play, event: Event) -> Play:
        """The next state."""
        return state.then(rules.apply(state.state, event))

    def check(
        self,
        state: Play,
        kind: str,
        seat: int,
        choice: Choice,
        cards: Cards,
    ) -> None:
        """Raise IllegalMove with the code of the rule that is broken."""
        rules.check(state.state, cast(rules.Kind, kind), seat, choice, cards)

    def form(self, kind: str) -> ChoiceForm:
        """The form of a choice of this kind."""
        return rules.FORMS[cast(rules.Kind, kind)]

    def size(self, kind: str) -> int:
        """The most bytes an encoded choice of this kind takes."""
        return SIZES[kind]

    def standings(self, state: Play) -> tuple[tuple[int, int], ...]:
        """(rank, seat) of everyone."""
        return tuple((line.rank, line.seat) for line in state.state.standings)


def table_name(table: Table) -> str:
    """Return the name of a table's game in commands and files: 16 hexadecimal digits of its id."""
    return table.id.hex()[:16]
