"""A page in a real browser is a peer: it plays, comes back, and says what is in its way."""

import time
from pathlib import Path
from typing import Any

import pytest
from support.live_page import window as guest
from support.page_browser import needs_browser
from support.page_peers import PATIENCE, PagedHost, PlayingPage
from support.site_pages import built_elsewhere, content, needs_node, served

from cli.ui.browser.play_calls import NO_TABLE
from cli.words.browser_labels import play_labels
from cli.words.page_labels import labels
from p2p_hoity.game_adapter import read_game
from protocol import transcript
from tools import browser_build
from tools import page as page_build

pytestmark = [needs_browser, needs_node]
EN = play_labels()


def of_one_game(*files: bytes) -> bool:
    """Return whether files are equal, or the same but for their evidence if an epoch has changed.

    After a change of epoch the signatures of a body may be of different epochs.
    """
    reports = [transcript.verify(data, read_game) for data in set(files)]
    assert all(report.ok for report in reports)
    is_changed = all(report.epochs for report in reports)
    return len({one.digest for one in reports}) == 1 and (len(reports) == 1 or is_changed)


def test_a_link_a_click_a_seat(browser: Any, table: PagedHost) -> None:
    """A whole game between a native host and a page, which verifies what it saves."""
    link = table.open_table(2)
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("sat")
        assert "ticket" not in window.page.url
        assert "hoity3" not in window.page.url
        window.play_until("ending")
        data = window.saved("keep")
        assert transcript.verify(data, read_game).ok
        assert b"<svg" in window.saved("save_picture")[:200]
        assert window.problems == []
    assert table.host is not None
    table.host.read_until("type", "ending")
    assert table.transcript.read_bytes() == data


@pytest.mark.nightly
@pytest.mark.parametrize("moment", range(10))
def test_a_page_that_is_loaded_again_goes_on(moment: int, browser: Any, table: PagedHost) -> None:
    link = table.open_table(2)
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("sat")
        if moment < 5:
            # In setup, at a moment that depends on the machine.
            window.page.wait_for_timeout(60 * moment + 400)
        else:
            for _ in range(moment - 4):
                window.play_until("sealed")
                window.play_until("picked", "hurry", "ending")
        window.page.reload()
        window.play_until("ending")
        data = window.saved("keep")
        assert transcript.verify(data, read_game).ok
        assert window.problems == []
    assert table.transcript.read_bytes() == data


@pytest.mark.nightly
def test_a_page_that_is_loaded_again_in_the_lobby_has_its_seat(
    browser: Any, table: PagedHost
) -> None:
    link = table.open_table(3)
    with guest(browser) as ana, guest(browser) as ben:
        first = PlayingPage(ana.new_page(), link)
        first.play_until("sat")
        first.page.get_by_role("heading", name="Seated 2 of 3").wait_for()
        first.page.reload()
        first.page.get_by_role("heading", name="Seated 2 of 3").wait_for()
        second = PlayingPage(ben.new_page(), link)
        second.play_until("sat")
        while [window.step() for window in (first, second)] != ["ending", "ending"]:
            first.page.wait_for_timeout(20)
        assert first.done.count("sat") == 1
        assert of_one_game(first.saved("keep"), second.saved("keep"))


@pytest.mark.nightly
def test_the_same_link_gives_the_seat_back_and_a_second_tab_is_told(
    browser: Any, table: PagedHost
) -> None:
    link = table.open_table(2)
    with guest(browser) as person:
        first = PlayingPage(person.new_page(), link)
        first.play_until("sealed")
        second = PlayingPage(person.new_page(), link)
        second.page.get_by_text(EN["taken"]).wait_for()
        first.page.close()
        second.page.goto("about:blank")
        second.page.goto(link)
        second.play_until("ending")


@pytest.mark.nightly
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_two_pages_and_native_seats_play_one_game(
    seats: int, browser: Any, table: PagedHost
) -> None:
    link = table.open_table(seats)
    for _ in range(seats - 3):
        table.join()
    with guest(browser) as ana, guest(browser) as ben:
        windows = [PlayingPage(one.new_page(), link) for one in (ana, ben)]
        for window in windows:
            window.play_until("sat")
        while not all(window.step() == "ending" for window in windows):
            windows[0].page.wait_for_timeout(20)
        files = [window.saved("keep") for window in windows]
    assert of_one_game(*files, table.transcript.read_bytes())


@pytest.mark.nightly
def test_a_page_that_has_nothing_for_a_seat_says_so(browser: Any, table: PagedHost) -> None:
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), f"{table.address}#seat-0123456789abcdef")
        window.page.locator(".notice").get_by_text(NO_TABLE).wait_for()


def sit_with(window: PlayingPage, word: str, button: str = "join") -> None:
    """Type something in the form of a page without a link, and press a button."""
    window.page.get_by_label(EN["join_word"]).fill(word)
    window.page.get_by_role("button", name=EN[button]).click()


