"""The turning points of a game as numbers, which a page may draw, and as sentences."""

from support.moments import begun

from cli.table_view.turning_points import LargeStep, Most, sentences, turning_points
from p2p_hoity.rules import Piece
from p2p_hoity.rules.happenings import FigureMoved, Imprisoned, RoundBegan, Stolen

THIEF = None  # Which card it was is no part of a turning point.
PIECE = Piece(0, None, None, None)


def test_the_largest_steps_come_first_and_of_equal_ones_the_earlier() -> None:
    record = []
    for number, fields in ((1, (2, 5, 1)), (2, (5, 7, 5))):
        record.append(RoundBegan(number, (0, 1, 2), (), None))
        record += [FigureMoved(seat, 0, more, more, "") for seat, more in enumerate(fields)]
    found = turning_points(record, ())
    assert found.steps == (LargeStep(1, 7, 2), LargeStep(1, 5, 1), LargeStep(2, 5, 2))
    assert found.thefts == found.arrests == Most((), 0)


def test_all_seats_with_the_most_are_named() -> None:
    record = [Stolen(seat, THIEF, 0, PIECE) for seat in (2, 1, 2, 1, 0)]
    record.append(Imprisoned(3, THIEF, ()))
    found = turning_points(record, {3, 1})
    assert (found.thefts, found.arrests) == (Most((1, 2), 2), Most((3,), 1))
    assert found.cheaters == (1, 3)


def test_nothing_that_happened_has_no_sentence() -> None:
    assert sentences(begun().stage) == []
