"""Tests of the fair bot: what it values in a round, and how strong it is between the others."""

import random
import sys
from typing import Any

import pytest
from support.paths import ROOT
from support.rules_driver import in_play, plays, table
from support.sampling import sample, times

from p2p_hoity.bots import BOTS
from p2p_hoity.bots.one_round import PIECE, thefts, values
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, Place, expected

sys.path.insert(0, str(ROOT / "bench"))

from bots_duel import share

CASTLE, HALL = int(Place.CASTLE), int(Place.AUCTION_HALL)


def of_kind(referee: Any, kind: ActionKind, worths: Any) -> float:
    """The highest value of the seat's cards of a kind."""
    return max(worths[card] for card in worths if referee.state.kind(card) == kind)


def test_an_exhibit_pays_alone_and_a_thief_where_somebody_can_exhibit() -> None:
    referee = table(load(), 3, {0: "A1 A2 B1 C1", 1: "A3 A4 B2 C2", 2: "B3 D1 F1 F2"})
    referee.until("action", place={0: CASTLE, 1: HALL, 2: HALL})
    worths = values(referee.view(0), "action")
    larger, _ = referee.state.edition.octagons[0]
    assert of_kind(referee, ActionKind.EXHIBIT, worths) == pytest.approx(larger)
    assert of_kind(referee, ActionKind.THIEF, worths) == 0
    assert of_kind(referee, ActionKind.DETECTIVE, worths) == 0
    referee = table(load(), 3, {0: "B3 D1 F1 F2", 1: "A3 A4 B2 C2", 2: "A1 A2 B1 C1"})
    referee.open(*range(4, 12))
    referee.until("action", place=dict.fromkeys(range(3), CASTLE))
    worths = values(referee.view(0), "action")
    # Both others draw Exhibit in one of three cases, and a Detective, who jails the Thief.
    assert 0 < of_kind(referee, ActionKind.THIEF, worths) < 2 / 3 * PIECE
    assert of_kind(referee, ActionKind.DETECTIVE, worths) > 0


def test_it_buys_what_makes_its_run_longer_with_no_more_cash_than_it_needs() -> None:
    worths = {}
    for letter in ("A4", "F5"):
        referee = table(load(), 3, {0: "A1 A2 A3 C1"}, {12: letter, 32: "F6"})
        referee.until("action", place={0: HALL, 1: CASTLE, 2: CASTLE})
        worths[letter] = values(referee.view(0), "action")
        cash = {c: w for c, w in worths[letter].items() if referee.state.kind(c) == "Cash"}
        assert max(cash, key=lambda card: cash[card]) == min(cash, key=referee.state.edition.number)
    assert max(worths["A4"].values()) > PIECE / 2
    assert max(worths["F5"].values()) <= 0


def test_a_place_is_worth_its_best_card_and_a_turn_the_card_in_its_place() -> None:
    referee = table(load(), 2, {0: "A1 A2 B1 C1"}, variant="surprise")
    turns = values(referee.view(0), "turn")
    assert {place for place, _ in turns} == {CASTLE, HALL}  # type: ignore[misc]
    referee = table(load(), 3, {0: "A1 A2 B1 C1"})
    places = values(referee.view(0), "place")
    assert places[CASTLE] > places[HALL]
    empty = referee.state.but(windows=((), ()))
    referee.state = empty
    assert set(values(referee.view(0), "place")) == {CASTLE}


def test_it_steals_what_makes_its_own_run_longer_and_prefers_large_exhibits() -> None:
    hands = {0: "A1 A2 C1 E1", 1: "B1 B2 F1 F2", 2: "A3 B3 C3 D3"}
    referee = in_play(
        "theft",
        load(),
        3,
        hands,
        dict.fromkeys(range(3), 0),
        s0="Thief",
        s2="Exhibit",
        s1="Thief:0",
    )
    (worths,) = thefts(referee.view(0))
    letters = {
        referee.state.edition.collectibles[referee.deck[slot]].letter: worth
        for slot, worth in worths.items()
    }
    assert max(letters, key=lambda letter: letters[letter]) == "B"
    referee = table(load(), 3, {0: "A1 A2 A3 A4"})
    referee.until("show", action=plays(referee.state, s0="Exhibit", s1="Thief:0"))
    worths = values(referee.view(0), "exhibit")
    assert max(worths, key=lambda slots: worths[slots]) == (0, 1, 2, 3)


def test_it_errs_now_and_then() -> None:
    referee = table(load(), 3, {0: "A1 A2 B1 C1"})
    due = expected(referee.state)
    chosen = [BOTS["fair"](referee.view(0), due, random.Random(i)) for i in range(60)]
    assert chosen.count(CASTLE) > chosen.count(HALL) > 0


@pytest.mark.nightly
@pytest.mark.parametrize("seats", sample([2, 3, 4, 6], 1, "tables of fair bots"))
def test_who_looks_no_further_than_a_round_is_its_match(seats: int) -> None:
    """The one-round player wins between half and one and a half times its share."""
    edition, games = load(), times(30, 300)
    won = sum(share(edition, seats, "one-round", "fair", seed)[0] for seed in range(games))
    # Two standard deviations are left to chance.
    slack = 2 * (games / seats * (1 - 1 / seats)) ** 0.5
    assert 0.5 * games / seats - slack <= won <= 1.5 * games / seats + slack


@pytest.mark.nightly
@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize(("one", "others"), [("fair", "easy"), ("normal", "fair")])
def test_a_level_wins_more_than_its_share_among_the_one_below(
    one: str, others: str, seats: int
) -> None:
    edition, games = load(), 100
    won = sum(share(edition, seats, one, others, seed)[0] for seed in range(games))
    slack = 2 * (games / seats * (1 - 1 / seats)) ** 0.5
    assert won >= games / seats - slack
