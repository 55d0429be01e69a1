"""The board as a message: all that one may know, and no more."""

import json

import pytest
from support.cli_stage import referee
from support.screened import table

from cli.table_view.board import board_of
from cli.table_view.stage import Stage
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.table_messages import plain
from p2p_hoity.rules import Phase


def stages(seats: int, seed: int, mine: int | None = 0) -> list[tuple[Stage, rules.View]]:
    """What a seat, or an onlooker, sees after each step of a whole game."""
    driver, found = referee(seats, seed, "surprise" if seats == 2 else None), []
    at = table(seats, driver.state.variant)
    record = 0
    stage = Stage(staged=False)
    stage.hear(updates.Started(at, mine))
    while driver.state.phase is not Phase.OVER:
        driver.step()
        own = driver.private(mine) if mine is not None else {}
        view = rules.view(driver.state, mine, own)
        if len(driver.record) > record:
            stage.hear(updates.Happened(tuple(driver.record[record:]), view))
            record = len(driver.record)
            found.append((stage, view))
            stage = _copy(stage)
    return found


def _copy(stage: Stage) -> Stage:
    fresh = Stage(staged=False)
    fresh.scene, fresh.names = stage.scene, stage.names
    return fresh


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_a_board_has_what_the_view_has_and_fits_into_five_kilobytes(seats: int) -> None:
    for stage, view in stages(seats, 1):
        board = board_of(stage)
        if board is None:
            continue
        state = view.state
        assert len(json.dumps(plain(board), ensure_ascii=False).encode()) <= 5000
        assert [seat.field for seat in board.seats] == list(state.figures)
        assert (
            board.octagon
            == state.edition.octagons[min(board.leader, len(state.edition.octagons) - 1)]
        )
        assert [seat.hand for seat in board.seats] == list(state.hands)
        assert [seat.shown for seat in board.seats] == list(state.exhibits)
        for number, seat in enumerate(board.seats):
            known = {piece.slot for piece in seat.pieces}
            assert known == set(view.held(number))
            assert len(known) + seat.unknown == len(state.collectibles[number])
            secret = {piece.slot for piece in seat.pieces if piece.secret}
            assert secret == (set(dict(view.private)) & known if number == 0 else set())
        assert [window.size for window in board.windows] == [len(w) for w in state.windows]
        assert len(board.prison) == seats


def test_an_onlooker_gets_no_secret_piece_and_nobody_a_board_before_the_deal() -> None:
    assert board_of(Stage()) is None
    for stage, view in stages(3, 2, None):
        board = board_of(stage)
        if board is not None and view.state.phase is not Phase.OVER:
            assert not any(piece.secret for seat in board.seats for piece in seat.pieces)
            hidden = {slot for slot, card in enumerate(view.state.known) if card is None}
            shown = {piece.slot for seat in board.seats for piece in seat.pieces}
            assert not shown & hidden


def test_the_octagon_of_a_round_is_that_of_the_field_before_its_castle_moved_figures() -> None:
    moved = 0
    for stage, view in stages(3, 1):
        board = board_of(stage)
        if board is not None and view.state.phase is Phase.THEFT:
            assert board.leader == max(view.state.before)
            moved += board.leader < max(view.state.figures)
    assert moved
