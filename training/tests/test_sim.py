"""The simulator: it agrees with the rules, and refuses what they forbid."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest

np = pytest.importorskip("numpy", reason="the simulator needs numpy")

from agreement import CALM, UNRULY, Beside, Unrest, agree
from hoity_training.sim import (
    CARD_IDS,
    DETECTIVE,
    NONE,
    THIEF,
    VOID,
    Board,
    Cards,
    Pieces,
    Presence,
    Table,
)
from hoity_training.sim.cards import KIND_ORDER
from support.sampling import sample
from support.unruly_games import TABLES

from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.rules import ActionKind, best_exhibit, strength
from p2p_hoity.rules.exhibits import is_exhibit


@pytest.mark.sampled(4)
@pytest.mark.parametrize("unrest", [CALM, UNRULY], ids=["calm", "unruly"])
@pytest.mark.parametrize(("name", "seats", "variant"), sample(TABLES, 6, "tables of the simulator"))
def test_it_agrees_with_the_rules(name, seats, variant, unrest: Unrest):
    """A sample; `python3 tasks.py agree` has every switch and many rounds."""
    other = load(name).with_switches(
        action_choice="together" if seats % 2 else "staged",
        detective_in_hall=seats > 3,
        detective_rank="before" if seats in (3, 6) else "after",
    )
    assert agree(other, seats, variant, 20, seats, unrest, games=1).rounds >= 20


def test_it_agrees_where_a_figure_would_pass_the_last_field():
    short = replace(load(), banquet_fields=2)
    beside = agree(short, 4, None, 60, 1, CALM, games=2)
    assert beside.furthest == short.last_field


def test_a_state_that_differs_is_told():
    with pytest.raises(AssertionError, match="figures"):
        spoilt("figures")
    with pytest.raises(AssertionError, match="known"):
        spoilt("known")


def spoilt(name):
    """A round after which one field is not what the rules make it."""
    table = Table(load(), 3, None, 1, np.random.default_rng(1))
    beside = Beside(table, random.Random(1))
    getattr(table.board, name)[0] += 1
    beside.play(1)


@pytest.mark.parametrize("name", NAMES)
def test_collections_as_numbers_compare_as_exhibits(name):
    edition, rng = load(name), random.Random(name)
    pieces = Pieces(edition)
    for _ in range(300):
        cards = rng.sample(range(len(edition.collectibles)), 12)
        sets = [cards[: (n := rng.randrange(1, 7))], cards[n : 2 * n]]
        masks = np.array([sum(1 << int(pieces.bit[c]) for c in part) for part in sets])
        assert pieces.is_exhibit(masks).tolist() == [is_exhibit(edition, part) for part in sets]
        best = [best_exhibit(edition, part) for part in sets]
        assert pieces.holds_exhibit(masks).tolist() == [found is not None for found in best]
        shown = [sum(1 << int(pieces.bit[c]) for c in found or ()) for found in best]
        assert pieces.best_exhibit(masks).tolist() == shown
        first, second = pieces.strength(masks).tolist()
        assert (first > second) == (strength(edition, sets[0]) < strength(edition, sets[1]))


def test_an_edition_whose_years_are_no_one_number_is_refused():
    edition = load()
    one, two, *rest = edition.collectibles
    twin = replace(two, letter="B", year=one.year)
    with pytest.raises(ValueError, match="compared"):
        Pieces(replace(edition, collectibles=(one, twin, *rest)))


@pytest.mark.parametrize(("seats", "variant"), [(1, None), (7, None), (2, None), (3, "surprise")])
def test_tables_that_the_rules_do_not_know_are_refused(seats, variant):
    with pytest.raises(ValueError, match="two seats"):
        Board(load(), seats, variant, 1, np.random.default_rng(1))


def at(kind, seats=4, variant=None, games=64):
    """A table where this kind is due, played on at random to there."""
    rng = np.random.default_rng(3)
    table = Table(load(), seats, variant, games, rng)
    point = table.step()
    while point.kind != kind:
        point = table.choose(point.at_random(rng))
    return table, point


WRONG = {
    "place": [2, 7],
    "action": [99, 48],
    "window": [2],
    "turn": [96, 1000],
    "exhibit": [0, 1, 7 << 40],
    "theft": [63, 99],
}


@pytest.mark.parametrize("kind", WRONG)
def test_choices_that_the_rules_forbid_are_refused(kind):
    table, point = at(kind, *(2, "surprise") if kind == "turn" else (4, None))
    for wrong in [*WRONG[kind], VOID - 1]:
        choices = point.pick(np.zeros(len(point), np.int64))
        choices[-1] = wrong
        with pytest.raises(ValueError, match=rf"seat {point.seats[-1]} may not choose {kind}"):
            table.choose(choices)
    with pytest.raises(ValueError, match="choices are due"):
        table.choose(np.zeros(len(point) + 1, np.int64))
    assert table.choose(point.pick(point.count - 1)) is not None


def test_a_card_that_is_not_in_the_hand_is_refused():
    table, point = at("action")
    choices = point.at_random(np.random.default_rng(1))
    game, seat = point.games[0], point.seats[0]
    other = (table.board.colours[game, seat] + 1) % 6
    choices[0] = 8 * other + 4
    with pytest.raises(ValueError, match="may not choose action"):
        table.choose(choices)


def test_the_windows_that_are_empty_are_no_choice():
    rng = np.random.default_rng(3)
    table = Table(load(), 4, None, 64, rng)
    point = table.step()
    table.board.pointer[:, 0] = table.board.ends[0]
    while point.kind != "window":
        point = table.choose(point.at_random(rng))
    assert set(point.option.tolist()) == {1}
    with pytest.raises(ValueError, match="may not choose window 0"):
        table.choose(np.zeros(len(point), np.int64))


def test_games_that_are_over_are_dealt_anew_or_left():
    rng = np.random.default_rng(5)
    table = Table(load(), 3, None, 8, rng, replace=False)
    point, ended = table.step(), []
    while point is not None:
        point = table.choose(point.at_random(rng))
        if table.ended is not None:
            ended += table.ended.games.tolist()
            assert np.allclose(table.ended.shares.sum(axis=1), 1)
    assert sorted(ended) == list(range(8))
    with pytest.raises(ValueError, match="nothing is to be chosen"):
        table.choose(np.zeros(0, np.int64))


def test_a_round_in_which_nothing_happens_is_told():
    """Both seats play one of two cards in the Castle; a Thief is caught by a Detective only."""
    table = Table(load(), 2, "surprise", 40, np.random.default_rng(1))
    point, rng = table.step(), np.random.default_rng(2)
    kinds_of = table.board.cards.kind[point.slot % CARD_IDS]
    for kind in (THIEF, DETECTIVE):
        assert (np.bincount(point.row[kinds_of == kind], minlength=80) > 0).all()
    chosen = np.where(rng.random(80) < 0.5, THIEF, DETECTIVE)
    fitting = kinds_of == chosen[point.row]
    fitting &= point.slot < CARD_IDS
    first = np.array([point.slot[fitting & (point.row == row)][0] for row in range(80)])
    table.choose(first)
    assert table.closed.games.tolist() == list(range(40))
    by_seat = chosen.reshape(40, 2)
    assert (table.closed.idle == (by_seat[:, 0] == by_seat[:, 1])).all()
    assert 0 < table.closed.idle.sum() < 40


def test_every_deal_has_all_pieces_once_and_hands_of_six_colours():
    board = Board(load(), 6, None, 20, np.random.default_rng(2))
    assert (np.sort(board.deck, axis=1) == np.arange(51)).all()
    assert (np.sort(board.colours, axis=1) == np.arange(6)).all()
    for one, two in combinations(range(6), 2):
        assert not (board.held[:, one] & board.held[:, two]).any()
    assert (np.bitwise_count(board.hands) == 8).all()
    assert (np.bitwise_count(board.known) == 2).all()


def test_a_banned_seat_stays_away():
    table, _ = at("place")
    gone = Presence(np.array([0]), ~np.eye(4, dtype=bool)[:1], np.eye(4, dtype=bool)[:1])
    table.change(gone)
    with pytest.raises(ValueError, match="banned"):
        table.change(Presence(np.array([0]), np.ones((1, 4), bool), np.zeros((1, 4), bool)))


def test_who_is_not_there_gives_no_choice():
    table, point = at("place")
    away = np.ones((64, 4), bool)
    away[:, 2] = False
    table.change(presence_of_all(away))
    table.choose(point.at_random(np.random.default_rng(1)))
    assert (table.board.places[:, 2] == NONE).all()


def presence_of_all(present):
    return Presence(np.arange(len(present)), present, np.zeros_like(present))


def test_an_exhibit_is_listed_whole_and_in_its_smallest_form():
    table, point = at("exhibit", games=256)
    pieces = table.board.pieces
    for row in range(len(point)):
        held = int(table.board.held[point.games[row], point.seats[row]])
        listed = point.option[point.first[row] : point.first[row] + point.count[row]].tolist()
        assert sorted(listed) == sorted(forms(pieces, held))


def forms(pieces, held):
    """Of each span all its pieces, and the oldest of each letter with the oldest others."""
    found = []
    for i in range(6):
        for j in range(i, 6):
            bits = [b for b in reversed(range(pieces.total)) if held >> b & 1]
            bits = [b for b in bits if i <= pieces.letter[b] <= j]
            letters = {int(pieces.letter[b]) for b in bits}
            if len(bits) < 3 or letters != set(range(i, j + 1)):
                continue
            least = [next(b for b in bits if pieces.letter[b] == k) for k in sorted(letters)]
            rest = [b for b in bits if b not in least]
            least += rest[: max(0, 3 - len(least))]
            found += {sum(1 << b for b in bits), sum(1 << b for b in least)}
    return found


def test_kinds_of_cards_are_those_of_the_rules():
    edition = load()
    cards = Cards(edition)
    for card in edition.action_cards:
        assert KIND_ORDER[cards.kind[card.id]] == card.kind
        assert cards.number[card.id] == edition.number(card.id)
    assert cards.kind[NONE] == NONE
    assert KIND_ORDER[0] == ActionKind.CASH
