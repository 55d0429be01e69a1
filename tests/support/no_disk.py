"""A context in which nothing can touch a disk: who tries fails the test."""

import builtins
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ifaddr  # noqa: F401 - when it is imported, it looks for the library of C
import pytest

from support.paths import ROOT

ALLOWED = {
    *("fsdecode", "fsencode", "fspath", "urandom"),  # They reach no file.
    *("memfd_create", "write", "close"),  # The key of a link is passed to OpenSSL in memory.
}
"""The functions of `os` that may be called."""
READABLE = (ROOT / "p2p_hoity", Path("/proc"), Path("/sys"))
"""The program's own data, such as the words of a code, and what the system says of itself."""


def for_data_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that fails, unless it is called with a path that is readable."""

    def call(*given: Any, **more: Any) -> Any:
        path = given[0] if given else None
        assert isinstance(path, str | Path), f"the disk is used: {function} {given}"
        is_allowed = any(map(Path(path).is_relative_to, READABLE))
        assert is_allowed, f"the disk is used: {function} {given}"
        return function(*given, **more)

    return call


@contextmanager
def no_disk() -> Iterator[None]:
    """Let `open` and all functions of `os` fail. Modules can still be imported."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (builtins, io):
            patch.setattr(module, "open", for_data_only(io.open))
        for name in dir(os):
            value = getattr(os, name)
            is_function = callable(value) and not isinstance(value, type)
            if is_function and not name.startswith("_") and name not in ALLOWED:
                patch.setattr(os, name, for_data_only(value))
        yield
