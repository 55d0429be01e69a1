"""Tests of what a router describes: it is read at a cost that grows only with its size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.igd import filled

from p2p_hoity.reachability import router_xml, upnp
from p2p_hoity.reachability.router_xml import DEEPEST, MOST_ELEMENTS, read_elements

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


LONG = "u" * (SIZE * 3 // 4)


@pytest.mark.parametrize(
    "data",
    [
        filled(SIZE, f'<a xmlns="{LONG}">', lambda number: f"<b{number}/>", "</a>"),
        filled(SIZE, f'<p:a xmlns:p="{LONG}">', lambda _: "<p:b/>", "</p:a>"),
        filled(SIZE, f'<a xmlns:p="{LONG}"><b ', lambda number: f'p:a{number}="" ', "/></a>"),
    ],
    ids=["names", "one name", "attributes"],
)
def test_a_long_namespace_is_not_copied_into_each_name(data: bytes) -> None:
    """[L-68]: what is kept of a document is no longer than the document."""
    found = read_elements(data)
    assert sum(len(one.name) + len(one.text) for one in found) <= len(data)
    assert len(found) > 1
    assert all(len(one.name) < 8 for one in found)


@given(st.binary(max_size=300))
def test_any_bytes_are_elements_or_none(data: bytes) -> None:
    for document in (data, b"<a>" + data + b"</a>", b"<a " + data + b"/>"):
        found = read_elements(document)
        assert all(isinstance(one, router_xml.Element) for one in found)
        assert sum(len(one.name) + len(one.text) for one in found) <= len(document)
