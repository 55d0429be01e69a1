"""Tests of weights: they come back from bytes as they went in; nothing malformed is read."""

import struct
import zlib

import pytest
from support.cases import each, fails
from support.random_weights import COMMIT, random_layers, random_weights

from p2p_hoity.bots.learned import BadWeights, read
from p2p_hoity.bots.learned.policy_network import HEADER, Shape, softmax

DATA = random_weights(4)


def test_weights_are_read_from_a_small_file():
    network = read(DATA)
    assert (network.commit, network.seed, network.shape) == (COMMIT, 4, Shape())
    for layer, (scale, biases, steps) in zip(network.layers, random_layers(4), strict=True):
        assert layer.bias == pytest.approx(biases, abs=1e-6)
        for row, wanted in zip(layer.rows, steps, strict=True):
            assert row == pytest.approx([scale * step for step in wanted], abs=1e-6)
    assert len(DATA) == Shape().size < 250_000


def test_a_mixture_is_that_of_the_formula():
    """Against the same sums written out."""
    shape = Shape()
    network = read(DATA)
    own = [(i % 7) / 7 for i in range(shape.own)]
    others = [[((i + k) % 5) / 5 for i in range(shape.other)] for k in range(3)]
    rows = [[((i * k) % 3) / 3 for i in range(shape.candidate)] for k in range(4)]
    first, second, third, score, last = network.layers

    def times(layer, values):
        return [
            b + sum(w * v for w, v in zip(row, values, strict=True))
            for row, b in zip(layer.rows, layer.bias, strict=True)
        ]

    def positive(values):
        return [max(0.0, value) for value in values]

    seen = [positive(times(first, block)) for block in others]
    total = [sum(block[i] for block in seen) for i in range(shape.seat)]
    h = positive(times(third, positive(times(second, own + total))))
    worths = [times(last, positive(times(score, h + row)))[0] for row in rows]
    assert network.mixture(network.base(own, others), rows) == pytest.approx(softmax(worths))


def changed(at, value):
    """With the sum of what stands before it."""
    body = (DATA[:at] + value + DATA[at + len(value) :])[:-4]
    return body + struct.pack("<I", zlib.crc32(body))


MALFORMED = {
    "empty": (b"", "at least"),
    "short": (DATA[:40], "at least"),
    "cut": (DATA[:-1], "have"),
    "longer": (DATA + b"x", "have"),
    "not weights": (b"x" * len(DATA), "begin"),
    "format": (changed(8, b"\x09\x00"), "format 9"),
    "features": (changed(10, b"\x09\x00"), "features 9"),
    "blocks": (changed(12, b"\x09\x00"), "blocks"),
    "no units": (changed(18, b"\x00\x00"), "unit"),
    "other sizes": (changed(18, b"\x10\x00"), "have"),
    "damaged": (DATA[:500] + bytes([DATA[500] ^ 1]) + DATA[501:], "damaged"),
    "not a number": (changed(HEADER.size, struct.pack("<f", float("nan"))), "numbers"),
    "below zero": (changed(HEADER.size, struct.pack("<f", -1.0)), "numbers"),
}


@each(MALFORMED)
def test_malformed_weights_are_refused(case):
    data, words = MALFORMED[case]
    fails(BadWeights, words, read, data)
