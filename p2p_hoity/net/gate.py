"""Where strangers stand until they have proven an id: a few at a time, the oldest makes room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import trio


class Gate:
    """Counts connections that have proven nothing yet, in all and for each source.

    A newcomer is always let in: a flood of silent connections then only shortens the time that
    each of them gets, and a quick honest handshake still passes between two of them.
    """

    def __init__(self, most: int, most_per_source: int) -> None:
        self._most = most
        self._most_per_source = most_per_source
        self._waiting: dict[trio.CancelScope, str] = {}  # oldest first

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def standing(self, source: str, seconds: float) -> Iterator[trio.CancelScope]:
        """Stand at the gate for at most seconds; the scope is cancelled to make room."""
        self._make_room(source)
        with trio.move_on_after(seconds) as scope:
            self._waiting[scope] = source
            try:
                yield scope
            finally:
                self._waiting.pop(scope, None)

    def _make_room(self, source: str) -> None:
        counts = Counter(self._waiting.values())
        if counts[source] >= self._most_per_source:
            self._send_away(source)
        elif len(self._waiting) >= self._most:
            self._send_away(counts.most_common(1)[0][0])

    def _send_away(self, source: str) -> None:
        oldest = next(scope for scope, whose in self._waiting.items() if whose == source)
        del self._waiting[oldest]
        oldest.cancel()
