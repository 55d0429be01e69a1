"""The functions that JavaScript calls in the worker of the page that plays.

It gives functions and a pool of files. Whatever comes from there is copied at once.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from p2p_hoity.coded_errors import CodedError
from p2p_hoity.net.page_network import PageNetwork, PageStream
from p2p_hoity.net.typed_tickets import read_ticket
from p2p_hoity.presentation.window_messages import Bye
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.journal import JournalCode
from p2p_hoity.storage.slot_store import NO_SPACE, SlotStore

from ...exit_codes import Trouble, told
from ...words import translation
from ...words.browser_labels import play_labels
from ...words.error_sentences import of_system
from ...words.translation import N_, _
from ..web.page_message import page_message
from .ended_game import ended_game, show_ended
from .file_window import SETTINGS
from .page_guest import PageGuest, WatchInstead
from .page_opener import PageOpener
from .page_sentences import IN_PAGE
from .page_stay import HOME, OPENING, TICKET, WATCHES, PageStay, PageWays, stay_in_page
from .page_watcher import PageWatcher
from .wishes import resolved, store_wish
from .worker_page import WorkerPage

NO_ROOM: Final = "QuotaExceededError"
"""The name of the browser's error if it gives the page no more room."""
NO_TABLE: Final = N_("This address leads to no table. Open the whole link that you were sent.")
_files: Final = list[SlotStore]()
"""The files of the table, once the worker has them."""
_stays: Final = list[PageStay]()
"""The stay of this worker, once there is one."""


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
        if failure == NO_ROOM:
            raise OSError(errno.ENOSPC, NO_SPACE)
        raise OSError(errno.EIO, "Input/output error")
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


class Browser:
    """What JavaScript gives the program: the relay of the page, sockets, and ways to the page.

    Attributes:
        post: Sends a text to the page.
        give: Gives the page a file that the browser is to save.
    """

    def __init__(
        self,
        address: str,
        relay: str,
        language: str,
        dial: Callable[..., Any],
        post: Callable[[str], object],
        give: Callable[[str, Any], object],
    ) -> None:
        """Take them, and speak a language.

        Args:
            address: That of the page, without what stands behind '#'.
            relay: That of the page, such as 'wss://host:port'.
            dial: Opens a WebSocket. It is given the URL, and what to call when the socket is open,
                for each message, and at the end.
        """
        translation.speak(language)
        translation.say_instead(IN_PAGE)
        network = PageNetwork(partial(_dialled, dial), (relay,))
        self.ways, self.post, self.give = PageWays(network, (relay,), address), post, give


async def resolve(wish: str, browser: Browser) -> tuple[str, str]:
    """Return why a wish of the page, as JSON, is not possible, or "" and the ticket that it means.

    There is no ticket for a table that is to be opened.
    """
    try:
        return "", await resolved(json.loads(wish), browser.ways)
    except (CodedError, Trouble) as error:
        return _whole(told(error).words), ""


def prepare(wish: str, pool: Any) -> str:
    """Take the files of a table, and store a wish there. Return why not, "" if that was possible.

    Args:
        wish: "" for what is stored already.
    """
    try:
        files = SlotStore(PoolSlots(pool))
        if wish:
            store_wish(json.loads(wish), files)
    except OSError:
        return play_labels()["no_store"]
    _files[:] = [files]
    return ""


async def play(nickname: str, browser: Browser) -> None:
    """Do what is stored for the table, until the person leaves the page."""
    (files,) = _files
    page = WorkerPage(Home(HOME, files), browser.post, browser.give, browser.ways.address)
    words = ""
    try:
        try:
            await _stay(page, browser, nickname, files.has(WATCHES))
        except WatchInstead:
            # This is not stored: a seat may be free when the page is loaded again.
            await _stay(page, browser, nickname, True)
    except (CodedError, Trouble, OSError, ExceptionGroup) as error:
        words = _words(error)
    # The page may know no labels yet.
    for message in (page_message(page.mode, SETTINGS), Bye(_whole(words))):
        browser.post(json.dumps(message.as_json()))


async def _stay(page: WorkerPage, browser: Browser, nickname: str, watches: bool) -> None:
    """Sit at the table, host or watch it, or show its game if that is over."""
    files, given = page.home.files, (page, browser.ways)
    if not (files.has(TICKET) or files.has(OPENING)):
        raise Trouble(_(NO_TABLE))
    stay: PageStay
    if files.has(OPENING):
        stay = PageOpener(*given)
    else:
        ticket = read_ticket(files.get(TICKET).decode())
        stay = PageGuest(*given, ticket, nickname)
        # Nobody gives up a seat by watching.
        if watches and stay.kept() is None:
            page.mode, stay = "watch", PageWatcher(*given, ticket)
    _stays[:] = [stay]
    page.enter()
    path = None if stay.kept() is not None else ended_game(page.home)
    if path is None:
        await stay_in_page(stay)
    else:
        stay.file = path
        await show_ended(page, path.name, files.get(path))


def _words(error: Exception) -> str:
    """Return what has happened and what to do. An error that is a bug is raised again."""
    found = told(error)
    if found.code == "program-mistake":
        raise error
    if isinstance(error, OSError):
        return _(JournalCode.UNWRITTEN.template).format(why=of_system(error))
    return found.words


def _whole(words: str) -> str:
    """Return words as a sentence."""
    stop = "." if words and words[-1] not in ".!?" else ""
    return words[:1].upper() + words[1:] + stop


def enter() -> None:
    """Tell the page everything anew."""
    for stay in _stays:
        stay.page.enter()


def say(text: str) -> None:
    """Take what the page has sent."""
    for stay in _stays:
        stay.page.take(text)


def keep() -> None:
    """Let the browser save the file of the last game."""
    for stay in _stays:
        stay.keep()
