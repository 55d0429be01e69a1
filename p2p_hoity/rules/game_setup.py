"""The beginning of a game: the state before the deal, the drawing of colours, and the deal."""

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
    """Return the state before the deal.

    Args:
        variant: None for more than two seats.

    Raises:
        ValueError: If the number of seats (2 to 6) and the variant do not fit, or there are too few
            Collectibles or colours.
    """
    if type(seats) is not int or not MIN_SEATS <= seats <= MAX_SEATS:
        raise ValueError(f"{MIN_SEATS} to {MAX_SEATS} seats can play, not {seats!r}")
    if variant not in (None, "surprise", "confrontation"):
        raise ValueError(f"a variant is surprise or confrontation, not {variant!r}")
    if (variant is not None) != (seats == MIN_SEATS):
        raise ValueError("two seats play surprise or confrontation, more seats neither")
    if seats > len(edition.colours):
        raise ValueError(f"the edition has {len(edition.colours)} colours for {seats} seats")
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


def draw_colours(coin: bytes, seats: int, colours: int) -> tuple[int, ...]:
    """Return the colour of each seat, drawn by a fair coin.

    The coin is read as a big-endian number. Of six colours, seat 0 takes the colour at index
    `number mod 6`, and the number is divided by 6. Seat 1 takes the colour at index `number mod 5`
    in the list of the five remaining colours, and so on. The bias is below 2^-246.

    Args:
        coin: 32 random bytes.
        colours: The number of colours, at least as many as seats.
    """
    number = int.from_bytes(coin, "big")
    left = list(range(colours))
    drawn = []
    for _ in range(seats):
        number, digit = divmod(number, len(left))
        drawn.append(left.pop(digit))
    return tuple(drawn)


def deal(state: State, event: Dealt) -> State:
    """Deal colours and Action cards to the seats, and open the top of each window to all ([G-20]).

    Raises:
        UnexpectedEvent: If the coin has not 32 bytes, or slots are opened that are not on top.
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
    """Return the event that describes how the game was set up."""
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
