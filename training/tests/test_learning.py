"""Learning: what lessons say, what the learner makes of them, and that a seed repeats it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

np = pytest.importorskip("numpy", reason="the training needs PyTorch: pip install ./training")
torch = pytest.importorskip("torch", reason="the training needs PyTorch: pip install ./training")

from hoity_training.absences import Absences
from hoity_training.contest import contest, summed
from hoity_training.critic import Critic
from hoity_training.harvest import Lessons, Prices, harvest
from hoity_training.insight import SEAT_NUMBERS, TABLE_NUMBERS
from hoity_training.keeping import Pool, policy_of
from hoity_training.keeping import load as checkpoint
from hoity_training.policy import NEVER, Policy
from hoity_training.ppo import Course, Learner, Step, evened, explained
from hoity_training.rollout import Hall, Moment, Players, Post
from hoity_training.rows import Rows, asked, joined
from hoity_training.seating import CHANCE, COMPANY, LEARNER, LIKENESS, Alone, Among, League, company
from hoity_training.sim import Closed, Ended, Table
from hoity_training.tables import Kind, kinds
from hoity_training.train import Company, Plan, Training

from p2p_hoity.bots.learned.policy_network import Shape
from p2p_hoity.editions.load_edition import load

SMALL = Course(batch=512, critic_batch=512)


def rows_like(count, seats, rng, options=3):
    """Rows of random numbers."""
    shape = Shape()
    own = rng.random((count, shape.own), np.float32)
    others = rng.random((count, seats - 1, shape.other), np.float32)
    candidates = rng.random((count * options, shape.candidate), np.float32)
    return Rows(own, others, candidates, np.full(count, options))


# Rows.


def test_rows_are_taken_with_their_candidates():
    rng = np.random.default_rng(1)
    rows = replace(rows_like(4, 3, rng, 2), count=np.array([3, 1, 2, 2]))
    taken = rows.take(np.array([2, 0]))
    assert (taken.own == rows.own[[2, 0]]).all()
    assert (taken.candidates == rows.candidates[[4, 5, 0, 1, 2]]).all()
    back = joined([rows.take(np.array([0, 1])), rows.take(np.array([2, 3]))])
    assert (back.candidates == rows.candidates).all()


def test_chances_of_a_row_do_not_depend_on_its_company():
    torch.manual_seed(1)
    rng, policy = np.random.default_rng(1), Policy()
    few, many = rows_like(5, 3, rng, 2), rows_like(4, 6, rng, 5)
    both = policy(asked([few, many]))
    alone = policy(asked([few]))
    assert both.shape == (9, 5)
    assert torch.allclose(both[:5, :2], alone, atol=1e-6)
    assert (both[:5, 2:] < NEVER / 2).all()
    assert torch.allclose(both.exp().sum(1), torch.ones(9))


# What a stretch of play teaches.


def moment(games, expected, ended=None, rows=((0, 0),)):
    """One with a row of each (game, seat) given."""
    rng, at = np.random.default_rng(0), np.array(rows)
    made = rows_like(len(rows), 2, rng)
    known = tuple(
        np.zeros(shape, np.float32)
        for shape in ((len(games), 2, SEAT_NUMBERS + COMPANY), (len(games), TABLE_NUMBERS))
    )
    nothing = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.float32)
    hoped = np.array(expected, np.float32)
    return Moment(made, *nothing, at[:, 0], at[:, 1], np.array(games), known, hoped, ended)


def end(games, shares):
    """These games end so."""
    none = np.zeros(0)
    return Ended(np.array(games), none, none, none, none, none, np.array(shares))


def test_advantages_follow_what_is_expected_next():
    """Game 0 is judged three times and ends after the second; game 1 once."""
    kind = Kind(load(), 2, "surprise", 1.0)
    post = Hall.opened([kind], 2, Alone(CHANCE), np.random.default_rng(1)).posts[0]
    post.moments = [
        moment([0, 1], [[0.5, 0.5], [0.4, 0.6]], rows=((0, 0), (0, 1), (1, 0))),
        moment([0], [[0.7, 0.3]], end([0], [[1.0, 0.0]])),
        moment([0], [[0.5, 0.5]]),
    ]
    (lessons,) = harvest([post], [np.array([[0.6, 0.4], [0.5, 0.5]], np.float32)], 0.5)
    assert post.moments == []
    third, second, first = lessons.advantage[0], lessons.advantage[1], lessons.advantage[2:]
    assert third == pytest.approx(0.1)
    assert second == pytest.approx(0.3)
    assert first == pytest.approx([0.2 + 0.15, -0.35, 0.1])
    assert lessons.target[-2:] == pytest.approx(np.array([[0.85, 0.15], [0.5, 0.5]]))
    assert lessons.target.sum(1) == pytest.approx(np.ones(4))


def test_a_price_is_paid_by_every_seat_and_not_taught_to_the_critic():
    """The round of game 0 closes idle after the second moment, that of game 1 busy."""
    kind = Kind(load(), 2, "surprise", 1.0)
    post = Hall.opened([kind], 2, Alone(CHANCE), np.random.default_rng(1)).posts[0]
    closed = Closed(np.array([0, 1]), np.array([True, False]))
    even = [[0.5, 0.5], [0.5, 0.5]]
    rows = ((0, 0), (0, 1), (1, 0))
    post.moments = [
        moment([0, 1], even, rows=rows),
        replace(moment([0], even[:1], rows=rows[:2]), closed=closed),
        moment([0, 1], even, end([1], [[0.5, 0.5]]), rows=rows),
        replace(moment([0, 1], even, rows=rows), closed=closed),
    ]
    prices = Prices(round=0.01, idle=0.04)
    (lessons,) = harvest([post], [np.array(even, np.float32)], 0.5, prices)
    last, third, second, first = np.split(-lessons.advantage, [3, 6, 8])
    assert last == pytest.approx([0.05, 0.05, 0.01])
    # What game 1 pays after its end is of the next game.
    assert third == pytest.approx([0.025, 0.025, 0.0])
    assert second == pytest.approx([0.0625] * 2)
    assert first == pytest.approx([0.03125, 0.03125, 0.005])
    assert lessons.target == pytest.approx(np.full((7, 2), 0.5))


def lessons_like(rng, count=400):
    """The first candidate is good, whatever is seen."""
    rows = rows_like(count, 3, rng)
    picked = rng.integers(0, 3, count)
    advantage = np.where(picked == 0, 1.0, -0.5).astype(np.float32)
    rows.candidates[:, 0] = 0
    rows.candidates[::3, 0] = 1
    by_seat = rng.random((count, 3, SEAT_NUMBERS + COMPANY), np.float32)
    by_table = rng.random((count, TABLE_NUMBERS), np.float32)
    target = np.tile(np.array([0.7, 0.2, 0.1], np.float32), (count, 1))
    chance = np.full(count, -np.log(3), np.float32)
    even = np.full((count, 3), 1 / 3, np.float32)
    return Lessons(rows, picked, chance, advantage, by_seat, by_table, even, target)


def learned(pull):
    """The mean chance of the good candidate after some updates, and how far the critic is off."""
    torch.manual_seed(3)
    rng = np.random.default_rng(3)
    learner = Learner(Policy(), Critic(), Course(batch=200, pull=pull, average=0.0), 1)
    for _ in range(12):
        lessons = lessons_like(rng)
        figures = learner.learn([lessons], Step(3e-3, 0.0))
    with torch.no_grad():
        return learner.policy(asked([lessons.rows])).exp()[:, 0].mean().item(), figures


def test_what_turned_out_well_is_done_more():
    chance, figures = learned(0.0)
    assert chance > 0.45
    assert figures["distance"] == 0
    assert learned(1e-9)[1]["distance"] > 0


def test_tables_of_many_seats_teach_as_much_as_those_of_few():
    small = np.array([0.01, -0.01, 0.03, 0.01], np.float32)
    assert evened(small) == pytest.approx(evened(10 * small + 5), abs=1e-3)
    assert evened(small).mean() == pytest.approx(0, abs=1e-6)
    assert evened(small).std() == pytest.approx(1, abs=1e-3)
    assert evened(np.full(3, 0.2, np.float32)) == pytest.approx(0, abs=1e-6)


def test_who_only_listens_stays_as_it_is():
    torch.manual_seed(3)
    learner = Learner(Policy(), Critic(), Course(), 1)
    before = [one.clone() for one in (*learner.policy.parameters(), *learner.critic.parameters())]
    figures = learner.learn([lessons_like(np.random.default_rng(3))], Step(1e-2, 0.0, True))
    after = [*learner.policy.parameters(), *learner.critic.parameters()]
    same = [torch.equal(old, new) for old, new in zip(before, after, strict=True)]
    assert all(same[:10])
    assert not any(same[10:])
    assert "misjudged" in figures


def test_the_average_copy_holds_back():
    assert learned(20.0)[0] < learned(0.0)[0] - 0.05


def test_the_average_copy_follows_slowly():
    torch.manual_seed(3)
    learner = Learner(Policy(), Critic(), Course(average=0.25), 1)
    before = [one.clone() for one in learner.average.parameters()]
    learner.learn([lessons_like(np.random.default_rng(3))], Step(1e-2, 0.0))
    parameters = learner.policy.parameters(), learner.average.parameters()
    for old, fast, slow in zip(before, *parameters, strict=True):
        assert torch.allclose(slow, old + 0.25 * (fast - old), atol=1e-6)


def test_what_the_critic_foresaw():
    lessons = lessons_like(np.random.default_rng(1), 10)
    assert explained([replace(lessons, expected=lessons.target)]) == 1
    assert explained([lessons]) == pytest.approx(0, abs=1e-6)


# Who plays.


def test_the_shares_of_all_tables_sum_to_one_and_every_kind_is_there():
    every = list(kinds())
    assert sum(kind.share for kind in every) == pytest.approx(1)
    assert {(kind.seats, kind.variant, kind.edition.name) for kind in every} >= {
        *((seats, None, kind.edition.name) for seats in (3, 4, 5, 6) for kind in every),
        *(
            (2, variant, kind.edition.name)
            for variant in ("surprise", "confrontation")
            for kind in every
        ),
    }
    assert len({(k.edition.name, k.edition.switches) for k in every}) == 4


def test_tables_can_be_shared_out_otherwise():
    every = list(kinds({2: 3, 4: 0, 5: 1}))
    assert sum(kind.share for kind in every) == pytest.approx(1)
    assert {kind.seats for kind in every} == {2, 5}
    assert sum(kind.share for kind in every if kind.seats == 2) == pytest.approx(0.75)


def test_a_learner_sits_at_every_table():
    rng = np.random.default_rng(1)
    for seats in (2, 4, 6):
        alone = Alone(3)(500, seats, rng)
        assert ((alone == LEARNER).sum(1) == 1).all()
        assert set(alone.ravel()) == {LEARNER, 3}
        among = Among(3)(500, seats, rng)
        assert ((among == LEARNER).sum(1) == 1).all()
        shares = [(among == one).mean() * seats / (seats - 1) for one in (1, 2, 3)]
        assert shares == pytest.approx([1 / 3] * 3, abs=0.06)
        league = League(2, 0.3, 0.2, 0.1)(4000, seats, rng)
        assert ((league == LEARNER).sum(1) >= 1).all()
        assert set(league.ravel()) == {CHANCE, LEARNER, LIKENESS, 1, 2}
        shares = [(league == one).any(1).mean() for one in (1, 2, LIKENESS, CHANCE)]
        assert shares == pytest.approx([0.15, 0.15, 0.2, 0.1], abs=0.03)
        assert (League(2, 0.0, 0.0, 0.0)(100, seats, rng) == LEARNER).all()


def test_the_critic_knows_who_plays():
    who = np.array([[LEARNER, 2, LIKENESS, CHANCE]])
    assert company(who).tolist() == [[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]]


def test_a_pool_keeps_old_and_new_copies():
    pool, policy = Pool(most=4), Policy()
    for number in range(9):
        with torch.no_grad():
            policy.last.bias.fill_(number)
        pool.add(policy)
    kept = [int(one.last.bias.item()) for one in pool.kept]
    assert kept[0] == 0
    assert kept[-1] == 8
    assert len(kept) <= 4
    assert set(pool.some(2, np.random.default_rng(1))) == {1, 2}


def test_a_game_without_end_is_broken_off_and_nobody_has_won(monkeypatch):
    kind, rng = Kind(load(), 4, None, 1.0), np.random.default_rng(1)
    monkeypatch.setattr("hoity_training.contest.MOST_ROUNDS", 1)
    won = contest(kind, 50, {}, Alone(CHANCE), rng)
    assert (won.share, won.games) == (0.0, 50)


def test_who_plays_like_all_others_wins_a_fair_share():
    kind = Kind(load(), 4, None, 1.0)
    won = contest(kind, 300, {}, Alone(CHANCE), np.random.default_rng(1))
    assert won.games == 300
    assert won.share == pytest.approx(0.25, abs=0.1)
    assert summed(np.array([1.0, 0.0, 1.0, 0.0])).share == 0.5
    assert summed(np.array([1.0, 0.0, 1.0, 0.0])).within == pytest.approx(
        1.96 * 0.57735 / 2, abs=1e-4
    )


def test_some_go_and_come_back_and_two_are_always_there():
    rng = np.random.default_rng(1)
    table = Table(load(), 4, None, 100, np.random.default_rng(2))
    absences, away, back = Absences(0.02, 0.1), 0, 0
    for _ in range(120):
        before = table.board.present.copy()
        absences.happen(table, rng)
        present = table.board.present
        assert (present.sum(1) >= 2).all()
        away, back = away + (before & ~present).sum(), back + (present & ~before).sum()
        point = table.point
        table.choose(point.at_random(rng))
    assert away > 50
    assert back > 30


# The training as a whole.


def test_the_learner_is_asked_and_others_are_not_learned_from():
    torch.manual_seed(1)
    policy, critic = Policy(), Critic()
    kind = Kind(load(), 4, None, 1.0)
    hall = Hall.opened([kind], 40, Alone(CHANCE), np.random.default_rng(1))
    hall.absences = Absences(0.0, 0.0)
    post: Post = hall.posts[0]
    for _ in range(6):
        hall.move(Players(policy, critic, {}))
    assert post.table.board.present.all()
    for one in post.moments:
        assert (post.who[one.games, one.seats] == LEARNER).all()
        assert (one.rows.count > 1).all()
        assert (one.picked < one.rows.count).all()
    first = post.moments[0]
    assert sorted(first.games) == list(range(40))
    assert first.expected.sum(1) == pytest.approx(np.ones(40), abs=1e-5)


def trained(folder, seed):
    """The weights after two small updates."""
    plan = Plan(seed, 2, games=60, points=6, course=SMALL, listen=0, measure_every=5)
    folder.mkdir()
    torch.manual_seed(9)
    training = Training(plan, folder, Company(likeness=Policy()))
    training.run(float("inf"))
    return training


def test_a_seed_repeats_a_training_and_another_does_not(tmp_path):
    one, same, other = (
        trained(tmp_path / name, seed) for name, seed in (("one", 1), ("same", 1), ("other", 2))
    )
    first, again, third = (
        torch.cat([p.ravel() for p in t.learner.policy.parameters()]) for t in (one, same, other)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, third)
    state = checkpoint(tmp_path / "one" / "checkpoint.pt")
    assert state["about"]["seed"] == 1
    assert torch.equal(policy_of(state, "policy").first.weight, one.learner.policy.first.weight)
    lines = [json.loads(line) for line in (tmp_path / "one" / "log.jsonl").read_text().splitlines()]
    assert lines[0]["plan"]["seed"] == 1
    assert [line["update"] for line in lines[1:]] == [0, 1]
    assert {"entropy", "distance", "explained", "against_chance", "of_likeness"} <= set(lines[1])
