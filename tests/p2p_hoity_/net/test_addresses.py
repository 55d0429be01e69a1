"""Tests of addresses: what people may write, and whom a connection is charged to."""

import ipaddress
import socket

import pytest
from support.cases import each

from p2p_hoity.net import addresses
from p2p_hoity.net.network_errors import AddressError


@pytest.mark.parametrize(
    ("text", "host", "port", "via_relay"),
    [
        ("127.0.0.1:4711", "127.0.0.1", 4711, False),
        (" Example.ORG:1 ", "example.org", 1, False),
        ("[::1]:65535", "::1", 65535, False),
        ("[2001:DB8::0]:9", "2001:db8::", 9, False),
        ("relay+relay.example:99", "relay.example", 99, True),
        ("relay+[::1]:99", "::1", 99, True),
        ("my_machine:80", "my_machine", 80, False),
        ("my_machine:00000080", "my_machine", 80, False),
    ],
)
def test_an_address_is_read_and_written_back(text, host, port, via_relay):
    address = addresses.parse_address(text)
    assert (address.host, address.port, address.via_relay) == (host, port, via_relay)
    assert addresses.parse_address(str(address)) == address


@each(
    [
        "",
        "example.org",
        "example.org:",
        "example.org:0",
        "example.org:65536",
        "example.org:0065536",
        "example.org:00000155555",
        "example.org:" + "0" * 5000,
        "example.org:1" + "0" * 5000,
        "example.org:٣",
        "example.org:-1",
        "example.org:99999999999999999999",
        "example.org:00000180000000",
        "1.2.3.4:000001" + "0" * 280,
        "1.2.3.4:000001" + "0" * 5000,
        "1.2.3.4:8²",
        ":4711",
        "::1:4711",
        "[::1:4711",
        "[::g]:4711",
        "[fe80::1%eth0]:4711",
        "[127.0.0.1]:4711",
        "256.0.0.1:4711",
        "1.2.3:4711",
        "exa mple.org:1",
        "ex\x1b[2Jample.org:1",
        "-x.org:1",
        "a" * 64 + ".org:1",
        "a." * 127 + ":1",
        "relay+relay+x.org:1",
        "tcp+x.org:1",
        "wss+x.org:1",
        "wss://x.org:1",
        "relay+wss://x.org",
        "relay+https://x.org:1",
        "relay+wss://relay+x.org:1",
        "relay+wss://wss://x.org:1",
        "relay+wss://x.org:1/hoity",
    ]
)
def test_what_nobody_could_dial_is_refused_in_words(text):
    with pytest.raises(AddressError, match=r"^address-"):
        addresses.parse_address(text)


@each(
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:0:1:aaaa::1", "2001:db8:0:1::/64"),
        ("2001:db8:0:1:bbbb::2", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("2002:c000:207:1::1", "192.0.2.7"),
        ("2002:c000:207:2::1", "192.0.2.7"),
        ("64:ff9b::192.0.2.7", "192.0.2.7"),
        ("64:ff9b::192.0.2.8", "192.0.2.8"),
        ("2001:0:909:909::3fff:fdf8", "192.0.2.7"),
        ("64:ff9b:1::192.0.2.7", "64:ff9b:1::/64"),
        ("caller", "caller"),
    ]
)
def test_a_connection_is_charged_to_what_one_machine_can_fill(case):
    host, source = case
    assert addresses.source_of(host) == source


def test_local_addresses_and_networks_are_ours_and_port_zero_is_to_listen_at():
    *outside, last = addresses.local_addresses(4711)
    assert last == "127.0.0.1:4711"
    for text in outside:
        address = addresses.parse_address(text)
        assert address.port == 4711
        assert not address.host.startswith(("127.", "fe80")), text
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        with socket.socket(family) as ours:
            ours.bind((address.host, 0))  # only an address of this machine can be bound
    assert all(not network.is_loopback for network in addresses.own_networks())
    assert addresses.parse_address("127.0.0.1:0", lowest_port=0).port == 0


