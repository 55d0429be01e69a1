"""A `hoity` command in a process that may write no file beyond so many bytes.

    python -m support.cramped_seat BYTES WORDS…

It stands for a full disk: the write that goes beyond fails, and what came before is kept.
"""

from __future__ import annotations

import resource
import signal
import sys

from cli.app import run

if __name__ == "__main__":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    sys.exit(run(sys.argv[2:]))
