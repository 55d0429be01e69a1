"""The input of the learned bot's network: the game as one seat knows it, turned into numbers.

`features.py` says in which order the numbers come, what they mean, and what *run*, *age* and *gain*
are. A letter is a number, 0 for A.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ...rules import HAND, LETTERS, ActionKind, Cards, Edition, Place, State, View
from ...rules.choices import Kind
from ...rules.exhibits import MIN_EXHIBIT, letter_of, two_largest, whole_runs

Counts = Sequence[int]
"""The number of pieces of each letter."""
SPANS = tuple((low, high) for low in range(len(LETTERS)) for high in range(low, len(LETTERS)))
"""All ranges of adjacent letters, each as its first and its last letter."""


def size_of(counts: Counts) -> int:
    """Return the number of pieces in the largest run."""
    best = size = 0
    for count in counts:
        size = size + count if count else 0
        best = size if size > best else best
    return best


def gain(counts: Counts, letter: int) -> int:
    """Return by how many pieces the largest run grows with one more piece of a letter."""
    more = list(counts)
    more[letter] += 1
    return size_of(more) - size_of(counts)


def loss(counts: Counts, letter: int) -> int:
    """Return by how many pieces the largest run shrinks without one piece of a letter."""
    less = list(counts)
    less[letter] -= 1
    return size_of(counts) - size_of(less)


def may_have(counts: Counts, hidden: int) -> int:
    """Return the size of the largest run that hidden pieces, of any letters, could complete."""
    spans = (counts[low : high + 1] for low, high in SPANS)
    return max((sum(span) + hidden for span in spans if span.count(0) <= hidden), default=0)


@dataclass(frozen=True)
class Holdings:
    """The pieces of one seat, as far as the deciding seat knows them.

    Attributes:
        cards: The known Collectibles by slot.
        hidden: The number of pieces that are not known.
    """

    edition: Edition
    cards: Mapping[int, int]
    hidden: int

    @cached_property
    def slots(self) -> tuple[tuple[int, ...], ...]:
        """For each letter the slots of the known pieces, oldest piece first."""
        found: list[list[int]] = [[] for _ in LETTERS]
        for slot in sorted(self.cards, key=self.seniority):
            found[letter_of(self.edition, self.cards[slot])].append(slot)
        return tuple(map(tuple, found))

    @cached_property
    def counts(self) -> list[int]:
        """The number of known pieces of each letter."""
        return [len(slots) for slots in self.slots]

    @cached_property
    def run(self) -> tuple[int, int, int]:
        """The largest run: its number of pieces, its first and its last letter.

        Of two equally large runs, the one that has the oldest piece counts. It is (0, 0, -1) if no
        piece is known.
        """
        runs = whole_runs(self.counts)
        return max(
            runs, key=lambda run: (run[0], self.age(self.span(*run[1:]))), default=(0, 0, -1)
        )

    @property
    def size(self) -> int:
        """The number of pieces in the largest run."""
        return self.run[0]

    def span(self, low: int, high: int) -> tuple[int, ...]:
        """Return the slots of the known pieces from one letter to another, sorted by letter."""
        return tuple(slot for slots in self.slots[low : high + 1] for slot in slots)

    def seniority(self, slot: int) -> int:
        """Return the place of a piece among all Collectibles, 0 for the oldest."""
        return self.edition.seniority[self.cards[slot]]

    def age(self, slots: Iterable[int]) -> float:
        """Return the age of the oldest of some pieces: 1 for the oldest of all, 0 for no piece."""
        total = len(self.edition.collectibles)
        return 1 - min(map(self.seniority, slots), default=total) / total


def share(found: int, of: int) -> float:
    """Return a part divided by the whole, 0 if the whole is 0."""
    return found / of if of else 0.0


def clipped(value: float) -> float:
    """Return a number limited to -1 to 1."""
    return max(-1.0, min(1.0, value))


@dataclass(frozen=True)
class Sight:
    """Everything that a seat knows when it has to make a choice."""

    view: View
    seat: int
    kind: Kind

    @property
    def state(self) -> State:
        """The state of the game, as far as it is open to all."""
        return self.view.state

    @cached_property
    def cards(self) -> Cards:
        """The index of each Collectible that this seat knows, by slot."""
        return self.view.cards

    @cached_property
    def others(self) -> tuple[int, ...]:
        """The other seats, rising."""
        return tuple(seat for seat in range(self.state.seats) if seat != self.seat)

    @cached_property
    def holdings(self) -> tuple[Holdings, ...]:
        """For each seat what is known of its Collectibles."""
        return tuple(self._holdings(slots) for slots in self.state.collectibles)

    def _holdings(self, slots: Sequence[int]) -> Holdings:
        known = {slot: self.cards[slot] for slot in slots if slot in self.cards}
        return Holdings(self.state.edition, known, len(slots) - len(known))

    @property
    def mine(self) -> Holdings:
        """The deciding seat's own Collectibles."""
        return self.holdings[self.seat]

    @cached_property
    def hands(self) -> Mapping[ActionKind, tuple[list[int], ...]]:
        """By kind of Action: for each seat, the numbers on its cards in hand, largest first."""
        return {
            kind: tuple(self._numbers(hand, kind) for hand in self.state.hands) for kind in ACTIONS
        }

    def _numbers(self, hand: Iterable[int], kind: ActionKind) -> list[int]:
        """Return the numbers on the cards of a kind, highest first."""
        edition = self.state.edition
        found = (edition.number(card) for card in hand if edition.kind(card) == kind)
        return sorted(found, reverse=True)

    @cached_property
    def largest(self) -> Mapping[ActionKind, int]:
        """For each kind of Action the largest number on any such card of the edition."""
        every = range(len(self.state.edition.action_cards))
        return {kind: self._numbers(every, kind)[0] for kind in ACTIONS}

    @cached_property
    def tops(self) -> tuple[int | None, ...]:
        """The Collectible on top of each window, None if it is hidden or there is none."""
        known = self.state.known
        return tuple(known[slots[0]] if slots else None for slots in self.state.windows)

    @cached_property
    def shown(self) -> tuple[ActionKind | None, ...]:
        """For each seat the kind of the Action card that it has shown, or None."""
        kind = self.state.edition.kind
        return tuple(None if card is None else kind(card) for card in self.state.actions)

    @cached_property
    def active(self) -> tuple[bool, ...]:
        """For each seat whether it may be asked for choices."""
        return tuple(map(self.state.active, range(self.state.seats)))

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """For each seat its rank on the track."""
        return self.state.ranks(self.state.figures)

    def may_be_in(self, seat: int, place: Place) -> bool:
        """Return whether an active seat is in a Place, or has shown no Place yet."""
        return self.active[seat] and self.state.places[seat] in (None, place)


