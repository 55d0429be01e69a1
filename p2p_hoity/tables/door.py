"""The door of a host who lets each guest in: one question at a time, and an answer that stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import trio

from protocol.bounds import Quota, Seconds

from ..session.lobby import Sit

Admit = Callable[[str, bytes], Awaitable[bool]]
"""Asks the host whether the guest of this nickname and id may sit down."""
Decided = Callable[[bytes, Sit, "Answer"], None]

PATIENCE: Final[Seconds] = 180.0
"""Seconds for which the host's answer is awaited."""
MOST_WAITING: Final[Quota] = 16
"""Guests who wait for the host's word; one more takes a place only of a more crowded machine."""
MOST_REMEMBERED: Final[Quota] = 1024
"""Refused guests that are remembered; of the oldest the host is asked again if it comes again."""


@dataclass(frozen=True)
class Waiting:
    """A guest who waits for the host's word, and the machine it comes from."""

    nickname: str
    sit: Sit
    source: str


@dataclass(frozen=True)
class Answer:
    """What the host has said of a guest: yes, no, or nothing in time (None)."""

    yes: bool | None


class Door:
    """Who waits for the host's word, and what it was ([L-60], [L-61], [L-70])."""

    def __init__(self, admit: Admit) -> None:
        self._admit = admit
        self._waiting: dict[bytes, Waiting] = {}
        self._admitted: set[bytes] = set()
        self._denied: dict[bytes, str] = {}
        self._asking: bytes | None = None
        self._more = trio.Event()

    def is_open(self, peer: bytes) -> bool:
        """Return whether the host has let this guest in."""
        return peer in self._admitted

    def is_shut(self, peer: bytes) -> bool:
        """Return whether the host has refused this guest."""
        return peer in self._denied

    def wait(self, peer: bytes, nickname: str, frame: Sit, source: str) -> bytes | None:
        """Have the host asked about a guest in turn.

        Args:
            peer: The guest's id.
            nickname: What it calls itself.
            frame: Its consent to the terms.
            source: The machine it comes from, as links are counted.

        Returns:
            The guest for whom there is no room any more: this one, or one from the machine of
            which most have come; None if there is room for all.
        """
        turned_away = None
        if len(self._waiting) >= MOST_WAITING and peer not in self._waiting:
            turned_away = self._most_crowded(source) or peer
        if turned_away != peer:
            self._waiting.pop(turned_away or b"", None)
            self._waiting[peer] = Waiting(nickname, frame, source)
            self._more.set()
        return turned_away

    def _most_crowded(self, source: str) -> bytes | None:
        """Return who gives way to a guest from `source`: the last from a more crowded machine."""
        load = self._load()
        others = [peer for peer in self._waiting if peer != self._asking]
        last = max(reversed(others), key=lambda peer: load[self._waiting[peer].source])
        return last if load[self._waiting[last].source] > load[source] + 1 else None

    def _least_crowded(self) -> bytes:
        """Return about whom the host is asked next."""
        load = self._load()
        return min(self._waiting, key=lambda peer: load[self._waiting[peer].source])

    def _load(self) -> Counter[str]:
        """Return how many guests of each machine wait, or were refused."""
        waiting = (guest.source for guest in self._waiting.values())
        return Counter((*waiting, *self._denied.values()))

    def leave(self, peer: bytes) -> None:
        """Forget a guest who is gone: it needs no answer any more."""
        self._waiting.pop(peer, None)

    def rest(self) -> tuple[bytes, ...]:
        """Return who still waits."""
        return tuple(self._waiting)

    async def run(self, decided: Decided) -> None:
        """Ask about one guest after the other, until cancelled.

        Those come first of whose machine the fewest wait or were refused. A guest that goes away
        while the host is asked about it has the answer when it comes back.
        """
        while True:
            self._more = trio.Event()
            if self._waiting:
                await self._ask(self._least_crowded(), decided)
            else:
                await self._more.wait()

    async def _ask(self, peer: bytes, decided: Decided) -> None:
        guest, self._asking = self._waiting[peer], peer
        answer = Answer(None)
        with trio.move_on_after(PATIENCE):
            answer = Answer(await self._admit(guest.nickname, peer))
        self._asking = None
        if answer.yes:
            self._admitted.add(peer)
        elif answer.yes is not None:
            self._denied[peer] = guest.source
            if len(self._denied) > MOST_REMEMBERED:
                del self._denied[next(iter(self._denied))]
        last = self._waiting.pop(peer, None)  # it may have come anew, and consented anew, meanwhile
        if last is not None:
            decided(peer, last.sit, answer)
