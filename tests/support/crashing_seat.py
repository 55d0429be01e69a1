"""A `hoity` command in a process that SIGKILLs itself as it writes its journal.

    python -m support.crashing_seat CUT WORDS…

CUT is the instant of its death, counted from 1 over its journal (0: never). A record has two:
half of it is on the disk, or all of it. Bringing records to the disk has three: nothing of what
was appended since the last time is there; all of it is, but only half of the new mark; all is
done. What is signed, posted and heard is tapped to the file `wire` of the home.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

from cli.app import run
from cli.commands import play
from p2p_hoity.storage.journal import Journal
from p2p_hoity.storage.own_files import private_folder
from protocol.wire.header import Patience
from support import wire_tap

FIRST = 4
"""The cut with which a seat has its first record, and so can be resumed."""

LONG = 1_800_000
"""Milliseconds of patience."""


def die() -> NoReturn:
    """Nothing more is written, said or tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("alive after SIGKILL")


def light(last: int) -> None:
    """Put a fuse around the writes of the journal; it burns down at cut `last`."""
    cuts = 0

    def burn() -> bool:
        nonlocal cuts
        cuts += 1
        return cuts == last

    Journal._write = _write(Journal._write, burn)  # type: ignore[method-assign]
    Journal.settle = _settle(Journal.settle, burn)  # type: ignore[method-assign]
    Journal._write_mark = _write_mark(Journal._write_mark, burn)  # type: ignore[method-assign]


def _write(
    write: Callable[[Journal, bytes], None], burn: Callable[[], bool]
) -> Callable[[Journal, bytes], None]:
    def burning(book: Journal, sealed: bytes) -> None:
        if burn():
            record = len(sealed).to_bytes(4, "big") + book._last + sealed
            book._file.write(record[: len(record) // 2])
            book._file.flush()
            die()
        write(book, sealed)
        if burn():
            book._file.flush()
            die()

    return burning


def _settle(
    settle: Callable[[Journal], bool], burn: Callable[[], bool]
) -> Callable[[Journal], bool]:
    def burning(book: Journal) -> bool:
        if book._dirty and burn():
            die()
        return settle(book)

    return burning


def _write_mark(
    write_mark: Callable[[Journal, bytes], None], burn: Callable[[], bool]
) -> Callable[[Journal, bytes], None]:
    def burning(book: Journal, last: bytes) -> None:
        if burn():
            (private_folder(book.mark.parent) / ".torn.new").write_bytes(last[:4])
            die()
        write_mark(book, last)
        if burn():
            die()

    return burning


def main(words: list[str]) -> int:
    """Play with a fuse and a tap; the exit code. A table opened here has patience in every step:
    a seat that dies at every write of a step may need minutes for it."""
    play.Patience = partial(Patience, step=LONG)  # type: ignore[misc,assignment]
    wire_tap.tap(Path(os.environ["HOITY_HOME"]) / wire_tap.FILE)
    light(int(words[0]))
    return run(words[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
