"""From a checkpoint to the bot and to its measure: the same mixtures, games by the real rules."""

from __future__ import annotations

import json

import pytest

np = pytest.importorskip("numpy", reason="the training needs PyTorch: pip install ./training")
torch = pytest.importorskip("torch", reason="the training needs PyTorch: pip install ./training")

from hoity_training import attack, duel, export, train
from hoity_training.critic import Critic
from hoity_training.keeping import load as checkpoint
from hoity_training.keeping import restore, save
from hoity_training.policy import Policy
from hoity_training.ppo import Course, Learner
from hoity_training.referee import Referee
from hoity_training.rows import Rows, asked
from hoity_training.seating import LEARNER
from hoity_training.train import Plan, Training
from support.dask_cluster import Reaper, begun
from support.random_weights import random_weights

from p2p_hoity.bots import BOTS
from p2p_hoity.bots.learned import read
from p2p_hoity.editions.load_edition import load

COMMIT = "ab" * 20


def test_the_bot_mixes_as_the_policy_that_was_exported(tmp_path):
    torch.manual_seed(5)
    learner = Learner(Policy(), Critic(), Course(), 1)
    with torch.no_grad():
        learner.policy.last.weight.mul_(100)
    save(learner, tmp_path / "checkpoint.pt", commit=COMMIT, seed=9)
    weights = tmp_path / "weights.bin"
    export.main([str(tmp_path / "checkpoint.pt"), str(weights), "--part", "policy"])
    network = read(weights.read_bytes())
    assert (network.commit, network.seed) == (COMMIT, 9)
    rng, shape = np.random.default_rng(2), network.shape
    rows = Rows(
        rng.random((20, shape.own), np.float32),
        rng.random((20, 3, shape.other), np.float32),
        rng.random((80, shape.candidate), np.float32),
        np.full(20, 4),
    )
    exact = export.policy_from(network)(asked([rows])).exp().numpy()
    whole = learner.policy(asked([rows])).exp().detach().numpy()
    assert whole.std() > 0.01
    assert np.abs(exact - whole).max() < 0.02
    for row in range(20):
        base = network.base(rows.own[row].tolist(), rows.others[row].tolist())
        mixture = network.mixture(base, rows.candidates[4 * row : 4 * row + 4].tolist())
        assert mixture == pytest.approx(exact[row], abs=1e-5)


@pytest.mark.parametrize(("seats", "variant"), [(2, "surprise"), (2, "confrontation"), (5, None)])
def test_a_referee_plays_games_to_their_end(seats, variant):
    final = Referee(load(), seats, variant, [BOTS["normal"]] * seats, 3).play()
    assert [line.seat for line in final.standings if line.rank == 1]
    again = Referee(load(), seats, variant, [BOTS["normal"]] * seats, 3).play()
    assert again.standings == final.standings


def test_a_duel_says_what_the_one_seat_won(tmp_path, capsys):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(random_weights(1))
    duel.main([str(weights), "--games", "4", "--seats", "2", "3", "--pairing", "hard", "random"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["one"], line["seats"], line["games"]) for line in lines] == [
        ("hard", 2, 4),
        ("hard", 3, 4),
    ]
    assert all(0 <= line["percent"] <= 100 for line in lines)


def test_a_duel_gives_every_seat_edition_and_variant_its_turn():
    one = duel.Duel("normal", "random", 2, b"")
    assert {one.share(seed) for seed in range(8)} <= {0.0, 0.5, 1.0}


def test_a_duel_ends_the_same_by_a_cluster_of_which_a_worker_is_killed(
    tmp_path, capsys, monkeypatch
):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(random_weights(1))
    words = [str(weights), "--games", "4", "--seats", "2", "--pairing", "hard", "random"]
    duel.main(words)
    here = capsys.readouterr().out
    with begun(2) as local:
        monkeypatch.setattr(duel, "in_order", reaper := Reaper(local))
        duel.main([*words, "--dask", local.scheduler_address])
    assert reaper.killed
    assert capsys.readouterr().out == here


