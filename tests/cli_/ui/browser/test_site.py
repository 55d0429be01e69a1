"""The page that checks files in a real browser: every verdict, the replay, and what goes wrong."""

import base64
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from support import hostile_files
from support.firefox import firefox
from support.page_browser import needs_browser
from support.paths import VECTORS
from support.site_pages import (
    HAS_NODE,
    PATIENCE,
    SitePage,
    built,
    built_elsewhere,
    content,
    needs_node,
    opened,
    served,
)

from cli.commands.verify import judge
from cli.words.browser_labels import site_start
from cli.words.page_labels import labels as page_labels
from tools import browser_build

pytestmark = [needs_browser, needs_node]
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
FILES = sorted(VECTORS.rglob("*.hoity"))
GAME = VECTORS / "transcripts" / "small-four-returned.hoity"
LARGE = VECTORS / "transcripts" / "six-uberplay-2004.hoity"
TIME = re.compile(r"\d+ ms")
LABELS = site_start()["languages"]
EN = LABELS["en"]["labels"]
"""Sentences in English."""
FETCH = """(address) => fetch(address).then(() => "open", () => "refused")"""
SOCKET = """(address) => new Promise((done) => {
    const socket = new WebSocket(address.replace("http", "ws"));
    socket.onopen = () => done("open");
    socket.onerror = () => done("refused");
})"""
ALL = 40
"""How many files one window checks before another one takes its place."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page. All workers share it."""
    base = tmp_path_factory.getbasetemp()
    return built((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site")


@pytest.fixture(scope="module")
def one_file(site: Path) -> str:
    """The address of the page that is one file."""
    return (site.parent / "hoity-files.html").as_uri()


def native(path: Path) -> list[str]:
    """The verdict of `hoity verify`, without the time that it took."""
    lines = judge(path, 1).lines
    return [TIME.sub("?", line).replace(str(path), path.name).strip() for line in lines]


def seen(page: SitePage, path: Path) -> list[str]:
    """The verdict of the page, without the time that it took."""
    return [TIME.sub("?", line) for line in page.check(path)]


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, len(FILES), ALL))
def test_every_file_has_the_verdict_of_the_command_line(
    first: int, browser: Any, one_file: str
) -> None:
    with opened(browser, one_file) as page:
        for path in FILES[first : first + ALL]:
            assert seen(page, path) == native(path), path.stem


@pytest.mark.nightly
def test_a_game_is_checked_and_replayed_to_its_end(browser: Any, one_file: str) -> None:
    with opened(browser, one_file) as page:
        assert seen(page, LARGE) == native(LARGE)
        page.page.click("a.seal")
        page.page.wait_for_selector(".replay")
        assert not page.page.is_visible("#site")
        slider = page.page.locator(".replay input[type=range]")
        slider.evaluate("one => { one.value = one.max; one.dispatchEvent(new Event('input')) }")
        page.page.wait_for_selector(".victory")
        assert "Dan" in page.page.locator(".victory").inner_text()
        with page.page.expect_download() as download:
            page.page.get_by_role("button", name=page_labels()["save_picture"]).click()
        assert re.fullmatch(r"hoity-[0-9a-f]{16}\.svg", download.value.suggested_filename)
        page.page.go_back()
        page.page.wait_for_selector("#verdict")
        assert not page.page.is_visible("#app")
        assert page.asked == [one_file]


@pytest.mark.nightly
def test_the_page_of_a_server_forbids_every_connection_once_it_is_loaded(
    browser: Any, site: Path
) -> None:
    with served(site) as address, opened(browser, address) as page:
        asked = list(page.asked)
        assert all(one.startswith(address) for one in asked)
        assert seen(page, GAME) == native(GAME)
        for way in (FETCH, SOCKET):
            assert page.page.evaluate(way, address) == "refused"
        assert page.asked == asked
        assert page.problems
        page.problems.clear()


@pytest.mark.nightly
def test_a_check_is_cancelled_and_the_next_file_is_checked(browser: Any, one_file: str) -> None:
    with opened(browser, one_file) as page:
        page.choose(LARGE)
        page.page.wait_for_function("() => document.querySelector('progress')?.value > 0")
        assert re.search(r"step \d+ of 323", page.status())
        page.page.get_by_role("button", name=EN["cancel"]).press("Enter")
        assert page.status() == EN["cancelled"].format(file=LARGE.name)
        page.page.wait_for_selector("progress", state="detached")
        assert seen(page, GAME) == native(GAME)


@pytest.mark.nightly
def test_a_file_that_is_chosen_early_is_checked_after_the_start(
    browser: Any, one_file: str
) -> None:
    page = SitePage(browser.new_page(), one_file)
    page.page.wait_for_selector("progress")
    assert seen(page, GAME) == native(GAME)
    page.page.close()


@pytest.mark.nightly
@pytest.mark.parametrize("size", ["phone", "tablet", "wide"])
def test_every_width_shows_the_whole_verdict(size: str, browser: Any, one_file: str) -> None:
    name = "a-very-long-name-without-any-space" * 5 + ".hoity"
    with opened(browser, one_file, size) as page:
        page.check({"name": name, "mimeType": "", "buffer": LARGE.read_bytes()})
        wide = "() => document.documentElement.scrollWidth <= innerWidth"
        assert page.page.evaluate(wide)


@pytest.mark.nightly
def test_the_page_speaks_the_language_of_the_reader(browser: Any, one_file: str) -> None:
    with opened(browser, one_file, locale="de-AT") as page:
        assert page.page.locator("h1").inner_text() == LABELS["de"]["labels"]["title"]
        german = page.check(GAME)
        page.page.select_option("select", "es")
        page.page.wait_for_function(
            "old => document.querySelector('#verdict').innerText !== old", arg=german[0]
        )
        assert page.page.locator("h1").inner_text() == LABELS["es"]["labels"]["title"]


