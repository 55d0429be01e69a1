"""UPnP: searching for the router, reading its description in bounded memory, and requesting a port.

After UPnP Device Architecture 1.1 and the services WANIPConnection:1, WANIPConnection:2 and
WANPPPConnection:1. Every parser accepts any bytes, and returns nothing for what it cannot read.

The program listens and connects only to the router of this network, whatever a description names.
Everything that it sends is bounded, and nothing more is read after the request was given up.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from typing import Final
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import trio

from protocol.bounds import Quota, Seconds

from ..coded_errors import because
from ..net.addresses import HIGHEST_PORT, Address
from ..net.network_errors import TROUBLE
from ..net.transport import cut
from .pcp_and_nat_pmp import LIFETIME, OpenedPort, RouterCode, RouterError

MAX_DESCRIPTION: Final = 1 << 16
"""Bytes of a whole answer, with its head and framing.

Descriptions of routers have some thousands.
"""
HEAD: Final = 1 << 13
"""Bytes of the head of an answer, and of anything else that is read in one piece."""
CHUNK: Final = 4096
"""Bytes that are read at once."""

GROUP: Final = ("239.255.255.250", 1900)
"""The multicast address and port on which routers receive searches."""
DEVICES: Final = (
    "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
)
"""The kinds of device to search for."""
SERVICES: Final = frozenset(
    f"urn:schemas-upnp-org:service:{name}"
    for name in ("WANIPConnection:1", "WANIPConnection:2", "WANPPPConnection:1")
)
"""The kinds of service that map ports."""
MOST_SERVICES: Final[Quota] = 4
"""Services of one description that are asked."""
DEFAULT_PORT: Final = 80
ENVELOPE: Final = (
    '<?xml version="1.0"?>\r\n'
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"'
    ' s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">'
    '<s:Body><u:{action} xmlns:u="{service}">{fields}</u:{action}></s:Body></s:Envelope>\r\n'
)
"""The SOAP message of a request."""
Fields = Mapping[str, str]
"""Fields of a SOAP message, by name."""


@dataclass(frozen=True)
class Endpoint:
    """A port of the router, and the target to request there.

    Attributes:
        host: The address.
        port: The port.
        target: The path and query of the URL.
    """

    host: IPv4Address
    port: int
    target: str

    @property
    def authority(self) -> str:
        """The host and the port, as in a URL."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Service:
    """A service that maps ports.

    Attributes:
        kind: The type of the service.
        place: Where it is controlled.
    """

    kind: str
    place: Endpoint


def search_for(device: str) -> bytes:
    """Return the datagram that searches for a kind of device.

    Args:
        device: The kind.

    Returns:
        The bytes.
    """
    lines = ["M-SEARCH * HTTP/1.1", f"HOST: {GROUP[0]}:{GROUP[1]}", 'MAN: "ssdp:discover"']
    return "\r\n".join([*lines, "MX: 1", f"ST: {device}", "", ""]).encode()


def read_found(data: bytes, router: IPv4Address) -> Endpoint | None:
    """Return where the router that answers a search has its description.

    Args:
        data: The bytes of a datagram.
        router: The address of the router.

    Returns:
        The place. None for any other bytes, and for a place on another machine.
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
    """Return the place that a URL names, if it is an HTTP URL on the router itself.

    Args:
        url: The URL.
        router: The only address at which the place may be.
        base: The URL to which a relative one is relative.

    Returns:
        The place, or None.
    """
    try:
        parts = urlsplit(urljoin(base, url))
        host, port = IPv4Address(parts.hostname or ""), parts.port
    except (AddressValueError, ValueError):
        return None
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    is_plain = target.isascii() and target.isprintable() and " " not in target
    if parts.scheme != "http" or host != router or port == 0 or "@" in parts.netloc:
        return None
    found = Endpoint(host, port or DEFAULT_PORT, target)
    return found if is_plain and target[0] == "/" else None


def _elements(data: bytes) -> list[ElementTree.Element]:
    """Return all elements of a document, the root first.

    None of them if it is no XML in UTF-8, or declares entities.
    """
    try:
        text = data.decode("utf-8-sig")
        return [] if "<!DOCTYPE" in text else list(ElementTree.fromstring(text).iter())
    except (UnicodeDecodeError, ElementTree.ParseError):
        return []


def _name(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace, which routers often have wrong."""
    return element.tag.rpartition("}")[2]


def _texts(elements: Iterable[ElementTree.Element]) -> dict[str, str]:
    """Return the texts of elements by their names."""
    return {_name(element): (element.text or "").strip() for element in elements}


