"""Memoised readings of halts and closes, and what each asked for while it was made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .source import Malformed, ReadingKey

T = TypeVar("T")
BaseKey = tuple[int, bytes]
"""(epoch, base digest)."""


@dataclass
class Reading:
    """What one reading gave, what it asked for by itself, and the readings it rests on."""

    made: Any = None
    error: Malformed | None = None
    used: set[bytes] = field(default_factory=set)
    asked: set[BaseKey] = field(default_factory=set)
    rests: set[ReadingKey] = field(default_factory=set)


class Readings:
    """The readings of one file or table, nested as they were made ([V-12])."""

    def __init__(self) -> None:
        """No reading yet."""
        self._made: dict[ReadingKey, Reading] = {}
        self._open: list[Reading] = [Reading()]

    @property
    def top(self) -> Reading:
        """The reading that is being made."""
        return self._open[-1]

    def fresh(self) -> Reading:
        """Begin a reading that nothing else rests on."""
        self._open = [Reading()]
        return self.top

    def once(self, key: ReadingKey, make: Callable[[], T]) -> tuple[T, int]:
        """What `make` gives, and for one made before how many messages it had asked for."""
        reading, known = self._made.get(key), 0
        if reading is None:
            reading = self._make(make)
            self._made[key] = reading
        else:
            known = len(reading.used)
        self.top.rests.add(key)
        if reading.error is not None:
            raise reading.error
        return reading.made, known

    def _make(self, make: Callable[[], T]) -> Reading:
        reading = Reading()
        self._open.append(reading)
        try:
            reading.made = make()
        except Malformed as error:
            reading.error = error
        finally:
            self._open.pop()
        return reading

    def beneath(self, readings: Iterable[Reading], seen: set[ReadingKey]) -> Iterator[Reading]:
        """These readings and all they rest on, but nothing in `seen`, which grows."""
        rest = list(readings)
        while rest:
            reading = rest.pop()
            yield reading
            fresh = reading.rests - seen
            seen |= fresh
            rest += [self._made[key] for key in fresh]
