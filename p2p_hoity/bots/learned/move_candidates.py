"""The candidates of a decision of the learned bot: each option with its features as numbers.

`features.py` says in which order the candidates come and what their numbers mean. A part of the
features is given with the index at which it begins in a candidate's row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ...rules import ActionKind, Choice, Place, theft_options
from ...rules.choices import Kind
from ...rules.exhibits import MIN_EXHIBIT, letter_of
from . import observation
from .features import CANDIDATE, length
from .observation import Block, Sight, age, clipped, gain, loss, one_hot, share

TOTAL = length(CANDIDATE)
PLACE_AT, CARD_AT, CASH_AT, THIEF_AT, EXHIBIT_AT, PIECE_AT = (
    length(CANDIDATE[:at]) for at in range(len(CANDIDATE))
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One option of a decision of the learned bot.

    Attributes:
        choice: The choice. For a theft: the slot of one piece to take.
        numbers: In the order of the table `features.CANDIDATE`.
    """

    choice: Choice
    numbers: Block


Pick = list[Candidate]
"""All candidates of a decision. The bot picks one of them."""


def picks(sight: Sight) -> list[Pick]:
    """Return one list of candidates, or for a theft one list for each exhibit."""
    if sight.kind == "theft":
        return [_theft(sight, exhibit) for exhibit in theft_options(sight.state)]
    return [_LISTS[sight.kind](sight)]


def _numbers(*parts: tuple[int, Sequence[float]]) -> Block:
    """Return all features of a candidate, from some parts of them. The others are 0."""
    row = [0.0] * TOTAL
    for at, values in parts:
        row[at : at + len(values)] = values
    return row


# Places and Actions


def _places(sight: Sight) -> Pick:
    options = cast("tuple[int, ...]", sight.view.legal("place"))
    return [Candidate(place, _numbers(_place(place))) for place in sorted(options)]


def _place(place: int) -> tuple[int, Block]:
    return PLACE_AT, one_hot(observation.PLACES, place)


def _actions(sight: Sight) -> Pick:
    options = cast("tuple[int, ...]", sight.view.legal("action"))
    return [Candidate(card, _numbers(*_card(sight, card))) for card in sorted(options)]


def _turns(sight: Sight) -> Pick:
    """Return the candidates for a Place and an Action together."""
    options = cast("tuple[tuple[int, int], ...]", sight.view.legal("turn"))
    return [
        Candidate((place, card), _numbers(_place(place), *_card(sight, card)))
        for place, card in sorted(options)
    ]


def _card(sight: Sight, card: int) -> list[tuple[int, Block]]:
    """Return the parts for an Action card."""
    kind = sight.state.kind(card)
    parts = [(CARD_AT, one_hot(observation.ACTIONS, kind))]
    number = sight.state.edition.number(card)
    if kind == ActionKind.CASH:
        own = sight.hands[kind][sight.seat]
        less = share(sum(n < number for n in own), len(own) - 1)
        larger = _with_more(sight, kind, number, Place.AUCTION_HALL)
        parts.append((CASH_AT, [number / sight.largest[kind], less, larger]))
    if kind == ActionKind.THIEF:
        higher = _with_more(sight, kind, number, Place.CASTLE)
        parts.append((THIEF_AT, [number / sight.largest[kind], higher]))
    return parts


def _with_more(sight: Sight, kind: ActionKind, number: int, place: Place) -> float:
    """Return the share of other seats that may be in a Place and hold a higher card."""
    hands = sight.hands[kind]
    found = [s for s in sight.others if sight.may_be_in(s, place) and hands[s][:1] > [number]]
    return share(len(found), len(sight.others))


# Exhibits


def _exhibits(sight: Sight) -> Pick:
    """Return the candidates for an exhibit."""
    found = []
    for low, high in observation.SPANS:
        whole = sight.mine.span(low, high)
        if len(whole) >= MIN_EXHIBIT and all(sight.mine.counts[low : high + 1]):
            least = _smallest(sight, low, high)
            sets = (whole, least) if len(least) < len(whole) else (whole,)
            found += [_exhibit(sight, slots, low, high) for slots in sets]
    return found


