"""What a page that plays says and does if its files, its program or other seats fail it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support import page_builds
from support.live_page import window as guest
from support.page_browser import CHROMIUM, needs_browser
from support.page_peers import PagedHost, PlayingPage
from support.process_table import verify
from support.site_pages import needs_node
from support.terminals import Terminal

from cli.words.browser_labels import play_labels
from p2p_hoity.game_adapter import read_game
from protocol import transcript

pytestmark = [needs_browser, needs_node, pytest.mark.nightly]
EN = play_labels()
SIZE = "64m"
IS_ROOT = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None
FULL = "The table is full"


class SmallDisk:
    """A file system of its own, in which a browser has its files."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._ballast = place / "ballast"

    def _free(self) -> int:
        found = os.statvfs(self.place)
        return found.f_bavail * found.f_frsize

    def fill(self) -> None:
        """Leave no byte free."""
        with self._ballast.open("wb", buffering=0) as ballast:
            while left := self._free():
                ballast.write(bytes(min(left, 1 << 20)))

    def make_room(self) -> None:
        """Free what was filled."""
        self._ballast.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A small disk."""
    place = tmp_path / "disk"
    place.mkdir()
    if not IS_ROOT:
        pytest.skip("a small file system can be mounted by root on Linux alone")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield SmallDisk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextmanager
def kept_window(browser: Any, disk: SmallDisk) -> Iterator[Any]:
    """A window of a browser of its own that keeps its files on a disk."""
    found = browser.browser_type.launch_persistent_context(
        str(disk.place / "profile"),
        executable_path=str(CHROMIUM),
        args=["--no-sandbox"],
        reduced_motion="reduce",
    )
    try:
        yield found
    finally:
        found.close()


def is_settled(table: PagedHost, data: bytes) -> None:
    """The host has the same file, it is valid, and nobody was accused."""
    assert table.host is not None
    table.host.read_until("type", "ending")
    assert table.host.seen("alarm") == []
    assert table.transcript.read_bytes() == data
    assert transcript.verify(data, read_game).ok


def test_a_full_disk_is_told_before_one_sits_down(
    browser: Any, table: PagedHost, disk: SmallDisk
) -> None:
    link = table.open_table(2)
    with kept_window(browser, disk) as person:
        disk.fill()
        window = PlayingPage(person.new_page(), link)
        window.page.get_by_text(EN["no_store"]).wait_for()
        disk.make_room()
    # Chromium itself does not find the room as long as it runs.
    with kept_window(browser, disk) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("ending")
        is_settled(table, window.saved("keep"))


@pytest.mark.parametrize("moment", ["terms", "first choice", "later"])
def test_a_disk_that_fills_up_stops_the_page_and_costs_nothing(
    moment: str, browser: Any, table: PagedHost, disk: SmallDisk
) -> None:
    link = table.open_table(2)
    with kept_window(browser, disk) as person:
        window = PlayingPage(person.new_page(), link)
        if moment == "terms":
            window.page.get_by_role("button", name="Yes", exact=True).wait_for()
        else:
            for _ in range(1 if moment == "first choice" else 3):
                window.play_until("sealed")
                window.play_until("picked", "hurry")
        disk.fill()
        stopped = window.page.get_by_role("alert")
        window.play_until_seen(stopped)
        words = stopped.inner_text()
        assert "Make room on this device, and load this page again" in words
        assert "No space left on device" in words
        assert not any(one in words for one in ("hoity resume", "/hoity/", "/marks/"))
        assert window.problems == []
        disk.make_room()
        window.page.reload()
        window.play_until("ending")
        is_settled(table, window.saved("keep"))


def test_a_seat_is_gone_with_the_data_of_its_site(browser: Any, table: PagedHost) -> None:
    link = table.open_table(3, patience=15)
    native = table.join()
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("sealed")
        devtools = person.new_cdp_session(window.page)
        origin = table.address.rstrip("/")
        devtools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        window.page.goto("about:blank")
        window.page.goto(link)
        window.page.get_by_text(FULL).first.wait_for()
        assert window.problems == []
    goes_on_without_one(table, native)


def test_a_private_window_that_is_closed_gives_up_the_seat(browser: Any, table: PagedHost) -> None:
    link = table.open_table(3, patience=15)
    native = table.join()
    with guest(browser) as person:
        PlayingPage(person.new_page(), link).play_until("sealed")
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.page.get_by_text(FULL).first.wait_for()
        assert window.problems == []
    goes_on_without_one(table, native)


def test_a_link_to_a_table_that_is_over_says_so(browser: Any, table: PagedHost) -> None:
    link = table.open_table(2)
    table.join()
    assert table.host is not None
    assert table.host.end() == 0
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.page.get_by_text("The table is perhaps closed, or its game over").first.wait_for()
        assert window.problems == []


def goes_on_without_one(table: PagedHost, *others: Terminal, page: bytes = b"") -> None:
    """The host and others play to the end, find a seat absent, and have the same game.

    Args:
        page: The file of a page that was there to the end.
    """
    assert table.host is not None
    there = (table.host, *others)
    for one in there:
        one.read_until("type", "ending")
        assert one.seen("timed-out")
        assert one.seen("alarm") == []
    files = [Path(one.last["transcript"]) for one in there]
    if page:
        files.append(table.folder / "page.hoity")
        files[-1].write_bytes(page)
    found = verify(table.folder, *map(str, files))
    assert {(one["verdict"], *one["faults"]) for one in found} == {("ok",)}
    assert len({one["digest"] for one in found}) == 1


def test_the_browser_is_asked_once_to_keep_the_files(browser: Any, table: PagedHost) -> None:
    link = table.open_table(2)
    with guest(browser) as person:
        person.add_init_script(
            "window.asked = 0; navigator.storage.persist = async () => { window.asked++; }"
        )
        window = PlayingPage(person.new_page(), link)
        window.play_until("sat")
        assert window.page.evaluate("() => window.asked") == 1
        window.page.evaluate("() => { window.wantsAgain = true }")
        window.play_until("ending")
        assert window.page.evaluate("() => window.asked") == 1


def test_a_page_goes_on_with_another_build(
    browser: Any, table: PagedHost, page: Path, tmp_path: Path
) -> None:
    other = page_builds.with_code(page, tmp_path / "other", "\nprint('the other build')\n")
    said: list[str] = []
    link = table.open_table(2)
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.page.on("console", lambda message: said.append(message.text))
        window.play_until("sealed")
        window.play_until("picked", "hurry")
        table.restart_relay(other)
        assert said == []
        window.page.reload()
        window.play_until("ending")
        assert "the other build" in said
        is_settled(table, window.saved("keep"))


@pytest.mark.parametrize("name", ["program.zip", "play_worker.js", "pyodide.asm.wasm"])
def test_files_of_two_builds_are_never_one_program(
    name: str, browser: Any, table: PagedHost
) -> None:
    link = table.open_table(2)
    with guest(browser) as person:
        page = person.new_page()

        def other(route: Any) -> None:
            answer = route.fetch()
            route.fulfill(response=answer, body=answer.body() + b"\n")

        page.route(f"**/{name}", other)
        window = PlayingPage(page, link)
        page.get_by_text(EN["not_loaded"]).wait_for()
        page.unroute(f"**/{name}")
        page.reload()
        window.play_until("ending")
        is_settled(table, window.saved("keep"))


@pytest.mark.parametrize("status", [200, 404])
def test_a_page_without_the_start_that_it_was_built_with_says_so(
    status: int, browser: Any, table: PagedHost
) -> None:
    """The relay may have another build by now, and a wrong file is as good as none."""
    link = table.open_table(2)
    with guest(browser) as person:
        page, asked = person.new_page(), list[str]()
        page.route("**/start.js", lambda route: route.fulfill(status=status, body="document"))
        page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[1]))
        page.goto(link)
        page.get_by_text("If it stays so, load it again.").wait_for()
        assert {"start.js"} <= set(asked) <= {"", "start.js", "style.css", link.split("/")[-1]}


@pytest.mark.parametrize("code", sorted(page_builds.CHEATS))
def test_a_page_that_cheats_is_named_and_the_others_go_on(
    code: str, browser: Any, table: PagedHost, page: Path, tmp_path: Path
) -> None:
    table.restart_relay(page_builds.cheating(page, tmp_path / "cheating", code))
    link = table.open_table(3)
    natives = [table.join()]
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("sat")
        assert table.host is not None
        natives.append(table.host)
        while not all(one.process.poll() is not None for one in natives):
            window.step()
            window.page.wait_for_timeout(100)
    assert [one.end() for one in natives] == [0, 0]
    (cheat,) = {0, 1, 2} - {int(one.seen("table")[0]["seat"]) for one in natives}
    for one in natives:
        (alarm,) = one.seen("alarm")
        assert (alarm["seat"], alarm["code"]) == (cheat, code)
        assert f"({code})" in alarm["words"]
    found = verify(tmp_path, *(one.last["transcript"] for one in natives))
    assert len({one["digest"] for one in found}) == 1
    for one in found:
        assert one["verdict"] == "ok"
        assert [(fault["seat"], fault["code"]) for fault in one["faults"]] == [(cheat, code)]


def test_a_native_seat_is_killed_and_a_page_plays_on(browser: Any, table: PagedHost) -> None:
    link = table.open_table(3, patience=5)
    native = table.join()
    with guest(browser) as person:
        window = PlayingPage(person.new_page(), link)
        window.play_until("sealed")
        native.kill()
        window.play_until("ending", patience=120)
        data = window.saved("keep")
        assert window.problems == []
    goes_on_without_one(table, page=data)


def test_a_page_vanishes_and_another_one_plays_on(browser: Any, table: PagedHost) -> None:
    link = table.open_table(3, patience=5)
    with guest(browser) as ana:
        first = PlayingPage(ana.new_page(), link)
        with guest(browser) as ben:
            second = PlayingPage(ben.new_page(), link)
            second.play_until("sat")
            while "sealed" not in second.done or "sealed" not in first.done:
                for window in (first, second):
                    window.step()
                first.page.wait_for_timeout(20)
        first.play_until("ending", patience=120)
        data = first.saved("keep")
        assert first.problems == []
    goes_on_without_one(table, page=data)
