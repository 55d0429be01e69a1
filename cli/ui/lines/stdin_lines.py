"""The lines of the standard input, read without ever blocking the table."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

import trio

from protocol.bounds import Quota

CHUNK = 4096
STDIN = 0
STRAYS: Final[Quota] = 20
"""The number of lines without a choice after which a file or a pipe is given up."""

END, INTERRUPT, CONTINUED = "\0end", "\0interrupt", "\0continued"
"""Sent among the lines of a terminal: Ctrl-D, Ctrl-C, and that the program is in front again."""

Read = Callable[[], bytes]


def read_stdin() -> bytes:
    """Read some bytes of the standard input.

    It does not use `sys.stdin`, whose lock a waiting thread would keep when the program ends.

    Returns:
        The bytes. They are empty at the end of the input.
    """
    return os.read(STDIN, CHUNK)


async def forward_input(
    lines: trio.MemorySendChannel[str], read: Read = read_stdin, at_terminal: bool = False
) -> None:
    """Send every line of the input into a channel, which is closed at the end of the input.

    At a terminal the end can be typed, and more lines may follow: then END is sent. After two ends
    in a row nothing more is read.

    Args:
        lines: The channel.
        read: Reads some bytes, in a thread.
        at_terminal: Whether the input is a terminal.
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
    """Return a typed line without zero bytes, which mark the values that are no lines."""
    return data.decode("utf-8", "replace").replace("\0", "").strip()


async def until_closed() -> None:
    """Return when the standard input is closed. Everything that is read is ignored."""
    while await trio.to_thread.run_sync(read_stdin, abandon_on_cancel=True):
        pass
