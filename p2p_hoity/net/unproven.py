"""Limits on connections that have not proven an id: few at once; the least advanced go first."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Protocol, TypeVar

import trio


class HasSource(Protocol):
    """A link or a newcomer that is charged to a machine."""

    @property
    def source(self) -> str:
        """The machine."""
        ...


S = TypeVar("S", bound=HasSource)


def of_the_fullest(those: Sequence[S]) -> list[S]:
    """Those of the sources that have most of them; none of none."""
    counts = Counter(one.source for one in those)
    most = max(counts.values(), default=0)
    return [one for one in those if counts[one.source] == most]


def one_to_make_room(those: Sequence[S], source: str) -> S | None:
    """One by lot of the source that has most, for a newcomer of another; None if that one would
    then have as many. So sources that fill all places lock out nobody who needs few."""
    counts = Counter(one.source for one in those)
    if max(counts.values(), default=0) <= counts[source] + 1:
        return None
    return random.choice(of_the_fullest(those))


class Stage(IntEnum):
    """How far a newcomer has come; each stage costs it more than the one before."""

    SILENT = 0
    SPOKE = 1
    GREETED = 2
    """It sent what a TLS handshake begins with, and was answered."""
    SECURED = 3
    """The TLS handshake is done."""


class UnprovenStream(trio.abc.Stream):
    """The stream of a connection that has proven nothing; it notes how far it has come."""

    def __init__(self, stream: trio.abc.Stream, source: str) -> None:
        self.stream = stream
        self.source = source
        self.stage = Stage.SILENT
        self.scope = trio.CancelScope()

    def reach(self, stage: Stage) -> None:
        """It has come so far, and never falls back."""
        self.stage = max(self.stage, stage)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send; a listener speaks only to who has spoken."""
        self.reach(Stage.GREETED)
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """As of the stream."""
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive."""
        data = await self.stream.receive_some(max_bytes)
        if data:
            self.reach(Stage.SPOKE)
        return data

    async def aclose(self) -> None:
        """Close."""
        await self.stream.aclose()


class UnprovenConnections:
    """Counts connections that have proven nothing yet, in all and for each source ([L-12]).

    A newcomer is always let in. Whoever makes room for it has come least far; among those it is of
    the source that has most of them here; among these the lot decides, so that a flood of what
    looks like the honest only lowers their chance at one try and locks nobody out.
    """

    def __init__(self, most: int, most_per_source: int) -> None:
        self._most = most
        self._most_per_source = most_per_source
        self._waiting: set[UnprovenStream] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def counted(self, newcomer: UnprovenStream, seconds: float) -> Iterator[None]:
        """Count here for at most seconds; the scope is cancelled to make room."""
        self._make_room(newcomer.source)
        with newcomer.scope:
            newcomer.scope.deadline = trio.current_time() + seconds
            self._waiting.add(newcomer)
            try:
                yield
            finally:
                self._waiting.discard(newcomer)

    def _make_room(self, source: str) -> None:
        same = [one for one in self._waiting if one.source == source]
        if len(same) >= self._most_per_source:
            self._send_away(same)
        elif len(self._waiting) >= self._most:
            self._send_away(list(self._waiting))

    def _send_away(self, those: list[UnprovenStream]) -> None:
        least = min(one.stage for one in those)
        behind = [one for one in those if one.stage == least]
        lot = random.choice(of_the_fullest(behind))
        self._waiting.discard(lot)
        lot.scope.cancel()
