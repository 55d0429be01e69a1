"""The scripts of `bench` run for every table that they offer, and refuse the rest in words."""

import json
import sys
from typing import Any

import pytest
from support.paths import ROOT
from support.sim.cheap import shared_nodes

sys.path.insert(0, str(ROOT / "bench"))

import bots_duel
import bots_stalls
import crypto_bench
import epoch_bench
import hard_record
import rules_bench
import verify_bench

TABLES = [(game, seats) for game in ("toy", "hoity") for seats in range(2, 7)]
QUICK = [("toy", 2), ("toy", 6)]
NIGHTLY = [
    pytest.param(*table, marks=pytest.mark.nightly) for table in TABLES if table not in QUICK
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("game", "seats"), [*QUICK, *NIGHTLY])
def test_a_game_of_any_number_of_seats_is_verified(
    capsys: pytest.CaptureFixture[str], game: str, seats: int
) -> None:
    """With the fewest cards of the toy game. Two seats are verified on several cores as well."""
    cards = ["--cards", str(2 * seats + 7)] if game == "toy" else []
    busy = ["--busy"] if seats > 2 else []
    with shared_nodes():
        verify_bench.main(["--game", game, "--seats", str(seats), "--rounds", "1", *cards, *busy])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (found["seats"], found["checked"]["shuffles"]) == (seats, seats)
    assert found["operations"]["multiply"] > 0
    assert found["verify_lowest"] <= found["verify_seconds"] <= found["verify_highest"]
    clocks = {(row["part"] == "file", row["clock"]) for row in found["table"]}
    assert clocks == {(False, "processor")} | (set() if busy else {(True, "wall")})
    assert found["clock"].startswith("processor")
    assert json.loads((ROOT / "bench" / "verify.json").read_bytes()).keys() == found.keys()


@pytest.mark.parametrize("cards", [24, 128])
@pytest.mark.nightly
def test_a_toy_game_has_as_many_cards_as_are_asked_for(
    capsys: pytest.CaptureFixture[str], cards: int
) -> None:
    verify_bench.main(["--seats", "3", "--rounds", "1", "--cards", str(cards)])
    assert json.loads(capsys.readouterr().out)["checked"]["shares"] > 0


@pytest.mark.parametrize(
    ("script", "words", "told"),
    [
        (verify_bench, "--seats 1", "--seats: a whole number from 2 to 6 is needed, not '1'"),
        (verify_bench, "--seats 7", "--seats: a whole number from 2 to 6 is needed, not '7'"),
        (verify_bench, "--seats two", "--seats: a whole number from 2 to 6 is needed, not 'two'"),
        (verify_bench, "--rounds 0", "--rounds: a whole number from 1 to 99"),
        (verify_bench, "--cards 0", "--cards: a whole number from 1 to 128"),
        (verify_bench, "--cards 129", "--cards: a whole number from 1 to 128"),
        (verify_bench, "--cards 18", "the toy game of 6 seats needs 19 to 128 cards, not 18"),
        (verify_bench, "--seats 2 --cards 10", "of 2 seats needs 11 to 128 cards, not 10"),
        (verify_bench, "--game chess", "--game: invalid choice: 'chess'"),
        (verify_bench, "--game hoity --cards 51", "--cards is for --game toy"),
        (verify_bench, "--game hoity --seats 2 --cards 60", "has its own 51 cards"),
        (bots_duel, "0", "games: a whole number from 1"),
        (bots_duel, "1.5", "games: a whole number from 1"),
        (bots_duel, "1 7", "seats: a whole number from 2 to 6"),
        (bots_duel, "1 2 clever", "BOT: invalid choice: 'clever'"),
        (bots_stalls, "1 1", "seats: a whole number from 2 to 6"),
        (bots_stalls, "1 2 clever", "BOT: invalid choice: 'clever'"),
        (crypto_bench, "--cards 23", "--cards: a whole number from 24 to 128"),
        (crypto_bench, "--rounds 0", "--rounds: a whole number from 1 to 99"),
        (epoch_bench, "--seats 2", "--seats: a whole number from 3 to 6 is needed, not '2'"),
        (epoch_bench, "--steps 9,x", "--steps: a whole number from 1 to 10000 is needed, not 'x'"),
        (rules_bench, "0", "seconds: a number of seconds above 0 is needed, not '0'"),
        (rules_bench, "nan", "seconds: a number of seconds above 0 is needed, not 'nan'"),
        (rules_bench, "inf", "seconds: a number of seconds above 0 is needed, not 'inf'"),
        (rules_bench, "soon", "seconds: a number of seconds above 0 is needed, not 'soon'"),
    ],
)
def test_a_wrong_value_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], script: Any, words: str, told: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        script.main(words.split())
    last = (capsys.readouterr().err or str(ended.value)).splitlines()[-1]
    assert told in last
    assert ended.value.code not in (0, None)


@pytest.mark.parametrize(
    ("lines", "told"),
    [([], "the input has no duels"), (["\n"], "no duels"), (["\n", "{bad"], "line 2 of the input")],
)
def test_a_record_needs_duels(lines: list[str], told: str) -> None:
    with pytest.raises(SystemExit, match=told):
        hard_record.duels(lines)
    assert hard_record.duels(['{"seats": 4}\n', "\n"]) == [{"seats": 4}]


@pytest.mark.sampled(1)
def test_a_change_of_epoch_costs_more_the_later_it_comes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with shared_nodes():
        epoch_bench.main(["--seats", "3", "--steps", "20,60"])
    early, late = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    for name in ("all_links_mb", "busiest_seat_mb", "file_kb"):
        assert early[name] < late[name]
    assert early["delays"] == late["delays"]


def test_what_plays_in_one_process_is_told_in_processor_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bots_duel.main(["1", "3", "one-round", "random"])
    assert json.loads(capsys.readouterr().out)["clock"] == "processor"
    bots_stalls.main(["1", "3", "fair"])
    assert json.loads(capsys.readouterr().out)["clock"] == "processor"
    rules_bench.main(["0.001"])
    assert json.loads(capsys.readouterr().out)["clock"] == "processor"
