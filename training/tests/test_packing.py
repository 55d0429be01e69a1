"""Weights come back from their bytes as they went in, and only in their shape."""

import random

import pytest
from hoity_training.packing import pack
from support.cases import fails
from support.random_weights import COMMIT

from p2p_hoity.bots.learned import read
from p2p_hoity.bots.learned.policy_network import Shape


def matrices(seed: int) -> list[tuple[list[list[float]], list[float]]]:
    """Return random layers, each the weights by row and the biases."""
    rng = random.Random(seed)
    return [
        (
            [[rng.gauss(0, 2 / columns**0.5) for _ in range(columns)] for _ in range(rows)],
            [rng.gauss(0, 0.1) for _ in range(rows)],
        )
        for rows, columns in Shape().layers
    ]


def test_weights_come_back_from_a_small_file_and_only_in_their_shape() -> None:
    data = pack(Shape(), matrices(4), COMMIT, 4)
    network = read(data)
    assert (network.commit, network.seed, network.shape) == (COMMIT, 4, Shape())
    for layer, (matrix, bias) in zip(network.layers, matrices(4), strict=True):
        assert layer.bias == pytest.approx(bias, abs=1e-6)
        for row, wanted in zip(layer.rows, matrix, strict=True):
            step = max(map(abs, wanted)) / 127
            assert row == pytest.approx(wanted, abs=0.51 * step)
    assert len(data) == Shape().size
    layers = matrices(2)
    layers[0][0][0] = [0.0] * Shape().other
    assert set(read(pack(Shape(), layers, COMMIT, 2)).layers[0].rows[0]) == {0.0}
    layers = matrices(2)
    layers[1][0].pop()
    fails(ValueError, "rows", pack, Shape(), layers, COMMIT, 2)
