"""The check before a seat is resumed: is it played elsewhere already, by a copy of our files?

Nothing is signed before this is known. A link that was lost with the power lives on at the others
for some seconds, so whoever is told so asks again for longer than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import trio

from protocol import Table
from protocol.bounds import Seconds

from ..errors import Code
from ..net.events import Event, LinkDown, LinkedElsewhere, LinkUp
from ..net.hub import Hub
from .seating import Backlog, PeerError

SETTLE: Final[Seconds] = 1.0
"""Seconds in which those who answer at once have answered."""
ALONE: Final[Seconds] = 3.0
"""Seconds for which a first answer is awaited; nobody may be there yet."""
PATIENCE: Final[Seconds] = 15.0
"""Seconds for which a seat that is told that it is linked elsewhere asks again."""


class ArrivalCode(Code):
    """Why a seat is not taken again."""

    ELSEWHERE = "played-elsewhere", "names"


@dataclass
class Answers:
    """What the other seats of one table say of this one's links."""

    table: Table
    me: bytes
    linked: set[bytes] = field(default_factory=set)
    elsewhere: set[bytes] = field(default_factory=set)

    def hear(self, event: Event) -> None:
        """Take in one event."""
        if event.peer not in self.table.ids:
            return
        match event:
            case LinkUp(peer):
                self.linked.add(peer)
                self.elsewhere.discard(peer)
            case LinkDown(peer):
                self.linked.discard(peer)
            case LinkedElsewhere(peer):
                self.elsewhere.add(peer)

    def may_play(self, waited: float) -> bool:
        """Whether nothing speaks against it, and there was time to say so."""
        return not self.elsewhere and waited >= (SETTLE if self.linked else ALONE)

    def is_played_elsewhere(self) -> bool:
        """So many say so that one of them is honest, or nobody else is linked with us.

        Fewer than a quorum's worth may be liars who would keep an honest seat out.
        """
        enough = len(self.elsewhere) >= self.table.header.terms.quorum
        return bool(self.elsewhere) and (enough or not self.linked)

    def names(self) -> tuple[str, ...]:
        """The nicknames of those who say so, in the order of the seats."""
        roster = self.table.header.roster
        return tuple(entry.nickname for entry in roster if entry.id in self.elsewhere)


async def arrive(hub: Hub, answers: Answers) -> Sequence[Event]:
    """Wait until it is known that no other process plays this seat; what came in meanwhile.

    The hub must be dialling the others. PeerError if another one plays it ([L-11]).
    """
    backlog, began = Backlog(), trio.current_time()
    while not answers.may_play(waited := trio.current_time() - began):
        if waited >= PATIENCE:
            _decide(answers)
            break
        with trio.move_on_after(SETTLE / 4):
            event = await hub.events.receive()
            answers.hear(event)
            backlog.keep(event)
    return backlog.frames


def _decide(answers: Answers) -> None:
    if answers.is_played_elsewhere():
        raise PeerError(ArrivalCode.ELSEWHERE, names=answers.names())
