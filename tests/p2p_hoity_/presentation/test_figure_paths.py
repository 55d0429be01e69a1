"""The paths of the figures: where the rules say, also for who is absent or banned."""

from functools import cache

import pytest
from support.cases import each
from support.rules_driver import Referee
from support.unruly_games import TABLES, play_unruly

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation.figure_paths import FigurePath, figure_paths
from p2p_hoity.rules.happenings import Happening, RoundBegan, RoundEnded


@cache
def whole(name: str, seats: int, variant: rules.Variant) -> tuple[list[Happening], rules.State]:
    """All events of a game in which seats vanish, return and are banned, and its last state."""
    states = [rules.start(load(name), seats, variant)]
    play_unruly(name, seats, variant, 5, states.append)
    return [item for state in states for item in state.news], states[-1]


@pytest.mark.parametrize(("name", "seats", "variant"), TABLES)
def test_a_path_is_that_of_the_rounds_and_ends_with_the_standings(
    name: str, seats: int, variant: rules.Variant
) -> None:
    record, end = whole(name, seats, variant)
    paths = figure_paths(record)
    for item in record:
        if isinstance(item, RoundEnded):
            assert tuple(path.fields[item.round] for path in paths) == item.figures
        elif isinstance(item, RoundBegan):
            missing = {seat for seat, path in enumerate(paths) if item.round in path.missed}
            assert missing == set(range(seats)) - set(item.seats)
    assert tuple(path.end for path in paths) == end.figures
    assert {path.rounds for path in paths} == {end.round}
    assert {seat for seat, path in enumerate(paths) if path.banned is not None} == end.banned
    assert all(path.fields[0] == 0 for path in paths)
    last = {line.seat: line.field for line in end.standings}
    assert [path.last for path in paths] == [last.get(seat) for seat in range(seats)]


def test_in_the_middle_of_a_round_a_path_ends_where_the_figure_stands() -> None:
    driver = Referee.seat(load(), 3, 4)
    assert figure_paths([]) == ()
    driver.step()
    assert figure_paths(driver.record) == (FigurePath((0, 0)),) * 3
    for _step in range(60):
        driver.step()
        paths = figure_paths(driver.record)
        assert tuple(path.end for path in paths) == driver.state.figures
        assert {path.last for path in paths} == {None}


@each([0, 3])
def test_a_banned_seat_is_marked_with_its_round(rounds: int) -> None:
    driver = Referee.seat(load(), 4, 2)
    while driver.state.round < rounds or not driver.record:
        driver.step()
    driver.away(banned=frozenset({1}))
    found = figure_paths(driver.record)
    assert [path.banned for path in found] == [None, driver.state.round, None, None]
