"""The page's browser: opened by a private file, or by an address that is printed."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from support.page_table import PageClient, secret_of

from cli.exit_codes import Trouble
from cli.ui.web import page_host
from cli.ui.web.page_host import PageHost, can_open
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import private_folder
from p2p_hoity.web.websocket import WebSocket


async def idle(socket: WebSocket) -> None:
    """Talk with a window until it is gone."""
    while True:
        await socket.receive()


def host(folder: Path, show: Callable[[str], object], port: int = 0) -> PageHost:
    """A page that is opened by a function."""
    private_folder(folder)
    return PageHost(Home(folder), "play", port, show=show)


@pytest.fixture(autouse=True)
def _has_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER", "none")


async def test_a_private_file_forwards_to_the_page_until_a_window_has_entered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[Path] = []

    def show(address: str) -> bool:
        opened.append(Path(address.removeprefix("file://")))
        return True

    page = host(tmp_path / "home", show)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.serve, idle)
        with trio.fail_after(20):
            while not opened:
                await trio.sleep(0.01)
            (path,) = opened
            assert page.server.address in path.read_text(encoding="utf-8")
            if os.name != "nt":
                assert path.stat().st_mode & 0o077 == 0
            await PageClient.enter(page.server.port, secret=secret_of(page.server))
            while path.exists():
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    page.close()
    assert "127.0.0.1" not in capsys.readouterr().out


@pytest.mark.parametrize("is_shown", [True, False])
async def test_an_address_is_printed_where_no_window_enters(
    is_shown: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(page_host, "OPENING", 0.05)
    page = host(tmp_path / "home", lambda address: is_shown)
    told = ""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.serve, idle)
        with trio.fail_after(20):
            while page.server.address not in told:
                await trio.sleep(0.01)
                told += capsys.readouterr().out
        nursery.cancel_scope.cancel()
    assert ("opens in the browser" in told) is is_shown
    assert not list((tmp_path / "home").glob("page-*"))
    page.close()


def test_what_is_not_entered_is_removed_at_the_end_and_what_was_left_by_others_at_the_next(
    tmp_path: Path,
) -> None:
    home = private_folder(tmp_path / "home") or tmp_path / "home"
    old, new = home / "page-1.html", home / "page-2.html"
    for path in (old, new):
        path.write_text("x")
    os.utime(old, (1, 1))

    async def run(page: PageHost) -> None:
        with trio.move_on_after(0.2):
            await page.serve(idle)

    page = host(home, lambda address: True)
    trio.run(run, page)
    assert not old.exists()
    assert new.exists()
    assert len(list(home.glob("page-*"))) == 2
    page.close()
    assert len(list(home.glob("page-*"))) == 1


def test_a_port_that_is_in_use_is_told(tmp_path: Path) -> None:
    page = host(tmp_path / "home", lambda address: True)
    with pytest.raises(Trouble, match="--web-port"):
        host(tmp_path / "home", lambda address: True, page.server.port)
    page.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a screen")
def test_no_browser_is_opened_without_a_screen_or_where_it_could_not_read_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not can_open()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setattr("platform.release", lambda: "6.1.0")
    assert can_open()
    monkeypatch.setattr("platform.release", lambda: "5.15.90.1-microsoft-standard-WSL2")
    assert not can_open()
    monkeypatch.setenv("BROWSER", "firefox")
    assert can_open()
