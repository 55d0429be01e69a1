"""The board of a game as a message: what a window or a program has to draw or to know."""

from __future__ import annotations

from collections.abc import Mapping

from p2p_hoity.presentation.message_records import Board, HeldPiece, SeatState, WindowState
from p2p_hoity.rules import State, View, best_slots

from ..words.choice_notes import leading, octagon
from .headline import headline
from .seats import gained, has_sealed, presence, status
from .stage import Stage


def board_of(stage: Stage, by_bot: bool = False) -> Board | None:
    """Return the board at this moment, None before the cards are dealt."""
    scene = stage.scene
    if scene.view is None or not scene.is_dealt:
        return None
    view, state = scene.view, scene.view.state
    cards, secret = view.cards, frozenset(slot for slot, _card in view.private)
    known = {slot: _held(view, slot, card, slot in secret) for slot, card in cards.items()}
    ranks = state.ranks(state.figures)
    return Board(
        round=state.round,
        phase=state.phase.value,
        headline=headline(stage, by_bot),
        leader=leading(view),
        octagon=octagon(view),
        windows=tuple(
            WindowState(known.get(window[0]) if window else None, len(window))
            for window in state.windows
        ),
        register=state.register,
        prison=(*state.prison, *(None,) * (state.seats - len(state.prison))),
        awaited=() if scene.clock is None else tuple(sorted(scene.clock.awaited)),
        sealed=_sealed(stage, state),
        seats=tuple(_seat(stage, view, seat, ranks[seat], known) for seat in range(state.seats)),
    )


def _sealed(stage: Stage, state: State) -> tuple[int, ...]:
    """Return the seats whose choice is sealed and not shown yet."""
    # Within a reveal only the state tells it, since the phase is that of the step before.
    if stage.is_revealing:
        return tuple(sorted(state.sealed))
    return tuple(seat for seat in range(state.seats) if has_sealed(stage.scene, seat))


def _held(view: View, slot: int, card: int, is_secret: bool) -> HeldPiece:
    piece = view.state.edition.collectibles[card]
    return HeldPiece(slot, piece.letter, piece.year, is_secret)


def _seat(
    stage: Stage, view: View, seat: int, rank: int, known: Mapping[int, HeldPiece]
) -> SeatState:
    """Return what is known of a seat. `known` has every piece that the reader knows, by slot."""
    state, held = view.state, view.held(seat)
    return SeatState(
        colour=state.colour_name(seat) if state.colours else "",
        field=state.figures[seat],
        rank=rank,
        place=state.places[seat],
        action=state.actions[seat],
        got=gained(stage.scene.doings.get(seat)),
        hand=state.hands[seat],
        pieces=tuple(known[slot] for slot in sorted(held)),
        unknown=len(state.collectibles[seat]) - len(held),
        best=best_slots(state, held),
        shown=state.exhibits[seat],
        presence=presence(stage.scene, seat),
        status=status(stage, seat, timed=False).words,
    )