def _smallest(sight: Sight, low: int, high: int) -> tuple[int, ...]:
    """Return the slots of a small exhibit: the oldest piece of each letter in a range.

    If these are fewer than three pieces, other pieces of these letters are added, oldest first.
    """
    groups = sight.mine.slots[low : high + 1]
    more = sorted((slot for slots in groups for slot in slots[1:]), key=sight.mine.seniority)
    missing = max(0, MIN_EXHIBIT - len(groups))
    return (*(slots[0] for slots in groups), *more[:missing])


def _exhibit(sight: Sight, slots: tuple[int, ...], low: int, high: int) -> Candidate:
    """Return the exhibit in some slots, whose letters are `low` to `high`, as a candidate."""
    mine, known = sight.mine, sight.state.known
    size, first, last = mine.run
    of_run = set(mine.span(first, last)) & set(slots)
    numbers = [
        len(slots) / observation.OF_RUN,
        float(len(slots) == size),
        mine.age(slots),
        sum(known[slot] is not None for slot in slots) / len(slots),
        (high - low + 1) / 6,
        float(len(slots) < sum(mine.counts[low : high + 1])),
        len(of_run) / observation.OF_RUN,
        _above_rivals(sight, len(slots)),
    ]
    return Candidate(tuple(sorted(slots)), _numbers((EXHIBIT_AT, numbers)))


def _above_rivals(sight: Sight, size: int) -> float:
    """Compare the size of an exhibit with the largest that another exhibitor is known to have.

    The difference in pieces is divided by 5 and limited to -1 to 1. It is 0 without a rival.
    """
    rivals = [s for s in sight.state.playing(Place.CASTLE, ActionKind.EXHIBIT) if s != sight.seat]
    largest = max((sight.holdings[seat].size for seat in rivals), default=None)
    return 0.0 if largest is None else clipped((size - largest) / 5)


# Single pieces of windows and exhibits


def _windows(sight: Sight) -> Pick:
    """Return the candidates for the choice of a window to buy from."""
    found = []
    for window in sorted(cast("tuple[int, ...]", sight.view.legal("window"))):
        slots = sight.state.windows[window]
        last = [len(slots) / observation.OF_WINDOW, 0.0, 0.0, 0.0, 0.0]
        found.append(_piece(sight, slots[0], window, None, last))
    return found


def _theft(sight: Sight, exhibit: tuple[int, ...]) -> Pick:
    """Return the candidates for the piece that a Thief takes from one exhibit."""
    state = sight.state
    owner = next(seat for seat, left in enumerate(state.exhibits) if left == exhibit)
    ahead = clipped((state.figures[owner] - state.figures[sight.seat]) / observation.LEAD)
    held, found = sight.holdings[owner], []
    # Pieces of one letter differ only in age, so the oldest of each letter is enough.
    for letter, slots in enumerate(held.slots):
        shown = [slot for slot in slots if slot in exhibit]
        if shown:
            last = [
                0.0,
                loss(held.counts, letter) / observation.OF_GAIN,
                ahead,
                held.counts[letter] / observation.OF_LETTER,
                len(exhibit) / observation.OF_RUN,
            ]
            found.append(_piece(sight, shown[0], shown[0], owner, last))
    return found


def _piece(sight: Sight, slot: int, choice: int, owner: int | None, last: Block) -> Candidate:
    """Return the candidate of buying or stealing a piece.

    Args:
        choice: The number of the window, or the slot of the piece to steal.
        owner: None for a piece in a window.
        last: The last five features, which are others for a purchase than for a theft.
    """
    card = sight.cards[slot]
    letter = letter_of(sight.state.edition, card)
    size, low, high = sight.mine.run
    rivals = (sight.holdings[s].counts for s in sight.others if s != owner)
    numbers = [
        age(sight, card),
        gain(sight.mine.counts, letter) / observation.OF_GAIN,
        float(bool(size) and low - 1 <= letter <= high + 1),
        sight.mine.counts[letter] / observation.OF_LETTER,
        max((gain(counts, letter) for counts in rivals), default=0) / observation.OF_GAIN,
        *last,
    ]
    return Candidate(choice, _numbers((PIECE_AT, numbers)))


_LISTS: Mapping[Kind, Callable[[Sight], Pick]] = {
    "place": _places,
    "action": _actions,
    "turn": _turns,
    "window": _windows,
    "exhibit": _exhibits,
}