def test_an_attacker_learns_alone_against_frozen_copies(tmp_path, capsys):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(random_weights(1))
    frozen = export.policy_from(read(weights.read_bytes()))
    before = frozen.first.weight.clone()
    given = ["--seed", "1", "--minutes", "1", "--updates", "1", "--out", str(tmp_path / "out")]
    attack.main([str(weights), *given, "--warm", "--seats", "2", "--games", "6"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["seats"] for line in lines] == [2]
    assert all(line["games"] >= 6 and -50 <= line["gain"] <= 50 for line in lines)
    assert torch.equal(before, frozen.first.weight)


def test_a_training_goes_on_from_a_checkpoint_and_from_weights_that_ship(tmp_path):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(random_weights(1))
    frozen = export.policy_from(read(weights.read_bytes()))
    start = train.start_of(weights)
    assert start.critic is None
    assert torch.equal(start.policy.first.weight, frozen.first.weight)
    shares = ["--shares", "1", "0", "0", "0", "0"]
    few = ["--seed", "1", "--minutes", "1", "--updates", "1", "--games", "8", "--listen", "1"]
    train.main([*few, *shares, "--start", str(weights), "--out", str(tmp_path / "out")])
    plan = json.loads((tmp_path / "out" / "log.jsonl").read_text().splitlines()[0])["plan"]
    assert plan["prices"] == {"round": 0.0, "idle": 0.0}
    again = train.start_of(tmp_path / "out" / "checkpoint.pt")
    assert again.critic is not None
    assert torch.equal(again.policy.first.weight, frozen.first.weight)
    assert all(weight.requires_grad for weight in again.policy.parameters())


def test_a_training_has_prices_and_a_copy_that_always_plays_along(tmp_path):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(random_weights(1))
    few = ["--seed", "1", "--minutes", "1", "--updates", "1", "--games", "8", "--listen", "1"]
    prices = ["--idle-price", "0.3", "--round-price", "0.01", "--liked", "0.2", "--copied", "0.5"]
    out = tmp_path / "out"
    train.main([*few, *prices, "--always", str(weights), "--out", str(out)])
    plan = json.loads((out / "log.jsonl").read_text().splitlines()[0])["plan"]
    assert plan["prices"] == {"round": 0.01, "idle": 0.3}
    assert (plan["likeness"], plan["copied"]) == (0.2, 0.5)
    always = export.policy_from(read(weights.read_bytes()))
    company = train.Company(always=always)
    rivals = train.Training(train.Plan(1, 1, games=8), out, company).rivals()
    assert rivals[1] is always
    assert set(rivals) == {1, 2}


@pytest.mark.parametrize("warm", [True, False])
def test_a_warm_attacker_begins_as_what_it_attacks_and_a_cold_one_does_not(tmp_path, warm):
    frozen = export.policy_from(read(random_weights(1)))
    start = attack.begun((frozen,), warm, None)
    policy = attack.attack(Plan(1, 1, games=20), (frozen,), start, [2], tmp_path).learner.policy
    assert torch.equal(policy.first.weight, frozen.first.weight) == warm
    assert policy is not frozen
    assert all(weight.requires_grad for weight in policy.parameters())
    assert not any(weight.requires_grad for weight in frozen.parameters())


def test_an_attacker_may_have_the_critic_of_a_checkpoint(tmp_path):
    frozen = (Policy().requires_grad_(False),)
    assert attack.begun(frozen, True, None).critic is None
    learner = Learner(Policy(), Critic(), Course(), 1)
    kept = tmp_path / "kept.pt"
    save(learner, kept, commit=COMMIT, seed=1)
    critic = attack.begun(frozen, False, kept).critic
    assert critic is not None
    for own, other in zip(critic.parameters(), learner.critic.parameters(), strict=True):
        assert torch.equal(own, other)


def test_an_attacker_learns_to_beat_who_plays_by_chance(tmp_path):
    """A few small updates are no attack, but one that goes the wrong way or nowhere shows here."""
    torch.manual_seed(1)
    chance = Policy().requires_grad_(False)
    plan = Plan(1, 16, games=256, listen=2, course=attack.COURSE, rate=(3e-3, 1e-3))
    training = attack.attack(plan, (chance,), attack.begun((chance,), True, None), [2], tmp_path)
    (before,) = attack.gains(training.learner.policy, (chance,), [2], 800, 1)
    training.run(float("inf"))
    (after,) = attack.gains(training.learner.policy, (chance,), [2], 800, 1)
    assert before["games"] >= 800
    assert before["within"] < 5
    assert after["gain"] > before["gain"] + 10


def test_the_tables_of_an_attack_are_those_of_its_seats():
    tables = attack.attacked_tables([3, 4])
    assert {kind.seats for kind in tables} == {3, 4}
    assert sum(kind.share for kind in tables) == pytest.approx(1)


def test_of_several_networks_each_is_attacked(tmp_path):
    paths = [tmp_path / f"{seed}.bin" for seed in (1, 2, 3)]
    for seed, path in enumerate(paths, 1):
        path.write_bytes(random_weights(seed))
    frozen = [attack.frozen_of(path) for path in paths]
    start = attack.begun(frozen, True, None)
    training = attack.attack(Plan(1, 1, games=200), frozen, start, [3], tmp_path)
    assert torch.equal(training.learner.policy.first.weight, frozen[-1].first.weight)
    who = np.concatenate([post.who for post in training.hall.posts])
    assert set(who.ravel()) == {LEARNER, 1, 2, 3}
    assert set(attack.numbered(frozen)) == {1, 2, 3}


@pytest.fixture(name="few_tables")
def few_tables_of_an_attack(monkeypatch):
    """An update of an attack in a moment."""
    monkeypatch.setattr(attack, "TABLES", 64)


@pytest.mark.usefixtures("few_tables", "capsys")
def test_an_attack_that_was_broken_off_goes_on_where_it_was(tmp_path):
    (tmp_path / "1.bin").write_bytes(random_weights(1))
    out, options = tmp_path / "out", ["--seed", "1", "--updates", "2", "--seats", "2"]
    command = [str(tmp_path / "1.bin"), *options, "--games", "20", "--out", str(out), "--warm"]
    attack.main([*command, "--minutes", "0"])
    state = checkpoint(out / "checkpoint.pt")
    assert state["about"]["update"] == 1
    attack.main([*command, "--minutes", "9", "--resume"])
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert [line.get("update", line.get("first")) for line in lines] == [0, 0, 1, 1]
    first, second = (line["rows"] for line in lines if "rows" in line)
    assert second > 1.5 * first
    ended = checkpoint(out / "checkpoint.pt")
    assert ended["about"]["update"] == 2
    steps = [one["critic_steps"]["state"][0]["step"] for one in (state, ended)]
    assert steps[1] > steps[0] > 0


def test_an_attack_that_was_killed_goes_on_from_what_it_saved_last(tmp_path, monkeypatch):
    plan, frozen = Plan(1, 9, games=64, save_every=2), (Policy().requires_grad_(False),)
    update = Training._update

    def killed_at_the_fourth(training, number):
        if number == 3:
            raise KeyboardInterrupt
        update(training, number)

    monkeypatch.setattr(Training, "_update", killed_at_the_fourth)
    start = attack.begun(frozen, True, None)
    with pytest.raises(KeyboardInterrupt):
        attack.attack(plan, frozen, start, [2], tmp_path).run(float("inf"))
    again = attack.attack(plan, frozen, start, [2], tmp_path)
    again.go_on()
    assert again.first == 3
    assert again.rows == checkpoint(tmp_path / "checkpoint-00002.pt")["about"]["rows"] > 0


def test_what_was_saved_is_restored(tmp_path):
    learners = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        learners.append(Learner(Policy(), Critic(), Course(), seed))
    one, other = learners
    save(one, tmp_path / "one.pt", update=0)
    restore(other, checkpoint(tmp_path / "one.pt"))
    for name in ("policy", "average", "critic"):
        same = zip(getattr(one, name).parameters(), getattr(other, name).parameters(), strict=True)
        assert all(torch.equal(a, b) for a, b in same)


@pytest.mark.usefixtures("few_tables")
def test_an_attack_that_never_began_does_not_go_on(tmp_path, capsys):
    (tmp_path / "1.bin").write_bytes(random_weights(1))
    options = ["--seed", "1", "--minutes", "1", "--seats", "2", "--resume"]
    with pytest.raises(SystemExit) as ended:
        attack.main([str(tmp_path / "1.bin"), *options, "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    assert "checkpoint.pt" in capsys.readouterr().err


@pytest.mark.usefixtures("few_tables")
def test_the_command_attacks_all_that_it_names(tmp_path, capsys):
    for seed in (1, 2):
        (tmp_path / f"{seed}.bin").write_bytes(random_weights(seed))
    files = [str(tmp_path / "1.bin"), str(tmp_path / "2.bin")]
    options = ["--seed", "1", "--minutes", "1", "--updates", "1", "--seats", "2", "--games", "40"]
    attack.main([*files, *options, "--out", str(tmp_path / "out")])
    told = json.loads(capsys.readouterr().out)
    assert told["seats"] == 2
    assert told["games"] >= 40
