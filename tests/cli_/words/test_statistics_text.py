"""Statistics in words: the line below the games, the table, and who was met."""

import pytest

from cli.printing import cells
from cli.words import translation
from cli.words.statistics_text import (
    LEAST_GAMES,
    MOST_PEOPLE,
    by_word,
    statistics_lines,
    summary,
    table_lines,
)
from p2p_hoity.table.beside_game.known_progress import SeatCounts
from p2p_hoity.table.beside_game.own_results import (
    PEOPLE,
    UNKNOWN,
    Acquaintance,
    Company,
    Figures,
    Statistics,
)

COUNTS = SeatCounts(4, 2, 1, 0, 5, 3, 6, 27)
ONE = Figures(2, 1, 0, 3, COUNTS)
ORDER: tuple[Company, ...] = (
    *(("easy",), ("normal",), ("hard",)),
    *(("easy", "hard"), ("easy", "hard", "normal"), PEOPLE, UNKNOWN),
)


def statistics(
    by_company: dict[Company, Figures], people: int = 0, games: int = 2, **left_out: int
) -> Statistics:
    whole = sum(by_company.values(), Figures())
    met = tuple(Acquaintance(f"{n:02x}" * 32, f"P{n}", games, 0, 1) for n in range(people))
    return Statistics(whole, {3: whole}, by_company, met, left_out)


def test_the_line_counts_games_and_wins_by_company() -> None:
    found = statistics({("hard",): Figures(3, 1), ("normal",): Figures(9, 4)})
    assert summary(found) == "played 12, won 5: normal 4 of 9, hard 1 of 3"
    assert summary(statistics({})) == ""


def test_levels_come_first_and_mixed_bots_are_one_company() -> None:
    found = by_word(dict.fromkeys(reversed(ORDER), ONE))
    assert list(found) == ["easy", "normal", "hard", "mixed", "people", "unknown"]
    assert found["mixed"] == ONE + ONE
    assert list(by_word({("grim",): ONE, ("hard",): ONE})) == ["hard", "grim"]


def test_the_table_has_a_row_for_each_number_of_seats_and_each_company() -> None:
    head, whole, _, seats, _, *companies = table_lines(statistics({("easy",): ONE, PEOPLE: ONE}))
    assert head.split() == ["games", "won", "rank", "stolen", "lost", "caught", "jailed", "size"]
    assert whole.split() == ["all", "4", "2", "1.5", "2.5", "1.0", "2.5", "1.5", "4.5"]
    assert seats.split()[:4] == ["3", "seats", "4", "2"]
    assert [line.split()[0] for line in companies] == ["easy", "people"]
    assert len({cells(line) for line in (head, whole, seats, *companies)}) == 1
    assert "–" in table_lines(statistics({("easy",): Figures(1, 0, 0, 2)}))[1]


@pytest.mark.parametrize("language", translation.LANGUAGES)
def test_the_table_fits_a_terminal_of_80_columns(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    translation.speak(language)
    try:
        big = Figures(1000, 999, 0, 1999, COUNTS)
        lines = table_lines(statistics(dict.fromkeys(ORDER, big)))
        assert max(map(cells, lines)) <= 80
    finally:
        translation.speak("en")


def test_what_its_columns_mean_is_told_and_a_shared_rank_only_if_there_was_one() -> None:
    told = " ".join(statistics_lines(statistics({("easy",): ONE})))
    assert "size: how many pieces" in told
    assert "shared" not in told
    assert "not stored who sat there" not in told
    shared = Figures(1, 1, 1, 1)
    told = " ".join(statistics_lines(statistics({UNKNOWN: shared})))
    assert "counts as won by all who share it: 1 game." in told
    assert "unknown: it is not stored who sat there." in told


def test_who_was_met_more_than_once_is_told_by_key() -> None:
    found = statistics_lines(statistics({PEOPLE: ONE}, MOST_PEOPLE + 3, LEAST_GAMES))
    met = [line for line in found if ", key " in line]
    assert len(met) == MOST_PEOPLE
    assert met[0].startswith("  P0, key ")
    assert met[0].endswith(": 2 games, won 0; you won 1")
    once = statistics_lines(statistics({PEOPLE: ONE}, 3, LEAST_GAMES - 1))
    assert not [line for line in once if "key" in line]


def test_games_that_do_not_count_are_told_with_the_reason() -> None:
    left_out = {"not-ok": 1, "not-mine": 2, "twice": 1, "other": 9}
    told = statistics_lines(statistics({}, **left_out))
    assert told == [
        "None of your own games is finished yet.",
        "1 game does not count, because its file is not valid.",
        "2 games do not count, because no seat in them is known as yours.",
        "1 file does not count, because its game is here twice.",
    ]