@pytest.mark.nightly
def test_several_files_are_refused_in_words(browser: Any, one_file: str) -> None:
    with opened(browser, one_file) as page:
        page.page.evaluate(
            "() => document.querySelector('input[type=file]').setAttribute('multiple', '')"
        )
        page.choose(GAME, LARGE)
        assert page.status() == EN["one"]


SIZE = 60 << 20
HOSTILE = {
    "zeros": lambda size: bytes(size),
    "text": lambda size: b"hoity " * (size // 6),
    "nested": lambda size: b"\x96\xb0hoity-transcript\x03" + b"\x91" * size,
    **{
        one.__name__: one
        for one in (
            *(hostile_files.long_body, hostile_files.long_header, hostile_files.long_message),
            *(hostile_files.bodies, hostile_files.promises, hostile_files.small_items),
            hostile_files.messages,
        )
    },
}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_of_60_mib_ends_in_words(
    kind: str, browser: Any, one_file: str, tmp_path: Path
) -> None:
    path = tmp_path / "hostile.hoity"
    path.write_bytes(HOSTILE[kind](SIZE))
    with opened(browser, one_file) as page:
        assert seen(page, path) == native(path)
        assert seen(page, GAME) == native(GAME)


@pytest.mark.nightly
def test_a_worker_that_fails_is_told_in_words_and_replaced(browser: Any, one_file: str) -> None:
    with opened(browser, one_file) as page:
        page.page.evaluate(
            """() => {
                const send = Worker.prototype.postMessage;
                Worker.prototype.postMessage = function (message) {
                    Worker.prototype.postMessage = send;
                    send.call(this, { act: "none", ...message.act === "check" && { act: "none" } });
                };
            }"""
        )
        page.choose(GAME)
        page.page.wait_for_selector("progress", state="detached")
        assert page.status() == EN["failed"].format(file=GAME.name)
        page.problems.clear()
        assert seen(page, GAME) == native(GAME)


@pytest.mark.nightly
def test_a_page_that_is_not_loaded_whole_says_so(browser: Any, site: Path) -> None:
    with served(site) as address:
        page = browser.new_page()
        page.route("**/program.zip", lambda route: route.fulfill(status=404))
        page.goto(address)
        page.get_by_text(EN["not_loaded"]).wait_for()
        page.close()


CHOOSE = """(() => {
    const bytes = Uint8Array.from(atob("%s"), sign => sign.charCodeAt(0));
    const chosen = new DataTransfer();
    chosen.items.add(new File([bytes], "%s"));
    const input = document.querySelector("input[type=file]");
    input.files = chosen.files;
    input.dispatchEvent(new Event("change"));
})()"""
LINES = """[...document.querySelectorAll("#verdict, .checked li")]
    .map(one => one.innerText).join("\\n")"""


@pytest.mark.nightly
@pytest.mark.skipif(FIREFOX is None, reason="no Firefox")
def test_firefox_gives_the_same_verdict(one_file: str, tmp_path: Path) -> None:
    with firefox(str(FIREFOX), tmp_path, os.environ) as page:
        page.open(one_file)
        page.value(CHOOSE % (base64.b64encode(LARGE.read_bytes()).decode(), LARGE.name))
        last = time.monotonic() + PATIENCE
        while not page.value("!!document.querySelector('#verdict')"):
            assert time.monotonic() < last
            time.sleep(0.1)
        found = page.value(LINES).split("\n")
        assert [TIME.sub("?", line) for line in found] == native(LARGE)
        assert page.problems == []


@pytest.mark.nightly
def test_two_builds_are_equal_and_small(site: Path, tmp_path: Path) -> None:
    again = built_elsewhere(tmp_path, "site")
    first = content(site.parent)
    assert first.pop("done") == b""
    assert content(again.parent) == first
    assert not re.search(rb"https?://(?:registry|pypi|files)\.", first["site/index.html"])
    browser_build.compress(again, "br")
    assert sum(size for _, _, size in browser_build.sizes(again)) <= 6_000_000


@pytest.mark.nightly
def test_the_keyboard_alone_chooses_a_file_and_leads_the_replay(
    browser: Any, one_file: str
) -> None:
    with opened(browser, one_file) as page:
        # The browser is told to hand the chooser over before a key is pressed. If it is told only
        # then, the key can be faster.
        page.page.on("filechooser", lambda chooser: None)
        keys = page.page.keyboard
        for _ in range(2):
            keys.press("Tab")
        with page.page.expect_file_chooser() as chooser:
            keys.press("Enter")
        chooser.value.set_files(GAME)
        page.page.wait_for_selector("#verdict:focus")
        keys.press("Tab")
        keys.press("Enter")
        page.page.wait_for_selector(".replay")
        keys.press("Escape")
        page.page.wait_for_selector("dialog[open]")


def test_where_a_browser_is_needed_the_page_can_be_built() -> None:
    assert HAS_NODE or "HOITY_BROWSER" not in os.environ


def test_labels_have_no_field_that_the_page_does_not_fill() -> None:
    fields = {name for text in EN.values() for name in re.findall(r"\{(\w+)\}", text)}
    assert fields == {"file", "done", "total"}
    for one in LABELS.values():
        assert {
            name: set(re.findall(r"\{\w+\}", text)) for name, text in one["labels"].items()
        } == {name: set(re.findall(r"\{\w+\}", text)) for name, text in EN.items()}
