"""What an opened page leaves behind, which port it takes, and where no browser is opened."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from cli.exit_codes import Trouble
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
