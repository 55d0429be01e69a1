"""The weights that ship: which they are, whence they come, and that they play as was recorded."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from importlib.resources import files
from random import Random
from typing import Any

import pytest
from support.paths import ROOT
from support.rules_driver import Referee

from p2p_hoity.bots import for_game, learned
from p2p_hoity.editions import load

RECORD = ROOT / "bench" / "hard.json"
MOST = 250_000
"""Bytes that the weights may have."""
SLACK = 2
"""Games that may end otherwise on another machine: the last digit of a sum may differ."""


@pytest.fixture(scope="module")
def record() -> Any:
    return json.loads(RECORD.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def weights() -> bytes:
    return files(learned.__package__ or "").joinpath(learned.WEIGHTS).read_bytes()


def test_the_record_is_of_these_weights(record: Any, weights: bytes) -> None:
    networks = learned.read_all(weights)
    assert hashlib.sha256(weights).hexdigest() == record["sha256"]
    assert [{"commit": one.commit, "seed": one.seed} for one in networks] == record["networks"]
    assert len(weights) <= MOST


def test_it_says_how_good_they_are_at_every_number_of_seats(record: Any) -> None:
    pairings = {(duel["one"], duel["others"], duel["seats"]) for duel in record["duels"]}
    for pair in (("hard", "normal"), ("normal", "hard"), ("hard", "random")):
        assert {(*pair, seats) for seats in range(2, 7)} <= pairings
    assert all(duel["games"] >= 100 and duel["within"] >= 0 for duel in record["duels"])


def test_they_play_as_was_recorded(record: Any) -> None:
    """The first games of the duel at four seats, played again."""
    first = record["first"]
    won = sum(_share(seed) for seed in range(first["games"]))
    assert abs(won - first["won"]) <= SLACK


def _share(seed: int) -> float:
    place = seed % 4
    bots = [
        for_game("hard" if seat == place else "normal", Random(f"{seed}/{seat}"))
        for seat in range(4)
    ]
    return Referee.seat(load(), 4, seed, None, bots).play().shares[place]


def test_every_network_plays_and_each_as_often_as_another() -> None:
    networks = learned.shipped().networks
    drawn = Counter(learned.drawn(Random(seed)).networks for seed in range(300))
    assert {one for (one,) in drawn} == set(networks)
    assert min(drawn.values()) > 300 / len(networks) / 2


def test_a_bot_plays_a_whole_game_by_one_network_and_another_game_by_another() -> None:
    (first,), (again,) = (_networks(for_game("hard", Random(1))) for _ in range(2))
    assert first is again
    assert len({_networks(for_game("hard", Random(seed))) for seed in range(40)}) > 1


def _networks(bot: Any) -> tuple[learned.Network, ...]:
    found: tuple[learned.Network, ...] = bot.__self__.networks
    return found
