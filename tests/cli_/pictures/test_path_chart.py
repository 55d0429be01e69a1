"""The chart of the paths: each seat has its line, its letter and its field, wherever it ends."""

import math
from itertools import pairwise

from support.cases import each
from support.pictured import before, drawn, facts_of, played, texts, ways
from support.sampling import times

from cli.pictures.path_chart import ROW, Chart, _apart
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation.figure_paths import FigurePath

GAMES = [(seats, seed) for seats in (2, 4, 6) for seed in range(times(1, 5))]


@each(GAMES)
def test_each_seat_has_a_line_of_its_own_look_to_its_field(game: tuple[int, int]) -> None:
    facts = facts_of(played(*game))
    picture = drawn(facts)
    for look, path in zip(facts.looks, facts.paths, strict=True):
        dashes = None if look.dashes == "none" else look.dashes
        own = [one for one in ways(picture) if one.get("stroke") == look.ink]
        assert {one.get("stroke-dasharray") for one in own} == {dashes}
        assert texts(picture).count(str(path.end)) >= 2
        assert texts(picture).count(look.letter) >= 2


def test_a_round_without_a_seat_is_faint_and_a_ban_is_crossed() -> None:
    driver = before(4, 4)
    driver.away(2)
    while driver.state.round < 7:
        driver.step()
    driver.away(2, banned=frozenset({3}))
    while driver.state.round < 9:
        driver.step()
    facts = facts_of(driver)
    faint = [one for one in ways(drawn(facts)) if one.get("stroke-width") == "1.6"]
    assert {one.get("stroke") for one in faint} == {facts.looks[2].ink, facts.looks[3].ink}
    crosses = [one for one in drawn(facts).iter() if one.get("stroke-width") == "3"]
    assert {one.get("stroke") for one in crosses} == {facts.looks[3].ink}


def chart(*ends: int) -> Chart:
    paths = [FigurePath((0, end)) for end in ends]
    names = [str(seat) for seat in range(len(ends))]
    return Chart((0, 0), 1000, load(), paths, (), names)


@each([(0, 0, 0, 0, 0, 0), (50, 50, 50, 50, 50, 50), (0, 1, 2, 48, 49, 50), (20, 21, 20, 40)])
def test_names_stand_apart_and_inside_the_chart(ends: tuple[int, ...]) -> None:
    whole = chart(*ends)
    wished = {seat: whole.point(seat, 1)[1] for seat in range(len(ends))}
    found = _apart(wished, whole)
    order = sorted(found.values())
    assert all(low + ROW <= high + 1e-9 for low, high in pairwise(order))
    assert whole.top <= order[0]
    assert order[-1] <= whole.bottom
    assert sorted(found, key=found.get) == sorted(wished, key=wished.get)


def test_a_game_of_many_rounds_has_few_numbers_below_it() -> None:
    facts = facts_of(played(6))
    numbers = [int(one) for one in texts(drawn(facts)) if one.isdecimal()]
    assert math.isfinite(sum(numbers))
    path = FigurePath(tuple([0] * 700))
    whole = Chart((0, 0), 1000, load(), [path, path], (), ("a", "b"))
    assert whole.rounds == 699
    assert whole.x(0) < whole.x(1) < whole.x(699) == whole.right