def play_on(*windows: PlayingPage) -> None:
    """Play until each of the pages has sealed one more choice."""
    last = time.monotonic() + PATIENCE
    before = [window.done.count("sealed") for window in windows]
    while any(
        one.done.count("sealed") <= least for one, least in zip(windows, before, strict=True)
    ):
        assert time.monotonic() < last, [window.done[-5:] for window in windows]
        for window in windows:
            window.step()


@pytest.mark.nightly
def test_a_page_opens_a_table_for_a_page_and_a_native_seat(browser: Any, table: PagedHost) -> None:
    """The host asks about each guest, and its page is loaded again while the table fills."""
    with guest(browser) as ana, guest(browser) as ben:
        host = PlayingPage(ana.new_page(), table.address)
        host.page.get_by_label(EN["name"]).fill("Ana")
        host.page.get_by_label(EN["ask_guests"]).check()
        host.page.get_by_role("button", name=EN["begin"]).click()
        link = host.page.inner_text("#link")
        host.page.get_by_role("button", name="QR").first.click()
        host.page.locator("dialog svg path").wait_for(state="attached")
        host.page.keyboard.press("Escape")
        host.page.reload()
        host.page.wait_for_selector("#link")
        assert host.page.inner_text("#link") == link
        page = PlayingPage(ben.new_page(), link)
        page.page.get_by_label(labels()["nickname"]).fill("Ben")
        native = table.join(link)
        play_on(host, page)
        talk = host.page.get_by_role("textbox", name=labels()["talk"])
        talk.fill("from one page to another")
        talk.press("Enter")
        talk.blur()
        page.page.locator("#app").get_by_text("from one page to another").wait_for()
        text = "2 of 3 seats play in pages of"
        host.page.keyboard.press("p")
        host.page.locator("dialog").get_by_text(text).wait_for()
        host.page.keyboard.press("Escape")
        host.page.reload()
        play_on(host, page)
        # The same link leads the host to its own seat, and not to another one.
        host.page.goto("about:blank")
        host.page.goto(link)
        play_on(host, page)
        # So does the start of the page.
        host.page.goto("about:blank")
        host.page.goto(table.address)
        host.page.get_by_role("link", name=EN["go_back"]).click()
        play_on(host, page)
        native.read_until("type", "in-pages")
        assert host.problems == page.problems == []


@pytest.mark.nightly
def test_a_code_gives_a_seat_or_lets_watch(browser: Any, table: PagedHost) -> None:
    table.open_table(2)
    assert table.host is not None
    code = table.host.read_until("type", "code")["code"]
    with guest(browser) as ana, guest(browser) as ben:
        sitter = PlayingPage(ana.new_page(), table.address)
        number, _, words = code.partition("-")
        sit_with(sitter, f"{int(number) + 1}-{words}")
        sitter.page.wait_for_selector(".say.bad")
        assert "Nobody waits" in sitter.page.inner_text(".say.bad")
        sit_with(sitter, code)
        sitter.play_until("sealed")
        watcher = PlayingPage(ben.new_page(), table.link)
        watcher.page.get_by_role("heading", name="Do you want to watch the game?").wait_for()
        watcher.page.get_by_role("button", name="Yes").click()
        watcher.page.wait_for_selector(".board, .track")
        watcher.page.reload()
        watcher.page.get_by_role("button", name="Yes").click()
        watcher.page.wait_for_selector(".board, .track")
        sitter.play_until("ending")
        watcher.page.wait_for_selector(".victory")
        assert sitter.problems == watcher.problems == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    "word", ["hoity3aaaa", "x" * 5000, "%F0%9F%92%A9", "%", "%E0%A4", "seat-nothing", "seat-../x"]
)
def test_a_broken_link_ends_in_words(word: str, browser: Any, table: PagedHost) -> None:
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), f"{table.address}#{word}")
        window.page.wait_for_selector(".notice, .say.bad, #start:not(:empty)")
        window.page.wait_for_function("() => !/loading|starting/.test(document.body.innerText)")
        told = window.page.inner_text("body")
        assert len(told.strip()) > 20
        assert "Error" not in told


@pytest.mark.nightly
def test_a_full_table_says_so(browser: Any, table: PagedHost) -> None:
    link = table.open_table(2)
    with guest(browser) as ana, guest(browser) as ben:
        first = PlayingPage(ana.new_page(), link)
        first.play_until("sealed")
        second = PlayingPage(ben.new_page(), link)
        second.page.wait_for_selector(".yesno")
        assert "full" in second.page.inner_text(".yesno")
        second.page.get_by_role("button", name="No", exact=True).click()
        assert "full" in second.page.inner_text(".notice")


STOPPED = """(seconds) => {
    const last = Date.now() + 1000 * seconds;
    while (Date.now() < last);
}"""


