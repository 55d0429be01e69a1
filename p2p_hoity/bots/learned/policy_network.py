"""The policy network as plain numbers: read from bytes, and what it makes of a decision.

Each other seat's block goes through one layer; their sum and the own block through two more to h.
A candidate's worth is `last · ReLU(A h + B candidate + b)`; the mixture is the softmax of them.

The file, little-endian: MAGIC, format, version of the features, the six sizes of `Shape` (16 bits
each), commit (20 bytes), seed (64 bits); then by `Shape.layers` each layer: by row its scale
(float32), by row its bias (float32), its weights row by row (int8, to be multiplied by the row's
scale); at the end the CRC-32 of all before it.
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
    """These bytes are no weights that fit this version of the game."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How many numbers each block has, and how many units each layer."""

    own: int = length(OWN)
    other: int = length(OTHER)
    candidate: int = length(CANDIDATE)
    seat: int = 48
    hidden: int = 128
    score: int = 32

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """(rows, columns) of: others' block, first and second hidden layer, [A B], last."""
        return (
            (self.seat, self.other),
            (self.hidden, self.own + self.seat),
            (self.hidden, self.hidden),
            (self.score, self.hidden + self.candidate),
            (1, self.score),
        )

    @property
    def size(self) -> int:
        """Bytes of a whole file."""
        layers = sum(rows * (columns + 8) for rows, columns in self.layers)
        return HEADER.size + layers + CHECK.size


@dataclass(frozen=True, slots=True)
class Layer:
    """A matrix by rows, and a bias for each row."""

    rows: tuple[Row, ...]
    bias: Row

    def of(self, values: Row) -> list[float]:
        """The matrix times the values, plus the bias."""
        return [sum(map(mul, row, values), b) for row, b in zip(self.rows, self.bias, strict=True)]

    def split(self, at: int) -> tuple[Layer, Layer]:
        """The first `at` columns with the bias, and the others with none."""
        first = tuple(row[:at] for row in self.rows)
        second = tuple(row[at:] for row in self.rows)
        return Layer(first, self.bias), Layer(second, (0.0,) * len(second))


def relu(values: Iterable[float]) -> list[float]:
    """Everything below 0 becomes 0."""
    return [value if value > 0 else 0.0 for value in values]


def softmax(worths: Sequence[float]) -> list[float]:
    """Chances that grow with the worths and sum to 1."""
    top = max(worths)
    weights = [exp(worth - top) for worth in worths]
    total = sum(weights)
    return [weight / total for weight in weights]


@dataclass(frozen=True)
class PolicyNetwork:
    """One network; `commit` (hex) and `seed` say which training it came from."""

    shape: Shape
    layers: tuple[Layer, ...]
    commit: str
    seed: int

    @cached_property
    def _parts(self) -> tuple[Layer, ...]:
        """The layers, the one of the candidates as A and B apart."""
        return (*self.layers[:3], *self.layers[3].split(self.shape.hidden), self.layers[4])

    def base(self, own: Row, others: Sequence[Row]) -> list[float]:
        """What a decision adds to each of its candidates: A h + b."""
        seats, first, second, a, _, _ = self._parts
        seen = [relu(seats.of(block)) for block in others]
        return a.of(relu(second.of(relu(first.of((*own, *map(sum, zip(*seen, strict=True))))))))

    def mixture(self, base: Row, candidates: Iterable[Row]) -> list[float]:
        """How likely each of the candidates is to be chosen."""
        b, last = self._parts[4:]
        hidden = (relu(map(add, base, b.of(row))) for row in candidates)
        return softmax([last.of(row)[0] for row in hidden])


def read(data: bytes) -> PolicyNetwork:
    """The network in these bytes. BadWeights if they are damaged, or of another version."""
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
    shape, known = Shape(*sizes), Shape()
    if astuple(shape)[:3] != astuple(known)[:3]:
        raise BadWeights(f"weights for blocks of {sizes[:3]}, not of {list(astuple(known)[:3])}")
    if not all(sizes):
        raise BadWeights(f"a layer has at least one unit: {sizes[3:]}")
    return shape


def _layer(data: bytes, rows: int, columns: int) -> Layer:
    scales, bias = _floats(data[: 4 * rows]), _floats(data[4 * rows : 8 * rows])
    if not all(map(isfinite, (*scales, *bias))) or min(scales) < 0:
        raise BadWeights("scales are numbers of at least 0, and every bias is a number")
    weights = array("b", data[8 * rows :])
    matrix = tuple(
        tuple(scale * weight for weight in weights[row * columns : (row + 1) * columns])
        for row, scale in enumerate(scales)
    )
    return Layer(matrix, bias)


def _floats(data: bytes) -> tuple[float, ...]:
    found = array("f", data)
    if sys.byteorder == "big":
        found.byteswap()
    return tuple(found)
