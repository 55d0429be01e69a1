"""A command line with a home of its own, and a person who types at it."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from cli.app import run
from p2p_hoity.storage.home import Home

Types = Callable[..., None]
"""Says which lines a person at a terminal types, and no more."""


def nothing(words: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The objects that it wrote for a program."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Shell:
    """A command line."""

    capture: pytest.CaptureFixture[str]
    home: Home

    def __call__(self, *words: object) -> Done:
        code = run([str(word) for word in words])
        found = self.capture.readouterr()
        return Done(code, found.out, found.err)

    def done(self, code: int, *words: object) -> Done:
        """Run a command that ends with this code."""
        done = self(*words)
        assert done.code == code, done
        return done

    def told(self, code: int, *words: object) -> str:
        """Return in one line all that is written by a command that ends with this code."""
        done = self.done(code, *words)
        return " ".join((done.err + done.out).split())


def modules_of(code: int, *words: object) -> set[str]:
    """Return what a Python has loaded at the end of a command that ends with this code."""
    return modules_after([*map(str, words)], code=code)


def modules_after(*lines: list[str], code: int = 0) -> set[str]:
    """Return what one Python has loaded after some commands, each of which ends with this code."""
    script = (
        f"import sys; from cli.app import run; codes = set(map(run, {lines!r}));"
        "print(*sys.modules); sys.exit(codes.pop() if len(codes) == 1 else repr(codes))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, ""), done
    return set(done.stdout.splitlines()[-1].split())
