"""Weights into bytes: the file that `p2p_hoity.bots.learned` reads."""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import astuple

from p2p_hoity.bots.learned.features import VERSION
from p2p_hoity.bots.learned.policy_network import CHECK, FORMAT, HEADER, MAGIC, Shape

LARGEST = 127
Matrix = Sequence[Sequence[float]]


def pack(
    shape: Shape, layers: Iterable[tuple[Matrix, Sequence[float]]], commit: str, seed: int
) -> bytes:
    """The file of these layers, each (weights by row, biases), in the order of `Shape.layers`;
    `commit` is 40 hexadecimal digits. ValueError if a layer is not of its shape."""
    parts = []
    for (rows, columns), (matrix, bias) in zip(shape.layers, layers, strict=True):
        if (len(matrix), len(bias)) != (rows, rows) or {*map(len, matrix)} != {columns}:
            raise ValueError(f"a layer is not of {rows} rows of {columns} weights and a bias")
        parts.append(_layer(matrix, bias))
    header = HEADER.pack(MAGIC, FORMAT, VERSION, *astuple(shape), bytes.fromhex(commit), seed)
    data = b"".join((header, *parts))
    return data + CHECK.pack(zlib.crc32(data))


def _layer(matrix: Matrix, bias: Sequence[float]) -> bytes:
    """Each row's largest weight becomes 127 of its scale."""
    scales = _floats(max(map(abs, row)) / LARGEST for row in matrix)
    weights = array("b")
    for row, scale in zip(matrix, _numbers(scales), strict=True):
        weights.extend(_rounded(weight, scale) for weight in row)
    return scales + _floats(bias) + weights.tobytes()


def _rounded(weight: float, scale: float) -> int:
    return max(-LARGEST, min(LARGEST, round(weight / scale))) if scale else 0


def _floats(values: Iterable[float]) -> bytes:
    return b"".join(struct.pack("<f", value) for value in values)


def _numbers(data: bytes) -> Sequence[float]:
    return struct.unpack(f"<{len(data) // 4}f", data)
