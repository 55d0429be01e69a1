"""Programs above the stand-in for trio that a page has, on a virtual clock."""

import asyncio
import json
import os
import selectors
import subprocess
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from support.paths import ROOT, TESTS

STAND_INS = ROOT / "tools" / "page_build" / "stand_ins"


class JumpingClock(selectors.DefaultSelector):
    """What a loop waits with. It does not wait, but lets the time go on.

    Attributes:
        now: The virtual time, in seconds.
    """

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Let so much time go by."""
        if timeout is None:
            raise RuntimeError("all tasks wait for ever")
        self.now += timeout
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to what is due as soon as nothing is left to do."""

    def __init__(self) -> None:
        self.clock = JumpingClock()
        super().__init__(self.clock)

    def time(self) -> float:
        """Return the virtual time."""
        return self.clock.now


def run(function: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a function on asyncio, as a page does, and return its result."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(function())


def result_above(module: str, *args: str) -> Any:
    """Run a module in which `import trio` finds the stand-in, and return what it prints as JSON."""
    places = os.pathsep.join(map(str, (STAND_INS, ROOT, TESTS)))
    done = subprocess.run(
        [sys.executable, "-m", module, *args],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)
