"""Tests of the weights that ship: whence they come, and that they play as was recorded."""

import hashlib
import json
from importlib.resources import files
from typing import Any

import pytest
from support.paths import ROOT
from support.rules_driver import Referee
from support.sampling import is_nightly

from p2p_hoity.bots import BOTS, learned
from p2p_hoity.editions.load_edition import load

RECORD = ROOT / "bench" / "hard.json"
MOST = 250_000
"""Bytes that the weights may have."""
FEWER = 4, 3.0, 1
"""How many of the recorded games the quick suite plays, how many of these are won, and `SLACK`."""
SLACK = 2
"""Games that may end otherwise on another machine: the last digit of a sum may differ."""


@pytest.fixture(scope="module")
def record() -> Any:
    return json.loads(RECORD.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def weights() -> bytes:
    return files(learned.__package__ or "").joinpath(learned.WEIGHTS).read_bytes()


def test_the_record_is_of_these_weights_and_all_seats(record: Any, weights: bytes) -> None:
    network = learned.read(weights)
    assert hashlib.sha256(weights).hexdigest() == record["sha256"]
    assert (network.commit, network.seed) == (record["commit"], record["seed"])
    assert len(weights) <= MOST
    pairings = {(duel["one"], duel["others"], duel["seats"]) for duel in record["duels"]}
    for pair in (("hard", "normal"), ("normal", "hard"), ("hard", "random")):
        assert {(*pair, seats) for seats in range(2, 7)} <= pairings
    assert all(duel["games"] >= 100 and duel["within"] >= 0 for duel in record["duels"])


def test_they_play_as_was_recorded(record: Any) -> None:
    """The first games of the duel at four seats are played again: at night all of the record.

    They are of the network alone, without the haste of the hard bot.
    """
    network, normal = learned.shipped().choose, BOTS["normal"]
    first = record["first"]
    games, due, slack = (first["games"], first["won"], SLACK) if is_nightly() else FEWER
    won = 0.0
    for seed in range(games):
        bots = [network if seat == seed % 4 else normal for seat in range(4)]
        won += Referee.seat(load(), 4, seed, None, bots).play().shares[seed % 4]
    assert abs(won - due) <= slack
