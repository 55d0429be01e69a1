"""Pages that play in a real browser, with a relay and a native host in processes of their own."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cli.words.page_labels import labels
from support.page_browser import problems_of
from support.short_game import short_file
from support.terminals import BOT, GUEST, LISTEN, Terminal, start

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


class PlayingPage:
    """A page in a browser that plays.

    Attributes:
        problems: What the browser has complained about.
        done: What was done, in order.
    """

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.problems = problems_of(page)
        self.done: list[str] = []
        page.goto(address)

    def step(self) -> str:
        """Do what the page is ready for, and return it."""
        done = str(self.page.evaluate(STEP))
        if done and done != "ending":
            self.done.append(done)
        return done

    def play_until(self, *wanted: str, patience: float = PATIENCE) -> None:
        """Play until one of these things was done, or is there."""
        last = time.monotonic() + patience
        while self.step() not in wanted:
            assert time.monotonic() < last, (
                self.done[-5:],
                self.problems,
                self.page.inner_text("body")[:500],
            )
            time.sleep(LOOK)

    def play_until_seen(self, place: Any) -> None:
        """Play until something can be seen."""
        last = time.monotonic() + PATIENCE
        while not place.is_visible():
            assert time.monotonic() < last, (
                self.done[-5:],
                self.problems,
                self.page.inner_text("body")[:500],
            )
            self.step()
            self.page.wait_for_timeout(1000 * LOOK)

    def saved(self, name: str) -> bytes:
        """Return what the browser saves when the button with this label is pressed."""
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=labels()[name]).click()
        return Path(download.value.path()).read_bytes()


class PagedHost:
    """A relay that serves a page, and a host who waits there.

    Attributes:
        address: Where the page is.
        transcript: The host's file of the game.
        link: That of the last table.
    """

    def __init__(self, folder: Path, page: Path, port: int) -> None:
        self.folder, self.address = folder, f"http://127.0.0.1:{port}/"
        web = f"127.0.0.1:{port}"
        self._url = f"ws://{web}"
        self._web = ["--web", web, "--web-url", self._url, "--web-page"]
        self.relay = self._relay(page)
        self.transcript = folder / "host.hoity"
        self.host: Terminal | None = None
        self.guests: list[Terminal] = []
        self.link, self._page = "", page

    def _relay(self, page: Path) -> Terminal:
        self._page = page
        words = ["relay", *LISTEN, "--json", *self._web, str(page)]
        relay = start(self.folder / "relay", *words)
        relay.read_until("web")
        return relay

    def admit_pages_of(self, origin: str) -> str:
        """Run the relay without a page, for pages of another server, and return its URL."""
        self.relay.kill()
        words = ["relay", *LISTEN, "--json", *self._web[:-1], "--web-origin", origin]
        self.relay = start(self.folder / "relay", *words)
        self.relay.read_until("web")
        return self._url

    def restart_relay(self, page: Path | None = None) -> None:
        """Kill the relay, and run another one at the same address, perhaps with another page."""
        self.relay.kill()
        self.relay = self._relay(page or self._page)

    def open_table(self, seats: int, *more: str, typed: str = "", patience: int = 20) -> str:
        """Open a table with a bot in the host's seat, and return its link.

        Args:
            typed: What the host is told beforehand.
            patience: Seconds after which a seat is absent.
        """
        words = ["host", "--relay", self._url, "--seats", str(seats), *BOT]
        words += ["--patience", str(patience)]
        words += ["--edition", str(short_file(self.folder)), "--transcript", str(self.transcript)]
        self.host = start(self.folder / "host", *words, *more, typed=typed)
        self.link = f"{self.address}#{self.host.read_until('ticket')['ticket']}"
        return self.link

    def join(self, link: str = "") -> Terminal:
        """Let a bot in a program of its own come to the last table, or to that of a link."""
        home, ticket = self.folder / f"guest-{len(self.guests)}", (link or self.link).split("#")[1]
        self.guests.append(start(home, "join", ticket, "--relay", self._url, *GUEST))
        return self.guests[-1]

    def close(self) -> None:
        """End all programs."""
        for one in (self.host, *self.guests, self.relay):
            if one is not None:
                one.kill()


@contextmanager
def paged_host(folder: Path, page: Path, port: int) -> Iterator[PagedHost]:
    """A relay with a page, as long as it is used."""
    made = PagedHost(folder, page, port)
    try:
        yield made
    finally:
        made.close()
