"""Lines from standard input, read without ever blocking the table."""

from __future__ import annotations

import os
from collections.abc import Callable

import trio

CHUNK = 4096
STDIN = 0
STRAYS = 20
"""So many lines of a file or a pipe without a choice, and nobody who reads is typing them."""

Read = Callable[[], bytes]


def read_stdin() -> bytes:
    """Some bytes of standard input, nothing at its end. Not through sys.stdin: a thread that
    still waits there would hold its lock when the program ends."""
    return os.read(STDIN, CHUNK)


async def pump(lines: trio.MemorySendChannel[str], read: Read = read_stdin) -> None:
    """Send every line on; the channel closes at the end of the input."""
    rest = b""
    async with lines:
        while data := await trio.to_thread.run_sync(read, abandon_on_cancel=True):
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                await lines.send(line.decode("utf-8", "replace").strip())
        if rest.strip():
            await lines.send(rest.decode("utf-8", "replace").strip())


async def until_closed(read: Read = read_stdin) -> None:
    """Return when standard input is closed; what comes in is ignored."""
    while await trio.to_thread.run_sync(read, abandon_on_cancel=True):
        pass
