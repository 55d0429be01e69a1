"""The server of the page: one address of this computer, for one window at a time.

Other programs and other web pages reach a port of loopback as well. So the server answers only to
its own name and to its own page, and a window enters with a secret of one use. docs/table.md and
SECURITY.md say what this keeps out.
"""

from __future__ import annotations

import hmac
import json
import math
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from socket import create_server
from typing import Any, Final

import trio

from p2p_hoity.presentation.window_messages import Entered
from p2p_hoity.web.http_requests import Header, HttpConnection, NotHttp, WebRequest
from p2p_hoity.web.websocket import SocketGone, WebSocket
from protocol.units import Quota, Seconds

from ...exit_codes import leaves
from .page_files import PageFile

LOOPBACK: Final = "127.0.0.1"
SOCKET: Final = "/table"
"""The path of the WebSocket."""
RULES: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types lit-html",
    )
)
"""The Content-Security-Policy: nothing but the files of the page, and no script made of text."""
HEADERS: Final[tuple[Header, ...]] = (
    ("Content-Security-Policy", RULES),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
CLEAR: Final[Header] = ("Clear-Site-Data", '"storage"')
"""Told with the first page: another program may have had this port, and left something behind."""
TEXT: Final = "text/plain; charset=utf-8"
ENTERING: Final[Seconds] = 10.0
"""The time in which a new socket has to enter, in seconds."""
MOST_CONNECTIONS: Final[Quota] = 16
MOST_GUESSES: Final[Quota] = 20
"""The wrong secrets after which nobody enters for a time."""
SHUT: Final[Seconds] = 1.0
"""This time, in seconds."""
VACATING: Final[Seconds] = 0.5
"""How long a new window waits for the one before, which a reload closes, to be gone."""
SECRET: Final = 24
"""The random bytes of a secret and of a token."""
WRONG_SECRET, REPLACED = 4001, 4002
"""The codes with which a socket is closed that may not enter, or whose table another one has."""
TRY_LATER: Final = 1013
"""The code for a service that cannot be given now."""
GOING_AWAY: Final = 1001
"""The code of RFC 6455 for a program that ends."""
MOST_FAILURES: Final[Quota] = 20
ALIVE: Final[Seconds] = 20.0
"""The time between two pings, in seconds."""
ENDING: Final[Seconds] = 1.0
OK, SWITCHING = 200, 101
OWN_SITE: Final = ("none", "same-origin")

Talk = Callable[[WebSocket], Awaitable[None]]
"""Talks with a window that has entered, until it is gone. It must not raise for what one sends."""


class PageServer:
    """The address at which the page is served. It can serve in several runs of trio, one by one.

    Attributes:
        entered: Set while a window has the table.
        vacant: Set while none has it.
        failures: The errors of this program's own code while it served, the newest ones.
    """

    def __init__(self, files: Mapping[str, PageFile], port: int = 0) -> None:
        """Listen at a port of loopback, 0 for any free one.

        Raises:
            OSError: If the port is in use.
        """
        self._files = files
        # Kept over all runs, so that a window that reconnects finds it open.
        self._socket = create_server((LOOPBACK, port))
        self.port: int = self._socket.getsockname()[1]
        self._secret: str | None = secrets.token_urlsafe(SECRET)
        self._token = secrets.token_urlsafe(SECRET)
        self.entered, self.vacant = trio.Event(), trio.Event()
        self.vacant.set()
        self.failures: list[Exception] = []
        self._window: _Window | None = None
        # In the order in which they came.
        self._newcomers: dict[trio.CancelScope, None] = {}
        self._connections = self._guesses = 0
        self._shut_until = -math.inf
        self._is_cleared = False

    @property
    def host(self) -> str:
        """The name and port by which a browser must ask."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def origin(self) -> str:
        """The origin of the page."""
        return f"http://{self.host}"

    @property
    def address(self) -> str:
        """The address for a browser, with the secret of one use as long as it is valid."""
        return f"{self.origin}/#{self._secret or ''}"

    def renew(self) -> None:
        """Make a new secret, unless the one that was made is not used yet."""
        self._secret = self._secret or secrets.token_urlsafe(SECRET)

    def close(self) -> None:
        """Close the port."""
        self._socket.close()

    async def serve(self, talk: Talk) -> None:
        """Serve the page until this is cancelled.

        Args:
            talk: Talks with each window that enters, until the window is gone.
        """
        self._shut_until = -math.inf  # Each run of trio has a clock of its own.
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(self._socket.dup()))
        async with listener:
            await trio.serve_listeners(partial(self._client, talk), [listener])

    async def _client(self, talk: Talk, stream: trio.abc.Stream) -> None:
        """Answer the requests of one connection."""
        scope = trio.CancelScope()
        self._make_room()
        self._newcomers[scope] = None
        self._connections += 1
        try:
            with scope, suppress(NotHttp, SocketGone):
                await self._requests(HttpConnection(stream), scope, talk)
        except Exception as error:  # noqa: BLE001 - anybody can connect, also before entering
            self._failed(error)
        finally:
            self._connections -= 1
            self._newcomers.pop(scope, None)
            with trio.CancelScope(shield=True, deadline=trio.current_time() + ENDING):
                await trio.aclose_forcefully(stream)

    def _make_room(self) -> None:
        """End the connection that has waited longest to enter, if there are too many."""
        if self._connections >= MOST_CONNECTIONS and self._newcomers:
            oldest = next(iter(self._newcomers))
            del self._newcomers[oldest]
            oldest.cancel()

    async def _requests(self, http: HttpConnection, scope: trio.CancelScope, talk: Talk) -> None:
        """Answer requests until the other end closes or one becomes a socket."""
        while (request := await http.next_request()) is not None:
            status, file = self._judged(request)
            if status == SWITCHING:
                await self._window_of(await http.accept(), scope, talk)
                return
            headers = self._headers(request) if status == OK else HEADERS
            await http.reply(status, (*headers, ("Content-Type", file.kind)), file.content)

    def _headers(self, request: WebRequest) -> tuple[Header, ...]:
        """Return the headers of the answer, the first page's with what clears the storage."""
        if request.path != "/" or self._is_cleared:
            return HEADERS
        self._is_cleared = True
        return (*HEADERS, CLEAR)

    def _judged(self, request: WebRequest) -> tuple[int, PageFile]:
        """Return the status of the answer to a request, and the file or the words to send."""
        headers = request.headers
        # A name that leads here by a DNS server of somebody else (DNS rebinding) is not ours.
        if headers.get("host") != self.host:
            return 421, _words("This address is for the computer on which the program runs.")
        if request.method != "GET":
            return 405, _words("Only GET.")
        if request.path == SOCKET:
            # Browsers let every page open a socket to anywhere, and name the page here.
            if headers.get("origin") != self.origin:
                return 403, _words("Only the page of the program itself may do this.")
            return SWITCHING, _words("")
        found = self._files.get(request.path)
        if found is None:
            return 404, _words("There is no such file.")
        # The page itself may be opened by a link or by the forwarding file. Without the secret it
        # shows nothing.
        if request.path != "/" and headers.get("sec-fetch-site", "none") not in OWN_SITE:
            return 403, _words("Only the page of the program itself may do this.")
        return OK, found

    # Windows

    async def _window_of(self, socket: WebSocket, scope: trio.CancelScope, talk: Talk) -> None:
        """Let a socket enter, and talk with it until it is gone or another one takes over."""
        if not await self._enters(socket):
            return
        self._newcomers.pop(scope, None)
        window = self._window = _Window(scope, socket)
        self.vacant = trio.Event()
        try:
            await socket.send(json.dumps(Entered(self._token).as_json()))
            self.entered.set()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_keep_alive, socket)
                await talk(socket)
                nursery.cancel_scope.cancel()
        except Exception as error:  # noqa: BLE001 - a window must never end the game
            self._failed(error)
        finally:
            if self._window is window:
                self._window = None
                self.entered = trio.Event()
                self.vacant.set()
            await socket.close(GOING_AWAY)

    def _failed(self, error: Exception) -> None:
        """Note the errors that no behaviour of a window explains."""
        found = [one for one in leaves(error) if isinstance(one, Exception)]
        self.failures += [one for one in found if type(one) is not SocketGone]
        del self.failures[:-MOST_FAILURES]

    async def _enters(self, socket: WebSocket) -> bool:
        """Read the first message, and return whether it lets the window enter."""
        first: Any = None
        with trio.move_on_after(ENTERING), suppress(ValueError, RecursionError):
            first = json.loads(await socket.receive())
        is_shut = trio.current_time() < self._shut_until
        if not self._is_known(first, is_shut):
            # Not for good: the window with the right secret is to try again.
            await socket.close(TRY_LATER if is_shut else WRONG_SECRET)
            return False
        takes = first.get("take") is True
        if self._window is not None and not takes:
            # A reload closes the window before, which may be noticed only now.
            with trio.move_on_after(VACATING):
                await self.vacant.wait()
        while (window := self._window) is not None:
            if not takes:
                await socket.close(REPLACED)
                return False
            await window.replace()
            # Another one may have taken over from the same window in the meantime.
            if self._window is window:
                self._window = None
        return True

    def _is_known(self, first: Any, is_shut: bool) -> bool:
        """Return whether a first message has the secret, which is used up then, or the token.

        While the door is shut, only the token is looked at: another user of this computer who
        guesses all the time must not keep the player's own window out.
        """
        if not isinstance(first, dict) or first.get("type") != "enter":
            return self._wrong()
        secret, token = first.get("secret"), first.get("token")
        if isinstance(token, str) and _equal(token, self._token):
            return True
        if is_shut:
            return False
        if isinstance(secret, str) and self._secret and _equal(secret, self._secret):
            self._secret = None
            return True
        return self._wrong()

    def _wrong(self) -> bool:
        """Count a wrong secret, and let nobody enter for a time after too many. Return False."""
        self._guesses += 1
        if self._guesses >= MOST_GUESSES:
            self._guesses, self._shut_until = 0, trio.current_time() + SHUT
        return False


class _Window:
    """The window that has the table."""

    def __init__(self, scope: trio.CancelScope, socket: WebSocket) -> None:
        self._scope, self._socket = scope, socket

    async def replace(self) -> None:
        """End it, since another window takes the table."""
        await self._socket.close(REPLACED)
        self._scope.cancel()


async def _keep_alive(socket: WebSocket) -> None:
    while True:
        await trio.sleep(ALIVE)
        await socket.ping()


def _words(told: str) -> PageFile:
    return PageFile(TEXT, told.encode())


def _equal(given: str, known: str) -> bool:
    # Compared as bytes, since a text that is not ASCII would raise an error.
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())