def read_services(data: bytes, location: str, router: IPv4Address) -> list[Service]:
    """Return the services of a description that map ports and are on the router.

    Args:
        data: The description.
        location: The URL from which it was read.
        router: The only address at which a service may be.

    Returns:
        The services, at most MOST_SERVICES.
    """
    elements, found = _elements(data), list[Service]()
    base = _texts(elements[0] if elements else ()).get("URLBase") or location
    for element in elements:
        told = _texts(element) if _name(element) == "service" else {}
        kind, control = told.get("serviceType", ""), told.get("controlURL", "")
        place = place_of(control, router, base)
        if kind in SERVICES and control and place is not None:
            found.append(Service(kind, place))
    return found[:MOST_SERVICES]


def action(service: Service, name: str, fields: Fields) -> bytes:
    """Return the SOAP body that requests an action of a service.

    Args:
        service: The service.
        name: The name of the action.
        fields: Its arguments.

    Returns:
        The bytes.
    """
    inner = "".join(f"<{key}>{escape(value)}</{key}>" for key, value in fields.items())
    return ENVELOPE.format(action=name, service=service.kind, fields=inner).encode()


def read_fields(data: bytes) -> Fields:
    """Return the fields of a SOAP answer.

    Args:
        data: The body of the answer.

    Returns:
        The text of every element by its name.
    """
    return _texts(_elements(data))


UPNP_TIMEOUT: Final[Seconds] = 6.0
"""Seconds for the search and all requests together."""
SEARCH: Final[Seconds] = 1.5
"""Seconds in which the router may answer a search. It is asked to answer within one."""
TIMES: Final[Quota] = 2
"""How often a search is sent, since datagrams may be lost."""
MOST_PLACES: Final[Quota] = 4
"""Descriptions of the router that are read."""
DATAGRAM: Final = 2048
LOWEST: Final = 1024
STRIDE: Final = 7919
"""The distance from a port outside that is taken to the next one that is tried."""
TRIES: Final[Quota] = 3
"""How many ports outside are tried."""
CONFLICT: Final = "718"
"""The error code of a router whose port leads to another machine."""
PROTOCOL: Final = "TCP"
NAME: Final = "p2p-hoity"


class Searching:
    """A search over a UDP socket, which drops everything that does not come from the router."""

    def __init__(self, wire: trio.socket.SocketType, router: IPv4Address) -> None:
        self._wire, self._router = wire, str(router)

    async def send(self, data: bytes) -> None:
        """Send a datagram to all routers of this network.

        An OSError is raised if it cannot be sent.

        Args:
            data: Its bytes.
        """
        await self._wire.sendto(data, GROUP)

    async def receive(self) -> bytes:
        """Wait for the next datagram of the router, and cut it to a size that valid answers have.

        Returns:
            Its bytes.
        """
        while True:
            data, source = await self._wire.recvfrom(DATAGRAM)
            if source[0] == self._router:
                return data


@dataclass(frozen=True)
class LocalNetwork:
    """The network that this machine is in, over sockets.

    Attributes:
        own: The address of this machine.
        router: The address of the router.
    """

    own: IPv4Address
    router: IPv4Address

    @asynccontextmanager
    async def searching(self) -> AsyncIterator[Searching]:
        """Open a socket for a search on the interface that leads to the router.

        Yields:
            The search. An OSError is raised if there is no route.
        """
        with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as made:
            made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, self.own.packed)
            await made.bind((str(self.own), 0))
            yield Searching(made, self.router)

    async def open(self, port: int) -> trio.abc.Stream:
        """Open a stream to a TCP port of the router. A failure raises an error of `TROUBLE`.

        Args:
            port: The port.

        Returns:
            The stream.
        """
        return await trio.open_tcp_stream(str(self.router), port)


