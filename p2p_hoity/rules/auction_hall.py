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
    """Make the seat with the largest Cash the buyer, after the Actions are shown ([G-10]).

    Without a buyer the sale is over, and the Castle follows.
    """
    if (buyer := largest_bidder(state)) is not None:
        return go(state, Phase.WINDOW, buyer=buyer)
    told = (NoSale(state.round),) if state.at(HALL) else ()
    return go(clear(tell(state, *told), HALL, Why.SALE_OVER), Phase.CASTLE)


def largest_bidder(state: State) -> int | None:
    """Return the seat with the largest Cash in the Auction Hall, None without any Cash."""
    bidders = state.playing(HALL, ActionKind.CASH)
    return max(bidders, key=lambda seat: state.edition.number(state.action(seat)), default=None)


def window_due(state: State) -> Choose | None:
    """Return the choice of a window that the buyer owes, None if it is absent or sits out."""
    buyer = cast(int, state.buyer)
    return Choose("window", buyer) if state.active(buyer) else None


def choose_window(state: State, event: Chosen) -> State:
    """Sell the top Collectible of the chosen window, and pay the Cash ([G-11]).

    Args:
        event: Its choice is None for the first window that is not empty.

    Raises:
        IllegalMove: If the chosen window is empty.
    """
    choice = event.choice
    if choice is None:
        choice = default_window(state)
        state = tell(state, DefaultTaken(event.seat, "window", choice, Why.NO_CHOICE))
    check(state, "window", event.seat, choice)
    window = cast(int, choice)
    # The sale first: it names the Cash, which `_pay` takes off the table. What lies there after
    # that goes back to hands.
    state = _pay(_take(state, event.seat, window), event.seat)
    following = Phase.DRAW if state.windows[window] else Phase.CASTLE
    return go(clear(state, HALL, Why.SALE_OVER), following, buyer=None)


def _take(state: State, seat: int, window: int) -> State:
    """Move the top Collectible of a window to a seat."""
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
    """Move the buyer's Cash to the only Thief in the Hall, or else to the register."""
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
    """Return which slots are to be opened to all after a sale: the tops that are still hidden."""
    tops = (window[0] for window in state.windows if window)
    return Draw(tuple(slot for slot in tops if state.known[slot] is None))


def draw(state: State, event: Drawn) -> State:
    """Turn up each hidden Collectible that is now on top of a window ([G-12]).

    Raises:
        UnexpectedEvent: If other slots are opened than `draw_due` names.
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
