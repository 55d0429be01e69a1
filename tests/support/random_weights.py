"""A network of random weights, for tests of what does not depend on skill."""

import random
import struct
import zlib
from dataclasses import astuple

from p2p_hoity.bots.learned.features import VERSION
from p2p_hoity.bots.learned.policy_network import CHECK, FORMAT, HEADER, MAGIC, Shape

COMMIT = "0123456789abcdef0123456789abcdef01234567"
WIDTH = 42
"""The standard deviation of a weight, in steps of its row's scale."""


def random_layers(seed: int) -> list[tuple[float, list[float], list[list[int]]]]:
    """Return of each layer the scale of its rows, its biases, and its weights in steps."""
    rng, found = random.Random(seed), []
    for rows, columns in Shape().layers:
        biases = [rng.gauss(0, 0.1) for _ in range(rows)]
        steps = [
            [max(-127, min(127, round(rng.gauss(0, WIDTH)))) for _ in range(columns)]
            for _ in range(rows)
        ]
        found.append((2 / columns**0.5 / WIDTH, biases, steps))
    return found


def random_weights(seed: int) -> bytes:
    """Return the file of such a network."""
    data = HEADER.pack(MAGIC, FORMAT, VERSION, *astuple(Shape()), bytes.fromhex(COMMIT), seed)
    for scale, biases, steps in random_layers(seed):
        numbers = [*[scale] * len(biases), *biases]
        data += struct.pack(f"<{len(numbers)}f", *numbers)
        data += b"".join(struct.pack(f"{len(row)}b", *row) for row in steps)
    return data + CHECK.pack(zlib.crc32(data))
