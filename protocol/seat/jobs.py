"""Jobs: what takes a machine long and can be done beside it, as it is handed to a driver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Job:
    """One piece of work. `run` may go on in another thread, never in another process: it may know
    secrets. It touches nothing that the machine changes meanwhile; `take` is called with what it
    gave by the machine itself.
    """

    run: Callable[[], Any] = field(repr=False)
    take: Callable[[Any], None] = field(repr=False)