Block = list[float]

KINDS: Final[tuple[Kind, ...]] = ("place", "action", "turn", "window", "exhibit", "theft")
ACTIONS: Final = (ActionKind.CASH, ActionKind.THIEF, ActionKind.DETECTIVE, ActionKind.EXHIBIT)
PLACES: Final = (Place.CASTLE, Place.AUCTION_HALL)
VARIANTS: Final = ("surprise", "confrontation")
ROUNDS, LATE = 30, 60
TRACK, FIELDS, LEAD, NEAR = 50, 38, 20, 10
LARGEST_OCTAGON = 5
SEATS = 6
OF_LETTER, OF_RUN, OF_PIECES, OF_UNSEEN, OF_GAIN = 5, 10, 15, 10, 4
OF_WINDOW, OF_CASH, OF_CASH_SUM, OF_THIEVES = 24, 4, 50, 2


def one_hot(options: Iterable[object], value: object) -> Block:
    """Return for each option 1 if it is equal to a value, and 0 otherwise."""
    return [float(option == value) for option in options]


def scaled(values: Iterable[float], by: float) -> Block:
    """Return numbers divided by another one."""
    return [value / by for value in values]


def own_block(sight: Sight) -> Block:
    """Return the input about the deciding seat and the table, in the order of `features.OWN`."""
    blocks = (
        _table(sight),
        _track(sight),
        _pieces(sight),
        _window(sight, 0),
        _window(sight, 1),
        _unseen(sight),
        _hand(sight),
        _prison(sight),
        _played(sight, sight.seat),
        _others_played(sight),
        _rivals(sight),
    )
    return [value for block in blocks for value in block]


