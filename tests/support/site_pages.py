"""The page that checks files, built once for all workers, and opened in a real browser."""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.page_browser import CHROMIUM, SIZES
from support.paths import ROOT

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
        made = subprocess.run(
            [sys.executable, "-c", BUILD, kind, str(site)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        done.write_text(made.stderr if made.returncode else "")
    until = time.monotonic() + PATIENCE
    while not done.exists():
        assert time.monotonic() < until, "the page was not built"
        time.sleep(0.1)
    assert done.read_text() == ""
    return site


class _Quiet(SimpleHTTPRequestHandler):
    """A server of files that says nothing. It notes what is asked for."""

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of a folder."""
    handler = partial(_Quiet, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class SitePage:
    """The page in a browser.

    Attributes:
        problems: What the browser has complained about.
        asked: The addresses that the page has asked for.
    """

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.problems: list[str] = []
        self.asked: list[str] = []
        page.set_default_timeout(WAIT)
        page.on("pageerror", lambda error: self.problems.append(f"page: {error}"))
        page.on("console", self._heard)
        page.on("request", lambda request: self._asked(request.url))
        page.goto(address)

    def _asked(self, address: str) -> None:
        # What the page has made itself has an address, too.
        if not address.startswith(("blob:", "data:")):
            self.asked.append(address)

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

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
def chromium() -> Iterator[Any]:
    """A browser, as long as it is used."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        try:
            yield found
        finally:
            found.close()


@contextmanager
def opened(browser: Any, address: str, size: str = "wide", **more: Any) -> Iterator[SitePage]:
    """The page in a new window, with Python started."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce", **more
    )
    try:
        page = SitePage(context.new_page(), address)
        page.wait_for_start()
        yield page
        assert not page.problems, page.problems
    finally:
        context.close()


needs_node = pytest.mark.skipif(not HAS_NODE, reason="no Node.js with npm to build the page")
