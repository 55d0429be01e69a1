"""What each seat has done in a game, counted from its events."""

from dataclasses import fields

import pytest
from support.unruly_games import TABLES, play_unruly

from p2p_hoity import rules
from p2p_hoity.rules import Piece
from p2p_hoity.rules.happenings import (
    CashStolen,
    DetectiveRanked,
    ExhibitShown,
    FinalExhibit,
    Imprisoned,
    Stolen,
)
from p2p_hoity.table.beside_game.known_progress import SeatCounts
from p2p_hoity.table.beside_game.seat_counts import seat_counts

CARD = None  # Which Action card it was is not counted.
PIECE = Piece(0, None, None, None)


def test_each_event_counts_for_the_seats_that_it_concerns() -> None:
    record = [
        Stolen(0, CARD, 1, PIECE),
        Stolen(0, CARD, 2, PIECE),
        CashStolen(1, CARD, 2, CARD),
        DetectiveRanked(2, 1),
        Imprisoned(0, CARD, ()),
        ExhibitShown(1, (PIECE,) * 4, 1),
        ExhibitShown(1, (PIECE,) * 3, 2),
        FinalExhibit(1, (PIECE,) * 9, 1),
    ]
    assert seat_counts(record, 3) == (
        SeatCounts(pieces_stolen=2, jailed=1),
        SeatCounts(pieces_lost=1, cash_stolen=1, exhibits=2, exhibited=7),
        SeatCounts(pieces_lost=1, cash_lost=1, arrests=1),
    )
    assert seat_counts([], 2) == (SeatCounts(), SeatCounts())


@pytest.mark.parametrize(("name", "seats", "variant"), TABLES)
def test_what_is_stolen_is_lost_by_others(name: str, seats: int, variant: rules.Variant) -> None:
    driver = play_unruly(name, seats, variant, 7)
    whole = sum(seat_counts(driver.record, seats), SeatCounts())
    assert whole.pieces_stolen == whole.pieces_lost
    assert whole.cash_stolen == whole.cash_lost
    assert whole.exhibited >= 3 * whole.exhibits > 0


def test_counts_are_added_field_by_field() -> None:
    one = SeatCounts(*range(1, len(fields(SeatCounts)) + 1))
    assert one + SeatCounts() == one
    assert one + one == SeatCounts(*(2 * getattr(one, field.name) for field in fields(one)))
