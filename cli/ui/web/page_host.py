"""The page of this program: its server, and the browser that is to show it."""

from __future__ import annotations

import os
import platform
import sys
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Final

import trio

from p2p_hoity.presentation.window_messages import Mode
from p2p_hoity.storage.home import Home
from protocol.units import Seconds

from ...exit_codes import USAGE, Trouble
from ...printing import say
from ...words.error_sentences import of_system
from ...words.translation import _
from ..saved_picture import save_here
from ..screen_options import ServedPage
from .page_files import page_files
from .page_server import PageServer, Talk

OPENING: Final[Seconds] = 15.0
"""The time after which the address is printed if no window has entered, in seconds."""
STARTING: Final[Seconds] = 2.0
"""The time after which a program that is to show the page counts as started, in seconds."""
CLOSED: Final[Seconds] = 12.0
"""The time after which a page that was closed is not being reloaded, in seconds."""
STALE: Final[Seconds] = 60.0
"""The age from which a forwarding file was left by a program that was killed, in seconds."""
NAME: Final = "page-{port}.html"


class PageHost(ServedPage):
    """A page that is served while the program runs, over all of its games."""

    has_terminal, address = True, ""

    def __init__(
        self,
        home: Home,
        mode: Mode,
        port: int = 0,
        opens: bool = True,
        show: Callable[[str], object] = webbrowser.open,
    ) -> None:
        """Listen.

        Args:
            opens: Whether a browser is opened. If not, the address is printed.
            show: Opens an address in a browser.

        Raises:
            Trouble: If the port is in use, or the program is not installed whole.
        """
        self.mode: Mode = mode
        self.home, self._opens, self._show = home, opens and can_open(), show
        self._is_begun = self.goes_on = False
        try:
            self.server = PageServer(page_files(), port)
        except OSError as error:
            words = _("The page cannot be served at port {port}: {words}. Try another --web-port.")
            raise Trouble(words.format(port=port, words=of_system(error)), USAGE) from error
        self.failures = self.server.failures
        self._file = home.path / NAME.format(port=self.server.port)

    async def serve(self, talk: Talk) -> None:
        """Serve the page until this is cancelled. The first time, open it in a browser."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.server.serve, talk)
            nursery.start_soon(self._call_windows)

    async def _call_windows(self) -> None:
        """Open the page the first time, and tell how to come back to it whenever it is closed."""
        if not self._is_begun:
            self._is_begun = True
            await self._begin()
            await self.server.entered.wait()
        while True:
            with trio.move_on_after(CLOSED):
                await self.server.entered.wait()
            if not self.server.entered.is_set():
                self.server.renew()
                say(_("The page is closed. To come back to the table, open this address:"))
                say(self.server.address)
                await self.server.entered.wait()
            await self.server.vacant.wait()

    async def _begin(self) -> None:
        """Open the page in a browser, and print its address if no window enters."""
        if self._opens and self._is_written():
            with trio.move_on_after(OPENING) as wait:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._show_page, wait)
                    await self.server.entered.wait()
                    nursery.cancel_scope.cancel()
            self._forget()
        if not self.server.entered.is_set():
            say(_("Open this address in a browser on this computer. It is valid once:"))
            say(self.server.address)

    def _is_written(self) -> bool:
        """Write a file that forwards to the page, and return whether that was possible.

        The address itself has the secret, which other users would see on the browser's command
        line.
        """
        target = escape(self.server.address)
        text = (
            '<!doctype html><meta charset="utf-8"><title>Hoity Toity</title>'
            f'<meta http-equiv="refresh" content="0;url={target}"><a href="{target}">{target}</a>\n'
        )
        try:
            self._clear()
            self.home.files.put(self._file, text.encode())
        except OSError:
            return False
        return True

    async def _show_page(self, wait: trio.CancelScope) -> None:
        """Open the file in a browser. If that is not possible, end the wait for a window.

        A browser may be a program that goes on until it is closed. So a failure is one only if it
        comes at once.
        """
        words = _("Your table opens in the browser. Here Ctrl-C leaves it.")
        with trio.move_on_after(STARTING) as starting:
            is_shown = await trio.to_thread.run_sync(self._shown, abandon_on_cancel=True)
        if starting.cancelled_caught or is_shown:
            say(words)
        else:
            wait.cancel()

    def _shown(self) -> bool:
        """Open the file in a browser, and return whether that was possible."""
        try:
            return bool(self._show(self._file.as_uri()))
        except (OSError, ValueError, RuntimeError, webbrowser.Error):
            return False

    def _clear(self) -> None:
        """Remove forwarding files that programs have left which were killed."""
        for path in self.home.path.glob(NAME.format(port="*")):
            if time.time() - path.stat().st_mtime > STALE:
                _remove(path)

    def _forget(self) -> None:
        _remove(self._file)

    def save(self, name: str, text: str) -> str:
        """Save a picture in the current folder, and return what came of it."""
        return save_here(name, text)

    def close(self) -> None:
        """Stop listening, and remove what was written."""
        self._forget()
        self.server.close()


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def can_open() -> bool:
    """Return whether a browser with windows can be opened from here, as far as can be told."""
    if sys.platform != "linux":
        return True
    # A browser of Windows cannot read a file in the home of WSL.
    is_wsl = "microsoft" in platform.release().lower()
    has_screen = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return (has_screen and not is_wsl) or "BROWSER" in os.environ
