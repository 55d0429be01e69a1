"""What UPnP routers say, as bytes: answers to a search, descriptions, and actions in SOAP.

After UPnP Device Architecture 1.1 and the services WANIPConnection:1, WANIPConnection:2 and
WANPPPConnection:1. Every reader takes any bytes, and gives nothing for what it cannot read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from typing import Final
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from protocol.bounds import Quota

GROUP: Final = ("239.255.255.250", 1900)
"""Where routers hear searches."""
DEVICES: Final = (
    "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
)
SERVICES: Final = frozenset(
    f"urn:schemas-upnp-org:service:{name}"
    for name in ("WANIPConnection:1", "WANIPConnection:2", "WANPPPConnection:1")
)
MOST_SERVICES: Final[Quota] = 4
"""Services of one description that are asked."""
DEFAULT_PORT: Final = 80
ENVELOPE: Final = (
    '<?xml version="1.0"?>\r\n'
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"'
    ' s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">'
    '<s:Body><u:{action} xmlns:u="{service}">{fields}</u:{action}></s:Body></s:Envelope>\r\n'
)
Fields = Mapping[str, str]


@dataclass(frozen=True)
class Place:
    """A port of the router, and the target to ask for there."""

    port: int
    target: str


@dataclass(frozen=True)
class Service:
    """A service that maps ports: its type, and where it is controlled."""

    kind: str
    place: Place


def search_for(device: str) -> bytes:
    """Return the datagram that searches for a kind of device."""
    lines = ["M-SEARCH * HTTP/1.1", f"HOST: {GROUP[0]}:{GROUP[1]}", 'MAN: "ssdp:discover"']
    return "\r\n".join([*lines, "MX: 1", f"ST: {device}", "", ""]).encode()


def read_found(data: bytes, router: IPv4Address) -> Place | None:
    """Return where the router that answers a search describes itself.

    None for any other bytes, and for a LOCATION on another machine.
    """
    first, *lines = data.decode("latin-1").splitlines() or [""]
    if not first.startswith("HTTP/1.") or first.split()[1:2] != ["200"]:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() == "location":
            return place_of(value.strip(), router)
    return None


def place_of(url: str, router: IPv4Address) -> Place | None:
    """Return the place that a URL names; None unless it is of HTTP and on the router itself."""
    try:
        parts = urlsplit(url)
        host, port = IPv4Address(parts.hostname or ""), parts.port
    except (AddressValueError, ValueError):
        return None
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    is_plain = target.isascii() and target.isprintable() and " " not in target
    if parts.scheme != "http" or host != router or port == 0 or "@" in parts.netloc:
        return None
    return Place(port or DEFAULT_PORT, target) if is_plain and target[0] == "/" else None


def _parsed(data: bytes) -> ElementTree.Element | None:
    """Return the root of a document in UTF-8 that declares no entities; None of any other."""
    try:
        text = data.decode("utf-8-sig")
        return None if "<!DOCTYPE" in text else ElementTree.fromstring(text)
    except (UnicodeDecodeError, ElementTree.ParseError):
        return None


def _name(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace, which routers often have wrong."""
    return element.tag.rpartition("}")[2]


def _fields_of(element: ElementTree.Element) -> dict[str, str]:
    return {_name(child): (child.text or "").strip() for child in element}


def read_services(data: bytes, location: str, router: IPv4Address) -> list[Service]:
    """Return the services of a description that map ports; those on other machines are left out.

    Args:
        data: The description.
        location: The URL that it was read from.
        router: The only address at which a service may be.
    """
    root = _parsed(data)
    if root is None:
        return []
    base = _fields_of(root).get("URLBase") or location
    return list(_services(root, base, router))[:MOST_SERVICES]


def _services(root: ElementTree.Element, base: str, router: IPv4Address) -> Iterator[Service]:
    for element in root.iter():
        if _name(element) != "service":
            continue
        told = _fields_of(element)
        kind, control = told.get("serviceType", ""), told.get("controlURL", "")
        try:
            place = place_of(urljoin(base, control), router)
        except ValueError:
            continue
        if kind in SERVICES and control and place is not None:
            yield Service(kind, place)


def action(service: Service, name: str, fields: Fields) -> bytes:
    """Return the body that asks a service for an action."""
    inner = "".join(f"<{key}>{escape(value)}</{key}>" for key, value in fields.items())
    return ENVELOPE.format(action=name, service=service.kind, fields=inner).encode()


def read_fields(data: bytes) -> Fields:
    """Return the fields of an answer in SOAP, all of its elements by name."""
    root = _parsed(data)
    if root is None:
        return {}
    return {_name(element): (element.text or "").strip() for element in root.iter()}
