"""Mailboxes of a relay, by which a guest gets a ticket for a spoken code.

A code has a number and some words. The host opens a mailbox and waits under the number. One guest
who knows the code connects, and the two exchange a few frames. The relay sees only the number and
frames that look random, and never the words ([K-6]). A source is a computer, as
`addresses.source_of` names it. Times are seconds of any monotonic clock.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

import trio

from protocol.units import Quota, Seconds

from ..coded_errors import Code, because
from ..net.connection_slots import one_to_make_room
from ..net.handshake_codes import Verdict
from ..net.link_limits import Buckets
from ..net.mailbox_numbers import MOST_NUMBER, NUMBER
from ..net.peer_link import Link
from ..net.relay_client import MOST_FRAMES, MailboxCode, mailbox_limits
from ..net.transport import encode_frame
from .relay_limits import RelayLimits, Stay, Visit, count_down

REST: Final[Seconds] = 120.0
"""Seconds for which the number of a used mailbox is not given to another host.

So a guest who enters an old code does not use up the code of another host.
"""
MOST_RESTING: Final[Quota] = 4096
"""The most numbers of used mailboxes that are remembered."""
MEMORY: Final[Seconds] = 600.0
"""Seconds for which a try with a wrong number counts. It is the lifetime of a host's code."""
SPARE: Final[Quota] = 20
"""How many numbers there are to draw from for each recent try with a wrong number."""


class MailboxEnd(Code):
    """The reasons why a relay ends a mailbox."""

    OVER = "mailbox-over", "the relay has ended the conversation"
    UNASKED = "mailbox-spoken-to-early", "the host sent something before a guest was there"
    MADE_ROOM = (
        "mailbox-made-room",
        ("the relay is full, and too many hosts were waiting from this address"),
    )


@dataclass(eq=False)
class End:
    """One end of a mailbox, of the host or its guest, and how many frames it has sent."""

    link: Link
    said: int = 0

    def close(self, code: Code) -> None:
        """End the connection."""
        self.link.close(because(code))


