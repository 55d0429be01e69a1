"""The method in small: the game's own rules, an exact measure, and that it is learned."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

np = pytest.importorskip("numpy", reason="the training needs PyTorch: pip install ./training")
torch = pytest.importorskip("torch", reason="the training needs PyTorch: pip install ./training")
pyspiel = pytest.importorskip("pyspiel", reason="the cut-down is measured by OpenSpiel")

from hoity_training.small.deals import CARDS, ROUNDS, SEATS, decks, opening
from hoity_training.small.forest import NOBODY, forest
from hoity_training.small.game import SmallGame, exploitable, greedy, likeliest, uniform
from hoity_training.small.learning import Plan, Training
from hoity_training.small.selfplay import judged, mixtures, shares_of
from hoity_training.small.tree import Play, chosen, owed, settled

from p2p_hoity.rules import ActionKind, Choose, Phase, Seal, Show, expected, view


def games(count):
    """Games played by chance to the end: every choice with the play it was made in."""
    rng = random.Random(1)
    for _ in range(count):
        play, made = settled(Play.dealt(rng.choice(decks()))), []
        while (due := owed(play)) is not None:
            made.append((play, due, rng.choice(play.menu(*due))))
            play = settled(chosen(play, made[-1][2]))
        yield made, play


# The rules.


def test_every_deal_is_a_whole_deck_and_hides_what_lies_below():
    for deck in decks():
        state = opening(deck)
        assert sorted(deck) == list(range(len(state.edition.collectibles)))
        assert [card for card in state.known if card is not None] == [deck[state.windows[0][0]]]
    hands = [[state.kind(card) for card in hand] for hand in state.hands]
    wanted = [ActionKind.CASH] * 2 + [
        ActionKind.THIEF,
        ActionKind.DETECTIVE,
        ActionKind.EXHIBIT,
    ]
    assert hands == [wanted] * SEATS
    assert all(card % 8 in CARDS[seat] for seat, hand in enumerate(state.hands) for card in hand)


def test_turns_are_what_the_rules_allow_and_all_else_is_asked_of_them():
    for made, end in games(60):
        for play, (seat, kind), _ in made:
            due = expected(play.state)
            own = dict(enumerate(play.deck))
            assert isinstance(due, Seal | Show | Choose)
            assert due.kind == kind
            if kind in ("turn", "window"):
                assert set(play.menu(seat, kind)) == set(view(play.state, seat, own).legal(kind))
        assert end.state.phase == Phase.OVER
        assert end.state.round <= ROUNDS + 1
        assert sum(end.state.shares) == 1


def test_a_thief_in_prison_is_not_played_in_the_next_round():
    caught = 0
    for made, _ in games(300):
        for play, (seat, kind), _ in made:
            if kind == "turn" and any(play.state.owner(card) == seat for card in play.state.prison):
                caught += 1
                cards = {card for _, card in play.menu(seat, kind)}
                assert ActionKind.THIEF not in {play.state.kind(card) for card in cards}
    assert caught


def test_a_seat_cannot_tell_from_what_it_has_seen_what_it_may_not_know():
    """Another hand, another hidden piece, the other seat's sealed turn: all look alike."""
    first = [settled(Play.dealt(deck)) for deck in decks()]
    alike = {(play.logs[0], play.menu(0, "turn")) for play in first}
    assert len(alike) == len(decks()) // 2
    one, *others = first[0].menu(0, "turn")
    for other in others:
        assert chosen(first[0], one).logs[1] == chosen(first[0], other).logs[1]
        assert chosen(first[0], one).logs[0] != chosen(first[0], other).logs[0]


def test_the_forest_ends_as_the_rules_end():
    """Paths through the arrays and through the rules, side by side."""
    trees, rng = forest(), random.Random(2)
    for _ in range(40):
        deal = rng.randrange(len(decks()))
        play, node = settled(Play.dealt(decks()[deal])), int(trees.roots[deal])
        while (due := owed(play)) is not None:
            menu = play.menu(*due)
            pick = rng.randrange(len(menu))
            if len(menu) > 1:
                assert trees.seats[node] == due[0]
                assert trees.options[trees.infos[node]][pick] == (due[1], menu[pick])
                node = int(trees.below[node, pick])
            play = settled(chosen(play, menu[pick]))
        assert trees.seats[node] == NOBODY
        assert shares_of(trees, np.array([node]))[0].tolist() == list(play.state.shares)


