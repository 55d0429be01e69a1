"""What decided a game: the rounds in which the winner's lead grew most, each with its cause."""

from functools import cache
from itertools import pairwise

import pytest
from support.cases import each
from support.rules_driver import Referee
from support.sampling import times
from support.unruly_games import TABLES, play_unruly

from p2p_hoity import bots, rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation.deciding_moments import MOST, deciding_moments
from p2p_hoity.presentation.figure_paths import figure_paths
from p2p_hoity.rules import Piece, Standing, Why
from p2p_hoity.rules.happenings import (
    ExhibitShown,
    FigureMoved,
    FinalExhibit,
    HandOpened,
    Happening,
    RoundBegan,
    Sale,
    Stolen,
)

EDITION = load()
CARD = None  # Which Action card it was is no part of a moment.
GAMES = [(seats, seed) for seats in (2, 3, 4, 6) for seed in range(times(1, 6))]


@cache
def played(seats: int, seed: int) -> Referee:
    """A whole game of easy bots."""
    driver = Referee.seat(EDITION, seats, seed, "surprise" if seats == 2 else None)
    driver.choosers = [bots.BOTS["easy"]] * seats
    driver.play()
    return driver


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_the_rounds_are_those_in_which_the_lead_grew_most(seats: int, seed: int) -> None:
    driver = played(seats, seed)
    found = deciding_moments(EDITION, driver.record, driver.state.standings)
    paths = figure_paths(driver.record)
    winner = driver.state.standings[0].seat
    fields = [(*path.fields, path.end) for path in paths]
    others = [one for seat, one in enumerate(fields) if seat != winner]
    leads = [own - max(rest) for own, *rest in zip(fields[winner], *others, strict=True)]
    grown = {number: b - a for number, (a, b) in enumerate(pairwise(leads), 1) if b > a}
    wanted = sorted(grown, key=lambda number: (-grown[number], number))[:MOST]
    assert [one.round + one.is_last for one in found] == sorted(wanted)
    for one in found:
        number = one.round + one.is_last
        assert (one.lead, one.lead_after) == (leads[number - 1], leads[number])
        assert one.step.seat == winner
        assert bool(one.exhibit) == (one.step.why is not Why.DETECTIVE)
        assert one.cause is None or (one.cause in driver.record and one.cause_round <= one.round)


def piece(letter: str, which: int = 0) -> Piece:
    """The Collectible of this letter at a place by age, in a slot of its own."""
    same = [n for n, item in enumerate(EDITION.collectibles) if item.letter == letter]
    card = same[which]
    return Piece(card, card, letter, EDITION.collectibles[card].year)


def pieces(letters: str, which: int = 0) -> tuple[Piece, ...]:
    """The Collectibles of these letters, which differ."""
    return tuple(piece(letter, which) for letter in letters)


def standings(*ranks: int) -> tuple[Standing, ...]:
    """The standings of seats on these ranks."""
    return tuple(Standing(rank, seat, 0, ()) for seat, rank in enumerate(ranks))


def round_of(number: int, *items: Happening) -> list[Happening]:
    """A round of two seats."""
    return [RoundBegan(number, (0, 1), (), None), *items]


def shows(seat: int, end: int, fields: int, letters: str, which: int = 0) -> list[Happening]:
    """An exhibit that is the best."""
    moved = FigureMoved(seat, end - fields, end, fields, Why.BEST)
    return [ExhibitShown(seat, pieces(letters, which), 1), moved]


def test_of_equal_ones_the_earlier_are_told_in_the_order_of_the_game() -> None:
    record = []
    for number, fields in enumerate((2, 2, 5, 2, 2), 1):
        moved = FigureMoved(0, 0, sum((2, 2, 5, 2, 2)[:number]), fields, Why.DETECTIVE)
        record += round_of(number, moved)
    found = deciding_moments(EDITION, record, standings(1, 2))
    assert [(one.round, one.lead, one.lead_after) for one in found] == [
        (1, 0, 2),
        (2, 2, 4),
        (3, 4, 9),
    ]
    assert all(one.exhibit == () and one.cause is None for one in found)


def test_a_setback_and_the_steps_of_others_are_no_moments() -> None:
    both = [FigureMoved(0, 0, 4, 4, Why.BEST), FigureMoved(1, 0, 4, 4, Why.SECOND_BEST)]
    record = [*round_of(1, *both), *round_of(2, FigureMoved(1, 4, 9, 5, Why.DETECTIVE))]
    assert deciding_moments(EDITION, record, standings(1, 2)) == ()
    (found,) = deciding_moments(EDITION, record, standings(2, 1))
    assert (found.round, found.step.seat, found.lead, found.lead_after) == (2, 1, 0, 5)


