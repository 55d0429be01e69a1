"""Phase III, the Auction Hall: the sale, the Thief at the cash register, the next Collectible."""

from __future__ import annotations

from typing import cast

from protocol.game_interface import Choose, Chosen, Draw, Drawn

from .choices import Place, UnexpectedEvent, Why
from .edition import ActionKind
from .game_state import State
from .happenings import CashPaid, CashStolen, DefaultTaken, Happening, NoSale, Sale, TurnedUp
from .legality import check, default_window
from .movement import give_back, go, put, reveal, tell
from .phases import Phase

HALL = Place.AUCTION_HALL


def resolve(state: State) -> State:
    """The Actions in the Auction Hall are shown: the largest Cash may buy."""
    bidders = state.playing(HALL, ActionKind.CASH)
    if bidders:
        buyer = max(bidders, key=lambda seat: state.edition.number(_card(state, seat)))
        return go(state, Phase.WINDOW, buyer=buyer)
    told = (NoSale(state.round),) if state.at(HALL) else ()
    return go(_clear(tell(state, *told)), Phase.CASTLE)


def _card(state: State, seat: int) -> int:
    return cast(int, state.actions[seat])


def window_due(state: State) -> Choose | None:
    """The buyer chooses a window, if it may be asked."""
    buyer = cast(int, state.buyer)
    return Choose("window", buyer) if state.active(buyer) else None


def choose_window(state: State, event: Chosen) -> State:
    """The sale: the top of the window changes hands, the Cash is paid."""
    choice = event.choice
    if choice is None:
        choice = default_window(state)
        state = tell(state, DefaultTaken(event.seat, "window", choice, Why.NO_CHOICE))
    check(state, "window", event.seat, choice)
    window = cast(int, choice)
    state = _pay(_take(state, event.seat, window), event.seat)
    following = Phase.DRAW if state.windows[window] else Phase.CASTLE
    return go(_clear(state), following, buyer=None)


def _take(state: State, seat: int, window: int) -> State:
    slot, *rest = state.windows[window]
    first, second = state.windows
    left = tuple(rest)
    held = tuple(sorted((*state.collectibles[seat], slot)))
    paid = state.action_card(_card(state, seat))
    return tell(
        state,
        Sale(seat, paid, window, state.piece(slot)),
        collectibles=put(state.collectibles, seat, held),
        windows=(left, second) if window == 0 else (first, left),
    )


def _pay(state: State, buyer: int) -> State:
    """The Cash goes to the one Thief in the Auction Hall, else it stays in the register."""
    cash = _card(state, buyer)
    state = state.but(actions=put(state.actions, buyer, None))
    thieves = state.playing(HALL, ActionKind.THIEF)
    if len(thieves) != 1:
        paid = CashPaid(buyer, state.action_card(cash))
        return tell(state, paid, register=(*state.register, cash))
    thief = thieves[0]
    told = CashStolen(thief, state.action_card(_card(state, thief)), buyer, state.action_card(cash))
    hand = tuple(sorted((*state.hands[thief], cash)))
    return tell(state, told, hands=put(state.hands, thief, hand))


def _clear(state: State) -> State:
    """Every other Action card in the Auction Hall goes back to its hand."""
    for seat in state.at(HALL):
        card = state.actions[seat]
        if card is not None:
            state = give_back(state, seat, card, Why.SALE_OVER)
            state = state.but(actions=put(state.actions, seat, None))
    return state


def draw_due(state: State) -> Draw:
    """The hidden top of a window is turned up."""
    tops = (window[0] for window in state.windows if window)
    return Draw(tuple(slot for slot in tops if state.known[slot] is None))


def draw(state: State, event: Drawn) -> State:
    """The next Collectible of the window is open to all.

    UnexpectedEvent if other slots are opened.
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
