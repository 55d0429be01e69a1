"""Phase V, the end of the game.

All hands are opened, the figures of the best exhibits move, and the final standings are computed.
"""

from __future__ import annotations

from protocol.game_interface import OpenAll, Opened

from .choices import UnexpectedEvent, Why
from .exhibits import best_exhibit
from .game_state import Claim, Standing, State
from .happenings import FaultFound, FinalExhibit, HandOpened, Happening, StandingMade
from .legality import default_exhibit
from .movement import advance, go, ranking, reveal, tell
from .phases import Phase

FINAL_HONOURS = {Why.BEST_FINAL: 8, Why.SECOND_BEST_FINAL: 4}
"""How many fields a figure moves for the best and the second-best final exhibit."""


def opening_due(state: State) -> OpenAll:
    """Return which slots are opened at the end, rising: the hidden ones of all seats."""
    held = (slot for slots in state.collectibles for slot in slots)
    return OpenAll(tuple(sorted(slot for slot in held if state.known[slot] is None)))


def finish(state: State, event: Opened) -> State:
    """Open all hands, move the figures of the best final exhibits, and make the standings ([G-21]).

    Args:
        event: The Collectibles by slot. Slots that could not be opened are missing.

    Raises:
        UnexpectedEvent: If slots are opened that are not hidden in hands.
    """
    # Not `!=`: a card that fewer seats than the quorum help to open stays hidden.
    if not set(event.cards) <= set(opening_due(state).slots):
        raise UnexpectedEvent("the end opens only hidden Collectibles in hands")
    state = reveal(state, event.cards)
    exhibits = tuple(default_exhibit(state, seat) or () for seat in range(state.seats))
    ranked = ranking(state, exhibits)
    # The worst comes first, and the second-best moves before the best: who has won is told last.
    told = list[Happening]()
    others = [seat for seat in range(state.seats) if seat not in ranked]
    for seat in (*others, *reversed(ranked)):
        told.append(HandOpened(seat, state.pieces(state.collectibles[seat])))
        if seat in ranked:
            placing = ranked.index(seat) + 1
            told.append(FinalExhibit(seat, state.pieces(exhibits[seat]), placing))
    moves = [(seat, n, why) for seat, (why, n) in zip(ranked, FINAL_HONOURS.items(), strict=False)]
    state = advance(tell(state, *told, *_faults(state)), reversed(moves))
    # The furthest figure comes first, then the better final exhibit. Equal seats share a rank.
    none = len(ranked)
    keys = {
        seat: (-state.figures[seat], ranked.index(seat) if seat in ranked else none)
        for seat in range(state.seats)
    }
    # The number of the seat orders the lines of equal seats. It does not change their rank.
    order = sorted(keys, key=lambda seat: (keys[seat], seat))
    standings = tuple(
        Standing(
            1 + sum(other < keys[seat] for other in keys.values()),
            seat,
            state.figures[seat],
            exhibits[seat],
        )
        for seat in order
    )
    lines = [
        StandingMade(line.rank, line.seat, line.field, state.pieces(line.exhibit))
        for line in standings
    ]
    return go(state, Phase.OVER, *lines, standings=standings)


def _faults(state: State) -> list[FaultFound]:
    rule = Why.WITHOUT_EXHIBIT
    return [FaultFound(c.seat, c.round, rule) for c in state.claims if _empty(state, c)]


def _empty(state: State, claim: Claim) -> bool:
    """Return whether the seat of a claim certainly had no valid exhibit."""
    cards = state.open_cards(claim.slots)
    # The Collectible that is still hidden may have completed an exhibit.
    if len(cards) < len(claim.slots):
        return False
    return best_exhibit(state.edition, cards.values()) is None
