"""What the deciding seat sees, as numbers: its own block and one block for each other seat.

The order and the meaning of the numbers stand in `features.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ...rules import HAND, LETTERS, ActionKind, Place
from ...rules.exhibits import MIN_EXHIBIT
from ...rules.vocabulary import Kind
from .holdings import gain, letter_of, may_have, size_of, whole_runs
from .scene import Scene, clipped, share

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
    """1 for the option that is the value, 0 for all others."""
    return [float(option == value) for option in options]


def scaled(values: Iterable[float], by: float) -> Block:
    """Each of them divided."""
    return [value / by for value in values]


def own_block(scene: Scene) -> Block:
    """The table OWN for the deciding seat."""
    blocks = (
        _table(scene),
        _track(scene),
        _pieces(scene),
        _window(scene, 0),
        _window(scene, 1),
        _unseen(scene),
        _hand(scene),
        _prison(scene),
        _played(scene, scene.seat),
        _others_played(scene),
        _rivals(scene),
    )
    return [value for block in blocks for value in block]


def other_blocks(scene: Scene) -> list[Block]:
    """The table OTHER for each other seat."""
    return [_other(scene, seat) for seat in scene.others]


# The own block.


def _table(scene: Scene) -> Block:
    state, switches = scene.state, scene.state.edition.switches
    return [
        *one_hot(KINDS, scene.kind),
        *one_hot(range(2, SEATS + 1), state.seats),
        *one_hot(VARIANTS, state.variant),
        float(switches.action_choice == "together"),
        float(switches.detective_in_hall),
        float(switches.detective_rank == "before"),
        min(state.round, LATE) / ROUNDS,
        float(state.round % 2),
    ]


def _track(scene: Scene) -> Block:
    state, octagons = scene.state, scene.state.edition.octagons
    own, leader = state.figures[scene.seat], max(state.figures)
    left = max(0, len(octagons) - leader)
    furthest = max(state.figures[seat] for seat in scene.others)
    return [
        own / TRACK,
        scene.ranks[scene.seat] / SEATS,
        leader / TRACK,
        left / FIELDS,
        max(0.0, 1 - left / NEAR),
        clipped((own - furthest) / LEAD),
        *scaled(octagons[max(state.before)], LARGEST_OCTAGON),
    ]


def _pieces(scene: Scene) -> Block:
    mine, known = scene.mine, scene.state.known
    (size, low, high), open_counts = mine.run, _open_counts(scene)
    sizes = sorted((run[0] for run in whole_runs(mine.counts)), reverse=True)
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
        (sizes[1] if len(sizes) > 1 else 0) / OF_RUN,
        size_of(open_counts) / OF_RUN,
        len(mine.cards) / OF_PIECES,
        (len(mine.cards) - sum(open_counts)) / HAND,
    ]


def _open_counts(scene: Scene) -> list[int]:
    known = scene.state.known
    return [sum(known[slot] is not None for slot in slots) for slots in scene.mine.slots]


def _window(scene: Scene, window: int) -> Block:
    slots = scene.state.windows[window]
    card = scene.state.known[slots[0]] if slots else None
    if card is None:
        return [0.0] * (len(LETTERS) + 4)
    letter = letter_of(scene.state.edition, card)
    others = (gain(scene.holdings[seat].counts, letter) for seat in scene.others)
    return [
        *one_hot(range(len(LETTERS)), letter),
        age(scene, card),
        len(slots) / OF_WINDOW,
        gain(scene.mine.counts, letter) / OF_GAIN,
        max(others) / OF_GAIN,
    ]


def age(scene: Scene, card: int) -> float:
    """Of a Collectible, the oldest 1."""
    edition = scene.state.edition
    return 1 - edition.seniority[card] / len(edition.collectibles)


def _unseen(scene: Scene) -> Block:
    edition, counts = scene.state.edition, [0] * len(LETTERS)
    for card in set(range(len(edition.collectibles))) - set(scene.cards.values()):
        counts[letter_of(edition, card)] += 1
    return scaled(counts, OF_UNSEEN)


def _hand(scene: Scene) -> Block:
    cash, thieves = scene.cash[scene.seat], scene.thieves[scene.seat]
    most, highest = scene.largest
    lower = sum(_first(scene.cash[seat]) < _first(cash) for seat in scene.others)
    return [
        len(cash) / OF_CASH,
        _first(cash) / most,
        _first(cash[1:]) / most,
        sum(cash) / OF_CASH_SUM,
        share(lower, len(scene.others)),
        len(thieves) / OF_THIEVES,
        _first(thieves) / highest,
        _first(thieves[-1:]) / highest,
        *_single_cards(scene, scene.seat),
    ]


def _first(numbers: Sequence[int]) -> int:
    return numbers[0] if numbers else 0


def _single_cards(scene: Scene, seat: int) -> Block:
    kinds = (ActionKind.DETECTIVE, ActionKind.EXHIBIT)
    return [float(scene.has(seat, kind)) for kind in kinds]


def _prison(scene: Scene) -> Block:
    state = scene.state
    owners = [state.owner(card) for card in state.prison]
    cells = [cell for cell, owner in enumerate(owners) if owner == scene.seat]
    return [
        len(cells) / OF_THIEVES,
        (state.seats - max(cells)) / state.seats if cells else 0.0,
        len(owners) / state.seats,
    ]


def _played(scene: Scene, seat: int) -> Block:
    return [*one_hot(PLACES, scene.state.places[seat]), *one_hot(ACTIONS, scene.shown[seat])]


def _others_played(scene: Scene) -> Block:
    state, others, shown = scene.state, scene.others, scene.shown
    castle = [seat for seat in others if state.places[seat] == Place.CASTLE]
    hall = [seat for seat in others if state.places[seat] == Place.AUCTION_HALL]
    waiting = [seat for seat in others if state.places[seat] is None and scene.active[seat]]
    counts = [len(castle), len(hall), len(waiting)]
    counts += [sum(shown[seat] == kind for seat in hall) for kind in ACTIONS[:3]]
    counts += [sum(shown[seat] == kind for seat in castle) for kind in ACTIONS[1:]]
    return scaled(counts, len(others))


def _rivals(scene: Scene) -> Block:
    found, size = [scene.holdings[seat] for seat in scene.others], scene.mine.size
    smaller = sum(other.size < size for other in found)
    larger = sum(may_have(other.counts, other.hidden) > size for other in found)
    return scaled((smaller, larger), len(found))


# The blocks of the others.


def _other(scene: Scene, seat: int) -> Block:
    state, held = scene.state, scene.holdings[seat]
    field, own = state.figures[seat], state.figures[scene.seat]
    return [
        field / TRACK,
        clipped((field - own) / LEAD),
        scene.ranks[seat] / SEATS,
        len(state.collectibles[seat]) / OF_PIECES,
        held.hidden / HAND,
        *scaled(held.counts, OF_LETTER),
        held.size / OF_RUN,
        float(held.size >= MIN_EXHIBIT),
        held.age(held.span(*held.run[1:])),
        may_have(held.counts, held.hidden) / OF_RUN,
        *_other_hand(scene, seat),
        sum(state.owner(card) == seat for card in state.prison) / OF_THIEVES,
        *_played(scene, seat),
        len(state.exhibits[seat] or ()) / OF_RUN,
        float(scene.active[seat]),
        *scaled((_gain_of_top(scene, seat, window) for window in (0, 1)), OF_GAIN),
    ]


def _other_hand(scene: Scene, seat: int) -> Block:
    cash, thieves = scene.cash[seat], scene.thieves[seat]
    most, highest = scene.largest
    return [
        len(cash) / OF_CASH,
        _first(cash) / most,
        float(_first(cash) > _first(scene.cash[scene.seat])),
        len(thieves) / OF_THIEVES,
        _first(thieves) / highest,
        *_single_cards(scene, seat),
    ]


def _gain_of_top(scene: Scene, seat: int, window: int) -> int:
    slots = scene.state.windows[window]
    card = scene.state.known[slots[0]] if slots else None
    if card is None:
        return 0
    return gain(scene.holdings[seat].counts, letter_of(scene.state.edition, card))
