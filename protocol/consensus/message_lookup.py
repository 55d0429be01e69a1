"""Where the messages and bases of a change of epoch are found, and what may be wrong with them.

Readings of halts and closes are made once and kept, with what each asked for while it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ..chain.chain_state import Node
from ..wire.signed_messages import Message


class Malformed(Exception):
    """A halt or close that breaks its own form: its signer's doing."""


Lack = bytes | tuple[int, bytes]
"""A message, by its hash, or a base, by its epoch and digest."""


ReadingKey = tuple[bytes, bool]
"""A halt or close, by its hash, and whether it is read as one named in a proof."""


T = TypeVar("T")


class Unknown(Exception):
    """Something a message refers to is not held yet; `lack` says what."""

    def __init__(self, text: str, lack: Lack | None = None) -> None:
        self.lack = lack
        super().__init__(text)


class Void(Exception):
    """Two sealed bases of one epoch: the table is void, with proof."""


class Source(Protocol):
    """Where the messages and bases are found that a message refers to."""

    def message(self, digest: bytes) -> Message:
        """The message with this hash; raises Unknown."""

    def base(self, epoch: int, digest: bytes | None) -> Node:
        """The base of that epoch with this base digest (None: epoch 0); raises Unknown."""

    def once(self, key: ReadingKey, make: Callable[[], T]) -> T:
        """What `make` gives, made once for each reading; a Malformed it raises is kept too.

        A liar could else have one long halt read again by every close and proof that names it.

        SPEC: [V-12].
        """


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
