"""The player's own results: which games count, and what they add up to."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.cases import each

from p2p_hoity.table.beside_game.known_progress import Progress, SeatCounts
from p2p_hoity.table.beside_game.own_results import (
    PEOPLE,
    UNKNOWN,
    Acquaintance,
    Figures,
    OwnResult,
    company_of,
    own_counts,
    own_result,
    statistics,
)
from p2p_hoity.table.beside_game.saved_games import KeptGame

ME, ANA, BEN = "aa" * 32, "bb" * 32, "cc" * 32
ONE = SeatCounts(pieces_stolen=2, exhibits=1, exhibited=4)


def game(
    name: str = "one",
    ranks: tuple[int, ...] = (1, 2),
    fields: tuple[int, ...] = (40, 37),
    levels: tuple[str | None, ...] | None = None,
    players: tuple[str, ...] = (),
    seat: int | None = 0,
) -> KeptGame:
    """A finished game of the archive."""
    names = tuple(f"P{number}" for number in range(len(fields)))
    counts = (ONE, *[SeatCounts()] * (len(fields) - 1))
    progress = Progress(20, fields, ranks, True, counts, players)
    return KeptGame(name, Path(name), names, 0, True, seat, progress=progress, levels=levels)


RESULTS = (
    ((1, 2, 3), (40, 37, 30), OwnResult(1, 3)),
    ((1, 2, 3), (40, 40, 30), OwnResult(1, 0)),
    ((3, 1, 2), (30, 40, 37), OwnResult(3, -10)),
    ((2, 1, 3), (40, 40, 37), OwnResult(2, 0)),
    ((1, 1, 3), (40, 40, 37), OwnResult(1, 3, True)),
    ((2, 1, 2), (30, 40, 30), OwnResult(2, -10, True)),
    ((1, 1, 1), (40, 40, 40), OwnResult(1, 0, True)),
)


@pytest.mark.parametrize(("ranks", "fields", "result"), RESULTS)
def test_a_margin_is_to_the_next_rank_or_to_the_first(
    ranks: tuple[int, ...], fields: tuple[int, ...], result: OwnResult
) -> None:
    assert own_result(game(ranks=ranks, fields=fields)) == result


WHOLE = game()
PROGRESS = Progress(20, (40, 37), (1, 2), True, (ONE, ONE))
NO_RESULT = (
    replace(WHOLE, seat=None),
    replace(WHOLE, seat=2),
    replace(WHOLE, is_over=False),
    replace(WHOLE, progress=None),
    replace(WHOLE, progress=replace(PROGRESS, whole=False)),
    replace(WHOLE, progress=replace(PROGRESS, ranks=())),
    replace(WHOLE, progress=replace(PROGRESS, fields=(40,))),
)


@each(NO_RESULT)
def test_a_game_that_is_invalid_not_over_or_of_others_has_no_result(one: KeptGame) -> None:
    assert own_result(one) is None
    assert own_counts(one) is None
    assert statistics([one]).all == Figures()


def test_company_is_of_bots_only_if_all_others_are_own_bots() -> None:
    three = game(ranks=(1, 2, 3), fields=(3, 2, 1))
    wanted = {
        (None, "hard", "easy"): ("easy", "hard"),
        (None, "hard", "hard"): ("hard",),
        (None, "hard", None): PEOPLE,
        (None, None, None): PEOPLE,
    }
    assert {levels: company_of(replace(three, levels=levels)) for levels in wanted} == wanted
    assert company_of(three) == UNKNOWN


def test_figures_are_told_apart_by_seats_and_by_company() -> None:
    games = [
        game("a", levels=(None, "hard")),
        game("b", (2, 1), (30, 40), (None, "hard")),
        game("c", (1, 1, 3), (40, 40, 30), (None, None, "easy")),
        game("d", (3, 1, 2), (10, 40, 30)),
    ]
    found = statistics(games)
    assert found.all == Figures(4, 2, 1, 7, ONE + ONE + ONE + ONE)
    assert {seats: (one.played, one.won) for seats, one in found.by_seats.items()} == {
        2: (2, 1),
        3: (2, 1),
    }
    assert {company: (one.played, one.won) for company, one in found.by_company.items()} == {
        ("hard",): (2, 1),
        PEOPLE: (1, 1),
        UNKNOWN: (1, 0),
    }
    assert found.left_out == {}


def test_what_does_not_count_is_counted_by_its_reason() -> None:
    games = [
        game("a"),
        game("a"),  # The same file under another name.
        game("b", (1, 2)),
        game("b", (2, 1), (30, 40)),  # Two histories of one game, which is void.
        game("c", seat=None),
        replace(game("d"), progress=replace(PROGRESS, whole=False)),
        replace(game("e"), progress=None),
        replace(game("f"), is_over=False),
    ]
    found = statistics(games)
    assert found.all.played == 1
    assert found.left_out == {"twice": 3, "not-mine": 1, "not-ok": 1}
    assert statistics([]).left_out == {}


def test_people_are_told_apart_by_their_keys_and_own_bots_are_no_people() -> None:
    games = [
        game("a", (2, 1, 3), (30, 40, 20), (None, None, "easy"), (ME, ANA, BEN)),
        game("b", (1, 2, 3), (40, 30, 20), None, (ME, ANA, "")),
        game("c", (1, 2), (40, 30), (None, None), (ME, BEN)),
    ]
    games[1] = replace(games[1], nicknames=("me", "Ana of old", "Ben"))
    assert statistics(games).people == (
        Acquaintance(ANA, "P1", 2, 1, 1),
        Acquaintance(BEN, "P1", 1, 0, 1),
    )


def test_a_thousand_games_are_added_up() -> None:
    games = [game(f"{number}", levels=(None, "easy"), players=(ME, ANA)) for number in range(1000)]
    found = statistics(games)
    assert (found.all.played, found.all.won) == (1000, 1000)
    assert found.all.counts.pieces_stolen == 2000
    assert found.people == ()
