"""The learned bot's policy network in plain Python: how it is read from a file and how it computes.

A candidate is one option of a decision. Its input are three blocks of numbers: the own block (about
the deciding seat), a block about each other seat, and a block about the candidate.

The block of each other seat goes through one layer. The sum of the results and the own block go
through two more layers, which gives a vector h. The value of a candidate is
`last · ReLU(A h + B candidate + b)`. The probabilities of the candidates are the softmax of these
values.

A file is little-endian:

1. MAGIC, the format, the version of the features, the six sizes of `Shape` (16 bits each), the
   commit (20 bytes) and the seed (64 bits).
2. Each layer in the order of `Shape.layers`: the scale of each row (float32), the bias of each row
   (float32), and the weights row by row (int8). A weight is multiplied by the scale of its row.
3. The CRC-32 of everything before it.
"""

from __future__ import annotations

import struct
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from math import exp, isfinite
from operator import add, mul
from typing import Final

from .features import CANDIDATE, OTHER, OWN, VERSION, length

MAGIC: Final = b"hoitynet"
FORMAT: Final = 1
HEADER: Final = struct.Struct("<8sHH6H20sQ")
CHECK: Final = struct.Struct("<I")
Row = Sequence[float]


class BadWeights(ValueError):
    """An error: bytes are no weights for this version of the game."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a network.

    Attributes:
        own: How many numbers describe the deciding seat and the table.
        other: How many numbers describe one other seat.
        candidate: How many numbers describe one candidate.
        seat: The units of the layer for other seats.
        hidden: The units of each of the next two layers.
        score: The units of the layer for candidates.
    """

    own: int = length(OWN)
    other: int = length(OTHER)
    candidate: int = length(CANDIDATE)
    seat: int = 48
    hidden: int = 128
    score: int = 32

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """The number of rows and of columns of each layer's matrix.

        The order is: one layer for other seats, two hidden layers, one for candidates, and the last
        layer. The input of the layer for candidates is the hidden vector, followed by the
        candidate's numbers.
        """
        return (
            (self.seat, self.other),
            (self.hidden, self.own + self.seat),
            (self.hidden, self.hidden),
            (self.score, self.hidden + self.candidate),
            (1, self.score),
        )

    @property
    def size(self) -> int:
        """The number of bytes of a file with a network of these sizes."""
        layers = sum(rows * (columns + 8) for rows, columns in self.layers)
        return HEADER.size + layers + CHECK.size


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer, which is a matrix and a bias."""

    rows: tuple[Row, ...]
    bias: Row

    def of(self, values: Row) -> list[float]:
        """Multiply the matrix by a vector and add the bias."""
        return [sum(map(mul, row, values), b) for row, b in zip(self.rows, self.bias, strict=True)]

    def split(self, at: int) -> tuple[Layer, Layer]:
        """Split the layer by the columns of its matrix. The second part has bias 0."""
        first = tuple(row[:at] for row in self.rows)
        second = tuple(row[at:] for row in self.rows)
        return Layer(first, self.bias), Layer(second, (0.0,) * len(second))


def relu(values: Iterable[float]) -> list[float]:
    """Replace the numbers below 0 by 0."""
    return [value if value > 0 else 0.0 for value in values]


def softmax(worths: Sequence[float]) -> list[float]:
    """Return probabilities that are proportional to the exponentials of values."""
    top = max(worths)
    # The exponents are at most 0, so that `exp` cannot overflow.
    weights = [exp(worth - top) for worth in worths]
    total = sum(weights)
    return [weight / total for weight in weights]


@dataclass(frozen=True)
class PolicyNetwork:
    """A network, with a note of the training from which it came.

    Attributes:
        layers: In the order of `Shape.layers`.
        commit: The commit of the training's code, in hexadecimal.
    """

    shape: Shape
    layers: tuple[Layer, ...]
    commit: str
    seed: int

    @cached_property
    def _parts(self) -> tuple[Layer, ...]:
        """The layers, with the one for candidates split into A and B of the module's docstring."""
        return (*self.layers[:3], *self.layers[3].split(self.shape.hidden), self.layers[4])

    def base(self, own: Row, others: Sequence[Row]) -> list[float]:
        """Return the part of a decision that is the same for all candidates: A h + b."""
        seats, first, second, a, _, _ = self._parts
        seen = [relu(seats.of(block)) for block in others]
        return a.of(relu(second.of(relu(first.of((*own, *map(sum, zip(*seen, strict=True))))))))

    def mixture(self, base: Row, candidates: Iterable[Row]) -> list[float]:
        """Return the probability of each candidate, from what `base` returned."""
        b, last = self._parts[4:]
        hidden = (relu(map(add, base, b.of(row))) for row in candidates)
        return softmax([last.of(row)[0] for row in hidden])


def read(data: bytes) -> PolicyNetwork:
    """Read a network from the bytes of a file of weights.

    Raises:
        BadWeights: If the bytes are damaged, or of another version.
    """
    if len(data) < HEADER.size + CHECK.size:
        raise BadWeights(f"weights have at least {HEADER.size + CHECK.size} bytes, not {len(data)}")
    magic, form, features, *sizes, commit, seed = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise BadWeights("these bytes do not begin as weights do")
    if (form, features) != (FORMAT, VERSION):
        raise BadWeights(
            f"weights of format {form} for features {features}; known are {FORMAT} and {VERSION}"
        )
    shape = _shape(sizes)
    # Before anything is read by these sizes, so that no slice below is short.
    if len(data) != shape.size:
        raise BadWeights(f"weights of these shapes have {shape.size} bytes, not {len(data)}")
    if CHECK.unpack(data[-CHECK.size :]) != (zlib.crc32(data[: -CHECK.size]),):
        raise BadWeights("the weights are damaged: their sum does not match")
    found, at = [], HEADER.size
    for rows, columns in shape.layers:
        end = at + rows * (columns + 8)
        found.append(_layer(data[at:end], rows, columns))
        at = end
    return PolicyNetwork(shape, tuple(found), commit.hex(), seed)


def _shape(sizes: Sequence[int]) -> Shape:
    """Return sizes as a `Shape`, or raise `BadWeights` if they do not fit the features."""
    shape, known = Shape(*sizes), Shape()
    if astuple(shape)[:3] != astuple(known)[:3]:
        raise BadWeights(f"weights for blocks of {sizes[:3]}, not of {list(astuple(known)[:3])}")
    if not all(sizes):
        raise BadWeights(f"a layer has at least one unit: {sizes[3:]}")
    return shape


def _layer(data: bytes, rows: int, columns: int) -> Layer:
    """Read one layer from its bytes: the scales, the biases and the 8-bit weights of its rows.

    Raises:
        BadWeights: If a scale is negative, or a scale or bias is no finite number.
    """
    scales, bias = _floats(data[: 4 * rows]), _floats(data[4 * rows : 8 * rows])
    # One number that is not finite would spread to all probabilities, and no draw would work.
    if not all(map(isfinite, (*scales, *bias))) or min(scales) < 0:
        raise BadWeights("scales are numbers of at least 0, and every bias is a number")
    weights = array("b", data[8 * rows :])
    matrix = tuple(
        tuple(scale * weight for weight in weights[row * columns : (row + 1) * columns])
        for row, scale in enumerate(scales)
    )
    return Layer(matrix, bias)


def _floats(data: bytes) -> tuple[float, ...]:
    """Read little-endian floating-point numbers of 32 bits."""
    found = array("f", data)
    if sys.byteorder == "big":
        found.byteswap()
    return tuple(found)