def other_blocks(sight: Sight) -> list[Block]:
    """Return the input about each other seat, by rising seat, in the order of `features.OTHER`."""
    return [_other(sight, seat) for seat in sight.others]


# The own block


def _table(sight: Sight) -> Block:
    """Return features of the whole table: kind of choice, seats, variant, switches and round."""
    state, switches = sight.state, sight.state.edition.switches
    return [
        *one_hot(KINDS, sight.kind),
        *one_hot(range(2, SEATS + 1), state.seats),
        *one_hot(VARIANTS, state.variant),
        float(switches.action_choice == "together"),
        float(switches.detective_in_hall),
        float(switches.detective_rank == "before"),
        min(state.round, LATE) / ROUNDS,
        float(state.round % 2),
    ]


def _track(sight: Sight) -> Block:
    """Return features of the score track: the own figure, the leader, and the paying octagon."""
    state, octagons = sight.state, sight.state.edition.octagons
    own, leader = state.figures[sight.seat], max(state.figures)
    left = max(0, len(octagons) - leader)
    furthest = max(state.figures[seat] for seat in sight.others)
    return [
        own / TRACK,
        sight.ranks[sight.seat] / SEATS,
        leader / TRACK,
        left / FIELDS,
        max(0.0, 1 - left / NEAR),
        clipped((own - furthest) / LEAD),
        *scaled(octagons[max(state.before)], LARGEST_OCTAGON),
    ]


def _pieces(sight: Sight) -> Block:
    """Return features of the deciding seat's pieces, such as their letters, ages and runs."""
    mine, known = sight.mine, sight.state.known
    (size, low, high), open_counts = mine.run, _open_counts(sight)
    run = mine.span(low, high)
    return [
        *scaled(mine.counts, OF_LETTER),
        *scaled(open_counts, OF_LETTER),
        *map(mine.age, mine.slots),
        size / OF_RUN,
        float(size >= MIN_EXHIBIT),
        mine.age(run),
        float(bool(run) and all(known[slot] is not None for slot in run)),
        *(float(low <= letter <= high) for letter in range(len(LETTERS))),
        two_largest(mine.counts)[1] / OF_RUN,
        size_of(open_counts) / OF_RUN,
        len(mine.cards) / OF_PIECES,
        (len(mine.cards) - sum(open_counts)) / HAND,
    ]


def _open_counts(sight: Sight) -> list[int]:
    known = sight.state.known
    return [sum(known[slot] is not None for slot in slots) for slots in sight.mine.slots]


def _window(sight: Sight, window: int) -> Block:
    """Return features of a window: its top piece and who gains by it."""
    card = sight.tops[window]
    if card is None:
        return [0.0] * (len(LETTERS) + 4)
    letter = letter_of(sight.state.edition, card)
    return [
        *one_hot(range(len(LETTERS)), letter),
        age(sight, card),
        len(sight.state.windows[window]) / OF_WINDOW,
        gain(sight.mine.counts, letter) / OF_GAIN,
        max(_gain_of(sight, seat, card) for seat in sight.others) / OF_GAIN,
    ]


def _gain_of(sight: Sight, seat: int, card: int | None) -> int:
    """Return by how much a Collectible enlarges a seat's largest run, 0 if it is None."""
    if card is None:
        return 0
    return gain(sight.holdings[seat].counts, letter_of(sight.state.edition, card))


def age(sight: Sight, card: int) -> float:
    """Return the age of a Collectible."""
    edition = sight.state.edition
    return 1 - edition.seniority[card] / len(edition.collectibles)


def _unseen(sight: Sight) -> Block:
    """Return for each letter how many Collectibles the seat has not seen yet."""
    edition, counts = sight.state.edition, [0] * len(LETTERS)
    for card in set(range(len(edition.collectibles))) - set(sight.cards.values()):
        counts[letter_of(edition, card)] += 1
    return scaled(counts, OF_UNSEEN)


def _hand(sight: Sight) -> Block:
    """Return features of the own hand: Cash, Thieves, Detective and Exhibit."""
    numbers, kinds = sight.hands, (ActionKind.CASH, ActionKind.THIEF)
    cash, thieves = (numbers[kind][sight.seat] for kind in kinds)
    most, highest = (sight.largest[kind] for kind in kinds)
    lower = sum(_first(numbers[ActionKind.CASH][seat]) < _first(cash) for seat in sight.others)
    return [
        len(cash) / OF_CASH,
        _first(cash) / most,
        _first(cash[1:]) / most,
        sum(cash) / OF_CASH_SUM,
        share(lower, len(sight.others)),
        len(thieves) / OF_THIEVES,
        _first(thieves) / highest,
        _first(thieves[-1:]) / highest,
        *_single_cards(sight, sight.seat),
    ]


