"""The mailboxes of a relay: a host waits under a number, and one guest speaks with it unread.

A number and some frames that look random are all that a relay sees of a code ([K-6]).
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
"""Seconds for which a number is given to nobody else: who mistyped a code would try another's."""
MOST_RESTING: Final[Quota] = 4096
MEMORY: Final[Seconds] = 600.0
"""Seconds for which misses count: as long as a host's code is good."""
SPARE: Final[Quota] = 20
"""Numbers to draw from for each miss of late."""


class MailboxEnd(Code):
    """Why a relay ends a mailbox."""

    OVER = "mailbox-over", "the relay has ended the conversation"
    UNASKED = "mailbox-spoken-to-early", "the host spoke before a guest was there"
    MADE_ROOM = "mailbox-made-room", "the relay is full, and had too many hosts of this address"


@dataclass(eq=False)
class End:
    """One end of a mailbox, and how many frames it has said."""

    link: Link
    said: int = 0

    def close(self, code: Code) -> None:
        """Not any more."""
        self.link.close(because(code))


@dataclass(eq=False)
class Mailbox:
    """A host that waits under a number, and, once it has come, the guest."""

    number: int
    source: str
    host: End
    guest: End | None = None

    def pass_on(self, data: bytes, teller: End, hearer: End | None) -> None:
        """One frame to the other end, of the few that each may say."""
        teller.said += 1
        if hearer is None:
            teller.close(MailboxEnd.UNASKED)
        elif teller.said > MOST_FRAMES:
            teller.close(MailboxCode.TOO_MUCH)
        else:
            hearer.link.post(data)


class Numbers:
    """Numbers as short as may be, drawn by lot, each at rest for a while after its use."""

    def __init__(self) -> None:
        self._resting: dict[int, float] = {}  # in the order of their ends
        self._misses, self._when = 0.0, 0.0

    def misses(self, now: float) -> float:
        """Return about how many have named a number at which nobody waits, in `MEMORY` seconds.

        They are mostly strangers who guess. Older ones fade.
        """
        return self._misses * math.exp((self._when - now) / MEMORY)

    def miss(self, now: float) -> None:
        """Count one more of these."""
        self._misses, self._when = self.misses(now) + 1, now

    def draw(self, taken: Container[int], number: int, now: float) -> int:
        """Return a number that is not among the `number` taken: of one digit while there are few,
        then of two, and so on. At least every second one of those drawn from is free, and those
        who guess as often as of late find it with a chance of one in `SPARE` while it is good.

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
        """It has been used."""
        self._wake(now)
        if len(self._resting) >= MOST_RESTING:
            del self._resting[next(iter(self._resting))]
        self._resting[number] = now + REST

    def _wake(self, now: float) -> None:
        while self._resting:
            first = next(iter(self._resting))
            if self._resting[first] > now:
                return
            del self._resting[first]


class Mailboxes:
    """All of one relay."""

    def __init__(self, limits: RelayLimits) -> None:
        self._limits = limits
        self._link_limits = mailbox_limits(limits.link)
        self._waiting: dict[int, Mailbox] = {}
        self._open: Counter[str] = Counter()
        self._numbers = Numbers()
        self._guesses = Buckets(limits.guesses)

    async def attend(self, visit: Visit, wish: bytes) -> Stay | None:
        """A host that wants a mailbox, or a guest that speaks first to one, by its number."""
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
        """Whether there is room for one more host; one of a crowded address makes some ([K-6])."""
        if self._open.total() < self._limits.mailboxes:
            return True
        box = one_to_make_room(list(self._waiting.values()), source)
        if box is None:
            return False
        self._forget(box)
        box.host.close(MailboxEnd.MADE_ROOM)
        return True

    async def _speak(self, visit: Visit, number: int, first: bytes) -> Stay:
        """The first who comes has the mailbox; whoever comes then is told that there is none."""
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
        return Link(visit.stream, self._link_limits, first=encode_frame(Verdict.WELCOME.encode()))

    async def _keep(self, box: Mailbox) -> None:
        """The host's end, from its first moment to its last."""
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
        await trio.sleep(self._limits.mailbox_life)
        if box.guest is None:
            box.host.close(MailboxEnd.OVER)

    def _forget(self, box: Mailbox) -> None:
        if self._waiting.get(box.number) is box:
            del self._waiting[box.number]
            self._numbers.rest(box.number, trio.current_time())

    async def _talk(self, box: Mailbox, guest: End) -> None:
        """The guest's end; when it is over, the host's is too."""

        async def hear(data: bytes) -> None:
            box.pass_on(data, guest, box.host)

        try:
            with trio.move_on_after(self._limits.mailbox_talk):
                await guest.link.run(trio.lowlevel.checkpoint, hear)
        finally:
            box.host.close(MailboxEnd.OVER)
