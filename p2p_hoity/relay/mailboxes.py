"""Mailboxes of a relay: a host waits under a number, and one guest exchanges a few frames with it.

The number, and frames that look random, are everything that a relay sees of a code ([K-6]).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

import trio

from protocol.bounds import Quota, Seconds

from ..coded_errors import Code, because
from ..net.connection_slots import one_to_make_room
from ..net.link_limits import Buckets
from ..net.peer_link import Link
from ..net.relay_client import MOST_FRAMES, MOST_NUMBER, NUMBER, MailboxCode, mailbox_limits
from ..net.secure_channel import Verdict
from ..net.transport import encode_frame
from .relay_limits import RelayLimits, Stay, Visit, count_down

REST: Final[Seconds] = 120.0
"""Seconds for which a used number is given to nobody else.

A guest that mistypes a code would otherwise try another host's.
"""
MOST_RESTING: Final[Quota] = 4096
"""Used numbers that are remembered at most."""
MEMORY: Final[Seconds] = 600.0
"""Seconds for which wrong numbers count, which is the lifetime of a host's code."""
SPARE: Final[Quota] = 20
"""Numbers to draw from for each recent wrong number."""


class MailboxEnd(Code):
    """Reasons why a relay ends a mailbox."""

    OVER = "mailbox-over", "the relay has ended the conversation"
    UNASKED = "mailbox-spoken-to-early", "the host sent something before a guest was there"
    MADE_ROOM = (
        "mailbox-made-room",
        ("the relay is full, and too many hosts were waiting from this address"),
    )


@dataclass(eq=False)
class End:
    """An end of a mailbox.

    Attributes:
        link: Its connection.
        said: How many frames it has sent.
    """

    link: Link
    said: int = 0

    def close(self, code: Code) -> None:
        """End the connection.

        Args:
            code: The reason.
        """
        self.link.close(because(code))


@dataclass(eq=False)
class Mailbox:
    """A host that waits under a number, and its guest once it has come.

    Attributes:
        number: The number.
        source: The machine of the host, as connections are counted.
        host: The host's end.
        guest: The guest's end, None before it has come.
    """

    number: int
    source: str
    host: End
    guest: End | None = None

    def pass_on(self, data: bytes, teller: End, hearer: End | None) -> None:
        """Forward a frame to the other end, if its sender may send another one.

        Args:
            data: The frame.
            teller: The end that has sent it.
            hearer: The other end, None if there is none yet.
        """
        teller.said += 1
        if hearer is None:
            teller.close(MailboxEnd.UNASKED)
        elif teller.said > MOST_FRAMES:
            teller.close(MailboxCode.TOO_MUCH)
        else:
            hearer.link.post(data)


class Numbers:
    """The numbers of a relay's mailboxes: short, random, and not reused for a while."""

    def __init__(self) -> None:
        self._resting: dict[int, float] = {}  # In the order in which they end.
        self._misses, self._when = 0.0, 0.0

    def misses(self, now: float) -> float:
        """Return a weighted count of how often a number was named at which nobody waits.

        Most of these are guesses by strangers. A miss counts for about `MEMORY` seconds and fades.

        Args:
            now: The time, in seconds.

        Returns:
            The count.
        """
        return self._misses * math.exp((self._when - now) / MEMORY)

    def miss(self, now: float) -> None:
        """Count a number at which nobody waits.

        Args:
            now: The time, in seconds.
        """
        self._misses, self._when = self.misses(now) + 1, now

    def draw(self, taken: Container[int], number: int, now: float) -> int:
        """Draw a free number.

        It has one digit while few are taken, then two, and so on. At least every second number of
        the range is free. Strangers who guess as often as recently find it during its lifetime with
        a chance of one in `SPARE`.

        Args:
            taken: The numbers that are taken.
            number: How many these are.
            now: The time, in seconds.

        Returns:
            The number.

        SPEC: [K-6].
        """
        self._wake(now)
        wanted = max(2 * (number + len(self._resting)), SPARE * self.misses(now))
        most = 9
        while wanted > most and most < MOST_NUMBER:
            most = 10 * most + 9
        while (drawn := random.randint(1, most)) in taken or drawn in self._resting:
            pass
        return drawn

    def rest(self, number: int, now: float) -> None:
        """Note that a number was used and must not be drawn for a while.

        Args:
            number: The number.
            now: The time, in seconds.
        """
        self._wake(now)
        if len(self._resting) >= MOST_RESTING:
            del self._resting[next(iter(self._resting))]
        self._resting[number] = now + REST

    def _wake(self, now: float) -> None:
        """Forget the used numbers that may be drawn again."""
        while self._resting:
            first = next(iter(self._resting))
            if self._resting[first] > now:
                return
            del self._resting[first]