async def ask(
    network: LocalNetwork,
    place: Endpoint,
    method: str,
    headers: Sequence[tuple[str, str]] = (),
    body: bytes = b"",
) -> tuple[int, bytes]:
    """Send an HTTP request over a connection of its own.

    A redirection is an answer like any other and is not followed. The caller has to limit the time.
    When it cancels this function, nothing more is read.

    Args:
        network: The network.
        place: Where to send the request.
        method: The HTTP method.
        headers: Further headers.
        body: The body.

    Returns:
        The status and the body of the answer. 0 and b"" if there is no valid answer: none came, it
        is too long, or it is no HTTP.
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
                    return status, bytes(found)
                elif not isinstance(event, h11.InformationalResponse):
                    break
        finally:
            await cut(stream)
    return 0, b""


class UpnpRouter:
    """A router that is asked by UPnP.

    It is never asked for a mapping without an end ([L-54], [L-68]).
    """

    def __init__(self, network: LocalNetwork, port: int) -> None:
        """`port` is the TCP port here to which the router is to lead."""
        self._network, self._port = network, port
        self._service: Service | None = None
        self._outside = port
        self._may_be_open = False

    async def open(self) -> OpenedPort:
        """Request the mapping for two hours from now.

        Returns:
            The open port.

        Raises:
            RouterError: If there is none.
        """
        with trio.move_on_after(UPNP_TIMEOUT):
            return await self._open()
        raise RouterError(RouterCode.SILENT)

    async def close(self) -> None:
        """Remove what may be mapped."""
        if self._service is not None and self._may_be_open:
            with trio.move_on_after(UPNP_TIMEOUT):
                await self._ask(self._service, "DeletePortMapping", self._mapping)

    async def _open(self) -> OpenedPort:
        """Find the service and request ports outside until one is free."""
        service, external = await self._find()
        self._service = service
        for _ in range(TRIES):
            if await self._map(service):
                return OpenedPort(str(Address(str(external), self._outside)), LIFETIME)
            span = HIGHEST_PORT - LOWEST
            self._outside = LOWEST + (self._outside - LOWEST + STRIDE) % span
        raise RouterError(RouterCode.REFUSES, why=because(RouterCode.FULL))

    # Search

    async def _find(self) -> tuple[Service, IPv4Address]:
        """Return the service in use, or the first that has an external address, with it."""
        services = [self._service] if self._service is not None else await self._services()
        for service in services:
            told = await self._ask(service, "GetExternalIPAddress", {})
            try:
                external = IPv4Address(told.get("NewExternalIPAddress", ""))
            except ValueError:
                continue
            if not external.is_unspecified:
                return service, external
        if not services:
            raise RouterError(RouterCode.ABSENT)
        raise RouterError(RouterCode.REFUSES, why=because(RouterCode.OFFLINE))

    async def _services(self) -> list[Service]:
        """Return the services that map ports, from all descriptions of the router."""
        found: list[Service] = []
        for place in await self._search():
            status, body = await ask(self._network, place, "GET")
            if status == 200:
                location = f"http://{place.authority}{place.target}"
                found += read_services(body, location, self._network.router)
        return found[:MOST_SERVICES]

    async def _search(self) -> list[Endpoint]:
        """Return where the router has its descriptions, in the order of its answers."""
        places: dict[Endpoint, None] = {}
        try:
            async with self._network.searching() as wire:
                for _ in range(TIMES):
                    for device in DEVICES:
                        await wire.send(search_for(device))
                with trio.move_on_after(SEARCH):
                    while len(places) < MOST_PLACES:
                        place = read_found(await wire.receive(), self._network.router)
                        if place is not None:
                            places[place] = None
        except OSError:
            return []
        return list(places)

    # Mapping

    @property
    def _mapping(self) -> Fields:
        """The fields that identify the mapping."""
        return {
            "NewRemoteHost": "",
            "NewExternalPort": str(self._outside),
            "NewProtocol": PROTOCOL,
        }

    async def _map(self, service: Service) -> bool:
        """Request the port outside, and return whether it leads here.

        Raise RouterError if the router opens none.
        """
        inside = {"NewInternalPort": str(self._port), "NewInternalClient": str(self._network.own)}
        taken = await self._ask(service, "GetSpecificPortMappingEntry", self._mapping)
        if any(taken.get(name, value) != value for name, value in inside.items()):
            return False
        more = {"NewEnabled": "1", "NewPortMappingDescription": NAME}
        wanted = {**self._mapping, **inside, **more, "NewLeaseDuration": str(int(LIFETIME))}
        before, self._may_be_open = self._may_be_open, True
        told = await self._ask(service, "AddPortMapping", wanted)
        if "AddPortMappingResponse" in told:
            return True
        code = told.get("errorCode")
        if code == CONFLICT:
            self._may_be_open = False
            return False
        if code is not None:  # Otherwise the answer was lost, and the port may be open.
            self._may_be_open = before
        raise RouterError(RouterCode.REFUSES, why=because(RouterCode.NOT_ALLOWED))

    # Requests

    async def _ask(self, service: Service, name: str, fields: Fields) -> Fields:
        """Request an action, and return the fields of the answer.

        They may be those of an error, or none.
        """
        headers = (
            ("Content-Type", 'text/xml; charset="utf-8"'),
            ("SOAPAction", f'"{service.kind}#{name}"'),
        )
        body = action(service, name, fields)
        return read_fields((await ask(self._network, service.place, "POST", headers, body))[1])
