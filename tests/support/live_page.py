"""The page of a live seat in a real browser: trio serves it in a thread, the test drives the page.

`Live` is a game by the rules alone behind the real window and server. `Tab` is a page of the
browser whose every complaint and request is noted.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import trio

from cli.ui.person_seat import PersonSeat
from cli.ui.screen_options import ScreenOptions
from cli.ui.web.page_window import PageWindow
from p2p_hoity.presentation.screen_updates import Update
from p2p_hoity.table.playing.session import Outcome
from support.page_browser import CHROMIUM, problems_of
from support.page_table import PageTable, page_host, secret_of
from support.screened import Company

PATIENCE = 20
"""Seconds in which anything that is awaited has to come."""
WAIT = PATIENCE * 1000
DRAWN = 12
"""Milliseconds in which a message comes and is drawn."""
EVIL = "evil.example"
"""A name of somebody else that leads to this computer."""
POLICY_BROKEN = """addEventListener("securitypolicyviolation", (event) =>
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`))"""
NOW = """() => {
    const can = (query) => [...document.querySelectorAll(query)].some((one) => one.offsetParent);
    if (can(".victory")) return "ending";
    if (can("dialog[open]")) return "dialog";
    if (can("#choice .seal:enabled")) return "ready";
    if (can("#choice .verdict, #choice .say.bad")) return "refused";
    if (can("#choice input, #choice .best-one, .loot button")) return "question";
    if (can("section.beat")) return "beat";
    return "";
}"""
"""What the page shows that a reader can do something about."""


@dataclass
class Live:
    """A game at a page that is served in a thread."""

    folder: Path
    company: Company
    how: dict[str, Any] = field(default_factory=dict)
    table: PageTable = field(init=False)
    errors: list[BaseException] = field(default_factory=list)

    def __enter__(self) -> Self:
        host = page_host(self.folder)
        self.table = PageTable(
            host,
            PersonSeat(ScreenOptions(lambda reason: None, page=host, **self.how), PageWindow),
        )
        self._ready, self._scope = threading.Event(), trio.CancelScope()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive():
            self.do(self._scope.cancel)
        self._thread.join(PATIENCE)
        self.table.page.close()
        assert not self._thread.is_alive()
        assert not self.errors
        assert not self.table.page.server.failures

    def _run(self) -> None:
        try:
            trio.run(self._serve)
        except BaseException as error:  # noqa: BLE001 - the test is told of any
            self.errors.append(error)

    async def _serve(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._ready.set()
        with self._scope:
            (await self.table.window.serve_beside(self._play)).unwrap()

    async def _play(self) -> Outcome:
        await self.company.play(self.table.seat, self.table.seat.tell)
        return Outcome(None, self.company.referee.state.standings)

    def do(self, act: Callable[..., object], *args: object) -> None:
        """Call a function in the thread of the game, and wait until it was called."""
        trio.from_thread.run_sync(act, *args, trio_token=self._token)

    def tell(self, update: Update) -> None:
        """Tell the seat what happens."""
        self.do(self.table.seat.tell, update)

    def ended(self) -> bool:
        """Whether the program behind the page comes to its end."""
        self._thread.join(PATIENCE)
        return not self._thread.is_alive()

    @property
    def secret(self) -> str:
        """The secret in the address, empty once it was used."""
        return secret_of(self.table.page.server)

    @property
    def address(self) -> str:
        """The address for a browser."""
        return self.table.page.server.address

    @property
    def origin(self) -> str:
        """The origin of the page."""
        return self.table.page.server.origin


class Tab:
    """A page of a browser."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.problems = problems_of(page)
        self.asked: list[str] = []
        page.set_default_timeout(WAIT)
        page.add_init_script(POLICY_BROKEN)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url))

    def goto(self, address: str) -> Self:
        """Open an address."""
        self.page.goto(address)
        return self

    def hosts(self) -> set[str]:
        """The hosts, with ports, that the page has asked for anything."""
        return {urlsplit(one).netloc for one in self.asked if not one.startswith("data:")}

    def now(self) -> str:
        """What the page shows, once it shows something that a reader can do something about."""
        # Not `wait_for_function`, which makes a script of text: the policy of the page forbids it.
        for _ in range(WAIT // DRAWN):
            if found := self.page.evaluate(NOW):
                return str(found)
            self.page.wait_for_timeout(DRAWN)
        raise TimeoutError(self.text())

    def until(self, wanted: str, act: Callable[[str], object]) -> None:
        """Do something about what is shown until it is what is wanted."""
        while (shown := self.now()) != wanted:
            act(shown)

    def by_keys(self, shown: str) -> None:
        """Do what is to be done about what is shown, by keys alone."""
        press = self.page.keyboard.press
        match shown:
            case "beat" | "ready":
                press("Enter")
            case "question":
                press("1")
        self.settle()

    def by_mouse(self, shown: str) -> None:
        """Do what is to be done about what is shown, by the mouse alone."""
        spots = {
            "beat": "section.beat .quiet",
            "ready": "#choice .seal",
            "question": "#choice .opt, #choice .best-one, #choice .loot .can",
        }
        box = self.page.evaluate(
            """(query) => {
                const one = [...document.querySelectorAll(query)].find((one) => one.offsetParent);
                one?.scrollIntoView({ block: "nearest" });
                const box = one?.getBoundingClientRect();
                return box && [box.x + box.width / 2, box.y + box.height / 2];
            }""",
            spots[shown],
        )
        if box is not None:
            self.page.mouse.click(*box)
        self.settle()

    def settle(self) -> None:
        """Wait until what was done has been answered and drawn, as far as that can be told."""
        self.page.wait_for_timeout(DRAWN)

    def text(self) -> str:
        """All that can be read."""
        return str(self.page.inner_text("body"))

    def wait_for_text(self, words: str) -> None:
        """Wait until something can be read."""
        self.page.get_by_text(words).first.wait_for()


@contextmanager
def chromium(*args: str) -> Iterator[Any]:
    """A browser for which the name of somebody else leads to this computer."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM),
            args=["--no-sandbox", f"--host-resolver-rules=MAP {EVIL} 127.0.0.1", *args],
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def window(browser: Any, size: tuple[int, int] = (1440, 900), **more: Any) -> Iterator[Any]:
    """A window of the browser with its own storage, in which tabs are opened."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce", **more
    )
    try:
        yield context
    finally:
        context.close()
