"""A likeness of a bot: what it was asked, what it chose, and a policy that chooses alike."""

from __future__ import annotations

import json

import pytest

np = pytest.importorskip("numpy", reason="the training needs PyTorch: pip install ./training")
torch = pytest.importorskip("torch", reason="the training needs PyTorch: pip install ./training")

from hoity_training import mimic
from hoity_training.keeping import load as checkpoint
from hoity_training.tables import Kind
from support.rules_driver import plays, table

from p2p_hoity.bots.learned import sight_of
from p2p_hoity.bots.learned.move_candidates import picks
from p2p_hoity.editions.load_edition import load


def test_a_choice_that_is_no_candidate_is_taken_for_the_nearest():
    referee = table(load(), 3, {0: "A1 A2 B1 A4"})
    due = referee.until("show", action=plays(referee.state, s0="Exhibit", s1="Thief:0"))
    scene = sight_of(referee.view(0), due)
    (pick,) = picks(scene)
    assert [one.choice for one in pick] == [(0, 1, 3), (0, 1, 2, 3), (0, 1, 2)]
    assert mimic.nearest(scene, pick, (0, 1, 2, 3)) == 1
    assert mimic.nearest(scene, pick, (0, 1, 2)) == 2
    assert mimic.nearest(scene, pick, (1, 2, 3)) == 1


def test_a_younger_piece_is_taken_for_the_oldest_of_its_letter():
    referee = table(load(), 3, {0: "A2 A1 B2 B1"})
    places, actions = dict.fromkeys(range(3), 0), plays(referee.state, s0="Exhibit", s2="Thief:0")
    due = referee.until("theft", place=places, action=actions, exhibit={0: (0, 1, 2, 3)})
    scene = sight_of(referee.view(2), due)
    (pick,) = picks(scene)
    slots = [one.choice for one in pick]
    letters = [scene.view.piece(slot).letter for slot in slots]
    other = next(
        slot for slot in (0, 1, 2, 3) if slot in referee.state.exhibits[0] and slot not in slots
    )
    assert letters[mimic.nearest(scene, pick, other)] == scene.view.piece(other).letter


def test_what_a_bot_was_asked_and_chose_is_kept():
    seen = mimic.watched("normal", Kind(load(), 4, None, 1.0), 1)
    assert len(seen.rows) == len(seen.picked) > 100
    assert (seen.picked < seen.rows.count).all()
    assert (seen.rows.count > 1).all()
    again = mimic.watched("normal", Kind(load(), 4, None, 1.0), 1)
    assert (again.picked == seen.picked).all()


def test_a_likeness_chooses_more_alike_the_longer_it_learns(tmp_path, capsys):
    out = tmp_path / "normal.pt"
    mimic.main(["normal", "--games", "12", "--epochs", "40", "--out", str(out)])
    told = json.loads(capsys.readouterr().out)
    assert told["cross_entropy"][-1] < told["cross_entropy"][0] - 0.02
    assert checkpoint(out)["about"]["bot"] == "normal"
