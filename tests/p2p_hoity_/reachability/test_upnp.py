"""Tests of what a router says by UPnP: only it is heard, and what it sends has bounds."""

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from ipaddress import IPv4Address
from urllib.parse import urljoin

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from support.igd import DESCRIPTION, SERVICE, Served, Table, filled

from p2p_hoity.reachability import upnp

HERE = IPv4Address("127.0.0.1")

ROUTER = IPv4Address("192.168.1.1")
LOCATION = "http://192.168.1.1/d.xml"
SIZE = upnp.MAX_DESCRIPTION


async def test_only_the_router_itself_is_heard() -> None:
    async def socket() -> trio.socket.SocketType:
        made = trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM)
        await made.bind(("127.0.0.1", 0))
        return made

    mine, other = await socket(), await socket()
    with mine, other:
        await other.sendto(b"not from the router", mine.getsockname())
        searching = upnp.Searching(mine, IPv4Address("127.0.0.9"))
        with trio.move_on_after(0.05):
            raise AssertionError(await searching.receive())
        await other.sendto(b"from the router", mine.getsockname())
        assert await upnp.Searching(mine, HERE).receive() == b"from the router"


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_or_nothing(data: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nLOCATION: "
    for said in (data, head + data, head + b"http://127.0.0.1:" + data):
        place = upnp.read_found(said, HERE)
        assert place is None or 0 < place.port < 65536
    assert upnp.read_services(data, "http://127.0.0.1/", HERE) == []
    assert not upnp.read_fields(b"<a>" + data) or data.endswith(b">")


def service(kind: str, control: str) -> str:
    return f"<service><serviceType>{kind}</serviceType><controlURL>{control}</controlURL></service>"


def described(base: str, kind: str = SERVICE, control: str = "a") -> bytes:
    before = f"<root><URLBase>{base}</URLBase>"
    return filled(SIZE, before, lambda _: service(kind, control), "</root>")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The characters of all URLs that were read."""
    found = list[int]()

    def counting(base: str, url: str) -> str:
        found.append(len(base) + len(url))
        return urljoin(base, url)

    monkeypatch.setattr(upnp, "urljoin", counting)
    return found


@pytest.mark.parametrize(
    "data",
    [
        described("http://192.168.1.1/" + "a/" * (SIZE // 4)),
        described("http://192.168.1.1/" + "a/" * 1000),
        described("http://10.0.0.1/" + "../" * 600),
        described("http://192.168.1.1/", kind="x"),
        described("http://192.168.1.1/", control="http://10.0.0.1/"),
        described("http://192.168.1.1/"),
    ],
)
def test_a_row_of_services_does_not_cost_the_square_of_its_length(
    data: bytes, read: list[int]
) -> None:
    assert len(upnp.read_services(data, LOCATION, ROUTER)) <= upnp.MOST_SERVICES
    assert sum(read) <= upnp.MOST_JUDGED * 2 * upnp.LONGEST_URL
    assert len(data) > SIZE - 200


def test_a_url_has_a_bound_and_services_behind_others_are_found(read: list[int]) -> None:
    def at(url: str) -> upnp.Endpoint | None:
        return upnp.place_of(url, ROUTER, LOCATION)

    assert at("/" + "a" * (upnp.LONGEST_URL - 1)) is not None
    assert at("/" + "a" * upnp.LONGEST_URL) is None
    assert upnp.place_of("a", ROUTER, LOCATION + "a" * upnp.LONGEST_URL) is None
    others = service("urn:x:service:Printer:1", "/p") * 200
    elsewhere = service(SERVICE, "http://10.0.0.1/c")
    for ahead, is_found in ((upnp.MOST_JUDGED - 1, True), (upnp.MOST_JUDGED, False)):
        data = f"<root>{others}{elsewhere * ahead}{service(SERVICE, '/c')}</root>".encode()
        found = upnp.read_services(data, LOCATION, ROUTER)
        assert [one.place.target for one in found] == ["/c"] * is_found
    assert len(upnp.read_services(DESCRIPTION.encode(), LOCATION, ROUTER)) == 1


def with_a_head_of(size: int) -> Callable[[BaseHTTPRequestHandler], None]:
    def describe(handler: BaseHTTPRequestHandler) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(DESCRIPTION)}\r\nX-More: "
        handler.wfile.write(head.encode() + b"y" * (size - len(head) - 4) + b"\r\n\r\n")
        handler.wfile.write(DESCRIPTION.encode())

    return describe


@pytest.mark.parametrize(
    ("size", "status"), [(upnp.HEAD, 200), (upnp.HEAD + upnp.CHUNK + 1, 0), (8000, 0)]
)
async def test_headers_of_an_answer_have_a_bound(size: int, status: int) -> None:
    with Served(Table("81.2.69.142"), with_a_head_of(size)) as device:
        network = upnp.LocalNetwork(IPv4Address("127.0.0.1"), IPv4Address("127.0.0.1"))
        place = upnp.Endpoint(network.router, device.port, "/d.xml")
        found = await upnp.ask(network, place, "GET")
    assert found == (status, DESCRIPTION.encode() if status else b"")