@pytest.mark.nightly
@pytest.mark.parametrize("seconds", [25, 90])
def test_a_worker_that_was_stopped_goes_on(seconds: int, browser: Any, table: PagedHost) -> None:
    link = table.open_table(2)
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("sealed")
        (worker,) = window.page.workers
        window.page.set_default_timeout(0)
        worker.evaluate(STOPPED, seconds)
        window.play_until("ending")
        assert transcript.verify(window.saved("keep"), read_game).ok
        assert window.problems == []


@pytest.mark.nightly
def test_a_relay_that_is_restarted_is_found_again(browser: Any, table: PagedHost) -> None:
    link = table.open_table(2)
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("sealed")
        table.restart_relay()
        window.play_until("ending")
        data = window.saved("keep")
        assert transcript.verify(data, read_game).ok
    assert table.transcript.read_bytes() == data


@pytest.mark.nightly
def test_a_page_that_is_opened_after_the_end_shows_the_game(browser: Any, table: PagedHost) -> None:
    link = table.open_table(2)
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("ending")
        data = window.saved("keep")
        window.page.reload()
        window.page.wait_for_selector(".replay")
        slider = window.page.locator(".replay input[type=range]")
        slider.evaluate("one => { one.value = one.max; one.dispatchEvent(new Event('input')) }")
        window.page.wait_for_selector(".victory")
        assert b"<svg" in window.saved("save_picture")[:200]
        window.page.keyboard.press("Escape")
        assert window.problems == []
    assert table.transcript.read_bytes() == data


@pytest.mark.nightly
def test_another_game_is_played_by_the_same_link(browser: Any, table: PagedHost) -> None:
    link = table.open_table(2, "--again", typed="true\nfalse\n")
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("sat")
        window.page.evaluate("() => { window.wantsAgain = true }")
        window.play_until("ending")
        window.page.get_by_role("button", name="Yes", exact=True).click()
        window.page.wait_for_selector(".victory", state="detached")
        window.play_until("ending")
        assert transcript.verify(window.saved("keep"), read_game).ok
        assert window.problems == []


@pytest.mark.nightly
def test_a_bot_plays_on_for_whoever_wants_it(browser: Any, table: PagedHost) -> None:
    link = table.open_table(2)
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("sealed")
        window.page.evaluate("() => { window.wantsAgain = true }")
        window.page.get_by_role("button", name=labels()["menu"]).click()
        window.page.get_by_role("button", name=labels()["bot_on"]).click()
        window.page.locator("dialog").get_by_role("button", name="Yes", exact=True).click()
        # It pauses before each choice, so that a person can follow.
        window.page.wait_for_selector(".victory", timeout=120_000)
        assert transcript.verify(window.saved("keep"), read_game).ok
        assert window.problems == []


@pytest.mark.nightly
def test_two_builds_of_the_page_are_equal_and_small(page: Path, tmp_path: Path) -> None:
    again = built_elsewhere(tmp_path, "page")
    plain = content(page)
    assert content(again) == plain
    browser_build.compress(again, "br", "gz")
    sizes = browser_build.sizes(again)
    assert {name for name, _, _ in sizes} == plain.keys()
    assert sum(size for _, _, size in sizes) <= 6_000_000
    assert len(content(again)) == 3 * len(plain)


@pytest.mark.nightly
def test_a_page_on_a_server_of_ones_own_plays_by_the_relay_of_another(
    browser: Any, table: PagedHost, tmp_path: Path
) -> None:
    folder = tmp_path / "own"
    with served(folder) as address:
        relay = table.admit_pages_of(address.rstrip("/"))
        page_build.build(folder, compress=False, relay=relay)
        ticket = table.open_table(2).partition("#")[2]
        with guest(browser) as person:
            window = PlayingPage(person.new_page(), f"{address}#{ticket}")
            window.play_until("ending")
            assert window.problems == []
            assert table.host is not None
            told = table.host.read_until("type", "in-pages")["servers"]
            assert list(told.values()) == [address.split("/")[2]]
            assert transcript.verify(window.saved("keep"), read_game).ok


@pytest.mark.parametrize("typed", ["relay.example:4646", "https://relay.example", "wss://", "x"])
def test_a_page_is_built_for_no_relay_that_it_cannot_reach(typed: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="such as wss:"):
        page_build.build(tmp_path / "page", compress=False, relay=typed)


@pytest.mark.nightly
def test_a_page_without_https_says_so(browser: Any, page: Path) -> None:
    # A name that is not this computer's by itself, so the browser takes it for the network's.
    with served(page) as address, guest(browser) as person:
        window = person.new_page()
        window.route(
            "http://table.example/**",
            lambda route: route.continue_(
                url=route.request.url.replace("http://table.example/", address)
            ),
        )
        window.goto("http://table.example/")
        window.get_by_text(EN["insecure"]).wait_for()