@each([(), standings(1, 1), standings(1, 1, 1)])
def test_nothing_has_decided_a_game_without_a_winner_or_without_a_loser(
    lines: tuple[Standing, ...],
) -> None:
    record = round_of(1, *shows(0, 4, 4, "ABC"))
    assert deciding_moments(EDITION, record, lines) == ()


def test_two_winners_lead_by_the_last_of_their_figures() -> None:
    moves = [FigureMoved(0, 0, 6, 6, Why.BEST), FigureMoved(1, 0, 2, 2, Why.SECOND_BEST)]
    (found,) = deciding_moments(EDITION, round_of(1, *moves), standings(1, 1, 3))
    assert (found.step.seat, found.lead, found.lead_after) == (0, 0, 2)


def test_the_piece_that_made_the_exhibit_is_the_cause() -> None:
    """Without B there is no run; without F there is still one, and it is as good."""
    record = [
        *round_of(1, Sale(0, CARD, 0, piece("B")), Sale(0, CARD, 0, piece("F"))),
        *round_of(2, Sale(1, CARD, 1, piece("E"))),
        *round_of(3, *shows(0, 4, 4, "ABC")),
    ]
    (found,) = deciding_moments(EDITION, record, standings(1, 2))
    assert (found.cause, found.cause_round) == (record[1], 1)
    assert [one.letter for one in found.exhibit] == ["A", "B", "C"]


def test_of_equal_causes_the_latest_is_told_and_a_piece_that_changed_hands_has_its_last() -> None:
    stolen = Stolen(0, CARD, 1, piece("C"))
    record = [
        *round_of(1, Sale(0, CARD, 0, piece("B")), Sale(1, CARD, 0, piece("C"))),
        *round_of(2, stolen),
        *round_of(3, *shows(0, 4, 4, "ABC")),
    ]
    (found,) = deciding_moments(EDITION, record, standings(1, 2))
    assert (found.cause, found.cause_round) == (stolen, 2)


def test_a_theft_by_another_is_the_cause_if_its_victim_had_been_better() -> None:
    """Seat 1 shows three pieces after seat 2 has stolen the fourth."""
    stolen = Stolen(2, CARD, 1, piece("D", 1))
    shown = [
        ExhibitShown(0, pieces("ABC"), 1),
        ExhibitShown(1, pieces("ABC", 1), 2),
        FigureMoved(0, 0, 5, 5, Why.BEST),
        FigureMoved(1, 0, 2, 2, Why.SECOND_BEST),
    ]
    record = [*round_of(1, stolen), *round_of(2, *shown)]
    (found,) = deciding_moments(EDITION, record, standings(1, 2, 3))
    assert (found.cause, found.cause_round) == (stolen, 1)
    (found,) = deciding_moments(EDITION, round_of(2, *shown), standings(1, 2, 3))
    assert (found.cause, found.cause_round) == (None, 0)


def test_the_last_exhibits_are_a_round_of_their_own() -> None:
    sale = Sale(0, CARD, 0, piece("C"))
    record = [
        *round_of(1, sale, FigureMoved(1, 0, 3, 3, Why.DETECTIVE)),
        HandOpened(0, (*pieces("ABC"), Piece(50, None, None, None))),
        HandOpened(1, pieces("DEF")),
        FinalExhibit(0, pieces("ABC"), 1),
        FinalExhibit(1, pieces("DEF"), 2),
        FigureMoved(0, 0, 8, 8, Why.BEST_FINAL),
        FigureMoved(1, 3, 7, 4, Why.SECOND_BEST_FINAL),
    ]
    (found,) = deciding_moments(EDITION, record, standings(1, 2))
    assert (found.is_last, found.round, found.lead, found.lead_after) == (True, 1, -3, 1)
    assert (found.cause, len(found.exhibit)) == (sale, 3)


@pytest.mark.parametrize(("name", "seats", "variant"), TABLES)
def test_seats_that_vanish_and_pieces_that_stay_hidden_do_no_harm(
    name: str, seats: int, variant: rules.Variant
) -> None:
    driver = play_unruly(name, seats, variant, 3)
    found = deciding_moments(driver.state.edition, driver.record, driver.state.standings)
    assert all(one.lead < one.lead_after for one in found)
