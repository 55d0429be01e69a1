"""Several networks into one: it learns to mix as they do together, whoever was asked."""

from __future__ import annotations

import json

import pytest

np = pytest.importorskip("numpy", reason="the training needs PyTorch: pip install ./training")
torch = pytest.importorskip("torch", reason="the training needs PyTorch: pip install ./training")

from hoity_training import distil, mimic
from hoity_training.critic import Critic
from hoity_training.keeping import load as checkpoint
from hoity_training.keeping import policy_of, save
from hoity_training.policy import NEVER, Policy
from hoity_training.ppo import Course, Learner
from hoity_training.rollout import Hall
from hoity_training.rows import asked
from hoity_training.seating import Mixed
from hoity_training.tables import kinds


def bold(seed):
    """A policy from nothing with a strong opinion."""
    torch.manual_seed(seed)
    made = Policy()
    with torch.no_grad():
        made.last.weight.mul_(400)
    return made.requires_grad_(False)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """Few games teach little at a time."""
    monkeypatch.setattr(mimic, "BATCH", 64)


@pytest.fixture(name="two")
def two_policies():
    return {1: bold(1), 2: bold(2)}


@pytest.fixture(name="hall")
def small_hall():
    tables = list(kinds({2: 0.5, 4: 0.5}))
    return Hall.opened(tables, 48, Mixed(2), np.random.default_rng(5))


def test_every_seat_is_played_by_one_of_the_networks(hall, two):
    who = np.concatenate([one.picked for one in distil.watched(hall, two, 6)])
    assert set(who.tolist()) == {1, 2}
    assert {one.rows.others.shape[1] for one in distil.watched(hall, two, 6)} == {1, 3}


def test_only_what_is_a_choice_is_learned(hall, two):
    for one in distil.watched(hall, two, 12):
        assert len(one.rows) == len(one.picked)
        assert (one.rows.count > 1).all()


def test_each_row_is_answered_by_whoever_is_asked(hall, two):
    seen = distil.watched(hall, two, 8)
    rows, who = [one.rows for one in seen], np.concatenate([one.picked for one in seen])
    found = distil.mixtures(two, rows, who)
    for number, policy in two.items():
        mine = who == number
        own = policy(asked(rows))
        assert torch.allclose(found[mine], own[mine], atol=1e-5)
        assert not torch.allclose(found[~mine], own[~mine], atol=1e-2)


def test_what_is_no_candidate_stays_none(hall, two):
    (seen, *_) = distil.watched(hall, two, 2)
    found = distil.mixtures(two, [seen.rows], seen.picked)
    none = np.arange(found.shape[1]) >= seen.rows.count[:, None]
    assert (found[none] == NEVER).all()
    assert torch.allclose(found.exp().sum(1), torch.ones(len(found)), atol=1e-4)


def test_one_network_is_learned_as_it_is(hall, two):
    hall.seating = Mixed(1)
    for post in hall.posts:
        post.who[:] = 1
    torch.manual_seed(3)
    found = distil.distil(Policy(), {1: two[1]}, hall, 12)
    assert found[-1] < 0.3 * found[0]


def test_the_average_is_nearer_to_both_than_either_is_to_the_other(hall, two):
    average = bold(1).requires_grad_(True)
    distil.distil(average, two, hall, 12)
    rows = [one.rows for one in distil.watched(hall, two, 6)]
    with torch.no_grad():
        logs = {who: policy(asked(rows)) for who, policy in {0: average, **two}.items()}

    def apart(one, other):
        """How far `other` is from `one`, nats a decision."""
        return float((logs[one].exp() * (logs[one] - logs[other])).sum(1).mean())

    assert max(apart(1, 0), apart(2, 0)) < 0.6 * min(apart(1, 2), apart(2, 1))


def test_checkpoints_become_one_that_says_where_it_is_from(tmp_path, capsys):
    paths = [tmp_path / "one.pt", tmp_path / "two.pt"]
    for seed, path in enumerate(paths):
        save(Learner(bold(seed), Critic(), Course(), seed), path, update=0, seed=seed)
    out = tmp_path / "both.pt"
    options = ["--updates", "2", "--seed", "9", "--games", "24", "--out", str(out)]
    distil.main([*map(str, paths), *options])
    told = json.loads(capsys.readouterr().out)
    assert told["networks"] == 2
    assert len(told["distance"]) == 2
    state = checkpoint(out)
    assert state["about"]["seed"] == 9
    assert len(state["about"]["commit"]) == 40
    last = policy_of(checkpoint(paths[-1]), "average").last.weight
    made = policy_of(state, "average").last.weight
    assert not torch.equal(made, last)
    assert torch.equal(made, policy_of(state, "policy").last.weight)
    assert all(
        torch.equal(state["critic"][name], kept)
        for name, kept in checkpoint(paths[-1])["critic"].items()
    )
