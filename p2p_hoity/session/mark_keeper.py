"""The mark of a seat's journal, brought up to date while what was recorded is under way already.

A mark may lag ([J-4]), so no message waits for it: the journal alone is on disk before a byte that
rests on it leaves ([J-1]).
"""

from __future__ import annotations

from typing import Final

import trio

from protocol.bounds import Seconds

from ..storage.journal import Journal

LAG: Final[Seconds] = 0.2
"""Seconds for which a mark may lag: one does for all that was put on disk meanwhile, and it is
written when the messages are out."""


class MarkKeeper:
    """Puts one journal on disk when asked, and its mark soon after, in a thread."""

    def __init__(self, journal: Journal | None) -> None:
        """Without a journal, as of an onlooker, there is nothing to do."""
        self._journal = journal
        self._due = trio.Event()

    def settle(self) -> None:
        """All that was recorded is on disk when this returns; JournalError if it cannot be."""
        if self._journal is not None and self._journal.settle():
            self._due.set()

    async def run(self) -> None:
        """Set the mark whenever it lags; JournalError if it cannot be written."""
        while self._journal is not None:
            await self._due.wait()
            await trio.sleep(LAG)
            self._due = trio.Event()
            await trio.to_thread.run_sync(self._journal.set_mark)
