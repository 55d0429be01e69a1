"""Ask the router by UPnP to forward a port.

The program searches for the router, reads its description, and sends requests to one of its
services. This follows UPnP Device Architecture 1.1 and the services WANIPConnection:1,
WANIPConnection:2 and WANPPPConnection:1. Every parser accepts any bytes, and returns an empty
result if it cannot read them.

The program accepts answers from the router of this network only, and connects only to it, whatever
a description names. The bytes that are read are limited, and reading stops when the request is
given up.
"""

from __future__ import annotations

import html
import socket
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from itertools import islice
from typing import Final
from urllib.parse import urljoin, urlsplit

import trio

from protocol.units import Quota

from ..net.exception_reasons import TROUBLE
from ..net.transport import cut
from .router_xml import Element, read_elements

MAX_DESCRIPTION: Final = 1 << 16
"""The most bytes of an HTTP answer, headers and framing included. Routers send some thousand."""
HEAD: Final = 1 << 11
"""The most bytes of an HTTP answer's headers, and of any other part that must be whole.

CHUNK bytes more may be read with them. Routers send some hundred. The cost of a header that h11
refuses can grow with the square of its length.
"""
CHUNK: Final = 1 << 11
"""The most bytes that are read at once."""

GROUP: Final = ("239.255.255.250", 1900)
"""The multicast address and port on which routers receive searches."""
DEVICES: Final = (
    "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
)
"""The types of device to search for."""
SERVICES: Final = frozenset(
    f"urn:schemas-upnp-org:service:{name}"
    for name in ("WANIPConnection:1", "WANIPConnection:2", "WANPPPConnection:1")
)
"""The types of service that can forward ports."""
MOST_SERVICES: Final[Quota] = 4
"""The most services of a router that are tried."""
MOST_JUDGED: Final[Quota] = 16
"""The most services of a description whose URLs are read."""
LONGEST_URL: Final = 2048
"""The most characters of a URL. Those of routers have some dozen."""
DEFAULT_PORT: Final = 80
ENVELOPE: Final = (
    '<?xml version="1.0"?>\r\n'
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"'
    ' s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">'
    '<s:Body><u:{action} xmlns:u="{service}">{fields}</u:{action}></s:Body></s:Envelope>\r\n'
)
"""The template of a SOAP request."""
Fields = Mapping[str, str]
"""The texts of the fields of a SOAP message, by the names of the fields."""


