"""Before the first round: the state before the deal, and the deal."""

from __future__ import annotations

from dataclasses import asdict

from protocol.game_interface import Dealt

from .choices import MAX_SEATS, MIN_SEATS, UnexpectedEvent
from .edition import CARDS_PER_COLOUR, Edition
from .game_state import State, Variant, layout
from .happenings import Setup
from .movement import go, reveal
from .phases import Phase

COIN_BYTES = 32


def start(edition: Edition, seats: int, variant: Variant = None) -> State:
    """The state before the deal. ValueError unless 2 to 6 seats sit at it, two of them exactly
    with a variant, and the Collectibles suffice."""
    if type(seats) is not int or not MIN_SEATS <= seats <= MAX_SEATS:
        raise ValueError(f"{MIN_SEATS} to {MAX_SEATS} seats can play, not {seats!r}")
    if variant not in (None, "surprise", "confrontation"):
        raise ValueError(f"a variant is surprise or confrontation, not {variant!r}")
    if (variant is not None) != (seats == MIN_SEATS):
        raise ValueError("two seats play surprise or confrontation, more seats neither")
    laid = layout(len(edition.collectibles), seats)
    nothing = (None,) * seats
    return State(
        edition=edition,
        seats=seats,
        variant=variant,
        figures=(0,) * seats,
        hands=((),) * seats,
        collectibles=laid.hands,
        windows=laid.windows,
        known=(None,) * len(edition.collectibles),
        present=frozenset(range(seats)),
        places=nothing,
        actions=nothing,
        exhibits=nothing,
        before=(0,) * seats,
    )


def draw_colours(coin: bytes, seats: int, colours: int = 6) -> tuple[int, ...]:
    """The colour of each seat from a fair coin of 32 bytes.

    The coin, a big-endian number, is read as a Lehmer code: seat 0 takes colour `number mod 6` of
    those left in order, the number is divided by 6, seat 1 takes `number mod 5` of the five left,
    and so on. The bias is below 2**-246.
    """
    number = int.from_bytes(coin, "big")
    left = list(range(colours))
    drawn = []
    for _ in range(seats):
        number, digit = divmod(number, len(left))
        drawn.append(left.pop(digit))
    return tuple(drawn)


def deal(state: State, event: Dealt) -> State:
    """Colours, Action hands and the open tops.

    UnexpectedEvent for a coin of another size or other tops.

    SPEC: [G-20].
    """
    if len(event.coin) != COIN_BYTES:
        raise UnexpectedEvent(f"the coin has {COIN_BYTES} bytes, not {len(event.coin)}")
    tops = layout(len(state.known), state.seats).tops
    if set(event.cards) != set(tops):
        raise UnexpectedEvent(f"the deal opens slots {tops}, not {tuple(event.cards)}")
    colours = draw_colours(event.coin, state.seats, len(state.edition.colours))
    firsts = [CARDS_PER_COLOUR * colour for colour in colours]
    hands = tuple(tuple(range(first, first + CARDS_PER_COLOUR)) for first in firsts)
    dealt = reveal(state, event.cards).but(colours=colours, hands=hands)
    return go(dealt, Phase.ROUND, _setup(dealt))


def _setup(state: State) -> Setup:
    edition = state.edition
    return Setup(
        edition=edition.name,
        variant=state.variant,
        **asdict(edition.switches),
        colours=tuple(state.colour_name(seat) for seat in range(state.seats)),
        hands=tuple(tuple(state.action_card(c) for c in hand) for hand in state.hands),
        collectibles=state.collectibles,
        windows=tuple(state.pieces(window) for window in state.windows),
        octagons=edition.octagons,
        banquet_fields=edition.banquet_fields,
        cells=state.seats,
    )
