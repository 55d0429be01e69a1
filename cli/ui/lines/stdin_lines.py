"""The lines of the standard input, read in a thread so that the program never waits for them."""

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
    """Wait for at most `CHUNK` bytes of the standard input. They are empty at its end."""
    # Not `sys.stdin`: a waiting thread would still hold its lock when the program ends.
    return os.read(STDIN, CHUNK)


async def forward_input(
    lines: trio.MemorySendChannel[str], read: Read = read_stdin, at_terminal: bool = False
) -> None:
    """Send every line of the input into a channel, and close the channel after the last line.

    A file or pipe is read to its end. At a terminal, each Ctrl-D sends `END` into the channel, and
    two Ctrl-D in a row end the reading. `read` is called in a thread.
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
            # Only the first bytes tell the encoding.
            decoder = decoder or _decoder(data)
            *whole, rest = (rest + decoder.decode(data)).split("\n")
            for line in whole:
                await lines.send(_line(line))
        rest += decoder.decode(b"", final=True) if decoder else ""
        for line in filter(str.strip, rest.split("\n")):
            await lines.send(_line(line))


def _decoder(first: bytes) -> IncrementalNewlineDecoder:
    """Return what decodes an input with these first bytes, and makes a newline of each line end."""
    # Some shells of Windows write files in UTF-16. A file in UTF-8 may have a byte order mark.
    is_wide = first.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    kind = getincrementaldecoder("utf-16" if is_wide else "utf-8-sig")
    return IncrementalNewlineDecoder(kind("replace"), translate=True)


def _line(text: str) -> str:
    # Special values such as `END` begin with a zero character, so no typed line can equal one.
    return text.replace("\0", "").strip()


async def until_closed() -> None:
    """Return when the standard input is closed. Everything that is read is ignored."""
    while await trio.to_thread.run_sync(read_stdin, abandon_on_cancel=True):
        pass
