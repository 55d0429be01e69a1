"""The features of the learned bot: their table, and what they say of a few known scenes."""

from support.rules_driver import card, plays, table

from p2p_hoity.bots.learned import sight_of
from p2p_hoity.bots.learned.features import CANDIDATE, OTHER, OWN
from p2p_hoity.bots.learned.move_candidates import picks
from p2p_hoity.bots.learned.observation import (
    gain,
    loss,
    may_have,
    other_blocks,
    own_block,
    size_of,
)
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, expected


def read(features, numbers):
    """The numbers by name."""
    found, at = {}, 0
    for feature in features:
        assert feature.name not in found
        found[feature.name] = [round(number, 6) for number in numbers[at : at + feature.count]]
        at += feature.count
    assert at == len(numbers)
    return found


def test_every_feature_says_what_it_is_and_runs_gains_and_losses_are_known():
    for features in (OWN, OTHER, CANDIDATE):
        assert all(feature.count > 0 and len(feature.meaning) > 10 for feature in features)
    counts = [2, 1, 0, 1, 1, 0]
    assert size_of(counts) == 3
    assert [gain(counts, letter) for letter in range(6)] == [1, 1, 3, 0, 0, 0]
    assert [loss(counts, letter) for letter in (0, 1, 3, 4)] == [1, 1, 0, 0]
    assert [may_have(counts, hidden) for hidden in (0, 1, 2)] == [3, 6, 7]
    assert may_have([0] * 6, 0) == 0


def test_the_first_place_of_a_game():
    referee = table(load(), 3, {0: "A1 A2 B1 D1"}, {12: "C1"})
    scene = sight_of(referee.view(0), expected(referee.state))
    own = read(OWN, own_block(scene))
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
    for block in other_blocks(scene):
        other = read(OTHER, block)
        assert other["pieces"] == [round(4 / 15, 6), 1]
        assert other["letters"] == [0] * 6
        assert other["run"] == [0, 0, 0, 0.4]
        assert other["active"] == [1]


def test_what_is_shown_is_seen():
    referee = table(load(), 3, {0: "A1 A2 B1 D1", 1: "C1 C2 C3 F8"})
    places = {0: 0, 1: 0, 2: 1}
    actions = plays(referee.state, s0="Thief:0", s1="Exhibit", s2="Cash:0")
    referee.until("theft", place=places, action=actions, exhibit={1: (4, 5, 6)})
    scene = sight_of(referee.view(0), expected(referee.state))
    own = read(OWN, own_block(scene))
    assert own["own place"] == [1, 0]
    assert own["own action"] == [0, 1, 0, 0]
    assert own["others where"] == [0.5, 0.5, 0]
    assert own["others' actions"] == [0, 0, 0, 0, 0, 0.5]
    first, second = (read(OTHER, block) for block in other_blocks(scene))
    assert first["letters"] == [0, 0, 0.6, 0, 0, 0]
    assert first["exhibit"] == [0.3]
    assert first["figure"] == [0.04, 0.1, round(1 / 6, 6)]
    assert second["place"] == [0, 1]
    assert second["pieces"] == [round(5 / 15, 6), 1]
    ((stolen,),) = picks(scene)
    piece = read(CANDIDATE, stolen.numbers)["piece"]
    assert stolen.choice == 4
    assert piece[1:4] == [0.5, 1, 0]
    assert piece[5:] == [0, 0.25, 0.1, 0.6, 0.3]


def test_cards_on_the_menu():
    referee = table(load(), 3, {0: "A1 A2 C1 E1"})
    places = {0: 1, 1: 1, 2: 0}
    due = referee.until("action", place=places)
    (pick,) = picks(sight_of(referee.view(0), due))
    named = {one.choice: read(CANDIDATE, one.numbers) for one in pick}
    least = named[card(referee.state, 0, ActionKind.CASH, 0)]
    most = named[card(referee.state, 0, ActionKind.CASH, 3)]
    assert [least["card"], least["cash"]] == [[1, 0, 0, 0], [round(1 / 24, 6), 0, 0.5]]
    assert most["cash"] == [round(19 / 24, 6), 1, 0.5]
    thief = named[card(referee.state, 0, ActionKind.THIEF, 1)]
    assert thief["thief"] == [1, 0]
