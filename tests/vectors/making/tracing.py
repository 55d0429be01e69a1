"""The glass wall: every draw and every hash behind a building block, in the order they happen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from protocol.crypto import hashing
from protocol.crypto.labels import Label

Entry = dict[str, Any]


@contextmanager
def traced() -> Iterator[list[Entry]]:
    """A list that fills with every hash: label, parts, and all 64 bytes of its SHA-512."""
    found: list[Entry] = []
    real = hashing.wide

    def wide(label: Label, *parts: bytes) -> bytes:
        data = real(label, *parts)
        entry = {"label": label.value, "parts": [part.hex() for part in parts]}
        found.append({**entry, "sha512": data.hex()})
        return data

    hashing.wide = wide
    try:
        yield found
    finally:
        hashing.wide = real


def noted(draw: Callable[[int], bytes], found: list[str]) -> Callable[[int], bytes]:
    """The same draws, each put down in hex."""

    def noting(size: int) -> bytes:
        data = draw(size)
        found.append(data.hex())
        return data

    return noting
