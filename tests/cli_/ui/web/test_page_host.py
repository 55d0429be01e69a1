"""How the page is opened: its port, the forwarding file, programs that open it, the address."""

import os
import stat
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import unquote

import pytest
import trio
from support.page_table import secret_of
from support.web_client import Client

from cli.exit_codes import Trouble
from cli.ui.web import page_host
from cli.ui.web.page_host import PageHost
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import private_folder
from p2p_hoity.web.websocket import WebSocket

CAN_OPEN = page_host.can_open


async def wait(socket: WebSocket) -> None:
    """Read what a window says."""
    while True:
        await socket.receive()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Browsers that are quick to start, on a screen."""
    monkeypatch.setattr(page_host, "STARTING", 0.2)
    monkeypatch.setattr(page_host, "OPENING", 0.6)
    monkeypatch.setattr(page_host, "can_open", lambda: True)


def host_of(folder: Path, show: Callable[[str], object], port: int = 0) -> PageHost:
    """A page that a function opens."""
    private_folder(folder)
    return PageHost(Home(folder), "play", port, show=show)


@asynccontextmanager
async def hosted(folder: Path, show: Callable[[str], object]) -> AsyncIterator[PageHost]:
    """A page that this function opens, and that is served."""
    host = host_of(folder, show)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(host.serve, wait)
            with trio.fail_after(10):
                yield host
            nursery.cancel_scope.cancel()
    finally:
        host.close()


def files(folder: Path) -> list[Path]:
    """The forwarding files that are there."""
    return list(folder.glob("page-*"))


async def until(is_so: Callable[[], object]) -> None:
    """Wait until something is so."""
    while not is_so():
        await trio.sleep(0.01)


@pytest.mark.parametrize("lasts", [False, True], ids=["at-once", "until-it-is-closed"])
async def test_the_forwarding_file_is_private_and_gone_once_a_window_has_entered(
    tmp_path: Path, lasts: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []

    def show(address: str) -> bool:
        shown.append(address)
        if lasts:
            time.sleep(2)
        return True

    async with hosted(tmp_path, show) as host:
        await until(lambda: shown)
        (file,) = files(tmp_path)
        assert unquote(shown[0]) == f"file://{file}"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert secret_of(host.server) not in shown[0]
        assert host.server.address in file.read_text()
        await trio.sleep(0.3)
        client = await Client.enter(host.server.port, secret=secret_of(host.server))
        await client.receive()
        await until(lambda: not files(tmp_path))
    told = capsys.readouterr().out
    assert "opens in the browser" in told
    assert "http" not in told


def fail(address: str) -> bool:
    """A browser that cannot be started."""
    raise ValueError


@pytest.mark.parametrize("show", [lambda address: False, fail], ids=["no-browser", "mistake"])
async def test_where_no_browser_opens_the_address_is_printed_at_once(
    tmp_path: Path, show: Callable[[str], object], capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []
    async with hosted(tmp_path, show) as host:
        with trio.fail_after(0.4):
            await until(lambda: told.append(capsys.readouterr().out) or "http" in "".join(told))
        assert host.server.address in "".join(told)
        assert "opens in the browser" not in "".join(told)
        assert not files(tmp_path)


async def test_a_browser_that_never_comes_is_awaited_for_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []
    async with hosted(tmp_path, lambda address: time.sleep(3)) as host:
        await until(lambda: told.append(capsys.readouterr().out) or "http" in "".join(told))
        assert host.server.address in "".join(told)
        assert not files(tmp_path)


async def test_the_file_of_a_program_that_was_killed_is_removed_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_host, "STALE", -1.0)
    left = tmp_path / "page-1.html"
    left.write_text("left")
    shown: list[str] = []
    async with hosted(tmp_path, shown.append):
        await until(lambda: shown)
        assert left not in files(tmp_path)
    assert not files(tmp_path)


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
            await page.serve(wait)

    page = host_of(home, lambda address: True)
    trio.run(run, page)
    assert not old.exists()
    assert new.exists()
    assert len(list(home.glob("page-*"))) == 2
    page.close()
    assert len(list(home.glob("page-*"))) == 1


def test_a_port_that_is_in_use_is_told(tmp_path: Path) -> None:
    page = host_of(tmp_path / "home", lambda address: True)
    with pytest.raises(Trouble, match="--web-port"):
        host_of(tmp_path / "home", lambda address: True, page.server.port)
    page.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a screen")
def test_no_browser_is_opened_without_a_screen_or_where_it_could_not_read_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not CAN_OPEN()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setattr("platform.release", lambda: "6.1.0")
    assert CAN_OPEN()
    monkeypatch.setattr("platform.release", lambda: "5.15.90.1-microsoft-standard-WSL2")
    assert not CAN_OPEN()
    monkeypatch.setenv("BROWSER", "firefox")
    assert CAN_OPEN()
