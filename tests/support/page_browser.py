"""A browser with the page alone: its files by a small server, its socket played by the test."""

import gzip
import importlib.util
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cli.words import page_labels, translation
from cli.words.chat_phrases import PHRASES
from p2p_hoity.presentation.table_messages import NAME, Hello
from p2p_hoity.presentation.window_messages import Entered, Page, WindowSettings
from support.paths import ROOT
from support.table_contract import check

Line = dict[str, Any]

PAGE = ROOT / "cli" / "ui" / "web" / "page"
RECORDED = ROOT / "tests" / "data" / "page"
CHROMIUM = Path(os.environ.get("HOITY_CHROMIUM", "/usr/bin/chromium-headless-shell"))
IS_HERE = CHROMIUM.exists() and importlib.util.find_spec("playwright") is not None
"""Whether there are a browser and what drives it."""
needs_browser = pytest.mark.skipif(not IS_HERE, reason="no Chromium, or no package playwright")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types lit-html"
)
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
SIZES = {"phone": (360, 640), "tablet": (768, 1024), "wide": (1440, 900)}
DRAWN, ENTERED = 8, 34
"""Milliseconds in which the page draws a message, and all that comes after it has entered."""
PAUSE = 5000
"""Milliseconds after which something that is awaited has not come."""


class _Files(BaseHTTPRequestHandler):
    """The files of the page, under the policy of the product."""

    def do_GET(self) -> None:
        """Answer with a file of the page."""
        path = PAGE / (self.path.split("?")[0].lstrip("/") or "index.html")
        is_there = path.is_file() and path.suffix in KINDS
        self.send_response(200 if is_there else 404)
        self.send_header("Content-Type", KINDS.get(path.suffix, "text/plain") + "; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        if is_there:
            self.wfile.write(path.read_bytes())

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@contextmanager
def served(handler: Callable[..., BaseHTTPRequestHandler] = _Files) -> Iterator[str]:
    """The address of a server of the page, or of what another handler serves."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@cache
def recorded(game: str) -> dict[str, list[Line]]:
    """The recorded scenes of a game by their names; `table` is told before each of the others."""
    text = gzip.decompress((RECORDED / f"{game}.jsonl.gz").read_bytes()).decode()
    scenes = {one["scene"]: one["messages"] for one in map(json.loads, text.splitlines())}
    table = scenes["table"]
    return {
        name: table + [one for one in told if one not in table] for name, told in scenes.items()
    }


def greeting(language: str = "en", **changed: Any) -> list[Line]:
    """What a page is told first in any case."""
    translation.speak(language)
    try:
        hello = Hello(NAME, "0.2.0", language, tuple(map(translation._, PHRASES)))
        page = {
            "mode": "play",
            "labels": page_labels.labels(),
            "languages": {code: translation.name_of(code) for code in translation.LANGUAGES},
            "settings": WindowSettings(light=None, sound=False, staged=True),
            "has_hints": True,
            "may_talk": True,
            "by_bot": False,
            **changed,
        }
        return [Entered("token-of-this-window").as_json(), hello.as_json(), Page(**page).as_json()]
    finally:
        translation.speak("en")


def problems_of(page: Any) -> list[str]:
    """Return a list to which everything is added that the browser complains about from now on."""
    found: list[str] = []

    def heard(message: Any) -> None:
        if message.type in ("error", "warning"):
            found.append(f"console: {message.text}")

    page.on("pageerror", lambda error: found.append(f"page: {error}"))
    page.on("console", heard)
    return found


class OpenPage:
    """A page that is open in the browser, and the socket behind it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.sent: list[Line] = []
        self.problems = problems_of(page)
        self.pause = DRAWN
        self.sockets: list[Any] = []
        page.route_web_socket("**/table", self._connected)
        page.goto(address + "#secret-of-this-window")
        self.wait_for_sent(1)

    def _connected(self, socket: Any) -> None:
        self.sockets.append(socket)
        socket.on_message(lambda text: self.sent.append(json.loads(text)))

    def tell(self, messages: Iterable[Line], checked: bool = True) -> None:
        """Send messages of the contract to the page, and wait until it has drawn them."""
        for message in messages:
            if checked:
                check(message)
            self.sockets[-1].send(json.dumps(message))
            if message["type"] == "entered":
                self.pause = ENTERED
        self.settle()

    def settle(self) -> None:
        """Wait until the page has drawn what has come."""
        self.page.evaluate(f"() => new Promise(done => setTimeout(done, {self.pause}))")
        self.pause = DRAWN

    def wait_for_sent(self, number: int) -> None:
        """Wait until the page has sent so many messages."""
        for _ in range(PAUSE // 10):
            if len(self.sent) >= number:
                return
            self.page.wait_for_timeout(10)
        raise AssertionError(f"{number} messages were awaited, and these came: {self.sent}")

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()

    def newest(self) -> Line:
        """The message that was sent last."""
        return self.sent[-1]


class Browser:
    """A browser that opens pages in windows of several sizes."""

    def __init__(self, chromium: Any, address: str) -> None:
        self._chromium = chromium
        self._address = address

    @contextmanager
    def window(
        self,
        told: Sequence[Line] = (),
        size: str = "wide",
        scheme: str = "light",
        language: str = "en",
        motion: str = "reduce",
        **changed: Any,
    ) -> Iterator[OpenPage]:
        """A page in a new window that has entered and was told these messages."""
        width, height = SIZES[size]
        context = self._chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion=motion,
        )
        try:
            opened = OpenPage(context.new_page(), self._address)
            opened.tell([*greeting(language, **changed), *told])
            yield opened
        finally:
            context.close()


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser, as long as it is used."""
    from playwright.sync_api import sync_playwright

    with served() as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        try:
            yield Browser(chromium, address)
        finally:
            chromium.close()


def packed_size() -> int:
    """The size in bytes of all files of the page and its labels, each compressed by gzip."""
    files = [path.read_bytes() for path in sorted(PAGE.rglob("*")) if path.suffix in KINDS]
    labels = json.dumps(page_labels.labels()).encode()
    return sum(len(gzip.compress(one, 9)) for one in [*files, labels])
