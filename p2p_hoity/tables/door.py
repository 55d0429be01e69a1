"""The door of a host who lets each guest in: one question at a time, and an answer that stays."""

from __future__ import annotations

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
"""Guests who wait for the host's word; who comes then is told that the table is full."""
MOST_DENIED: Final[Quota] = 64
"""Guests that were refused; after so many the host is asked no more, and nobody new gets in."""


@dataclass(frozen=True)
class Answer:
    """What the host has said of a guest: yes, no, or nothing in time (None)."""

    yes: bool | None


class Door:
    """Who waits for the host's word, and what it was ([L-60], [L-61])."""

    def __init__(self, admit: Admit) -> None:
        self._admit = admit
        self._waiting: dict[bytes, tuple[str, Sit]] = {}
        self._admitted: set[bytes] = set()
        self._denied: set[bytes] = set()
        self._more = trio.Event()

    def is_open(self, peer: bytes) -> bool:
        """Whether the host has let this one in."""
        return peer in self._admitted

    def is_shut(self, peer: bytes) -> bool:
        """Whether the host has refused this one, or too many before it."""
        return peer in self._denied or len(self._denied) >= MOST_DENIED

    def wait(self, peer: bytes, nickname: str, frame: Sit) -> bool:
        """Have the host asked in turn; False if too many wait already."""
        if len(self._waiting) >= MOST_WAITING and peer not in self._waiting:
            return False
        self._waiting[peer] = (nickname, frame)
        self._more.set()
        return True

    def leave(self, peer: bytes) -> None:
        """It is gone, and needs no answer any more."""
        self._waiting.pop(peer, None)

    def rest(self) -> tuple[bytes, ...]:
        """Who still waits."""
        return tuple(self._waiting)

    async def run(self, decided: Decided) -> None:
        """Ask of one after the other, until cancelled. A guest that goes away while it is asked of
        has the answer when it comes back."""
        while True:
            self._more = trio.Event()
            for peer in self.rest():
                if peer in self._waiting and self.is_shut(peer):
                    decided(peer, self._waiting.pop(peer)[1], Answer(False))
                elif peer in self._waiting:
                    await self._ask(peer, decided)
            if not self._waiting:
                await self._more.wait()

    async def _ask(self, peer: bytes, decided: Decided) -> None:
        nickname, _ = self._waiting[peer]
        answer = Answer(None)
        with trio.move_on_after(PATIENCE):
            answer = Answer(await self._admit(nickname, peer))
        if answer.yes is not None:
            (self._admitted if answer.yes else self._denied).add(peer)
        last = self._waiting.pop(peer, None)  # it may have come anew, and consented anew, meanwhile
        if last is not None:
            decided(peer, last[1], answer)
