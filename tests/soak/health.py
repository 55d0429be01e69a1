"""What processes use: memory, processor time, open files, and how long their journals are."""

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Health:
    """What a process has used so far, and what it holds now; memory in kB."""

    memory: int = 0
    seconds: float = 0.0
    files: int = 0
    resident: int = 0
    journal: int = 0

    def or_more(self, other: Self) -> Self:
        """Return the most of each figure."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return type(self)(*(max(pair) for pair in pairs))


def health(pid: int, home: Path | None = None) -> Health:
    """Return the health of a process; OSError or IndexError if it is gone."""
    status = Path(f"/proc/{pid}/status").read_text()
    memory, resident = (int(status.split(name)[1].split()[0]) for name in ("VmHWM:", "VmRSS:"))
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    seconds = (int(fields[11]) + int(fields[12])) / TICKS
    books = home.rglob("*.journal") if home else ()
    journal = max((book.stat().st_size for book in books), default=0)
    return Health(memory, seconds, len(os.listdir(f"/proc/{pid}/fd")), resident, journal)


class Watch(threading.Thread):
    """Looks at a process until it is gone; `worst` is the most that was seen of anything."""

    def __init__(self, pid: int, home: Path | None = None, every: float = 0.1) -> None:
        super().__init__(daemon=True)
        self.pid, self.home, self.every = pid, home, every
        self.worst = health(pid, home)
        self.start()

    def run(self) -> None:
        """Look until the process is gone."""
        with suppress(OSError, IndexError):
            while True:
                self.worst = self.worst.or_more(health(self.pid, self.home))
                time.sleep(self.every)
