"""Lines from standard input, read without ever blocking the table."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

import trio

from protocol.bounds import Quota

CHUNK = 4096
STDIN = 0
STRAYS: Final[Quota] = 20
"""So many lines of a file or a pipe without a choice, and nobody who reads is typing them."""

END, INTERRUPT, CONTINUED = "\0end", "\0interrupt", "\0continued"
"""Sent among the lines of a terminal: Ctrl-D, Ctrl-C, and that the program is in front again."""

Read = Callable[[], bytes]


def read_stdin() -> bytes:
    """Some bytes of standard input, nothing at its end. Not through sys.stdin: a thread that
    still waits there would hold its lock when the program ends."""
    return os.read(STDIN, CHUNK)


async def pump(
    lines: trio.MemorySendChannel[str], read: Read = read_stdin, at_terminal: bool = False
) -> None:
    """Send every line on; the channel closes at the end of the input.

    At a terminal the end can be typed, and what follows is still heard: END is sent. After two ENDs
    in a row nothing more is read.
    """
    rest, was_end = b"", False
    async with lines:
        while True:
            data = await trio.to_thread.run_sync(read, abandon_on_cancel=True)
            if not data:
                if at_terminal:
                    await lines.send(END)
                if was_end or not at_terminal:
                    break
            was_end = not data
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                await lines.send(_line(line))
        if rest.strip():
            await lines.send(_line(rest))


def _line(data: bytes) -> str:
    """A typed line; what begins with a zero byte is none."""
    return data.decode("utf-8", "replace").replace("\0", "").strip()


async def until_closed() -> None:
    """Return when standard input is closed; what comes in is ignored."""
    while await trio.to_thread.run_sync(read_stdin, abandon_on_cancel=True):
        pass
