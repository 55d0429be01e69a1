"""A conversation through a relay's mailbox: frames to and from whoever is at its other end.

What comes is worth nothing by itself: the relay hears all of it, and can say what it likes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import trio

from protocol.bounds import Quota

from ..errors import Code, CodedError, because
from .addresses import Address
from .errors import NetCode, NetError
from .limits import Limits
from .link import Link
from .network import Network
from .reach import speak

NUMBER: Final = 4
"""Bytes of the number of a mailbox, big-endian."""
MOST_NUMBER: Final = 999_999_999
MOST_FRAME: Final = 8192
"""Bytes of one frame through a mailbox."""
MOST_FRAMES: Final[Quota] = 4
"""Frames that either end says in one conversation; an exchange takes two."""


class MailboxCode(Code):
    """Why a conversation is ended here."""

    TOO_MUCH = "mailbox-too-much-said"


def mailbox_limits(limits: Limits) -> Limits:
    """The same for a link that carries little: one mailbox's frames and no more."""
    frames = MOST_FRAMES + 1
    queue_bytes = frames * MOST_FRAME
    return dataclasses.replace(
        limits, frame=MOST_FRAME, queue_frames=2 * frames, queue_bytes=queue_bytes
    )


class Conversation:
    """Our end of a mailbox."""

    def __init__(self, stream: trio.abc.Stream, limits: Limits) -> None:
        self._link = Link(stream, limits)
        self._said, self._heard = trio.open_memory_channel[bytes](2 * MOST_FRAMES)

    def post(self, data: bytes) -> None:
        """Say one frame; nothing happens if the other end is gone, as receiving will tell."""
        self._link.post(data)

    async def receive(self) -> bytes:
        """The next frame; NetError when the conversation has ended."""
        try:
            return await self._heard.receive()
        except trio.EndOfChannel:
            pass
        reason = self._link.reason
        raise NetError(NetCode.FAILED, why=reason or because(NetCode.CUT))

    async def run(self) -> None:
        """Carry frames until either end has enough."""

        async def hear(data: bytes) -> None:
            try:
                self._said.send_nowait(data)
            except trio.WouldBlock:
                self._link.close(because(MailboxCode.TOO_MUCH))

        with self._said:
            await self._link.run(trio.lowlevel.checkpoint, hear)


@asynccontextmanager
async def conversation(
    network: Network, relay: Address, wish: bytes, limits: Limits
) -> AsyncIterator[Conversation]:
    """A conversation by a wish to a relay; cut at the end. NetError says why there is none, as
    RefusedError if the relay has said so."""
    stream = None
    with trio.move_on_after(limits.waiting):
        stream = await speak(network, relay, wish)
    if stream is None:
        raise NetError(NetCode.SLOW, address=str(relay), seconds=limits.waiting)
    talk, failed = Conversation(stream, mailbox_limits(limits)), None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(talk.run)
        try:
            yield talk
        except CodedError as error:
            failed = error  # raised outside: a nursery would make a group of it
        nursery.cancel_scope.cancel()
    if failed is not None:
        raise failed
