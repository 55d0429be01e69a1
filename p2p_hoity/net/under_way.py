"""What is under way on one link: what its queue or the stream holds and the other end has not read.

A link keeps the order of what it carries and loses nothing while it lives, so that nothing need be
sent again that is under way: on a slow link the answers to a question that is asked each second
would else pile up in the buffers of the system, where nobody sees them, until heartbeats come too
late.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from typing import Final

from protocol.bounds import Quota

from .framing import MARK

MOST: Final[Quota] = 4096
"""Frames of one link that are remembered once they are out; an older one may be sent again."""


class UnderWay:
    """The frames of one link that were not known to be read yet, by name.

    SPEC: [L-24].
    """

    def __init__(self) -> None:
        self._names: set[bytes] = set()
        self._out: deque[tuple[int, bytes]] = deque()
        self._written = 0
        self._known = 0

    def enter(self, data: bytes) -> bytes | None:
        """The name of a frame that is about to be queued; None if it is under way already."""
        name = hashlib.blake2b(data, digest_size=16).digest()
        if name in self._names:
            return None
        self._names.add(name)
        return name

    def write(self, size: int, names: Iterable[bytes]) -> None:
        """So many bytes go out now, and in them the frames of these names."""
        self._written += size
        for name in names:
            self._out.append((self._written, name))
            if len(self._out) > MOST:
                self._names.discard(self._out.popleft()[1])

    def acknowledge(self, read: int) -> None:
        """The other end has read so many bytes, modulo MARK; more than were written says nothing,
        nor fewer than it has said before."""
        more = (read - self._known) % MARK
        if more <= self._written - self._known:
            self._known += more
            while self._out and self._out[0][0] <= self._known:
                self._names.discard(self._out.popleft()[1])