def _first(numbers: Sequence[int]) -> int:
    return numbers[0] if numbers else 0


def _single_cards(sight: Sight, seat: int) -> Block:
    kinds = (ActionKind.DETECTIVE, ActionKind.EXHIBIT)
    return [float(bool(sight.hands[kind][seat])) for kind in kinds]


def _prison(sight: Sight) -> Block:
    """Return features of the prison: own Thieves, how soon the next of them gets out, and all."""
    state = sight.state
    owners = [state.owner(card) for card in state.prison]
    cells = [cell for cell, owner in enumerate(owners) if owner == sight.seat]
    return [
        len(cells) / OF_THIEVES,
        (state.seats - max(cells)) / state.seats if cells else 0.0,
        len(owners) / state.seats,
    ]


def _played(sight: Sight, seat: int) -> Block:
    """Return the Place and the kind of Action that a seat has shown, each one-hot."""
    return [*one_hot(PLACES, sight.state.places[seat]), *one_hot(ACTIONS, sight.shown[seat])]


def _others_played(sight: Sight) -> Block:
    """Return the shares of the other seats in each Place and with each Action there."""
    state, others, shown = sight.state, sight.others, sight.shown
    castle = [seat for seat in others if state.places[seat] == Place.CASTLE]
    hall = [seat for seat in others if state.places[seat] == Place.AUCTION_HALL]
    waiting = [seat for seat in others if state.places[seat] is None and sight.active[seat]]
    counts = [len(castle), len(hall), len(waiting)]
    counts += [sum(shown[seat] == kind for seat in hall) for kind in ACTIONS[:3]]
    counts += [sum(shown[seat] == kind for seat in castle) for kind in ACTIONS[1:]]
    return scaled(counts, len(others))


def _rivals(sight: Sight) -> Block:
    """Return the shares of other seats whose run is smaller, and that may have a larger one."""
    found, size = [sight.holdings[seat] for seat in sight.others], sight.mine.size
    smaller = sum(other.size < size for other in found)
    larger = sum(may_have(other.counts, other.hidden) > size for other in found)
    return scaled((smaller, larger), len(found))


# The blocks of the other seats


def _other(sight: Sight, seat: int) -> Block:
    """Return all features of one other seat, in the order of `features.OTHER`."""
    state, held = sight.state, sight.holdings[seat]
    field, own = state.figures[seat], state.figures[sight.seat]
    return [
        field / TRACK,
        clipped((field - own) / LEAD),
        sight.ranks[seat] / SEATS,
        len(state.collectibles[seat]) / OF_PIECES,
        held.hidden / HAND,
        *scaled(held.counts, OF_LETTER),
        held.size / OF_RUN,
        float(held.size >= MIN_EXHIBIT),
        held.age(held.span(*held.run[1:])),
        may_have(held.counts, held.hidden) / OF_RUN,
        *_other_hand(sight, seat),
        sum(state.owner(card) == seat for card in state.prison) / OF_THIEVES,
        *_played(sight, seat),
        len(state.exhibits[seat] or ()) / OF_RUN,
        float(sight.active[seat]),
        *scaled((_gain_of(sight, seat, card) for card in sight.tops), OF_GAIN),
    ]


def _other_hand(sight: Sight, seat: int) -> Block:
    """Return features of another seat's hand: Cash, Thieves, Detective and Exhibit."""
    numbers, kinds = sight.hands, (ActionKind.CASH, ActionKind.THIEF)
    cash, thieves = (numbers[kind][seat] for kind in kinds)
    most, highest = (sight.largest[kind] for kind in kinds)
    return [
        len(cash) / OF_CASH,
        _first(cash) / most,
        float(_first(cash) > _first(numbers[ActionKind.CASH][sight.seat])),
        len(thieves) / OF_THIEVES,
        _first(thieves) / highest,
        *_single_cards(sight, seat),
    ]