@dataclass(eq=False)
class Mailbox:
    """A host that waits under a number for a guest, and the guest once it has come."""

    number: int
    source: str
    host: End
    guest: End | None = None

    def pass_on(self, data: bytes, teller: End, hearer: End | None) -> None:
        """Forward a frame to the other end, or close an end that may not send it."""
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
        """Return how often guests have lately named a number that no host uses.

        Most of these tries are guesses by strangers. The weight of a try decays exponentially, with
        the time constant `MEMORY`.
        """
        return self._misses * math.exp((self._when - now) / MEMORY)

    def miss(self, now: float) -> None:
        """Count a try with a mailbox number that no host uses."""
        self._misses, self._when = self.misses(now) + 1, now

    def draw(self, taken: Container[int], number: int, now: float) -> int:
        """Draw a random number for a new mailbox, beside the `number` ones that are taken ([K-6]).

        It has one digit as long as few are taken, then two, and so on. At least half of the numbers
        in the range are free. The range also grows with the recent guesses of strangers. So if they
        go on at this rate, they find the drawn number with a chance of one in `SPARE`.
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
        """Note that a number was used. It is not drawn for `REST` seconds, unless too many rest."""
        self._wake(now)
        if len(self._resting) >= MOST_RESTING:
            del self._resting[next(iter(self._resting))]
        # All rest equally long, so the first number of the dictionary is always the next to wake.
        self._resting[number] = now + REST

    def _wake(self, now: float) -> None:
        """Forget the used numbers that may be drawn again by now."""
        while self._resting:
            first = next(iter(self._resting))
            if self._resting[first] > now:
                return
            del self._resting[first]


class Mailboxes:
    """The open mailboxes of one relay."""

    def __init__(self, limits: RelayLimits) -> None:
        self._limits = limits
        self._link_limits = mailbox_limits(limits.link)
        self._waiting: dict[int, Mailbox] = {}
        self._open: Counter[str] = Counter()
        self._numbers = Numbers()
        self._guesses = Buckets(limits.guesses)

    async def attend(self, visit: Visit, wish: bytes) -> Stay | None:
        """Open a mailbox for a host, or connect a guest to an open mailbox.

        Args:
            wish: Empty for a host. For a guest, the number of a mailbox (NUMBER bytes) and the
                first frame. None is returned for any other bytes.
        """
        if not wish:
            has_its_fill = self._open[visit.source] >= self._limits.mailboxes_per_source
            # `_has_room` is asked last, because it may close the mailbox of another host.
            if has_its_fill or not self._has_room(visit.source):
                await visit.refuse(Verdict.FULL)
            number = self._numbers.draw(self._waiting, len(self._waiting), trio.current_time())
            host = End(self._welcomed(visit))
            # Posted before the mailbox can be found, so that it precedes all frames of a guest.
            host.link.post(number.to_bytes(NUMBER, "big"))
            box = self._waiting[number] = Mailbox(number, visit.source, host)
            # No await from here on: only `_keep` counts down again, so it has to be started.
            self._open[visit.source] += 1
            return lambda: self._keep(box)
        # An empty first frame cannot be posted: the error would end the whole relay.
        if len(wish) <= NUMBER:
            return None
        return await self._speak(visit, int.from_bytes(wish[:NUMBER], "big"), wish[NUMBER:])

    def _has_room(self, source: str) -> bool:
        """Return whether one more mailbox may be opened for a host from `source`.

        If the relay is full, a mailbox is closed to make room, if `one_to_make_room` finds one
        ([K-6]).
        """
        if self._open.total() < self._limits.mailboxes:
            return True
        # Only of those that wait: an exchange with a guest ends soon by itself.
        box = one_to_make_room(list(self._waiting.values()), source)
        if box is None:
            return False
        # At once, not when its task ends: until then a guest could still name it.
        self._forget(box)
        box.host.close(MailboxEnd.MADE_ROOM)
        return True

    async def _speak(self, visit: Visit, number: int, first: bytes) -> Stay:
        """Connect a guest with the host of a mailbox, and pass on the guest's first frame."""
        # Before the look-up: right and wrong numbers count, so that nobody can try all numbers.
        if not self._guesses.take_if_any(visit.source, trio.current_time()):
            await visit.refuse(Verdict.FULL)
        # Taken out at once: a second guest with the number finds nobody, and cannot try further
        # words.
        box = self._waiting.pop(number, None)
        # The host's link may have ended before its task has taken the box away.
        if box is None or box.host.link.reason is not None:
            self._numbers.miss(trio.current_time())
            await visit.refuse(Verdict.UNKNOWN)
        guest = box.guest = End(self._welcomed(visit))
        self._numbers.rest(number, trio.current_time())
        box.pass_on(first, guest, box.host)
        return lambda: self._talk(box, guest)

    def _welcomed(self, visit: Visit) -> Link:
        return Link(visit.stream, self._link_limits, first=encode_frame(Verdict.WELCOME.encode()))

    async def _keep(self, box: Mailbox) -> None:
        """Run the connection of a host until its end. Then close the connection of its guest."""
        limits = self._limits

        async def hear(data: bytes) -> None:
            box.pass_on(data, box.host, box.guest)

        try:
            # A guest may come at the very end of the life, and still has the time of `_talk`.
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
                # The host's last frame may still be on its way to a guest, who may read nothing.
                await box.guest.link.drained()
            box.guest.close(MailboxEnd.OVER)

    async def _grow_old(self, box: Mailbox) -> None:
        """Close a mailbox when no guest has come within its life."""
        await trio.sleep(self._limits.mailbox_life)
        # A guest that has come late has the time of `_talk` from then on.
        if box.guest is None:
            box.host.close(MailboxEnd.OVER)

    def _forget(self, box: Mailbox) -> None:
        """Remove a mailbox, so that no guest can name it any more."""
        # Once a guest has come, the number may already be another mailbox's.
        if self._waiting.get(box.number) is box:
            del self._waiting[box.number]
            self._numbers.rest(box.number, trio.current_time())

    async def _talk(self, box: Mailbox, guest: End) -> None:
        """Run the connection of a guest until its end. Then close the connection of its host."""

        async def hear(data: bytes) -> None:
            box.pass_on(data, guest, box.host)

        try:
            with trio.move_on_after(self._limits.mailbox_talk):
                await guest.link.run(trio.lowlevel.checkpoint, hear)
        finally:
            box.host.close(MailboxEnd.OVER)
