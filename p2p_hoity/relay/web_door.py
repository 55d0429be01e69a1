"""The second door of a relay: WebSockets for browsers, and for networks that let only the web pass.

A reverse proxy such as Caddy on the same machine usually has the certificate, and forwards to this
door. The door answers one request on each connection.

SPEC: section 13.2.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import trio

from protocol.units import Quota

from ..net.address_schemes import PATH, Scheme
from ..net.addresses import Address, is_loopback, parse_ip, source_of
from ..net.exception_reasons import trouble_is
from ..net.handshake import Listener, Purpose
from ..net.network_errors import NetCode, NetError
from ..net.protocol_versions import Versions
from ..net.web_relay import SUBPROTOCOL, WebCode
from ..web.byte_stream import WebByteStream
from ..web.http_requests import Header, HttpConnection, NotHttp, WebRequest
from .page_sender import PageSender
from .relay_limits import Stay

MOST_HEAD: Final[Quota] = 8192
"""The most bytes of a request."""
FORWARDED: Final = "x-forwarded-for"
ABOUT: Final = "/relay.json"
COMMON: Final[tuple[Header, ...]] = (
    ("Connection", "close"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
)
HEADERS: Final = (*COMMON, ("Cache-Control", "no-store"), ("Access-Control-Allow-Origin", "*"))
WORDS: Final = ("Content-Type", "text/plain; charset=utf-8")


@dataclass(frozen=True)
class WebDoor:
    """The addresses by which peers reach a relay by WebSocket, and which pages may.

    Attributes:
        urls: The relay's own addresses, with the scheme WSS or WS.
        origins: The origins of pages that may come, beside the relay's own.
        tls: The TLS context of the door. None if a proxy before it has the certificate.
        page: What sends the files of a page. None for a relay without one.
    """

    urls: Sequence[Address]
    origins: frozenset[str] = field(default_factory=frozenset)
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    page: PageSender | None = field(default=None, repr=False)

    def listeners(self, versions: Versions) -> list[Listener]:
        """Return the relay as peers prove their ids to it: by the URL dialled ([L-85])."""
        return [Listener(Purpose.RELAY_WEB, b"", url.place.encode(), versions) for url in self.urls]

    async def enter(
        self, raw: trio.abc.Stream, address: Address, versions: Versions
    ) -> tuple[WebByteStream, Address] | Stay:
        """Answer a request, and return the bytes of its WebSocket and from where it comes.

        For a request of a file of the page, return a function that sends it.

        Raises:
            NetError: If it asks for neither, or for what it may not have.
        """
        if self.tls is not None:
            raw = trio.SSLStream(raw, self.tls, server_side=True, https_compatible=True)
            with trouble_is(NetCode.FAILED):
                await raw.do_handshake()
        http = HttpConnection(raw, MOST_HEAD)
        try:
            request = await http.next_request()
            if request is None:
                raise NetError(WebCode.NO_RELAY)
            if sending := self._file(http, request, address):
                return sending
            status, words = self._judged(request)
            if status == 101:
                return await http.accept_bytes(SUBPROTOCOL), _from(request, address)
            if status == 200:
                about = json.dumps(self._about(versions)).encode()
                await http.reply(200, (*HEADERS, ("Content-Type", "application/json")), about)
            else:
                await http.reply(status, (*HEADERS, WORDS), words.encode())
        except NotHttp:
            pass
        raise NetError(WebCode.NO_RELAY)

    def _file(self, http: HttpConnection, request: WebRequest, address: Address) -> Stay | None:
        """Return what sends a file of the page that is asked for, None if none is to be sent."""
        if self.page is None or request.method != "GET":
            return None
        file = self.page.files.get(request.path)
        if file is None:
            return None
        coding = file.coding(request.headers.get("accept-encoding", ""))
        source, body = source_of(_from(request, address).host), file.content[coding]
        if status := self.page.refusal(source, len(body)):
            words = b"Too much is being sent now. Try again in a minute."
            return partial(_refused, http, status, words)
        return partial(self.page.send, http, source, (*COMMON, *file.headers(coding)), body)

    def _judged(self, request: WebRequest) -> tuple[int, str]:
        """Return the status of the answer to a request, and the words for a person ([L-88])."""
        if request.method != "GET":
            return 405, "Only GET."
        if request.path == ABOUT:
            return 200, ""
        if request.path != PATH:
            return 404, "This is a relay of hoity. There is no such page here."
        if "websocket" not in request.headers.get("upgrade", "").lower():
            return 426, "This is a relay of hoity. Programs connect to it by WebSocket."
        origin = request.headers.get("origin")
        # A program names no origin. A page cannot help naming its own.
        if origin is not None and origin not in self.origins | self._own_origins:
            return 403, "This relay does not serve pages of that origin."
        return 101, ""

    @property
    def _own_origins(self) -> frozenset[str]:
        """The origins of pages that are served under the relay's own addresses."""
        return frozenset(map(_origin, self.urls))

    def _about(self, versions: Versions) -> dict[str, object]:
        """Return what a page has to know before it connects."""
        return {
            "format": "hoity-relay-1",
            "versions": [versions.lowest, versions.highest],
            "urls": [url.place for url in self.urls],
        }


async def _refused(http: HttpConnection, status: int, words: bytes) -> None:
    """Answer that a file cannot be sent now."""
    with suppress(NotHttp):
        await http.reply(status, (*HEADERS, WORDS), words)


def _origin(url: Address) -> str:
    """Return the origin of pages that are served under an address (RFC 6454, section 6.2)."""
    scheme = "https" if url.scheme is Scheme.WSS else "http"
    return f"{scheme}://{url.web_authority}"


def _from(request: WebRequest, address: Address) -> Address:
    """Return from where a request comes, which a proxy on this machine may say ([L-89])."""
    if not is_loopback(address.host):
        return address
    # The last entry is the proxy's own. Those before it are what the client has told.
    told = parse_ip(request.headers.get(FORWARDED, "").rpartition(",")[2].strip())
    return address if told is None else Address(str(told), address.port)
