"""A `hoity` command in a process that SIGKILLs itself as it writes its journal.

    python tests/crashing_seat.py WRITES WORDS…

WRITES is which write is its last: every record, every flush to the disk and every mark is one,
and each is cut in two: an even number dies before, an odd one after its half. 0: never. With
`torn` behind the number the record that is written then gets only half of its bytes to the disk.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from cli.hoity_app import run
from p2p_hoity.journal import Journal


class Fuse:
    """Counts the writes of this process and ends it at the chosen one."""

    def __init__(self, last: int, torn: bool) -> None:
        self.last, self.torn, self.count = last, torn, 0

    def burn(self) -> bool:
        """Count half a write; whether it was the last."""
        self.count += 1
        return self.count == self.last

    def guard(self, name: str) -> None:
        """Put the fuse around one method of the journal."""
        method = getattr(Journal, name)

        def guarded(book: Journal, *args: Any) -> None:
            if self.burn():
                self.die(book, args)
            method(book, *args)
            if self.burn():
                self.die(book, ())

        setattr(Journal, name, guarded)

    def die(self, book: Journal, args: tuple[Any, ...]) -> None:
        """As a power cut would have it."""
        if self.torn:
            book._file.write(b"\x00\x00\x01\x00half of a record")
        if self.torn or not args:
            book._file.flush()
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    number = sys.argv[1]
    fuse = Fuse(int(number.removesuffix("torn")), number.endswith("torn"))
    for part in ("_write", "sync", "_set_mark"):
        fuse.guard(part)
    sys.exit(run(sys.argv[2:]))
