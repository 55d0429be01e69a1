"""Pages that play in a real browser, with a relay and a native host in processes of their own."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from support.page_browser import SIZES
from support.paths import ROOT
from support.short_game import short_file
from support.terminals import environment

PATIENCE = 40
"""Seconds in which anything that is awaited has to come."""
LOOK = 0.05
STEP = """() => {
    const can = (query) => [...document.querySelectorAll(query)].find((one) => one.offsetParent);
    const named = (words) => [...document.querySelectorAll("button")]
        .find((one) => one.offsetParent && one.textContent.trim() === words);
    const press = (one, name) => { one.click(); return name; };
    if (can("dialog[open]")) {
        const no = named("No");
        if (no && !window.wantsAgain) return press(no, "no");
    }
    if (can(".victory")) return "ending";
    const yes = named("Yes");
    if (yes) return press(yes, "sat");
    if (named("Show the rest at once")) return press(named("Show the rest at once"), "hurry");
    const seal = can("#choice .seal:enabled");
    if (seal) return press(seal, "sealed");
    const own = [...document.querySelectorAll("#choice .own-set, #choice .loot")];
    for (const one of own) one.querySelector(".on") || one.querySelector(".can")?.click();
    const pick = can("#choice .best-one, #choice input:not(:checked)");
    if (pick) return press(pick.closest("label") ?? pick, "picked");
    return "";
}"""
"""What a page is ready for is done: sit down, pick the first answer, seal it, see the rest."""


class Native:
    """A program of this checkout that prints JSON, in a process of its own. It says yes to all.

    Attributes:
        told: What it has printed.
    """

    def __init__(self, folder: Path, *words: str) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.told: list[dict[str, Any]] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cli", *words, "--json"],
            cwd=ROOT,
            env=environment(folder / "home"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(folder / "errors").open("w"),
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            message = json.loads(line)
            self.told.append(message)
            if message.get("type") == "ask" and self._process.stdin is not None:
                reply = {"type": "reply", "ask": message["id"], "yes": True}
                self._process.stdin.write(json.dumps(reply) + "\n")
                self._process.stdin.flush()

    def until(self, kind: str, has: str) -> Any:
        """Wait for a message that has a value under a name, and return the value."""
        last = time.monotonic() + PATIENCE
        while time.monotonic() < last:
            for one in list(self.told):
                if one.get("type") == kind and one.get(has):
                    return one[has]
            time.sleep(LOOK)
        raise AssertionError(f"no {kind} with {has}: {(self.folder / 'errors').read_text()}")


class PlayingPage:
    """A page in a browser that plays.

    Attributes:
        problems: What the browser has complained about.
        done: What was done, in order.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.problems: list[str] = []
        self.done: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(f"page: {error}"))
        page.on("console", self._heard)

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def step(self) -> str:
        """Do what the page is ready for, and return it."""
        done = str(self.page.evaluate(STEP))
        if done and done != "ending":
            self.done.append(done)
        return done

    def play_until(self, *wanted: str) -> None:
        """Play until one of these things was done, or is there."""
        last = time.monotonic() + PATIENCE
        while self.step() not in wanted:
            assert time.monotonic() < last, (self.done[-5:], self.page.inner_text("body")[:500])
            time.sleep(LOOK)


class PagedHost:
    """A relay that serves a page, and a host who waits there.

    Attributes:
        address: Where the page is.
        transcript: The host's file of the game.
    """

    def __init__(self, folder: Path, page: Path, port: int) -> None:
        self.folder, self.address = folder, f"http://127.0.0.1:{port}/"
        web = f"127.0.0.1:{port}"
        self._web = ["--web", web, "--web-url", f"ws://{web}", "--web-page", str(page)]
        self.relay = self._relay()
        self.transcript = folder / "host.hoity"
        self.host: Native | None = None

    def _relay(self) -> Native:
        relay = Native(self.folder / "relay", "relay", "--listen", "127.0.0.1:0", *self._web)
        relay.until("relay", "web")
        return relay

    def restart_relay(self) -> None:
        """Kill the relay, and run another one at the same address."""
        self.relay.__exit__()
        self.relay = self._relay()

    def open_table(self, seats: int, *more: str) -> str:
        """Open a table with a bot in the host's seat, and return its link."""
        web = self.address.removeprefix("http").rstrip("/")
        words = ["host", "--relay", f"ws{web}", "--seats", str(seats), "--auto", "--patience", "20"]
        words += ["--edition", str(short_file(self.folder)), "--transcript", str(self.transcript)]
        self.host = Native(self.folder / "host", *words, *more)
        return f"{self.address}#{self.host.until('lobby', 'ticket')}"

    def close(self) -> None:
        """End both programs."""
        for one in (self.host, self.relay):
            if one is not None:
                one.__exit__()


@contextmanager
def paged_host(folder: Path, page: Path, port: int) -> Iterator[PagedHost]:
    """A relay with a page, as long as it is used."""
    made = PagedHost(folder, page, port)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def guest_window(browser: Any, size: str = "wide") -> Iterator[Any]:
    """A browser of one person, who keeps what it has stored."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    try:
        yield context
    finally:
        context.close()
