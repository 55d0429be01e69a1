"""The lending desk: each halt and close is read once, and what every reading asked for is noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .source import Malformed, Reading

T = TypeVar("T")
Key = tuple[int, bytes]
"""(epoch, base digest)."""


@dataclass
class Slip:
    """What one reading gave, what it asked for by itself, and the readings it rests on."""

    made: Any = None
    error: Malformed | None = None
    used: set[bytes] = field(default_factory=set)
    asked: set[Key] = field(default_factory=set)
    rests: set[Reading] = field(default_factory=set)


class Slips:
    """The readings of one file or table, nested as they were made ([V-12])."""

    def __init__(self) -> None:
        """No reading yet."""
        self._made: dict[Reading, Slip] = {}
        self._open: list[Slip] = [Slip()]

    @property
    def top(self) -> Slip:
        """The slip of the reading that is being made."""
        return self._open[-1]

    def fresh(self) -> Slip:
        """Begin a reading that nothing else rests on."""
        self._open = [Slip()]
        return self.top

    def once(self, reading: Reading, make: Callable[[], T]) -> tuple[T, int]:
        """What `make` gives, and for one made before how many messages it had asked for."""
        slip, known = self._made.get(reading), 0
        if slip is None:
            slip = self._make(make)
            self._made[reading] = slip
        else:
            known = len(slip.used)
        self.top.rests.add(reading)
        if slip.error is not None:
            raise slip.error
        return slip.made, known

    def _make(self, make: Callable[[], T]) -> Slip:
        slip = Slip()
        self._open.append(slip)
        try:
            slip.made = make()
        except Malformed as error:
            slip.error = error
        finally:
            self._open.pop()
        return slip

    def beneath(self, slips: Iterable[Slip], seen: set[Reading]) -> Iterator[Slip]:
        """These slips and all they rest on, but nothing in `seen`, which grows."""
        rest = list(slips)
        while rest:
            slip = rest.pop()
            yield slip
            fresh = slip.rests - seen
            seen |= fresh
            rest += [self._made[reading] for reading in fresh]
