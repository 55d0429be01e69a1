"""Tests of the Castle: Exhibits, Thieves, prison, and what absent seats do there."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.rules_driver import at, card, in_play, moves, of, piece, plays, table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, IllegalMove, UnexpectedEvent
from protocol import game_interface

UBER = load()
BLACK, RED, BLUE, GREEN, PURPLE, BEIGE = range(6)
RUN_A = "A1 A2 A3 A4"
RUN_B = "B1 B2 B3 C1"
RUN_OF_B = "B1 B2 B3 B4"


def slots(referee, seat, names):
    wanted = {piece(referee.state.edition, name) for name in names.split()}
    return tuple(s for s in referee.state.collectibles[seat] if referee.deck[s] in wanted)


def everyone_in_castle(edition, seats, hands, figures, words, **more):
    referee = at(table(edition, seats, hands), *figures)
    news = referee.round(action=plays(referee.state, **words), **more)
    return referee, news


@pytest.mark.parametrize(
    ("figures", "hands", "words", "moved"),
    [
        (
            (UBER.octagons.index((3, 2)), 0, 1, 2),
            {BLUE: "B1 B2 B3 B4", GREEN: "C1 C2 C3 C4"},
            {"s2": "Exhibit", "s3": "Exhibit"},
            {BLUE: 3, GREEN: 2},
        ),
        (
            (2, 2, 2),
            {0: RUN_A, 1: "B1 B2 B3 B4", 2: "C1 C2 C3 C4"},
            {"s0": "Exhibit", "s1": "Exhibit", "s2": "Exhibit"},
            {1: 2, 2: 1},
        ),
        (
            (0, 0, 0, 0),
            {0: RUN_A, 1: "B1 B2 B3 E1"},
            {"s0": "Exhibit", "s1": "Exhibit", "s2": "Thief:0", "s3": "Thief:0"},
            {0: 2, 1: 1},
        ),
        (
            (2, 2, 2),
            {0: RUN_A},
            {"s0": "Exhibit", "s1": "Detective", "s2": "Thief:0"},
            {0: 2, 1: 2},
        ),
    ],
    ids=["3/2", "before anyone moved", "whatever is stolen", "whatever a Detective moves"],
)
def test_the_best_two_exhibits_move_by_the_leaders_octagon(figures, hands, words, moved):
    referee, news = everyone_in_castle(UBER, len(figures), hands, figures, words)
    assert moves(news) == moved
    ends = [begin + moved.get(seat, 0) for seat, begin in enumerate(figures)]
    assert referee.state.figures == tuple(ends)
    assert UBER.octagons[2] == (2, 1) != UBER.octagons[4]


def test_thieves_enter_prison_by_number_and_leave_from_the_last_cell():
    # Thief 9 is green's; the cells hold 1 (black), 10 (blue), 4 (green), 9 (green).
    referee = table(UBER, 4)
    ids = {c.number: c.id for c in UBER.action_cards if c.kind == ActionKind.THIEF}
    jailed = (ids[1], ids[10], ids[4], ids[9])
    hands = tuple(tuple(c for c in hand if c not in jailed) for hand in referee.state.hands)
    at(referee, 0, 0, 0, 0, prison=jailed, hands=hands)
    news = referee.round(action=plays(referee.state, s1="Thief:1", s0="Detective"))
    (entered,) = of(news, rules.happenings.Imprisoned)
    assert entered.thief.number == 11
    assert [c.number for c in entered.cells] == [11, 1, 10, 4]
    assert referee.state.prison == (ids[11], ids[1], ids[10], ids[4])
    assert ids[9] in referee.state.hands[GREEN]
    assert [n.seat for n in of(news, rules.happenings.Returned) if n.card.number == 9] == [GREEN]
    referee = table(UBER, 4)
    words = {"s0": "Thief:1", "s1": "Thief:0", "s2": "Thief:1", "s3": "Detective"}
    news = referee.round(action=plays(referee.state, **words))
    assert [n.thief.number for n in of(news, rules.happenings.Imprisoned)] == [2, 10, 12]
    assert [UBER.number(c) for c in referee.state.prison] == [12, 10, 2]


def test_exhibit_only_with_what_may_be_a_valid_exhibit():
    referee = in_play("action", UBER, 3, {0: "A1 A2 C1 E1", 1: RUN_B})
    for seat, listed in ((0, False), (1, True)):
        action = card(referee.state, seat, ActionKind.EXHIBIT)
        assert (action in referee.legal("action", seat)) == listed
    with pytest.raises(IllegalMove, match="without-exhibit"):
        rules.check(referee.state, "action", 0, 7, referee.private(0))
    referee = table(UBER, 3, {0: "A1 A2 C1 E1"})
    referee.open(*range(4))
    referee.until("action")
    fails(IllegalMove, "without-exhibit", rules.check, referee.state, "action", 0, 7)


def test_a_lone_exhibitor_just_shows_and_gets_the_larger_number_or_nothing_if_void():
    referee = at(table(UBER, 3, {0: RUN_A}), 0, 0, 3)
    due = referee.until("show", action=plays(referee.state, s0="Exhibit"))
    assert due == rules.Show("exhibit", 0)
    news = referee.step().news
    assert UBER.octagons[3] == (3, 1)
    assert moves(news) == {0: 3}
    referee = in_play("show", UBER, 3, {0: RUN_A}, s0="Exhibit")
    news = referee.apply(game_interface.Shown("exhibit", 0, ())).news
    assert of(news, rules.happenings.NothingShown)
    assert not of(news, rules.happenings.FigureMoved)


def test_two_exhibitors_choose_in_secret_and_one_that_shows_nothing_does_not_rank():
    referee = table(UBER, 3, {0: RUN_A, 1: RUN_B})
    due = referee.until("exhibit", action=plays(referee.state, s0="Exhibit", s1="Exhibit"))
    assert due.seats == {0, 1}
    before = referee.state.known
    referee.step()
    assert referee.state.known == before
    news = referee.step().news
    assert {n.seat: n.placing for n in of(news, rules.happenings.ExhibitShown)} == {1: 1, 0: 2}
    referee = at(table(UBER, 3, {0: RUN_A, 1: RUN_B}), 0, 0, 9)
    referee.until("exhibit", action=plays(referee.state, s0="Exhibit", s1="Exhibit"))
    referee.step()
    due = rules.expected(referee.state)
    choice = slots(referee, 0, RUN_A)
    news = referee.apply(referee.unsealed(due, {0: choice, 1: None})).news
    assert moves(news) == {0: UBER.octagons[9][0]}
    assert [n.seat for n in of(news, rules.happenings.NothingShown)] == [1]


def test_an_exhibit_may_hold_back_collectibles_and_thieves_may_find_nothing():
    referee = table(UBER, 3, {0: RUN_A})
    shown = slots(referee, 0, "A2 A3 A4")
    news = referee.round(action=plays(referee.state, s0="Exhibit"), exhibit={0: shown})
    (exhibit,) = of(news, rules.happenings.ExhibitShown)
    assert tuple(p.slot for p in exhibit.pieces) == shown
    assert referee.state.known[slots(referee, 0, "A1")[0]] is None
    referee = table(UBER, 6, {0: "A1 A2 A3 D1"})
    words = {f"s{s}": "Thief:0" for s in range(1, 6)} | {"s0": "Exhibit"}
    news = referee.round(action=plays(referee.state, **words), exhibit={0: (0, 1, 2)})
    assert len(of(news, rules.happenings.Stolen)) == 3
    assert [n.seat for n in of(news, rules.happenings.Stolen)] == [BEIGE, PURPLE, GREEN]  # 6, 5, 4
    assert moves(news) == {0: 2}


def test_what_is_no_exhibit_or_not_due_cannot_be_shown():
    referee = in_play("show", UBER, 3, {0: "A1 A2 A3 D1"}, s0="Exhibit")
    state, cards = referee.state, referee.private(0)
    for slots_, rule in (
        ((0, 1), "exhibit-too-small"),
        ((0, 1, 3), "no-run"),
        ((0, 1, 4), "not-held"),
        ((1, 0, 2), "not-rising"),
        ((0, 0, 1), "named-twice"),
    ):
        shown = game_interface.Shown("exhibit", 0, slots_, {s: cards.get(s, 50) for s in slots_})
        fails(IllegalMove, rule, rules.apply, state, shown)
    with pytest.raises(IllegalMove, match="not-shown"):
        rules.apply(state, game_interface.Shown("exhibit", 0, (0, 1, 2), {0: cards[0]}))
    fails(
        UnexpectedEvent,
        "",
        rules.apply,
        state,
        game_interface.Shown("exhibit", 0, (0, 1, 2), cards),
    )
    shown = game_interface.Shown("exhibit", 0, (0, 1, 2), {s: cards[s] for s in (0, 1, 2)})
    assert rules.apply(state, shown).figures[0] == 2
    with pytest.raises(UnexpectedEvent):
        rules.apply(referee.state, game_interface.Unsealed("exhibit", {0: (0, 1, 2)}))
    fails(
        UnexpectedEvent,
        "",
        rules.apply,
        referee.state,
        game_interface.Shown("exhibit", 1, (4, 5, 6)),
    )


def thief_table():
    referee = table(UBER, 5, {0: RUN_A, 1: RUN_B})
    thieves = {"s2": "Thief:1", "s3": "Thief:0", "s4": "Thief:1"}
    referee.until("theft", action=plays(referee.state, s0="Exhibit", s1="Exhibit", **thieves))
    return referee


def test_thieves_take_one_slot_from_every_exhibit_in_descending_number():
    referee = thief_table()
    order = []
    while isinstance(due := rules.expected(referee.state), rules.Choose):
        order.append(due.seat)
        news = referee.step().news
        assert [n.owner for n in of(news, rules.happenings.Stolen)] == [0, 1]
    assert order == [2, 4, 3]  # Thieves 10, 8 and 4
    assert [len(held) for held in referee.state.collectibles] == [1, 1, 6, 6, 6]
    assert referee.state.prison == ()
    referee = thief_table()
    first, second = referee.state.exhibits[0], referee.state.exhibits[1]
    for choice in (
        (first[0],),
        (second[0], first[0]),
        (first[0], first[1]),
        (first[0], second[0], 30),
        (),
        first[0],
    ):
        fails(
            IllegalMove, "", rules.apply, referee.state, game_interface.Chosen("theft", 2, choice)
        )
    with pytest.raises(UnexpectedEvent):
        rules.apply(referee.state, game_interface.Chosen("theft", 3, (first[0], second[0])))
    state = referee.apply(game_interface.Chosen("theft", 2, (first[1], second[2])))
    assert {first[1], second[2]} <= set(state.collectibles[2])
    assert first[1] not in state.exhibits[0]


def test_stolen_collectibles_are_open_and_all_cards_but_imprisoned_thieves_go_home():
    hands = {0: RUN_A}
    words = {"s0": "Exhibit", "s1": "Thief:0", "s2": "Detective"}
    referee, news = everyone_in_castle(UBER, 3, hands, (0, 0, 0), words)
    (stolen,) = of(news, rules.happenings.Stolen)
    assert stolen.piece.letter == "A"
    assert stolen.piece.slot in referee.state.collectibles[1]
    assert len(referee.state.prison) == 1
    assert [len(hand) for hand in referee.state.hands] == [8, 7, 8]


def test_thieves_and_detectives_get_nothing_without_each_other_in_the_castle():
    referee = table(UBER, 3, {0: RUN_A})
    words = {"s0": "Exhibit", "s1": "Thief:0", "s2": "Thief:0"}
    referee.round(action=plays(referee.state, **words))
    assert referee.state.prison == ()
    assert [len(hand) for hand in referee.state.hands] == [8, 8, 8]
    referee = table(UBER, 3)
    news = referee.round(action=plays(referee.state, s0="Detective"))
    assert not of(news, rules.happenings.FigureMoved)
    referee = table(UBER, 3)
    news = referee.round(place={0: 1}, action=plays(referee.state, s0="Thief:0"))
    assert not of(news, rules.happenings.FigureMoved) + of(news, rules.happenings.Imprisoned)


def test_an_absent_seat_counts_as_leader_for_ranks_and_for_the_end():
    referee = table(UBER, 4, {0: RUN_A})
    referee.state = replace(referee.state, figures=(0, 2, 1, 9))
    referee.away(3)
    news = referee.round(action=plays(referee.state, s0="Exhibit", s1="Thief:0"))
    told = {n.seat: n.fields for n in of(news, rules.happenings.FigureMoved)}
    assert told == {0: UBER.octagons[9][0], 2: 4}
    referee.state = replace(referee.state, figures=(0, 0, 0, len(UBER.octagons)))
    referee.round()
    assert isinstance(rules.expected(referee.state), game_interface.OpenAll)


def test_of_two_exhibitors_the_absent_show_by_default_what_they_have_not_sealed():
    referee = table(UBER, 3, {0: RUN_A, 1: RUN_OF_B})
    referee.open(4, 5, 6, 7)
    referee.until("exhibit", action=plays(referee.state, s0="Exhibit", s1="Exhibit"))
    referee.away(1)
    assert rules.expected(referee.state) == rules.Seal("exhibit", frozenset({0}))
    referee.step()
    news = referee.step().news
    assert {n.seat: n.placing for n in of(news, rules.happenings.ExhibitShown)} == {1: 1, 0: 2}
    referee = table(UBER, 3, {0: RUN_A, 1: RUN_OF_B})
    referee.open(4, 5, 6)
    referee.until("exhibit", action=plays(referee.state, s0="Exhibit", s1="Exhibit"))
    news = referee.away(0, 1).news
    assert [n.seat for n in of(news, rules.happenings.ExhibitShown)] == [1]
    assert [n.seat for n in of(news, rules.happenings.NothingShown)] == [0]
    assert [n.fields for n in of(news, rules.happenings.FigureMoved)] == [2]
    referee = in_play("exhibit", UBER, 3, {0: RUN_A, 1: RUN_OF_B}, s0="Exhibit", s1="Exhibit")
    referee.step()
    referee.away(1)
    assert rules.expected(referee.state) == game_interface.Unseal(
        "exhibit", frozenset({0, 1}), shows=True
    )
    assert {n.seat for n in of(referee.step().news, rules.happenings.ExhibitShown)} == {0, 1}
