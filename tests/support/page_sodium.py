"""A plugin of pytest: PyNaCl runs above the stand-in that it has in a page, over this libsodium."""

import sys
import types
from typing import Any

from nacl._sodium import ffi, lib

from support.paths import ROOT

STAND_IN = ROOT / "tools" / "page_build" / "stand_ins" / "nacl_sodium.py"


class Bridge(types.ModuleType):
    """What `sodium.js` is in a page."""

    memory: Any = None

    def attach(self, memory: bytearray) -> None:
        """Take the memory through which arguments pass."""
        self.memory = memory

    @staticmethod
    def number(name: str) -> int:
        """Return what a function without arguments returns."""
        found: int = getattr(lib, name)() if hasattr(lib, name) else 0
        return found

    def function(self, name: str, kinds: str) -> Any:
        """Return a function whose arguments lie in the memory."""
        run = getattr(lib, name)
        wanted = ffi.typeof(run).args
        assert len(wanted) == len(kinds)

        def call(size: int, *told: int) -> int:
            assert size == sum(
                n for kind, n in zip(kinds, told, strict=True) if kind == "b" and n > 0
            )
            place, at, given = ffi.from_buffer(self.memory), 0, []
            for kind, n, form in zip(kinds, told, wanted, strict=True):
                if kind == "n":
                    given.append(n)
                elif n < 0:
                    given.append(ffi.NULL)
                else:
                    given.append(ffi.cast(form, place + at))
                    at += n
            result: int = run(*given)
            return result

        return call


def install() -> None:
    """Put the stand-in in the place of the compiled module."""
    assert "nacl.bindings" not in sys.modules
    sys.modules["_page_sodium"] = Bridge("_page_sodium")
    module = types.ModuleType("nacl._sodium")
    exec(compile(STAND_IN.read_text("utf-8"), STAND_IN, "exec"), module.__dict__)
    sys.modules["nacl._sodium"] = module


def pytest_report_header() -> str:
    """Say that it is so."""
    return f"libsodium above {STAND_IN.name}"


install()
