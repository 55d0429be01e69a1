"""The lesson: the first rounds of a game by the rules alone, with a fixed deck and fixed opponents.

There is no network, no key and no proof in the lesson.

The player chooses freely. But some events happen in every lesson: the Cash of a buyer goes into the
register of the Auction Hall, a figure moves for an exhibit, and a Detective imprisons a Thief. Each
thing is explained when it first happens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final, cast

from p2p_hoity.editions.load_edition import load
from protocol import game_interface as game

from . import rules

MINE: Final = 0
OPPONENTS: Final = ("Ada", "Bruno", "Clara")
SEATS: Final = 1 + len(OPPONENTS)
ROUNDS: Final = 2
"""The rounds of the lesson. One more follows if the player was the only Thief at every sale."""
COIN: Final = bytes(32)
"""The fixed bytes that take the place of the deal's random coin, which draws the colours.

With them seat 0 is black, with Cash 1, 12, 18, 19 and Thieves 1 and 12. Seat 1 is red, seat 2 blue
and seat 3 green.
"""
SLOTS: Final = (
    *("A1852", "B1649", "B1874", "D1859"),
    *("D1638", "E1738", "E1862", "F1892"),
    *("C1719", "C1806", "F1715", "A1911"),
    *("A1623", "C1612", "E1544", "F1962"),
)
"""The four Collectibles of each seat, as letter and year. The player has A, B and D but no C."""
TOPS: Final = (("C1657", "D1781", "A1764"), ("E1824", "B1926", "F1877"))
"""The first Collectibles of each window, the top first."""


class Topic(StrEnum):
    """The topics that the lesson explains, each of them once."""

    WELCOME = "welcome"
    SECRETS = "secrets"
    PLACES = "places"
    HALL = "hall"
    CASTLE = "castle"
    WINDOWS = "windows"
    SALE = "sale"
    ROBBERY = "robbery"
    REGISTER = "register"
    EXHIBITS = "exhibits"
    OCTAGON = "octagon"
    THIEVES = "thieves"
    DETECTIVE = "detective"
    PRISON = "prison"


Card = tuple[rules.ActionKind, int | None]
Turn = tuple[rules.Place, Card]
HALL, CASTLE = rules.Place.AUCTION_HALL, rules.Place.CASTLE
CASH, THIEF = rules.ActionKind.CASH, rules.ActionKind.THIEF
EXHIBIT, DETECTIVE = (rules.ActionKind.EXHIBIT, None), (rules.ActionKind.DETECTIVE, None)
PLAN: Final[tuple[tuple[Turn, Turn, Turn], ...]] = (
    ((HALL, (CASH, 11)), (HALL, (CASH, 3)), (CASTLE, DETECTIVE)),
    ((CASTLE, EXHIBIT), (CASTLE, (THIEF, 10)), (CASTLE, DETECTIVE)),
    ((HALL, (CASH, 17)), (HALL, (THIEF, 3)), (HALL, (THIEF, 9))),
)
"""For each round the Place and the Action card that each of the three opponents plays.

