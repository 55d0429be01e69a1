"""Count and log the events of a relay, without saying who uses it or for what.

The log has one line for each event, without ids, tokens or contents. The number of lines per second
is limited. A computer appears as a keyed hash that means nothing outside this process, unless the
operator wants addresses.
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

from protocol.units import Pace, Quota, Seconds

from ..net.link_limits import Bucket

LATE: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds, in seconds, of the classes in which the delays of `Watch.look` are counted."""


PROBE: Final[Seconds] = 0.25
"""Seconds between two measurements of the delay of this process's event loop."""


LINES: Final[Pace] = (200, 20.0)
"""The rate of log lines."""


KEPT_LINES: Final[Quota] = 1000
"""The most lines that wait for a slow reader of the log. Further lines are dropped."""


class Event(StrEnum):
    """The kinds of events at a relay that are counted or logged."""

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
"""The events that are logged. A stranger who merely connects must not fill the disk."""


class Watch:
    """The counts of a relay, and its log if there is one.

    Attributes:
        refused: How often each reason to refuse a peer was given.
        carried: The number of bytes that were forwarded in all ended calls.
        late: A histogram of how late timers of the event loop fired. Item i counts the delays up to
            LATE[i], and the last item counts all longer ones.
        lateness: The sum of all these delays, in seconds.
    """

    def __init__(self, log: Callable[[str], None] | None = None, with_addresses: bool = False):
        self.events: Counter[Event] = Counter()
        self.refused: Counter[str] = Counter()
        self.carried = 0
        self.late = [0] * (len(LATE) + 1)
        self.lateness = 0.0
        self._log, self._with_addresses = log, with_addresses
        self._key = secrets.token_bytes(16)
        self._lines = Bucket(LINES)
        self._left_out = 0

    def note(self, event: Event, source: str = "", **fields: str | int) -> None:
        """Count an event, and log it.

        Args:
            source: The computer that caused the event. Empty if there is none.
            fields: Further fields of the log line. They must not name a person or computer.
        """
        self.events[event] += 1
        if "verdict" in fields:
            self.refused[str(fields["verdict"])] += 1
        if self._log is not None and event in LOGGED:
            self._write(self._log, event, source, fields)

    def _write(
        self, log: Callable[[str], None], event: Event, source: str, fields: dict[str, str | int]
    ) -> None:
        """Write a line of the log, unless the rate of lines is exceeded."""
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
        """Return the word for a computer in the log: its keyed hash, or its address if wanted."""
        if self._with_addresses:
            return source
        # The key is new in each process. Without it, anybody could hash all IPv4 addresses.
        return hashlib.blake2b(source.encode(), digest_size=4, key=self._key).hexdigest()

    async def look(self) -> None:
        """Measure, until cancelled, how late a timer of the event loop fires."""
        while True:
            due = trio.current_time() + PROBE
            await trio.sleep_until(due)
            late = trio.current_time() - due
            self.late[bisect_left(LATE, late)] += 1
            self.lateness += late


class LogWriter:
    """A writer of log lines in a thread, so that a slow reader of the log blocks nothing."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._send, self._lines = trio.open_memory_channel[str](KEPT_LINES)

    def put(self, line: str) -> None:
        """Queue a line. If there is no room, drop it."""
        with suppress(trio.WouldBlock):
            self._send.send_nowait(line)

    async def run(self) -> None:
        """Write queued lines until cancelled."""
        async for line in self._lines:
            # A reader that takes nothing must not keep the relay from ending.
            await trio.to_thread.run_sync(self._write, line, abandon_on_cancel=True)

    def _write(self, line: str) -> None:
        with suppress(OSError, ValueError):  # The reader of the log is gone.
            self._stream.write(line + "\n")
            self._stream.flush()