class Mailboxes:
    """The mailboxes of one relay."""

    def __init__(self, limits: RelayLimits) -> None:
        self._limits = limits
        self._link_limits = mailbox_limits(limits.link)
        self._waiting: dict[int, Mailbox] = {}
        self._open: Counter[str] = Counter()
        self._numbers = Numbers()
        self._guesses = Buckets(limits.guesses)

    async def attend(self, visit: Visit, wish: bytes) -> Stay | None:
        """Make a mailbox for a host, or connect a guest with one.

        Args:
            visit: The connection.
            wish: Empty for a host. A guest sends the number of a mailbox and its first frame.

        Returns:
            The rest of the service, or None if the request is malformed. A NetError is raised if it
            is refused.
        """
        if not wish:
            has_its_fill = self._open[visit.source] >= self._limits.mailboxes_per_source
            if has_its_fill or not self._has_room(visit.source):
                await visit.refuse(Verdict.FULL)
            number = self._numbers.draw(self._waiting, len(self._waiting), trio.current_time())
            host = End(self._welcomed(visit))
            host.link.post(number.to_bytes(NUMBER, "big"))
            box = self._waiting[number] = Mailbox(number, visit.source, host)
            self._open[visit.source] += 1
            return lambda: self._keep(box)
        if len(wish) <= NUMBER:
            return None
        return await self._speak(visit, int.from_bytes(wish[:NUMBER], "big"), wish[NUMBER:])

    def _has_room(self, source: str) -> bool:
        """Return whether there is room for one more host.

        An address with many hosts may make room ([K-6]).
        """
        if self._open.total() < self._limits.mailboxes:
            return True
        box = one_to_make_room(list(self._waiting.values()), source)
        if box is None:
            return False
        self._forget(box)
        box.host.close(MailboxEnd.MADE_ROOM)
        return True

    async def _speak(self, visit: Visit, number: int, first: bytes) -> Stay:
        """Connect the first guest that names a mailbox.

        Any further one is told that there is none.
        """
        if not self._guesses.take_if_any(visit.source, trio.current_time()):
            await visit.refuse(Verdict.FULL)
        box = self._waiting.pop(number, None)
        if box is None or box.host.link.reason is not None:
            self._numbers.miss(trio.current_time())
            await visit.refuse(Verdict.UNKNOWN)
        guest = box.guest = End(self._welcomed(visit))
        self._numbers.rest(number, trio.current_time())
        box.pass_on(first, guest, box.host)
        return lambda: self._talk(box, guest)

    def _welcomed(self, visit: Visit) -> Link:
        """Return a link over the connection, which begins with the verdict that it is welcome."""
        return Link(visit.stream, self._link_limits, first=encode_frame(Verdict.WELCOME.encode()))

    async def _keep(self, box: Mailbox) -> None:
        """Run the connection of a host until its end, and then close that of its guest."""
        limits = self._limits

        async def hear(data: bytes) -> None:
            box.pass_on(data, box.host, box.guest)

        try:
            with trio.move_on_after(limits.mailbox_life + limits.mailbox_talk):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._grow_old, box)
                    await box.host.link.run(trio.lowlevel.checkpoint, hear)
                    nursery.cancel_scope.cancel()
        finally:
            self._forget(box)
            count_down(self._open, box.source)
        if box.guest is not None:
            with trio.move_on_after(limits.link.handshake):
                await box.guest.link.drained()
            box.guest.close(MailboxEnd.OVER)

    async def _grow_old(self, box: Mailbox) -> None:
        """Close a mailbox that nobody has used during its lifetime."""
        await trio.sleep(self._limits.mailbox_life)
        if box.guest is None:
            box.host.close(MailboxEnd.OVER)

    def _forget(self, box: Mailbox) -> None:
        """Remove a mailbox from those that guests can name."""
        if self._waiting.get(box.number) is box:
            del self._waiting[box.number]
            self._numbers.rest(box.number, trio.current_time())

    async def _talk(self, box: Mailbox, guest: End) -> None:
        """Run the connection of a guest until its end, and then close that of its host."""

        async def hear(data: bytes) -> None:
            box.pass_on(data, guest, box.host)

        try:
            with trio.move_on_after(self._limits.mailbox_talk):
                await guest.link.run(trio.lowlevel.checkpoint, hear)
        finally:
            box.host.close(MailboxEnd.OVER)