At the last sale the opponents play two Thieves, so that the Cash goes to the register in any case.
"""


@dataclass(frozen=True)
class Part:
    """Some events of one step of the lesson, and the topic that is explained after them, if any."""

    items: tuple[rules.Happening, ...]
    topic: Topic | None = None


class Lesson:
    """A lesson that is being played."""

    def __init__(self) -> None:
        self.edition = load()
        self._deck = _deck(self.edition)
        self._state = rules.start(self.edition, SEATS)
        self._sealed: dict[int, rules.Choice] = {}
        self._explained: set[Topic] = set()
        self._rounds = ROUNDS

    @property
    def view(self) -> rules.View:
        """The game as the player may see it."""
        return self._view(MINE)

    def _view(self, seat: int) -> rules.View:
        hand = rules.layout(len(self._deck), SEATS).hands[seat]
        return rules.view(self._state, seat, self._cards(hand))

    @property
    def is_over(self) -> bool:
        """True if all rounds of the lesson have been played."""
        return self._state.round > self._rounds

    @property
    def question(self) -> rules.Kind | None:
        """The kind of choice that the player has to make before the next step, or None."""
        match rules.expected(self._state):
            case game.Seal(kind, seats) if MINE in seats:
                return cast(rules.Kind, kind)
            case game.Show(_kind, seat) if seat == MINE:
                return "exhibit"
            case game.Choose(kind, seat) if seat == MINE:
                return cast(rules.Kind, kind)
        return None

    def before(self, kind: rules.Kind) -> Topic | None:
        """Return what is explained before a question, None if nothing is left to explain."""
        if kind == "action":
            in_hall = self._state.places[MINE] == HALL
            return self._once(Topic.HALL if in_hall else Topic.CASTLE)
        return self._once(QUESTIONS[kind]) if kind in QUESTIONS else None

    def _once(self, topic: Topic | None) -> Topic | None:
        """Return a topic if it was not explained before, and note that it is explained now."""
        if topic is None or topic in self._explained:
            return None
        self._explained.add(topic)
        return topic

    def step(self, choice: rules.Choice | None = None) -> Iterator[Part]:
        """Play one step of the lesson, with the choices of all seats that the step needs.

        Args:
            choice: None if the step needs no choice of the player.

        Raises:
            IllegalMove: If the rules forbid the choice.
            UnexpectedEvent: If the step needs a choice of the player and `choice` is None, or if
                the lesson is over.
        """
        if self.is_over:
            raise rules.UnexpectedEvent("the lesson is over")
        self._state = rules.apply(self._state, self._answer(choice))
        if self._state.round > ROUNDS and Topic.REGISTER not in self._explained:
            self._rounds = len(PLAN)
        return self._parts(self._state.news)

    def _parts(self, items: tuple[rules.Happening, ...]) -> Iterator[Part]:
        """Cut the events of a step into parts, so that each explanation follows its event."""
        told: tuple[rules.Happening, ...] = ()
        for _kind, group in groupby(items, type):
            alike = tuple(group)
            # The rules begin one more round, which is not played.
            if self.is_over and isinstance(alike[0], rules.happenings.RoundBegan):
                break
            told += alike
            topic = self._once(_topic(alike[0]))
            if topic is not None:
                yield Part(told, topic)
                told = ()
        if told:
            yield Part(told)

    # Answers of all seats

    def _answer(self, choice: rules.Choice | None) -> game.Event:
        """Return the event that the rules expect next, with the choices of all seats."""
        match rules.expected(self._state):
            case game.Deal():
                return game.Dealt(COIN, self._cards(rules.layout(len(self._deck), SEATS).tops))
            case game.Seal(kind, seats):
                self._sealed = {seat: self._choice(kind, seat, choice) for seat in seats}
                return game.Sealed(kind, seats)
            case game.Unseal(kind, seats):
                return self._unsealed(kind, {seat: self._sealed[seat] for seat in sorted(seats)})
            case game.Show(kind, seat):
                slots = self._choice(kind, seat, choice)
                return game.Shown(kind, seat, cast("tuple[int, ...]", slots), self._hidden(slots))
            case game.Choose(kind, seat):
                return game.Chosen(kind, seat, self._choice(kind, seat, choice))
            case game.Draw(slots):
                return game.Drawn(self._cards(slots))
        raise rules.UnexpectedEvent("the lesson ends before the Banquet")

    def _unsealed(self, kind: str, choices: Mapping[int, rules.Choice]) -> game.Unsealed:
        """Return the opened choices of all seats, with the Collectibles of exhibits."""
        shown: rules.Cards = {}
        if kind == "exhibit":
            shown = {s: c for slots in choices.values() for s, c in self._hidden(slots).items()}
        return game.Unsealed(kind, choices, shown)

    def _choice(self, kind: str, seat: int, choice: rules.Choice | None) -> rules.Choice:
        """Return the player's choice, which must be legal, or the plan for an opponent."""
        if seat != MINE:
            return self._planned(cast(rules.Kind, kind), seat)
        if choice is None:
            raise rules.UnexpectedEvent("the player has not chosen")
        self.view.check(cast(rules.Kind, kind), choice)
        return choice

    def _planned(self, kind: rules.Kind, seat: int) -> rules.Choice:
        """Return the planned choice of an opponent."""
        place, wanted = PLAN[self._state.round - 1][seat - 1]
        if kind == "place":
            return int(place)
        if kind == "action":
            return next(card for card in self._state.hands[seat] if self._face(card) == wanted)
        if kind == "theft":
            return rules.default_theft(self._state)
        return self._view(seat).legal(kind)[-1 if kind == "window" else 0]

    def _face(self, card: int) -> Card:
        shown = self._state.action_card(card)
        return shown.kind, shown.number

    def _cards(self, slots: object) -> rules.Cards:
        return {slot: self._deck[slot] for slot in cast("tuple[int, ...]", slots)}

    def _hidden(self, slots: rules.Choice) -> rules.Cards:
        """Return the Collectibles of an exhibit that are not open to all yet, by slot."""
        chosen = cast("tuple[int, ...]", slots)
        return self._cards(tuple(slot for slot in chosen if self._state.known[slot] is None))


QUESTIONS: Final[Mapping[rules.Kind, Topic]] = {
    "place": Topic.PLACES,
    "window": Topic.WINDOWS,
    "exhibit": Topic.EXHIBITS,
    "theft": Topic.THIEVES,
}
"""For each kind of choice the topic that is explained before it."""
EVENTS: Final[Mapping[type[rules.Happening], Topic]] = {
    rules.happenings.Setup: Topic.WELCOME,
    rules.happenings.RoundBegan: Topic.SECRETS,
    rules.happenings.Sale: Topic.SALE,
    rules.happenings.CashStolen: Topic.ROBBERY,
    rules.happenings.CashPaid: Topic.REGISTER,
    rules.happenings.ExhibitShown: Topic.EXHIBITS,
    rules.happenings.Stolen: Topic.THIEVES,
    rules.happenings.Imprisoned: Topic.PRISON,
}
"""For each kind of event the topic that is explained after it."""


def _topic(item: rules.Happening) -> Topic | None:
    """Return the topic that explains an event, None if there is none."""
    if isinstance(item, rules.happenings.FigureMoved):
        return Topic.DETECTIVE if item.why == "Detective" else Topic.OCTAGON
    return EVENTS.get(type(item))


def _deck(edition: rules.Edition) -> tuple[int, ...]:
    """Return the lesson's deck: the index of the Collectible in each slot.

    `SLOTS` and `TOPS` fix some slots. The other Collectibles follow in the order of the edition.
    """
    numbers = {f"{c.letter}{c.year}": n for n, c in enumerate(edition.collectibles)}
    windows = rules.layout(len(numbers), SEATS).windows
    named = dict(enumerate(SLOTS))
    for window, names in zip(windows, TOPS, strict=True):
        named.update(zip(window, names, strict=False))
    fixed = {slot: numbers[name] for slot, name in named.items()}
    rest = iter(sorted(set(numbers.values()) - set(fixed.values())))
    return tuple(fixed[s] if s in fixed else next(rest) for s in range(len(numbers)))
