"""The lines of the standard input, read in a thread so that the node never waits for them."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Callable
from io import IncrementalNewlineDecoder
from typing import Final

import trio

from protocol.units import Quota

CHUNK = 4096
STDIN = 0
STRAYS: Final[Quota] = 20
"""The number of lines without a choice after which no more is read from a file or a pipe."""

END, INTERRUPT, CONTINUED = "\0end", "\0interrupt", "\0continued"
"""The values among the lines of a terminal for Ctrl-D, Ctrl-C and the return to the foreground."""

Read = Callable[[], bytes]


def read_stdin() -> bytes:
    """Wait for some bytes of the standard input.

    This does not use `sys.stdin`, because a waiting thread would still hold its lock when the
    program ends.

    Returns:
        At most `CHUNK` bytes. They are empty at the end of the input.
    """
    return os.read(STDIN, CHUNK)


async def forward_input(
    lines: trio.MemorySendChannel[str], read: Read = read_stdin, at_terminal: bool = False
) -> None:
    """Send every line of the input into a channel, and close the channel after the last line.

    A file or pipe is read to its end. At a terminal, each Ctrl-D sends `END` into the channel, and
    two Ctrl-D in a row end the reading.

    Args:
        read: The function that reads some bytes. It is called in a thread.
        at_terminal: Whether the input is a terminal.
    """
    rest, was_end, decoder = "", False, None
    async with lines:
        while True:
            data = await trio.to_thread.run_sync(read, abandon_on_cancel=True)
            if not data:
                if at_terminal:
                    await lines.send(END)
                if was_end or not at_terminal:
                    break
            was_end = not data
            decoder = decoder or _decoder(data)
            *whole, rest = (rest + decoder.decode(data)).split("\n")
            for line in whole:
                await lines.send(_line(line))
        rest += decoder.decode(b"", final=True) if decoder else ""
        for line in filter(str.strip, rest.split("\n")):
            await lines.send(_line(line))


def _decoder(first: bytes) -> IncrementalNewlineDecoder:
    """Return what decodes the input and makes a newline of each kind of line end.

    A file may begin with a byte order mark. It may be in UTF-16, in which some shells of Windows
    write files. `first` are the first bytes of the input.
    """
    is_wide = first.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    kind = getincrementaldecoder("utf-16" if is_wide else "utf-8-sig")
    return IncrementalNewlineDecoder(kind("replace"), translate=True)


def _line(text: str) -> str:
    """Return a typed line without its zero characters and without white space around it.

    Special values such as `END` begin with a zero character. So no typed line can equal a special
    value.
    """
    return text.replace("\0", "").strip()


async def until_closed() -> None:
    """Return when the standard input is closed. Everything that is read is ignored."""
    while await trio.to_thread.run_sync(read_stdin, abandon_on_cancel=True):
        pass
