"""What a router describes is read at a cost that grows only with its size, and nothing else is."""

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from ipaddress import IPv4Address
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.igd import DESCRIPTION, SERVICE, Served, Table

from p2p_hoity.reachability import router_xml, upnp
from p2p_hoity.reachability.router_xml import DEEPEST, MOST_ELEMENTS, read_elements

ROUTER = IPv4Address("192.168.1.1")
LOCATION = "http://192.168.1.1/d.xml"
SIZE = upnp.MAX_DESCRIPTION


def names_of(text: str) -> list[tuple[str, str]]:
    return [(one.name, one.text) for one in read_elements(text.encode())]


def test_elements_are_read_in_their_order_with_the_text_before_the_first_inside() -> None:
    text = "<p:a xmlns:p='u'> x &amp; <!-- <!DOCTYPE> -->y\n<b/>z<q:c>1<![CDATA[<2>]]></q:c></p:a>"
    assert names_of(text) == [("a", "x & y"), ("b", ""), ("c", "1<2>")]
    (root, *_) = read_elements(text.encode())
    assert [one.name for one in root.inside] == ["b", "c"]
    assert names_of("\ufeff<?xml version='1.0' encoding='ISO-8859-1'?><a>ö</a>") == [("a", "ö")]


@each(
    [
        b"",
        b"<a>",
        b"<a></b>",
        b"<a/><b/>",
        b"<a>&b;</a>",
        "<a>ö</a>".encode("latin-1"),
        b'<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>',
        b"<!DOCTYPE a><a/>",
        "<a/>".encode("utf-16"),
    ]
)
def test_what_is_no_plain_xml_is_not_read(data: bytes) -> None:
    assert read_elements(data) == []


def test_elements_and_their_depth_are_bounded() -> None:
    def row(number: int) -> str:
        return f"<a>{'<b/>' * (number - 1)}</a>"

    def nest(number: int) -> str:
        return "<a>" * number + "</a>" * number

    assert len(names_of(row(MOST_ELEMENTS))) == MOST_ELEMENTS
    assert names_of(row(MOST_ELEMENTS + 1)) == []
    assert len(names_of(nest(DEEPEST))) == DEEPEST
    assert names_of(nest(DEEPEST + 1)) == []


def filled(before: str, piece: Callable[[int], str], after: str) -> bytes:
    """A document of SIZE bytes at most, with as many pieces as fit; each knows its number."""
    pieces, left = list[str](), SIZE - len(before) - len(after)
    while len(text := piece(len(pieces))) <= left:
        pieces.append(text)
        left -= len(text)
    return (before + "".join(pieces) + after).encode()


LONG = "u" * (SIZE * 3 // 4)


@pytest.mark.parametrize(
    "data",
    [
        filled(f'<a xmlns="{LONG}">', lambda number: f"<b{number}/>", "</a>"),
        filled(f'<p:a xmlns:p="{LONG}">', lambda _: "<p:b/>", "</p:a>"),
        filled(f'<a xmlns:p="{LONG}"><b ', lambda number: f'p:a{number}="" ', "/></a>"),
    ],
    ids=["names", "one name", "attributes"],
)
def test_a_long_namespace_is_not_copied_into_each_name(data: bytes) -> None:
    """[L-68]: what is kept of a document is no longer than the document."""
    found = read_elements(data)
    assert sum(len(one.name) + len(one.text) for one in found) <= len(data)
    assert len(found) > 1
    assert all(len(one.name) < 8 for one in found)


def service(kind: str, control: str) -> str:
    return f"<service><serviceType>{kind}</serviceType><controlURL>{control}</controlURL></service>"


def described(base: str, kind: str = SERVICE, control: str = "a") -> bytes:
    before = f"<root><URLBase>{base}</URLBase>"
    return filled(before, lambda _: service(kind, control), "</root>")


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


@given(st.binary(max_size=300))
def test_any_bytes_are_elements_or_none(data: bytes) -> None:
    for document in (data, b"<a>" + data + b"</a>", b"<a " + data + b"/>"):
        found = read_elements(document)
        assert all(isinstance(one, router_xml.Element) for one in found)
        assert sum(len(one.name) + len(one.text) for one in found) <= len(document)
