"""Tests of addresses as people type them: URLs, names of any language, between marks."""

from ipaddress import IPv6Address

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, fails
from support.pasted import AROUND

from p2p_hoity.net.addresses import parse_address, relay_address
from p2p_hoity.net.network_errors import AddressError
from p2p_hoity.net.typed_addresses import typed_address, typed_relay


@each(
    [
        ("http://relay.example.org:4647", "relay.example.org:4647"),
        ("https://relay.example.org:4646/", "relay.example.org:4646"),
        ("HTTPS://Relay.Example.org:4646", "relay.example.org:4646"),
        ("hoity://192.0.2.7:80", "192.0.2.7:80"),
        ("https://[2001:db8::1]:80/", "[2001:db8::1]:80"),
        ("bücher.example:4647", "xn--bcher-kva.example:4647"),
        ("BÜCHER.example:4647", "xn--bcher-kva.example:4647"),
        ("http://bu\u0308cher.example:4647/", "xn--bcher-kva.example:4647"),
        ("straße.example:1", "xn--strae-oqa.example:1"),
        ("例え。テスト:80", "xn--r8jz45g.xn--zckzah:80"),
        ("relay.example.org：４６４７", "relay.example.org:4647"),
        ("ｒｅｌａｙ．ｅｘａｍｐｌｅ:4647", "relay.example:4647"),
        ("relay.exam\u200bple.org:4647\u200e", "relay.example.org:4647"),
        ("relay.example.org:4647.", "relay.example.org:4647"),
        ("(relay.example.org:4647),", "relay.example.org:4647"),
        ("“relay.example.org:4647”", "relay.example.org:4647"),
        ("`[::1]:4647`", "[::1]:4647"),
        ("([::1]:4647)", "[::1]:4647"),
        ("_relay:4647", "_relay:4647"),  # a name, and not a mark of Markdown
        ("relay+a.example:1", "relay+a.example:1"),
        # Names that look like others are shown as what they are.
        ("аpple.example:1", "xn--pple-43d.example:1"),
        ("paypaⅼ.example:1", "paypal.example:1"),
    ]
)
def test_an_address_may_be_written_as_people_write_it(case: tuple[str, str]) -> None:
    text, plain = case
    address = typed_address(text)
    assert str(address) == plain
    assert str(address).isascii()
    assert parse_address(str(address)) == address


@each(
    [
        ("https://relay.example.org", "address-without-port"),
        ("https://relay.example.org/", "address-without-port"),
        ("relay.example.org:", "address-without-port"),
        ("relay.example.org:x", "address-bad-port"),
        ("https://relay.example.org:4646/path", "address-with-more"),
        ("http://relay.example.org:4646?x=1", "address-with-more"),
        ("http://me@relay.example.org:4646", "address-with-more"),
        ("c℀.example:1", "address-without-machine"),
        ("ü\u200db.example:1", "address-without-machine"),
        ("bü cher.example:1", "address-without-machine"),
        ("relay.exam ple:1", "address-without-machine"),
        ("socks5://relay.example.org:4646", ""),
        ("relay.example.org:٣", "address-bad-port"),
        ("" + "ü" * 80 + ".example:1", "address-without-machine"),
        ("::1:4647", "address-without-brackets"),
    ]
)
def test_what_is_no_address_is_refused_in_words(case: tuple[str, str]) -> None:
    text, code = case
    fails(AddressError, code, typed_address, text)


@given(
    st.one_of(
        st.sampled_from(["relay.example.org", "192.0.2.7", "_x.example"]),
        st.integers(0, 2**128 - 1).map(lambda number: f"[{IPv6Address(number)}]"),
    ),
    st.integers(1, 65535),
    st.sampled_from(
        [around for around in AROUND if ":" not in around[0] and "\n" not in around[0]]
    ),
)
def test_an_address_between_marks_is_the_address(
    host: str, port: int, around: tuple[str, str]
) -> None:
    text = f"{host}:{port}"
    if not host.startswith("_"):
        assert typed_address(f"{around[0]}{text}{around[1]}".strip("> ")) == parse_address(text)
    assert typed_address(text) == parse_address(text)


@each(
    [
        ("relay.example.org", "relay.example.org:4646"),
        ("bücher.example.", "xn--bcher-kva.example:4646"),
        ("[::1]", "[::1]:4646"),
        ("<[::1]>", "[::1]:4646"),
    ]
)
def test_the_usual_port_is_added_to_a_machine_alone(case: tuple[str, str]) -> None:
    text, plain = case
    assert str(typed_address(text, usual_port=4646)) == plain
    fails(AddressError, "", typed_address, "https://relay.example.org", usual_port=4646)


@each(
    [
        ("wss://relay.example.org", "wss://relay.example.org:443"),
        ("wss://relay.example.org/", "wss://relay.example.org:443"),
        ("wss://relay.example.org/hoity", "wss://relay.example.org:443"),
        ("WSS://Relay.Example.org:8443", "wss://relay.example.org:8443"),
        ("<wss://relay.example.org>,", "wss://relay.example.org:443"),
        ("ws://127.0.0.1:4680", "ws://127.0.0.1:4680"),
        ("ws://[::1]", "ws://[::1]:80"),
        ("wss://bücher.example", "wss://xn--bcher-kva.example:443"),
        ("relay.example.org", "relay.example.org:4646"),
        ("relay+relay.example.org:1", "relay.example.org:1"),
        ("https://relay.example.org:4646", "relay.example.org:4646"),
    ]
)
def test_a_relay_is_reached_by_websocket_where_its_url_says_so(case: tuple[str, str]) -> None:
    text, plain = case
    relay = typed_relay(text, 4646)
    assert relay.place == plain
    assert relay.is_web == ("://" in plain)
    assert relay_address(plain).place == plain
    assert str(relay_address(plain)) == f"relay+{plain}"
    assert typed_relay(plain).place == plain


@each(
    [
        "wss://relay.example.org/other",
        "wss://me@relay.example.org",
        "wss://a b:1",
        "wss://",
        "ws://relay+wss://h:1",
        "wss://relay+h:1",
        "wss://https://h:1",
        "wss://wss://h:1",
        "wss://tls://h:1/hoity",
        "wss://[::ffff:1.2.3.4]:1",
    ]
)
def test_what_is_no_url_of_a_relay_is_refused(text: str) -> None:
    fails(AddressError, "", typed_relay, text, 4646)
