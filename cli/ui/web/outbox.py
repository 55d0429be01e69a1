"""The messages that wait to be sent to one window."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

import trio

from p2p_hoity.presentation.table_messages import Message
from protocol.units import Quota

from ..screen_options import PageSocket

MOST: Final[Quota] = 512
"""The most messages that wait. A window that is slower gets the whole table anew instead."""


class Outbox:
    """A bounded queue of messages, whose reader may be slow.

    Attributes:
        is_empty: Set while everything was handed to the socket.
    """

    def __init__(self, socket: PageSocket, whole: Callable[[], Iterable[Message]]) -> None:
        """Begin with the whole truth.

        Args:
            whole: Returns all that a window has to know now.
        """
        self._socket, self._whole = socket, whole
        self._waiting: deque[Message] = deque(whole())
        self._filled, self.is_empty = trio.Event(), trio.Event()

    def put(self, message: Message) -> None:
        """Add a message. If too many wait, all are replaced by the whole truth."""
        if len(self._waiting) >= MOST:
            self._waiting = deque(self._whole())
        else:
            self._waiting.append(message)
        self.is_empty = trio.Event()
        self._filled.set()

    async def send_all(self) -> None:
        """Send messages until this is cancelled.

        Raises:
            SocketGone: If the window is gone.
        """
        while True:
            while self._waiting:
                message = self._waiting.popleft()
                text = json.dumps(message.as_json(), ensure_ascii=False, separators=(",", ":"))
                # The path of a file may have bytes that are no text, which no socket carries.
                await self._socket.send(text.encode("utf-8", "replace").decode())
            self.is_empty.set()
            self._filled = trio.Event()
            await self._filled.wait()