PRIVATE = ("127.0.0.1", "10.0.0.1", "192.168.7.9", "169.254.169.254", "100.64.0.1", "224.0.0.251")


def hexadecimal(four: str, inverted: bool = False) -> str:
    number = int(ipaddress.IPv4Address(four)) ^ (0xFFFFFFFF if inverted else 0)
    return f"{number >> 16:x}:{number & 0xFFFF:x}"


CARRIERS = (
    lambda four: f"::{four}",
    lambda four: f"::ffff:0:{four}",
    lambda four: f"64:ff9b::{four}",
    lambda four: f"64:ff9b:1::{four}",
    lambda four: f"2002:{hexadecimal(four)}::1",
    lambda four: f"2001:0:{hexadecimal('9.9.9.9')}::{hexadecimal(four, inverted=True)}",
    lambda four: f"2001:0:{hexadecimal(four)}::{hexadecimal('9.9.9.9', inverted=True)}",
)
"""IPv6 addresses that lead to an IPv4 address: compatible, translated, NAT64 by the known and by a
local prefix, 6to4, and Teredo by its client and by its server."""
OWN = [ipaddress.ip_network("192.168.7.0/24"), ipaddress.ip_network("fd00:7::/64")]


@each(
    [
        ("127.0.0.1", True, False),
        ("127.9.9.9", True, False),
        ("::1", True, False),
        ("::ffff:127.0.0.1", True, False),
        ("192.168.7.9", True, True),
        ("192.168.8.9", False, False),
        ("10.0.0.1", False, False),
        ("172.16.0.1", False, False),
        ("100.64.0.1", False, False),
        ("169.254.169.254", False, False),
        ("::ffff:10.0.0.1", False, False),
        ("fd00:7::9", True, True),
        ("fd00:8::9", False, False),
        ("fe80::1", False, False),
        ("0.0.0.0", False, False),
        ("224.0.0.251", False, False),
        ("fec0::1", False, False),
        ("ff0e::1", False, False),
        ("9.9.9.9", True, True),
        ("2620:fe::fe", True, True),
        ("64:ff9b::9.9.9.9", True, True),
        ("64:ff9b:1::9.9.9.9", False, False),
        ("2002:909:909::1", True, True),
        ("::9.9.9.9", True, True),
        *[(carrying(four), False, False) for four in PRIVATE for carrying in CARRIERS],
    ]
)
def test_what_strangers_name_leads_to_the_internet_or_into_our_own_networks(case):
    host, near, far = case
    assert addresses.may_dial(host, addresses.Named.NEAR, OWN) == near
    assert addresses.may_dial(host, addresses.Named.FAR, OWN) == far
    assert addresses.may_dial(host, addresses.Named.BY_US, OWN)


def test_only_loopback_is_this_machine_and_names_are_not_judged():
    assert addresses.is_loopback("::ffff:127.0.0.1")
    assert not any(addresses.is_loopback(carrying("127.0.0.1")) for carrying in CARRIERS)
    with pytest.raises(ValueError, match="only an IP address"):
        addresses.may_dial("relay.example", addresses.Named.FAR, OWN)


def test_a_seat_is_on_this_machine_if_it_names_one_of_its_addresses(monkeypatch):
    ours = [ipaddress.IPv4Interface("192.168.7.2/24")]
    monkeypatch.setattr(addresses, "_interfaces", lambda: ours)
    here = ["192.168.7.2:7", "127.0.0.1:7"]
    there = ["192.168.7.3:7", "127.0.0.1:7"]
    inside = ["127.0.0.1:7"]
    assert addresses.how_far(here, here) is addresses.Named.NEAR
    assert addresses.how_far(there, here) is addresses.Named.FAR
    assert addresses.how_far(inside, here) is addresses.Named.FAR
    assert addresses.how_far(inside, inside) is addresses.Named.NEAR  # bots of one machine
    assert addresses.how_far(here, ()) is addresses.Named.NEAR
    assert addresses.how_far(["nonsense", ":::", "relay+127.0.0.1:9"], here) is addresses.Named.FAR
