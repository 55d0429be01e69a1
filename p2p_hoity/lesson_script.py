"""The scripted first rounds: a game by the rules alone, with a fixed deck and opponents whose
choices are fixed. There is no network, no key and no proof in it.

The player chooses freely. The plan is such that whatever he chooses a sale is paid into the
register, an exhibit is paid by the octagon, and a Detective jails a Thief; each thing is explained
when it first happens.
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
"""There is one more if until then the player was the one Thief at every sale."""
COIN: Final = bytes(32)
"""By it seat 0 is black, with Cash 1 12 18 19 and Thieves 1 and 12; 1 red, 2 blue, 3 green."""
SLOTS: Final = (
    *("A1852", "B1649", "B1874", "D1859"),
    *("D1638", "E1738", "E1862", "F1892"),
    *("C1719", "C1806", "F1715", "A1911"),
    *("A1623", "C1612", "E1544", "F1962"),
)
"""The Collectibles of each seat; the player's lack a C between B and D."""
TOPS: Final = (("C1657", "D1781", "A1764"), ("E1824", "B1926", "F1877"))
"""The first of each window."""


class Topic(StrEnum):
    """What is explained, each once."""

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
"""What each opponent plays in each round. At the last sale there are two Thieves without the
player: nobody gets what is paid."""


@dataclass(frozen=True)
class Part:
    """Some of what happened in one step, and what of it is explained now."""

    items: tuple[rules.Happening, ...]
    topic: Topic | None = None


class Lesson:
    """One playing of the lesson: `question` says what the player owes, `step` goes on."""

    def __init__(self) -> None:
        self.edition = load()
        self._deck = _deck(self.edition)
        self._state = rules.start(self.edition, SEATS)
        self._sealed: dict[int, rules.Choice] = {}
        self._explained: set[Topic] = set()
        self._rounds = ROUNDS

    @property
    def view(self) -> rules.View:
        """What the player may know."""
        return self._view(MINE)

    def _view(self, seat: int) -> rules.View:
        hand = rules.layout(len(self._deck), SEATS).hands[seat]
        return rules.view(self._state, seat, self._cards(hand))

    @property
    def is_over(self) -> bool:
        """Whether the rounds that are needed have been played."""
        return self._state.round > self._rounds

    @property
    def question(self) -> rules.Kind | None:
        """What the player has to choose before the next step; None: nothing."""
        match rules.expected(self._state):
            case game.Seal(kind, seats) if MINE in seats:
                return cast(rules.Kind, kind)
            case game.Show(_kind, seat) if seat == MINE:
                return "exhibit"
            case game.Choose(kind, seat) if seat == MINE:
                return cast(rules.Kind, kind)
        return None

    def before(self, kind: rules.Kind) -> Topic | None:
        """What is explained before this question."""
        if kind == "action":
            in_hall = self._state.places[MINE] == HALL
            return self._once(Topic.HALL if in_hall else Topic.CASTLE)
        return self._once(QUESTIONS[kind]) if kind in QUESTIONS else None

    def _once(self, topic: Topic | None) -> Topic | None:
        if topic is None or topic in self._explained:
            return None
        self._explained.add(topic)
        return topic

    def step(self, choice: rules.Choice | None = None) -> Iterator[Part]:
        """Go on by one step, with the player's choice if one is owed; what happened, in parts: each
        ends with what it explains. IllegalMove if the rules forbid the choice, UnexpectedEvent if
        one is owed and there is none, or if the lesson is over."""
        if self.is_over:
            raise rules.UnexpectedEvent("the lesson is over")
        self._state = rules.apply(self._state, self._answer(choice))
        if self._state.round > ROUNDS and Topic.REGISTER not in self._explained:
            self._rounds = len(PLAN)
        return self._parts(self._state.news)

    def _parts(self, items: tuple[rules.Happening, ...]) -> Iterator[Part]:
        told: tuple[rules.Happening, ...] = ()
        for _kind, group in groupby(items, type):
            alike = tuple(group)
            if self.is_over and isinstance(alike[0], rules.happenings.RoundBegan):
                break
            told += alike
            topic = self._once(_topic(alike[0]))
            if topic is not None:
                yield Part(told, topic)
                told = ()
        if told:
            yield Part(told)

    # Everybody's answers.

    def _answer(self, choice: rules.Choice | None) -> game.Event:
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
        shown: rules.Cards = {}
        if kind == "exhibit":
            shown = {s: c for slots in choices.values() for s, c in self._hidden(slots).items()}
        return game.Unsealed(kind, choices, shown)

    def _choice(self, kind: str, seat: int, choice: rules.Choice | None) -> rules.Choice:
        if seat != MINE:
            return self._planned(cast(rules.Kind, kind), seat)
        if choice is None:
            raise rules.UnexpectedEvent("the player has not chosen")
        self.view.check(cast(rules.Kind, kind), choice)
        return choice

    def _planned(self, kind: rules.Kind, seat: int) -> rules.Choice:
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
        chosen = cast("tuple[int, ...]", slots)
        return self._cards(tuple(slot for slot in chosen if self._state.known[slot] is None))


QUESTIONS: Final[Mapping[rules.Kind, Topic]] = {
    "place": Topic.PLACES,
    "window": Topic.WINDOWS,
    "exhibit": Topic.EXHIBITS,
    "theft": Topic.THIEVES,
}
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


def _topic(item: rules.Happening) -> Topic | None:
    """What explains this; a figure moves by the octagon or as a Detective."""
    if isinstance(item, rules.happenings.FigureMoved):
        return Topic.DETECTIVE if item.why == "Detective" else Topic.OCTAGON
    return EVENTS.get(type(item))


def _deck(edition: rules.Edition) -> tuple[int, ...]:
    """The Collectible in each slot: the named ones where they are named, the rest in order."""
    numbers = {f"{c.letter}{c.year}": n for n, c in enumerate(edition.collectibles)}
    windows = rules.layout(len(numbers), SEATS).windows
    named = dict(enumerate(SLOTS))
    for window, names in zip(windows, TOPS, strict=True):
        named.update(zip(window, names, strict=False))
    fixed = {slot: numbers[name] for slot, name in named.items()}
    rest = iter(sorted(set(numbers.values()) - set(fixed.values())))
    return tuple(fixed[s] if s in fixed else next(rest) for s in range(len(numbers)))
