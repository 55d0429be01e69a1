"""Tests of what the learned bot sees of a few known states of the game."""

from support.named_features import by_name
from support.rules_driver import card, plays, table

from p2p_hoity.bots.learned import sight_of
from p2p_hoity.bots.learned.features import CANDIDATE, OTHER, OWN
from p2p_hoity.bots.learned.move_candidates import picks
from p2p_hoity.bots.learned.observation import (
    clipped,
    gain,
    loss,
    may_have,
    one_hot,
    other_blocks,
    own_block,
    share,
    size_of,
)
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, expected


def test_runs_gains_and_losses_are_known():
    counts = [2, 1, 0, 1, 1, 0]
    assert size_of(counts) == 3
    assert [gain(counts, letter) for letter in range(6)] == [1, 1, 3, 0, 0, 0]
    assert [loss(counts, letter) for letter in (0, 1, 3, 4)] == [1, 1, 0, 0]
    assert [may_have(counts, hidden) for hidden in (0, 1, 2)] == [3, 6, 7]
    assert may_have([0] * 6, 0) == 0


def test_the_first_place_of_a_game():
    referee = table(load(), 3, {0: "A1 A2 B1 D1"}, {12: "C1"})
    sight = sight_of(referee.view(0), expected(referee.state))
    own = by_name(OWN, own_block(sight))
    assert own["decision"] == [1, 0, 0, 0, 0, 0]
    assert own["seats"] == [0, 1, 0, 0, 0]
    assert own["round"] == [round(1 / 30, 6), 1]
    assert own["leader"] == [0, 1, 0, 0]
    assert own["octagon"] == [0.4, 0.2]
    assert own["letters"] == [0.4, 0.2, 0, 0.2, 0, 0]
    assert own["open letters"] == [0] * 6
    assert own["run"][:2] == [0.3, 1]
    assert own["run"][3] == 0
    assert own["run letters"] == [1, 1, 0, 0, 0, 0]
    assert own["more runs"] == [0.1, 0]
    assert own["window 1"][:6] == [0, 0, 1, 0, 0, 0]
    assert own["window 1"][7:] == [round(20 / 24, 6), 0.5, 0.25]
    assert own["cash"][0] == 1
    assert own["single cards"] == [1, 1]
    assert own["others where"] == [0, 0, 1]
    assert own["rivals"] == [1, 1]
    for block in other_blocks(sight):
        other = by_name(OTHER, block)
        assert other["pieces"] == [round(4 / 15, 6), 1]
        assert other["letters"] == [0] * 6
        assert other["run"] == [0, 0, 0, 0.4]
        assert other["active"] == [1]


def test_what_is_shown_is_seen():
    referee = table(load(), 3, {0: "A1 A2 B1 D1", 1: "C1 C2 C3 F8"})
    places = {0: 0, 1: 0, 2: 1}
    actions = plays(referee.state, s0="Thief:0", s1="Exhibit", s2="Cash:0")
    referee.until("theft", place=places, action=actions, exhibit={1: (4, 5, 6)})
    sight = sight_of(referee.view(0), expected(referee.state))
    own = by_name(OWN, own_block(sight))
    assert own["own place"] == [1, 0]
    assert own["own action"] == [0, 1, 0, 0]
    assert own["others where"] == [0.5, 0.5, 0]
    assert own["others' actions"] == [0, 0, 0, 0, 0, 0.5]
    first, second = (by_name(OTHER, block) for block in other_blocks(sight))
    assert first["letters"] == [0, 0, 0.6, 0, 0, 0]
    assert first["exhibit"] == [0.3]
    assert first["figure"] == [0.04, 0.1, round(1 / 6, 6)]
    assert second["place"] == [0, 1]
    assert second["pieces"] == [round(5 / 15, 6), 1]
    ((stolen,),) = picks(sight)
    piece = by_name(CANDIDATE, stolen.numbers)["piece"]
    assert stolen.choice == 4
    assert piece[1:4] == [0.5, 1, 0]
    assert piece[5:] == [0, 0.25, 0.1, 0.6, 0.3]


def test_shares_are_of_the_whole_and_none_of_nothing():
    assert share(1, 4) == 0.25
    assert share(0, 0) == 0.0
    assert [clipped(value) for value in (-3.0, -0.5, 0.5, 3.0)] == [-1.0, -0.5, 0.5, 1.0]
    assert one_hot((2, 3, 4), 3) == [0.0, 1.0, 0.0]
    assert one_hot((2, 3), 5) == [0.0, 0.0]


def test_of_two_equal_runs_the_one_with_the_oldest_piece_counts():
    referee = table(load(), 3, {0: "A2 B2 D1 E1"})
    sight = sight_of(referee.view(0), expected(referee.state))
    ages = {
        name: sight.mine.age(sight.mine.span(*span))
        for name, span in (("AB", (0, 1)), ("DE", (3, 4)))
    }
    assert sight.mine.run == ((2, 3, 4) if ages["DE"] > ages["AB"] else (2, 0, 1))
    assert sight.mine.age(()) == 0.0
    nobody = sight.holdings[1]
    assert (nobody.run, nobody.size, nobody.hidden) == ((0, 0, -1), 0, 4)


def test_the_own_hand_is_compared_with_the_others():
    referee = table(load(), 3, {0: "A1 A2 B1 D1"})
    cash = card(referee.state, 1, ActionKind.CASH, 3)
    hands = [tuple(c for c in hand if c != cash) for hand in referee.state.hands]
    referee.state = referee.state.but(hands=tuple(hands))
    sight = sight_of(referee.view(0), expected(referee.state))
    own = by_name(OWN, own_block(sight))
    largest = [sight.hands[ActionKind.CASH][seat][0] for seat in range(3)]
    smaller = sum(value < largest[0] for value in largest[1:])
    assert own["cash"][4] == smaller / 2 > 0
    assert own["thieves"][0] == 1
    first, second = (by_name(OTHER, block) for block in other_blocks(sight))
    assert first["cash"][0] == 0.75
    assert (first["cash"][2], second["cash"][2]) == (0, float(largest[2] > largest[0]))
