"""What a relay notes of itself: how often what happened, how late it is; nothing of who or what.

A log has one line for an event, without ids, tokens or contents, and no more lines than an honest
day needs. Whence someone comes stands there as a word that means nothing outside this process,
unless who runs the relay wants addresses.
"""

from __future__ import annotations

import hashlib
import secrets
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, TextIO

import trio

from protocol.bounds import Pace, Quota, Seconds

from ..net.link_limits import Bucket

LATE: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Bounds, in seconds, of the classes of lateness that are counted."""


PROBE: Final[Seconds] = 0.25
"""Seconds from one look at the lateness to the next."""


LINES: Final[Pace] = (200, 20.0)
"""Lines of the log that are written at once, and a second after that."""


KEPT_LINES: Final[Quota] = 1000
"""Lines that wait for who reads the log; more are left out."""


class Event(StrEnum):
    """What can happen at a relay."""

    CAME = "came"
    SECURED = "secured"
    SEATED = "seated"
    UNSEATED = "unseated"
    OBSERVED = "observed"
    CALLED = "called"
    SPLICED = "spliced"
    PARTED = "parted"
    REFUSED = "refused"
    DRAINS = "drains"
    CLOSES = "closes"


LOGGED: Final = frozenset(Event) - {Event.CAME, Event.SECURED, Event.OBSERVED, Event.CALLED}
"""Strangers who do nothing but come leave no line: they could fill a disk."""


class Watch:
    """Counts for metrics, and lines for a log if one is kept."""

    def __init__(self, log: Callable[[str], None] | None = None, with_addresses: bool = False):
        self.events: Counter[Event] = Counter()
        self.refused: Counter[str] = Counter()
        self.carried = 0
        """Bytes of the splices that are over."""
        self.late = [0] * (len(LATE) + 1)
        """How often this process was late by up to each bound, then by more."""
        self.lateness = 0.0
        self._log, self._with_addresses = log, with_addresses
        self._key = secrets.token_bytes(16)
        self._lines = Bucket(LINES)
        self._left_out = 0

    def note(self, event: Event, source: str = "", **fields: str | int) -> None:
        """It happened, by the doing of someone from this machine; fields name nobody."""
        self.events[event] += 1
        if "verdict" in fields:
            self.refused[str(fields["verdict"])] += 1
        if self._log is not None and event in LOGGED:
            self._write(self._log, event, source, fields)

    def _write(
        self, log: Callable[[str], None], event: Event, source: str, fields: dict[str, str | int]
    ) -> None:
        if not self._lines.take_if_any(trio.current_time()):
            self._left_out += 1
            return
        more: dict[str, str | int] = {"from": self._word(source)} if source else {}
        more |= fields
        if self._left_out:
            more["lines-left-out"] = self._left_out
            self._left_out = 0
        when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        log(" ".join([when, event.value, *(f"{name}={value}" for name, value in more.items())]))

    def _word(self, source: str) -> str:
        """The same for one machine while this process runs, and worth nothing afterwards."""
        if self._with_addresses:
            return source
        return hashlib.blake2b(source.encode(), digest_size=4, key=self._key).hexdigest()

    async def look(self) -> None:
        """Note how late this process is, until cancelled."""
        while True:
            due = trio.current_time() + PROBE
            await trio.sleep_until(due)
            late = trio.current_time() - due
            self.late[bisect_left(LATE, late)] += 1
            self.lateness += late


class LogWriter:
    """Writes lines to a stream in a thread of its own: who does not read them stops nothing."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._send, self._lines = trio.open_memory_channel[str](KEPT_LINES)

    def put(self, line: str) -> None:
        """One line more, if there is room."""
        with suppress(trio.WouldBlock):
            self._send.send_nowait(line)

    async def run(self) -> None:
        """Until cancelled."""
        async for line in self._lines:
            await trio.to_thread.run_sync(self._write, line, abandon_on_cancel=True)

    def _write(self, line: str) -> None:
        with suppress(OSError, ValueError):  # whoever read the log is gone
            self._stream.write(line + "\n")
            self._stream.flush()
