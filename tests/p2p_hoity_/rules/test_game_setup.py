"""Tests of the setup: seats, colours, Action hands, and windows."""

from collections import Counter

import pytest
from support.cases import fails
from support.rules_driver import COIN, Referee, table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.rules.happenings import Setup
from protocol import game_interface

UBER = load()


@pytest.mark.parametrize(
    ("seats", "variant"),
    [
        (1, None),
        (7, None),
        (True, None),
        (2, None),
        (3, "surprise"),
        (4, "confrontation"),
        (2, "x"),
    ],
)
def test_seats_and_variant_must_fit(seats, variant):
    fails(ValueError, r"seats|variant", rules.start, UBER, seats, variant)


def test_only_the_tops_are_open_figures_are_in_the_club_room_and_spare_colours_leave():
    referee = table(UBER, 4)
    state = referee.state
    assert state.figures == (0, 0, 0, 0)
    assert [slot for slot, card in enumerate(state.known) if card is not None] == [16, 34]
    assert state.round == 1
    state = table(UBER, 3).state
    assert state.colours == (0, 1, 2)
    assert sorted(c for hand in state.hands for c in hand) == list(range(24))
    fails(ValueError, "24 Collectibles", rules.layout, 23, 6)


@pytest.mark.parametrize("name", NAMES)
def test_each_colour_has_four_cash_two_thieves_a_detective_and_an_exhibit(name):
    edition = load(name)
    for k in range(6):
        cards = edition.action_cards[8 * k : 8 * k + 8]
        kinds = Counter(card.kind for card in cards)
        assert kinds == {
            rules.ActionKind.CASH: 4,
            rules.ActionKind.THIEF: 2,
            rules.ActionKind.DETECTIVE: 1,
            rules.ActionKind.EXHIBIT: 1,
        }
        assert sum(card.number for card in cards if card.kind == rules.ActionKind.CASH) == 50
    cash = [c.number for c in edition.action_cards if c.kind == rules.ActionKind.CASH]
    thieves = [c.number for c in edition.action_cards if c.kind == rules.ActionKind.THIEF]
    assert len(set(cash)) == 24
    assert len(set(thieves)) == 12


def test_colours_are_drawn_from_the_coin_and_all_arrangements_come_equally_often():
    draw = rules.game_setup.draw_colours
    assert draw(bytes(32), 6, 6) == (0, 1, 2, 3, 4, 5)
    assert draw((719).to_bytes(32, "big"), 6, 6) == (5, 4, 3, 2, 1, 0)
    assert draw((119).to_bytes(32, "big"), 5, 5) == (4, 3, 2, 1, 0)
    assert draw((1 + 6 * 2).to_bytes(32, "big"), 3, 6) == (1, 3, 0)
    assert draw((1 + 5 * 2).to_bytes(32, "big"), 3, 5) == (1, 3, 0)
    counts = Counter(draw(n.to_bytes(32, "big"), 3, 6) for n in range(240))
    assert len(counts) == 120
    assert set(counts.values()) == {2}


def test_the_deal_opens_the_tops_of_a_frozen_state_and_nothing_else():
    state = rules.start(UBER, 3)
    assert rules.expected(state) == game_interface.Deal()
    assert rules.layout(len(state.known), 3).tops == (12, 32)
    for event in (
        game_interface.Dealt(COIN, {12: 0}),
        game_interface.Dealt(COIN, {12: 0, 32: 0}),
        game_interface.Dealt(COIN, {12: 0, 32: 99}),
        game_interface.Dealt(COIN, {12: 0, 13: 1}),
        game_interface.Dealt(b"short", {12: 0, 32: 1}),
        game_interface.Drawn({12: 0, 32: 1}),
    ):
        fails(rules.UnexpectedEvent, "", rules.apply, state, event)
    assert state.phase == rules.Phase.DEAL
    changed = state.but(round=5)
    assert (changed.round, state.round) == (5, 0)
    assert changed != state
    assert changed.but(round=0) == state
    assert hash(changed.but(round=0)) == hash(state)
    fails(TypeError, "nonsense", state.but, nonsense=1)
    with pytest.raises(AttributeError):
        state.round = 1


def test_the_setup_is_recorded_and_hands_are_private_until_shown():
    (setup,) = [n for n in table(UBER, 3).record if isinstance(n, Setup)]
    told = setup.as_json()
    assert told["type"] == "setup"
    assert told["colours"] == ["black", "red", "blue"]
    assert told["hands"][1][0] == {"id": 8, "kind": "Cash", "number": 2, "colour": "red"}
    assert told["windows"][0][0]["slot"] == 12
    assert told["windows"][0][0]["letter"] is not None
    assert told["windows"][0][1]["letter"] is None
    assert len(told["octagons"]) == 38
    assert told["banquet_fields"] == 13
    referee = Referee.seat(UBER, 3, 5)
    referee.step()
    assert all(referee.state.known[slot] is None for slot in range(12))
    assert set(referee.view(1).mine()) == {4, 5, 6, 7}
    assert referee.view(1).held(0) == {}
    assert set(referee.view(0).cards) == {0, 1, 2, 3, 12, 32}
