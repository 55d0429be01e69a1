"""The functions that JavaScript calls in the worker of the page that plays.

It gives functions and a pool of files. Whatever comes from there is copied at once.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from p2p_hoity.coded_errors import CodedError
from p2p_hoity.net.page_network import PageNetwork, PageStream
from p2p_hoity.net.typed_tickets import read_ticket
from p2p_hoity.presentation.window_messages import Bye
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.slot_store import SlotStore

from ...exit_codes import Trouble
from ...words import translation
from ...words.error_sentences import sentence
from ..web.page_message import page_message
from .ended_game import ended_game, show_ended
from .file_window import SETTINGS
from .page_guest import PageGuest, sit_in_page
from .worker_page import WorkerPage

HOME: Final = Path("/hoity")
NO_ROOM: Final = "QuotaExceededError"
"""The name of the browser's error if it gives the page no more room."""
TICKET: Final = HOME / "ticket"
_files: Final = list[SlotStore]()
"""The files of the table, once the worker has them."""
_guests: Final = list[PageGuest]()
"""The guest of this worker, once it plays."""


class PoolSlots:
    """The files that the browser has opened for this page, as the store of files has them."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.count: int = pool.count

    def size(self, slot: int) -> int:
        """Return the bytes in a slot."""
        return int(_result(self._pool.size(slot)))

    def read(self, slot: int, size: int, at: int) -> bytes:
        """Return bytes of a slot."""
        found: bytes = _result(self._pool.read(slot, size, at)).to_bytes()
        return found

    def write(self, slot: int, data: bytes, at: int) -> int:
        """Write bytes, and return how many were written."""
        return int(_result(self._pool.store(slot, data, at)))

    def truncate(self, slot: int, size: int) -> None:
        """Change the size of a slot."""
        _result(self._pool.truncate(slot, size))

    def flush(self, slot: int) -> None:
        """Force what was written to the disk."""
        _result(self._pool.flush(slot))


def _result(answer: Any) -> Any:
    """Return what the browser has found. Raise OSError if it has failed, and named its error."""
    found, failure = answer
    if failure:
        number = errno.ENOSPC if failure == NO_ROOM else errno.EIO
        raise OSError(number, os.strerror(number))
    return found


class BrowserSocket:
    """A WebSocket of the browser."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket

    def unsent(self) -> int:
        """Return how many bytes wait to be sent."""
        return int(self._socket.unsent())

    def send(self, data: bytes) -> None:
        """Send a message."""
        self._socket.send(data)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def _dialled(dial: Callable[..., Any], url: str, stream: PageStream) -> BrowserSocket:
    """Open a WebSocket of the browser, which tells a stream what happens to it."""

    def received(data: Any) -> None:
        stream.received(data.to_bytes())

    return BrowserSocket(dial(url, stream.opened, received, stream.ended))


def keep_ticket(ticket: str, pool: Any) -> bool:
    """Take the files of a table, and store its ticket. Return whether there is one.

    Args:
        ticket: "" for the one that the files have.
    """
    files = SlotStore(PoolSlots(pool))
    _files[:] = [files]
    if ticket:
        files.put(TICKET, ticket.encode())
    return files.has(TICKET)


async def play(
    relay: str,
    language: str,
    dial: Callable[..., Any],
    post: Callable[[str], object],
    give: Callable[[str, Any], object],
) -> None:
    """Play at the table whose ticket is stored, or go on there, until the player leaves the page.

    Args:
        relay: The relay of the page, such as 'wss://host:port'.
        dial: Opens a WebSocket. It is given the URL, and what to call when the socket is open, for
            each message, and at the end.
        post: Sends a text to the page.
        give: Gives the page a file that the browser is to save.
    """
    translation.speak(language)
    (files,) = _files
    page = WorkerPage(Home(HOME, files), post, give)
    guest = PageGuest(page, PageNetwork(partial(_dialled, dial), (relay,)), (relay,))
    _guests[:] = [guest]
    page.enter()
    words = ""
    try:
        ticket = read_ticket(files.get(TICKET).decode())
        # Whoever has a seat to take again does not wait until all files of games were read.
        path = None if guest.is_kept(ticket) else ended_game(page.home, ticket)
        if path is None:
            await sit_in_page(guest, ticket)
        else:
            guest.file = path
            await show_ended(page, path.name, files.get(path))
    except CodedError as error:
        words = sentence(error.reason)
    except Trouble as trouble:
        words = str(trouble)
    if words and words[-1] not in ".!?":
        words += "."
    # The page may know no labels yet.
    for message in (page_message(page.mode, SETTINGS), Bye(words[:1].upper() + words[1:])):
        post(json.dumps(message.as_json()))


def enter() -> None:
    """Tell the page everything anew."""
    for guest in _guests:
        guest.page.enter()


def say(text: str) -> None:
    """Take what the page has sent."""
    for guest in _guests:
        guest.page.take(text)


def keep() -> None:
    """Let the browser save the file of the last game."""
    for guest in _guests:
        guest.keep()
