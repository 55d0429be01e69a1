"""The page of a live seat in a real browser: whole games, and what other pages try in vain."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from support import sampling, table_contract
from support.live_page import DRAWN, EVIL, Live, Tab, chromium, window
from support.other_site import ATTACKS, COOKIE, other_site
from support.page_browser import IS_HERE, needs_browser
from support.screened import Company, short

from cli.words.page_labels import labels
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules.edition import Edition

pytestmark = pytest.mark.sampled(4)


def test_where_a_browser_is_needed_there_is_one() -> None:
    assert IS_HERE or "HOITY_BROWSER" not in os.environ


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of the module."""
    with chromium() as found:
        yield found


def company(**how: Any) -> Company:
    """A short game of three."""
    return Company(3, 2, edition=short(), **how)


def check(tab: Tab, live: Live) -> None:
    """Nothing was complained of, and nobody else was asked for anything."""
    assert not tab.problems
    assert tab.hosts() == {f"127.0.0.1:{live.table.port}"}


# Whole games.


@needs_browser
@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", ["by_keys", "by_mouse"])
def test_a_whole_game_is_played(browser: Any, tmp_path: Path, way: str) -> None:
    with Live(tmp_path / "page", company()) as live, window(browser) as opened:
        tab = Tab(opened.new_page()).goto(live.address)
        tab.until("ending", getattr(tab, way))
        assert len(live.company.asked) > 5
        assert tab.page.locator(".standings tbody tr").count() == 3
        tab.page.get_by_role("button", name=labels()["leave_table"]).click()
        assert live.ended()
        tab.page.wait_for_selector(".notice")
        check(tab, live)


