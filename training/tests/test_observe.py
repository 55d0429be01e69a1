"""What deciding seats see of many games at once is what each of them sees in plain Python."""

from __future__ import annotations

import random
from itertools import product

import pytest

np = pytest.importorskip("numpy", reason="the simulator needs numpy")

from agreement import CALM, UNRULY, Beside, Unrest
from hoity_training.observe import Eyes
from hoity_training.sim import Table
from support.sampling import sample
from support.unruly_games import TABLES

from p2p_hoity.bots.learned import sight_of
from p2p_hoity.bots.learned.move_candidates import picks
from p2p_hoity.bots.learned.observation import other_blocks, own_block
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import expected, view
from p2p_hoity.rules.edition import SWITCH_VALUES

SWITCHES = list(product(("staged", "together"), (False, True), ("after", "before")))
CLOSE = 1e-6


class Watched(Beside):
    """Both, and what is seen on both sides."""

    def _answer(self, point):
        self.seen = Eyes(self.table.board).see(point)
        assert len(self.seen.own) == len(self.seen.others) == len(point)
        assert len(self.seen.candidates) == len(point.option)
        return super()._answer(point)

    def _check_due(self, mirror, point, rows):
        super()._check_due(mirror, point, rows)
        for row in self.rng.sample(rows, (len(rows) + 1) // 2):
            seat = int(point.seats[row])
            seen = view(mirror.state, seat, mirror.private(seat))
            scene = sight_of(seen, expected(mirror.state))
            assert close(self.seen.own[row], own_block(scene))
            assert close(self.seen.others[row], other_blocks(scene))
            self._check_candidates(mirror, point, row, picks(scene))

    def _check_candidates(self, mirror, point, row, found):
        nth = int((point.games[:row] == point.games[row]).sum()) if point.kind == "theft" else 0
        candidates = slice(point.first[row], point.first[row] + point.count[row])
        pick = found[nth]
        assert close(self.seen.candidates[candidates], [one.numbers for one in pick])
        options = point.option[candidates].tolist()
        assert options == [self._as_written(mirror, point, one.choice) for one in pick]

    def _as_written(self, mirror, point, choice):
        return self._written(mirror, point, choice)


def close(ours, theirs):
    return np.allclose(ours, np.array(theirs), rtol=0, atol=CLOSE)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("unrest", [CALM, UNRULY], ids=["calm", "unruly"])
@pytest.mark.parametrize(("name", "seats", "variant"), sample(TABLES, 2, "observed tables"))
def test_both_see_the_same(name, seats, variant, unrest: Unrest):
    switches = zip(SWITCH_VALUES, SWITCHES[(seats + len(name)) % len(SWITCHES)], strict=True)
    edition = load(name).with_switches(**dict(switches))
    table = Table(edition, seats, variant, 1, np.random.default_rng(seats))
    watched = Watched(table, random.Random(seats), unrest)
    watched.play(1)
    assert watched.decisions > 40


def test_a_number_that_differs_is_told(monkeypatch):
    table = Table(load(), 3, None, 1, np.random.default_rng(1))
    watched = Watched(table, random.Random(1))
    see = Eyes.see

    def spoilt(eyes, point):
        seen = see(eyes, point)
        seen.own[:, 20] += 2 * CLOSE
        return seen

    monkeypatch.setattr(Eyes, "see", spoilt)
    with pytest.raises(AssertionError):
        watched.play(1)
