"""The page that checks files, built once for all workers, and opened in a real browser."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from support import page_browser
from support.live_page import window
from support.page_browser import SIZES, problems_of
from support.paths import ROOT
from tools.targets import ELSEWHERE, LEFT_OUT

HAS_NODE = shutil.which("node") is not None and shutil.which("npm") is not None
PATIENCE = 120
"""Seconds in which anything that is awaited has to come."""
WAIT = 1000 * PATIENCE
BUILD = """
import sys
from importlib import import_module
from pathlib import Path
import_module(f"tools.{sys.argv[1]}").build(Path(sys.argv[2]), compress=False)
"""
START, VERDICT = "progress", "#verdict"


def built(folder: Path, kind: str = "site") -> Path:
    """Return the folder of a page, and build it there unless another worker does, or has.

    Args:
        kind: The module of `tools` that builds it.
    """
    done, site = folder / "done", folder / kind
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        done.write_text(_build(kind, site, ROOT, {}))
    until = time.monotonic() + PATIENCE
    while not done.exists():
        assert time.monotonic() < until, "the page was not built"
        time.sleep(0.1)
    assert done.read_text() == ""
    return site


def _build(
    kind: str, site: Path, checkout: Path, variables: dict[str, str], umask: int = -1
) -> str:
    """Build a page from a checkout, and return "" or what went wrong."""
    made = subprocess.run(
        [sys.executable, "-c", BUILD, kind, str(site)],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout), **variables},
        capture_output=True,
        text=True,
        check=False,
        umask=umask,
    )
    return made.stderr if made.returncode else ""


def built_elsewhere(folder: Path, kind: str) -> Path:
    """Return the folder of a page that a copy of this checkout has built, as for another person."""
    checkout, home = folder / "a copy", folder / "home"
    home.mkdir()
    shutil.copytree(ROOT, checkout, ignore=LEFT_OUT, copy_function=shutil.copyfile)
    # Another version is installed there.
    about = checkout / "p2p_hoity-9.9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: p2p-hoity\nVersion: 9.9\n")
    site = folder / "again" / kind
    assert _build(kind, site, checkout, {**ELSEWHERE, "HOME": str(home)}, umask=0o077) == ""
    return site


def content(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by their paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class _Quiet(SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, *words: object) -> None:
        """Say nothing."""


def served(folder: Path) -> AbstractContextManager[str]:
    """The address of a server of a folder."""
    return page_browser.served(partial(_Quiet, directory=str(folder)))


class SitePage:
    """The page in a browser.

    Attributes:
        problems: What the browser has complained about.
        asked: The addresses that the page has asked for.
    """

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.problems = problems_of(page)
        self.asked: list[str] = []
        page.set_default_timeout(WAIT)
        page.on("request", lambda request: self._asked(request.url))
        page.goto(address)

    def _asked(self, address: str) -> None:
        # What the page has made itself has an address, too.
        if not address.startswith(("blob:", "data:")):
            self.asked.append(address)

    def wait_for_start(self) -> None:
        """Wait until Python has started."""
        self.page.wait_for_selector(START)
        self.page.wait_for_selector(START, state="detached")

    def choose(self, *files: Path | dict[str, Any]) -> None:
        """Choose files."""
        self.page.set_input_files("input[type=file]", list(files) if len(files) > 1 else files[0])

    def check(self, file: Path | dict[str, Any]) -> list[str]:
        """Choose a file, and return the lines of its verdict."""
        self.page.evaluate("() => document.querySelector('#verdict')?.setAttribute('data-old', '')")
        self.choose(file)
        self.page.wait_for_function(
            "() => { const seen = document.querySelector('#verdict:not([data-old])'); "
            "return seen && seen === document.activeElement }"
        )
        return self.lines()

    def lines(self) -> list[str]:
        """The lines of the verdict that is shown."""
        return [
            self.page.locator(VERDICT).inner_text(),
            *self.page.locator(".checked li").all_inner_texts(),
        ]

    def status(self) -> str:
        """What the page says about its work, "" for nothing."""
        found = self.page.locator("[role=status]:not(#aloud)")
        return found.inner_text() if found.count() else ""


@contextmanager
def opened(browser: Any, address: str, size: str = "wide", **more: Any) -> Iterator[SitePage]:
    """The page in a new window, with Python started."""
    with window(browser, SIZES[size], **more) as context:
        page = SitePage(context.new_page(), address)
        page.wait_for_start()
        yield page
        assert not page.problems, page.problems


needs_node = pytest.mark.skipif(not HAS_NODE, reason="no Node.js with npm to build the page")