class Reader:
    """Plays by the accessibility tree, as a screen reader tells it: by roles and names."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self.heard: list[str] = []

    def read(self) -> str:
        """The tree as a text, which is kept for a failing test to print."""
        tree = str(self._page.locator("body").aria_snapshot())
        self.heard.append(tree)
        return tree

    def act(self) -> bool:
        """Do what the tree offers. Return whether the game has come to its end."""
        tree = self.read()
        words = labels()
        if f'button "{words["leave_table"]}"' in tree:
            return True
        if f'button "{words["hurry"]}"' in tree:
            self._press(words["hurry"])
        elif f'button "{words["seal"]}"' in tree:
            self._choose(tree)
            self._press(words["seal"])
        else:
            self._page.wait_for_timeout(DRAWN)
        return False

    def _choose(self, tree: str) -> None:
        """Pick the first answer, or a piece of each exhibit."""
        if 'radio "' in tree:
            # As a screen reader does it, for which nothing lies over the button.
            self._page.get_by_role("radio").first.dispatch_event("click")
            return
        best = self._page.get_by_role("group", name=labels()["best"])
        if best.count():
            best.get_by_role("button").first.dispatch_event("click")
            return
        for group in self._page.locator("#choice").get_by_role("group").all():
            pieces = group.get_by_role("button")
            if pieces.count() and not group.get_by_role("button", pressed=True).count():
                pieces.first.dispatch_event("click")

    def _press(self, name: str) -> None:
        self._page.wait_for_timeout(DRAWN)
        # It may be gone by now, or what was chosen is not drawn or sent yet. So it is searched and
        # pressed in one step.
        button = self._page.get_by_role("button", name=name, exact=True, disabled=False)
        button.evaluate_all("found => found[0]?.click()")


@needs_browser
@pytest.mark.nightly
def test_a_whole_game_is_played_by_the_accessibility_tree_alone(
    browser: Any, tmp_path: Path
) -> None:
    with Live(tmp_path / "page", company()) as live, window(browser) as opened:
        page = opened.new_page()
        tab = Tab(page).goto(live.address)
        reader = Reader(page)
        for _turn in range(2000):
            if reader.act():
                break
        else:
            raise AssertionError(reader.heard[-1])
        assert live.company.asked
        tree = reader.read()
        assert 'heading "' in tree
        assert "- table" in tree
        check(tab, live)


@needs_browser
def test_a_reload_brings_the_same_question_back_and_its_answer_counts(
    browser: Any, tmp_path: Path
) -> None:
    with Live(tmp_path / "page", company()) as live, window(browser) as opened:
        tab = Tab(opened.new_page()).goto(live.address)
        tab.until("question", tab.by_keys)
        title, asked = tab.page.inner_text("#title"), len(live.company.asked)
        tab.page.reload()
        assert tab.now() == "question"
        assert tab.page.inner_text("#title") == title
        assert len(live.company.asked) == asked
        tab.by_keys("question")
        tab.until("question", tab.by_keys)
        assert len(live.company.asked) > asked
        check(tab, live)


@needs_browser
def test_a_second_tab_takes_the_table_over_by_a_click_and_the_first_one_back(
    browser: Any, tmp_path: Path
) -> None:
    with Live(tmp_path / "page", company()) as live, window(browser) as opened:
        first = Tab(opened.new_page()).goto(live.address)
        first.until("question", first.by_keys)
        # A tab that this one opens has its storage, as one that is duplicated.
        with first.page.expect_popup() as popup:
            first.page.evaluate("void open(location.href)")
        second = Tab(popup.value)
        take = labels()["take_over"]
        for one, other in ((second, first), (first, second)):
            one.wait_for_text(labels()["elsewhere"])
            one.page.get_by_role("button", name=take).click()
            assert one.now() == "question"
            other.page.get_by_role("button", name=take).wait_for()
            assert one.page.get_by_role("button", name=take).count() == 0
        first.until("beat", first.by_keys)
        assert not first.problems
        assert not second.problems


# What others try.


@needs_browser
@pytest.mark.sampled(1)
@pytest.mark.parametrize("host", ["127.0.0.1", EVIL])
def test_a_page_of_another_site_reads_nothing_and_harms_nothing(
    browser: Any, tmp_path: Path, host: str
) -> None:
    with (
        Live(tmp_path / "page", company()) as live,
        window(browser) as opened,
        other_site() as port,
    ):
        tab = Tab(opened.new_page()).goto(live.address)
        tab.until("question", tab.by_keys)
        other = opened.new_page()
        other.goto(f"http://{host}:{port}/")
        found = other.evaluate(ATTACKS, live.origin)
        assert len(found) == 21
        assert not {name: got for name, got in found.items() if got not in ("error", "nothing")}
        tab.until("beat", tab.by_keys)
        check(tab, live)


@needs_browser
def test_a_name_of_somebody_else_that_leads_here_gets_nothing(browser: Any, tmp_path: Path) -> None:
    with Live(tmp_path / "page", company()) as live, window(browser) as opened:
        page = opened.new_page()
        for host in (EVIL, "localhost"):
            answer = page.goto(f"http://{host}:{live.table.port}/#{live.secret}")
            assert answer.status == 421
            assert page.locator("script").count() == 0
        assert live.secret


@needs_browser
@pytest.mark.nightly
def test_a_cookie_of_another_port_changes_nothing(browser: Any, tmp_path: Path) -> None:
    with (
        Live(tmp_path / "page", company()) as live,
        window(browser) as opened,
        other_site() as port,
    ):
        opened.new_page().goto(f"http://127.0.0.1:{port}/")
        stranger = Tab(opened.new_page()).goto(live.origin)
        stranger.page.wait_for_selector("main.alone")
        tab = Tab(opened.new_page()).goto(live.address)
        tab.until("question", tab.by_keys)
        tab.page.reload()
        assert tab.now() == "question"
        assert [one["name"] for one in opened.cookies()] == [COOKIE.partition("=")[0]]
        check(tab, live)


KEPT = """() => JSON.stringify([
    location.href, document.URL, document.referrer, document.cookie, document.title,
    { ...localStorage }, history.state, name, document.documentElement.outerHTML,
    performance.getEntriesByType("resource").map((one) => one.name),
    navigation.entries().map((one) => one.url),
])"""
"""All that is kept of an address but in the entry of `performance` for the page itself, which keeps
the address that was opened: only the page can read it, and the secret is used up by then."""


@needs_browser
def test_the_secret_is_in_no_address_and_the_token_in_the_storage_of_its_tab_alone(
    browser: Any, tmp_path: Path
) -> None:
    with Live(tmp_path / "page", company()) as live, window(browser) as opened:
        secret = live.secret
        tab = Tab(opened.new_page()).goto(live.address)
        tab.until("question", tab.by_keys)
        token = tab.page.evaluate("sessionStorage.getItem('hoity-token')")
        assert tab.page.evaluate("Object.keys(sessionStorage)") == ["hoity-token"]
        assert len(token) >= 32
        told = opened.new_cdp_session(tab.page).send("Page.getNavigationHistory")
        kept = tab.page.evaluate(KEPT) + str([one["url"] for one in told["entries"]])
        assert secret not in kept
        assert not live.secret
        assert token not in kept
        assert not [one for one in tab.asked if token in one]
        again = Tab(opened.new_page()).goto(f"{live.origin}/#{secret}")
        again.page.wait_for_selector("main.alone")
        assert secret not in again.page.evaluate(KEPT)
        assert not tab.problems


MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>${y}&lt;"
LONG = "W" * 80
NAMES = ("<b>Iris</b>", "</td><svg/onload=x>", "&quot><i>", "W" * 24)
HEBREW = "\u05e9\u05dc\u05d5\u05dd"


def hostile() -> Edition:
    """An edition whose every word is markup, or very long, or runs from right to left."""
    usual = short()
    words = [MARKUP, LONG, HEBREW, "<b>bold"]
    pieces = tuple(
        replace(one, names={"en": words[number % len(words)]})
        for number, one in enumerate(usual.collectibles)
    )
    colours = tuple(replace(one, name=f"<u>{one.name}") for one in usual.colours)
    categories = {letter: {"en": MARKUP + letter} for letter in "ABCDEF"}
    return replace(
        usual, name=MARKUP[:64], collectibles=pieces, colours=colours, categories=categories
    )


MADE = """() => [
    document.querySelectorAll("#app img, #app script, #app b:not([aria-hidden]) *, #app u").length,
    document.documentElement.scrollWidth - innerWidth,
]"""


@needs_browser
@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(1440, 900), (360, 640)], ids=["wide", "phone"])
def test_words_of_others_are_text_and_the_page_keeps_its_width(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.chdir(tmp_path)  # Where the picture is saved.
    others = Company(4, 3, edition=hostile(), names=NAMES)
    with Live(tmp_path / "page", others) as live, window(browser, size) as opened:
        tab = Tab(opened.new_page()).goto(live.address)
        tab.until("question", tab.by_keys)
        for words in (MARKUP, "W" * 200, "\u202eevil", f"{HEBREW} " * 30):
            live.tell(updates.Said(1, NAMES[1], words))
            live.tell(updates.Said(None, MARKUP, words))
            live.do(live.table.window.say, words)
        seen = set[str]()

        def look(shown: str) -> None:
            assert tab.page.evaluate(MADE) == [0, 0]
            seen.add(tab.text())
            tab.by_keys(shown)

        tab.wait_for_text(MARKUP)
        for _ in range(sampling.times(20, 1000)):
            if (shown := tab.now()) == "ending":
                break
            look(shown)
        look("")
        assert any(NAMES[1] in text for text in seen)
        for sheet in ("pieces", "log", "numbers", "recap"):
            tab.page.keyboard.press(
                {"pieces": "i", "log": "l", "numbers": "#", "recap": "b"}[sheet]
            )
            tab.page.wait_for_selector("dialog[open]")
            assert tab.page.evaluate(MADE) == [0, 0]
            tab.page.keyboard.press("Escape")
            tab.page.wait_for_selector("dialog[open]", state="hidden")
        if shown == "ending":
            tab.page.keyboard.press("s")
            tab.page.wait_for_selector(".saved")
            assert tab.page.evaluate(MADE) == [0, 0]
        assert not tab.problems
        assert tab.hosts() == {f"127.0.0.1:{live.table.port}"}


UNKNOWN = [
    {"type": "tomorrow", "words": ["?"]},
    {"type": "constructor"},
    {"type": "__proto__"},
    {"type": None},
    {},
    [],
    None,
    *({"type": kind} for kind in table_contract.names() if kind not in ("entered", "bye")),
]
"""Messages of a later version: types that no page knows, and known types without a field."""


@dataclass(frozen=True)
class Strange:
    """A message of no class."""

    value: Any

    def as_json(self) -> Any:
        return self.value


@needs_browser
@pytest.mark.sampled(1)
@pytest.mark.parametrize("told", [UNKNOWN, [{"type": "beat"}]], ids=["many", "beat"])
def test_messages_that_the_page_does_not_understand_do_not_stop_it(
    browser: Any, tmp_path: Path, told: list[Any]
) -> None:
    with Live(tmp_path / "page", company()) as live, window(browser) as opened:
        tab = Tab(opened.new_page()).goto(live.address)
        tab.until("question", tab.by_keys)
        asked = len(live.company.asked)
        live.do(live.table.window._send, [Strange(message) for message in told])
        tab.page.wait_for_timeout(100)
        tab.until("ready", tab.by_keys)
        tab.until("question", tab.by_keys)
        assert len(live.company.asked) > asked
        assert not [one for one in tab.problems if not one.startswith("console: TypeError")]