@dataclass(frozen=True)
class Endpoint:
    """A place on the router for HTTP requests. The target is the path and query of the URL."""

    host: IPv4Address
    port: int
    target: str

    @property
    def authority(self) -> str:
        """The host and the port, as in a URL."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Service:
    """A UPnP service of the router, one of SERVICES, and where its requests are sent."""

    kind: str
    place: Endpoint


def search_for(device: str) -> bytes:
    """Encode the datagram that searches for devices of a type."""
    lines = ["M-SEARCH * HTTP/1.1", f"HOST: {GROUP[0]}:{GROUP[1]}", 'MAN: "ssdp:discover"']
    return "\r\n".join([*lines, "MX: 1", f"ST: {device}", "", ""]).encode()


def read_found(data: bytes, router: IPv4Address) -> Endpoint | None:
    """Return where the router's description can be read, by a datagram that answers a search.

    Return None if the bytes are not such an answer, or the host is not the router.
    """
    first, *lines = data.decode("latin-1").splitlines() or [""]
    if not first.startswith("HTTP/1.") or first.split()[1:2] != ["200"]:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() == "location":
            return place_of(value.strip(), router)
    return None


def place_of(url: str, router: IPv4Address, base: str = "") -> Endpoint | None:
    """Return the place that an HTTP URL, perhaps relative to `base`, has on the router.

    Return None if the URL is invalid, too long, or leads elsewhere.
    """
    if max(len(url), len(base)) > LONGEST_URL:
        return None
    try:
        parts = urlsplit(urljoin(base, url))
        host, port = IPv4Address(parts.hostname or ""), parts.port
    except (AddressValueError, ValueError):
        return None
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    # With a space or line break the router's text could add headers to the request.
    is_plain = target.isascii() and target.isprintable() and " " not in target
    # A description must not make this program send requests to other machines of the network.
    if parts.scheme != "http" or host != router or port == 0 or "@" in parts.netloc:
        return None
    found = Endpoint(host, port or DEFAULT_PORT, target)
    return found if is_plain and target[0] == "/" else None


def _texts(elements: Iterable[Element]) -> dict[str, str]:
    return {element.name: element.text for element in elements}


def read_services(data: bytes, location: str, router: IPv4Address) -> list[Service]:
    """Return at most MOST_SERVICES services on the router, by a description from `location`."""
    elements, found = read_elements(data), list[Service]()
    base = _texts(elements[0].inside if elements else ()).get("URLBase") or location
    services = (_texts(element.inside) for element in elements if element.name == "service")
    known = (told for told in services if told.get("serviceType") in SERVICES)
    # Each URL is read beside the base, so a row of services would cost the square of their bytes.
    for told in islice(known, MOST_JUDGED):
        control = told.get("controlURL", "")
        place = place_of(control, router, base) if control else None
        if place is not None:
            found.append(Service(told["serviceType"], place))
    return found[:MOST_SERVICES]


def action(service: Service, name: str, fields: Fields) -> bytes:
    """Encode the SOAP request for an action of a service, with its arguments."""
    inner = "".join(
        f"<{key}>{html.escape(value, quote=False)}</{key}>" for key, value in fields.items()
    )
    return ENVELOPE.format(action=name, service=service.kind, fields=inner).encode()


def read_fields(data: bytes) -> Fields:
    """Return the text of every element of a SOAP answer, by the name of the element."""
    return _texts(read_elements(data))


DATAGRAM: Final = 2048


class Searching:
    """A UDP socket for a search. Datagrams that do not come from the router are dropped."""

    def __init__(self, wire: trio.socket.SocketType, router: IPv4Address) -> None:
        self._wire, self._router = wire, str(router)

    async def send(self, data: bytes) -> None:
        """Send a multicast to all UPnP devices of this network. Raise OSError if that fails."""
        await self._wire.sendto(data, GROUP)

    async def receive(self) -> bytes:
        """Wait for the next datagram from the router, and return at most DATAGRAM bytes of it."""
        while True:
            data, source = await self._wire.recvfrom(DATAGRAM)
            # Anybody on the network may answer a search, and name a place of their own ([L-68]).
            if source[0] == self._router:
                return data


@dataclass(frozen=True)
class LocalNetwork:
    """The network of this computer, with the sockets for talking to its router."""

    own: IPv4Address
    router: IPv4Address

    @asynccontextmanager
    async def searching(self) -> AsyncIterator[Searching]:
        """Open a UDP socket for a search, on the network interface that leads to the router.

        An OSError is raised if there is no route.
        """
        with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as made:
            made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, self.own.packed)
            await made.bind((str(self.own), 0))
            yield Searching(made, self.router)

    async def open(self, port: int) -> trio.abc.Stream:
        """Open a stream to a TCP port of the router. A failure raises one of `TROUBLE`."""
        return await trio.open_tcp_stream(str(self.router), port)


async def ask(
    network: LocalNetwork,
    place: Endpoint,
    method: str,
    headers: Sequence[tuple[str, str]] = (),
    body: bytes = b"",
) -> tuple[int, bytes]:
    """Send one HTTP request to the router over a new connection, and return status and body.

    They are 0 and b"" if no answer came, or it is too long or not valid HTTP. The caller has to
    limit the time.
    """
    import h11

    talk = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD)
    always = [
        ("Host", place.authority),
        ("Connection", "close"),
        ("Content-Length", str(len(body))),
    ]
    status, found, received = 0, bytearray(), 0
    with suppress(h11.ProtocolError, *TROUBLE):
        asked = h11.Request(method=method, target=place.target, headers=[*always, *headers])
        parts = (asked, h11.Data(data=body), h11.EndOfMessage())
        stream = await network.open(place.port)
        try:
            await stream.send_all(b"".join(talk.send(part) or b"" for part in parts))
            # Counted as received, since a body in chunks may have any framing around it.
            while received <= MAX_DESCRIPTION:
                event = talk.next_event()
                if event is h11.NEED_DATA:
                    data = bytes(await stream.receive_some(CHUNK))
                    received += len(data)
                    talk.receive_data(data)
                elif isinstance(event, h11.Response):
                    status = event.status_code
                elif isinstance(event, h11.Data):
                    found += event.data
                elif isinstance(event, h11.EndOfMessage):
                    # A redirection is not followed: it could lead to another machine ([L-68]).
                    return status, bytes(found)
                elif not isinstance(event, h11.InformationalResponse):
                    break
        finally:
            await cut(stream)
    return 0, b""
