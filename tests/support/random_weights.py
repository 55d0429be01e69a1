"""A network of random weights, for tests of what does not depend on skill."""

import random

from p2p_hoity.bots.learned.policy_network import Shape
from training.packing import pack

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def matrices(seed: int, shape: Shape = Shape()) -> list[tuple[list[list[float]], list[float]]]:  # noqa: B008
    """Layers of the shape, each (weights by row, biases)."""
    rng = random.Random(seed)
    return [
        (
            [[rng.gauss(0, 2 / columns**0.5) for _ in range(columns)] for _ in range(rows)],
            [rng.gauss(0, 0.1) for _ in range(rows)],
        )
        for rows, columns in shape.layers
    ]


def random_weights(seed: int) -> bytes:
    """The bytes of such a network."""
    return pack(Shape(), matrices(seed), COMMIT, seed)