# The measure.


def best_by_hand(chances, seat):
    """What the seat gets by its best answer, found by trying: information after information is set
    to its best choice, the last ones first."""
    trees, value = forest(), 0.0
    reach = np.zeros(len(trees.seats))
    reach[trees.roots] = 1 / len(trees.roots)
    worth = np.where(trees.seats == NOBODY, shares_of(trees, np.arange(len(reach)))[:, seat], 0.0)
    for node in range(len(reach)):
        count = trees.rows.count[trees.infos[node]] if trees.seats[node] != NOBODY else 0
        for pick in range(count):
            mine = trees.seats[node] == seat
            part = 1.0 if mine else chances[trees.infos[node], pick]
            reach[trees.below[node, pick]] = reach[node] * part
    answers: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for node in np.flatnonzero(trees.seats == seat):
        members.setdefault(int(trees.infos[node]), []).append(int(node))

    def value_of(node):
        if trees.seats[node] == NOBODY:
            return worth[node]
        info = int(trees.infos[node])
        below = trees.below[node]
        if trees.seats[node] != seat:
            some = range(trees.rows.count[info])
            return sum(chances[info, p] * value_of(below[p]) for p in some if chances[info, p])
        if info not in answers:
            gains = [
                sum(reach[n] * value_of(trees.below[n, p]) for n in members[info] if reach[n])
                for p in range(trees.rows.count[info])
            ]
            answers[info] = int(np.argmax(gains))
        return value_of(below[answers[info]])

    for root in trees.roots:
        value += value_of(root) / len(trees.roots)
    return value


def test_the_measure_is_what_best_answers_gain():
    """Both seats always play their first choice: NashConv by OpenSpiel and by hand."""
    first = likeliest(uniform())
    by_hand = sum(best_by_hand(first, seat) for seat in range(SEATS)) - 1
    assert exploitable(SmallGame(), first) == pytest.approx(by_hand, abs=1e-6)
    assert by_hand > 0.5


def test_openspiel_plays_the_same_games():
    game, rng = SmallGame(), random.Random(3)
    for _ in range(30):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        assert sum(state.returns()) == 0
        assert state.returns()[0] == forest().shares[state.at] - 0.5
        assert str(state) == f"node {state.at}"


# Learning.


def test_greed_is_the_best_answer_to_chance():
    alike, answer = uniform(), greedy(SmallGame())
    gained = sum(best_by_hand(alike, seat) for seat in range(SEATS)) - 1
    assert exploitable(SmallGame(), alike) == pytest.approx(gained, abs=1e-6)
    assert (answer.sum(axis=1) == 1).all()
    assert ((answer == 1).sum(axis=1) == 1).all()
    assert exploitable(SmallGame(), answer) > gained


def test_a_little_learning_lowers_what_can_be_gained():
    game, training = SmallGame(), Training(replace(Plan(1, 60), games=3072), forest())
    at_first = exploitable(game, np.exp(mixtures(forest(), training.learner.policy)))
    assert at_first == pytest.approx(exploitable(game, uniform()), abs=1e-5)
    foreseen = [training.update(number)["explained"] for number in range(60)]
    average = np.exp(mixtures(forest(), training.learner.average))
    assert exploitable(game, average) < 0.6 * at_first
    assert foreseen[-1] > 0.2 > foreseen[0]


def test_the_same_seed_learns_the_same():
    both = [Training(replace(Plan(7, 2), games=64), forest()) for _ in range(2)]
    for training in both:
        training.update(0)
    one, other = (mixtures(forest(), training.learner.policy) for training in both)
    assert (one == other).all()
    assert not (one == mixtures(forest(), both[0].learner.average)).all()
    assert judged(forest(), both[0].learner.critic).shape == (len(forest().seats), SEATS)
