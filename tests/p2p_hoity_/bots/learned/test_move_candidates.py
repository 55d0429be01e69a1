"""Tests of the candidates of the learned bot: every legal choice, in the order of the features."""

import random

from support.named_features import by_name
from support.random_weights import random_weights
from support.rules_driver import Referee, card, plays, table

from p2p_hoity.bots.learned import Learned, read, sight_of
from p2p_hoity.bots.learned.features import CANDIDATE
from p2p_hoity.bots.learned.move_candidates import picks
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, Show, expected
from protocol.game_interface import Over

BOT = Learned(read(random_weights(1)))


def test_every_legal_place_and_action_and_window_is_on_the_menu():
    referee = Referee.seat(load(), 4, 11)
    seen = set()
    while not isinstance(due := expected(referee.state), Over):
        for seat in getattr(due, "seats", ()) if due.__class__.__name__ == "Seal" else ():
            if due.kind in ("place", "action"):
                (pick,) = picks(sight_of(referee.view(seat), due))
                assert {one.choice for one in pick} == set(referee.view(seat).legal(due.kind))
                seen.add(due.kind)
        referee.step()
    assert seen == {"place", "action"}


def test_the_menu_has_whole_spans_and_their_least_and_the_oldest_of_each_letter():
    referee = table(load(), 3, {0: "A1 A2 B1 A4"})
    due = referee.until("show", action=plays(referee.state, s0="Exhibit", s1="Thief:0"))
    assert isinstance(due, Show)
    (pick,) = picks(sight_of(referee.view(0), due))
    assert [one.choice for one in pick] == [(0, 1, 3), (0, 1, 2, 3), (0, 1, 2)]
    referee = table(load(), 3, {0: "A2 A1 B2 B1", 1: "C1 D1 E1 E2"})
    due = referee.until(
        "theft",
        place=dict.fromkeys(range(3), 0),
        action=plays(referee.state, s0="Exhibit", s1="Exhibit", s2="Thief:0"),
    )
    offered = [[one.choice for one in pick] for pick in picks(sight_of(referee.view(2), due))]
    assert offered == [[1, 3], [4, 5, 6]]
    choice = BOT.choose(referee.view(2), due, random.Random(1))
    referee.view(2).check("theft", choice)


def test_cards_on_the_menu():
    referee = table(load(), 3, {0: "A1 A2 C1 E1"})
    places = {0: 1, 1: 1, 2: 0}
    due = referee.until("action", place=places)
    (pick,) = picks(sight_of(referee.view(0), due))
    named = {one.choice: by_name(CANDIDATE, one.numbers) for one in pick}
    least = named[card(referee.state, 0, ActionKind.CASH, 0)]
    most = named[card(referee.state, 0, ActionKind.CASH, 3)]
    assert [least["card"], least["cash"]] == [[1, 0, 0, 0], [round(1 / 24, 6), 0, 0.5]]
    assert most["cash"] == [round(19 / 24, 6), 1, 0.5]
    thief = named[card(referee.state, 0, ActionKind.THIEF, 1)]
    assert thief["thief"] == [1, 0]
