"""Phase III, the Auction Hall: the sale, the Thief at the cash register, the next Collectible."""

from __future__ import annotations

from typing import cast

from protocol.game_interface import Choose, Chosen, Draw, Drawn

from .choices import Place, UnexpectedEvent, Why
from .edition import ActionKind
from .game_state import State
from .happenings import CashPaid, CashStolen, DefaultTaken, Happening, NoSale, Sale, TurnedUp
from .legality import check, default_window
from .movement import clear, go, put, reveal, tell
from .phases import Phase

HALL = Place.AUCTION_HALL


def resolve(state: State) -> State:
    """Find the buyer after the Actions in the Auction Hall are shown ([G-10]).

    The buyer is the seat that played the largest Cash.

    Returns:
        The state that waits for the buyer's choice, or the Castle phase if nobody played Cash.
    """
    if (buyer := largest_bidder(state)) is not None:
        return go(state, Phase.WINDOW, buyer=buyer)
    told = (NoSale(state.round),) if state.at(HALL) else ()
    return go(clear(tell(state, *told), HALL, Why.SALE_OVER), Phase.CASTLE)


def largest_bidder(state: State) -> int | None:
    """Return the seat with the largest Cash in the Auction Hall.

    Returns:
        The seat, or None if nobody plays Cash there.
    """
    bidders = state.playing(HALL, ActionKind.CASH)
    return max(bidders, key=lambda seat: state.edition.number(state.action(seat)), default=None)


def window_due(state: State) -> Choose | None:
    """Return which choice the buyer owes: from which of the two windows (piles) to buy.

    Returns:
        The choice to ask for, or None if the buyer is absent or sits out.
    """
    buyer = cast(int, state.buyer)
    return Choose("window", buyer) if state.active(buyer) else None


def choose_window(state: State, event: Chosen) -> State:
    """Sell the top Collectible of the chosen window, and pay the Cash ([G-11]).

    The two windows are the piles of Collectibles in the Auction Hall.

    Args:
        event: The event with the buyer and the chosen window, 0 or 1. If the window is None, the
            first window that is not empty is used.

    Returns:
        The state after the sale.

    Raises:
        IllegalMove: If the chosen window is empty.
    """
    choice = event.choice
    if choice is None:
        choice = default_window(state)
        state = tell(state, DefaultTaken(event.seat, "window", choice, Why.NO_CHOICE))
    check(state, "window", event.seat, choice)
    window = cast(int, choice)
    state = _pay(_take(state, event.seat, window), event.seat)
    following = Phase.DRAW if state.windows[window] else Phase.CASTLE
    return go(clear(state, HALL, Why.SALE_OVER), following, buyer=None)


def _take(state: State, seat: int, window: int) -> State:
    """Move the top Collectible of a window (a pile in the Auction Hall) to a seat."""
    slot, *rest = state.windows[window]
    first, second = state.windows
    left = tuple(rest)
    held = tuple(sorted((*state.collectibles[seat], slot)))
    paid = state.action_card(state.action(seat))
    return tell(
        state,
        Sale(seat, paid, window, state.piece(slot)),
        collectibles=put(state.collectibles, seat, held),
        windows=(left, second) if window == 0 else (first, left),
    )


def _pay(state: State, buyer: int) -> State:
    """Move the buyer's Cash to the only Thief in the Auction Hall, or else to the register.

    The register gets the Cash if there is no Thief or more than one.
    """
    cash = state.action(buyer)
    state = state.but(actions=put(state.actions, buyer, None))
    thieves = state.playing(HALL, ActionKind.THIEF)
    if len(thieves) != 1:
        paid = CashPaid(buyer, state.action_card(cash))
        return tell(state, paid, register=(*state.register, cash))
    thief = thieves[0]
    told = CashStolen(thief, state.action_card(state.action(thief)), buyer, state.action_card(cash))
    hand = tuple(sorted((*state.hands[thief], cash)))
    return tell(state, told, hands=put(state.hands, thief, hand))


def draw_due(state: State) -> Draw:
    """Return which slots of the deck are to be opened to all after a sale.

    These are the slots at the top of the Auction Hall's two piles (windows) that are still hidden.
    """
    tops = (window[0] for window in state.windows if window)
    return Draw(tuple(slot for slot in tops if state.known[slot] is None))


def draw(state: State, event: Drawn) -> State:
    """Turn up each hidden Collectible that is now on top of an Auction Hall pile (window).

    Args:
        event: The opened slots with their Collectibles.

    Returns:
        The state in the Castle phase.

    Raises:
        UnexpectedEvent: If other slots are opened than `draw_due` names.

    SPEC: [G-12].
    """
    due = draw_due(state).slots
    if set(event.cards) != set(due):
        raise UnexpectedEvent(f"slots {due} are turned up, not {tuple(event.cards)}")
    state = reveal(state, event.cards)
    told: list[Happening] = [
        TurnedUp(i, state.piece(window[0]))
        for i, window in enumerate(state.windows)
        if window and window[0] in due
    ]
    return go(state, Phase.CASTLE, *told)
