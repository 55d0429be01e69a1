"""Tests of who the router is: by the routes of Linux, and by a guess elsewhere."""

import ipaddress
import socket
import sys
from types import SimpleNamespace

import pytest

from p2p_hoity.net import default_router
from p2p_hoity.net.default_router import of_routes
from p2p_hoity.net.interfaces import Interface

ROUTES = """Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
eth0 00000000 {slow} 0003 0 0 600 00000000 0 0 0
eth1 00000000 {fast} 0003 0 0 100 00000000 0 0 0
eth2 00000000 {down} 0002 0 0 1 00000000 0 0 0
eth0 000200C0 00000000 0001 0 0 0 00FFFFFF 0 0 0
"""


def test_the_router_is_the_default_route_of_least_metric() -> None:
    def number(ip: str) -> str:
        return f"{int.from_bytes(socket.inet_aton(ip), sys.byteorder):08X}"

    table = ROUTES.format(
        slow=number("10.0.0.1"), fast=number("192.168.1.1"), down=number("10.9.9.9")
    )
    assert of_routes(table) == "192.168.1.1"
    assert of_routes(ROUTES.splitlines()[0]) is None
    with pytest.raises(ValueError, match="invalid literal"):
        of_routes("\n" + "eth0 zz zz zz 0 0 0 zz 0 0 0")


def card(name: str, *texts: str, **what: bool) -> Interface:
    return Interface(name, tuple(map(ipaddress.ip_interface, texts)), **what)


BRIDGES = [card(f"br{n}", f"172.{n}.0.1/16", is_inside=True) for n in range(17, 28)]


def test_the_first_address_of_a_home_is_of_cards_and_not_of_a_tunnel(monkeypatch) -> None:
    found = [*BRIDGES, card("utun4", "10.8.0.6/24"), card("en0", "192.168.1.5/24")]
    monkeypatch.setattr(default_router, "interfaces", lambda: found)
    assert default_router._first_of_home() == "192.168.1.1"
    monkeypatch.setattr(default_router, "interfaces", lambda: found[:-1])
    assert default_router._first_of_home() is None


def test_linux_is_asked_by_its_table_and_who_cannot_read_it_asks_no_router(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    routes = tmp_path / "route"
    monkeypatch.setattr(default_router, "ROUTES", routes)
    assert default_router.gateway() is None
    number = f"{int.from_bytes(socket.inet_aton('10.0.0.1'), sys.byteorder):08X}"
    routes.write_text(ROUTES.format(slow=number, fast=number, down=number), "ascii")
    assert default_router.gateway() == "10.0.0.1"
    routes.write_text("\neth0 zz zz zz 0 0 0 zz 0 0 0", "ascii")
    assert default_router.gateway() is None


def test_elsewhere_the_system_tells_it_or_the_first_address_at_home_is_guessed(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(default_router, "_first_of_home", lambda: "192.168.1.1")
    told = {"default": {2: ("10.0.0.138", "en0")}}
    package = SimpleNamespace(AF_INET=2, gateways=lambda: told)
    monkeypatch.setitem(sys.modules, "netifaces", package)
    assert default_router.gateway() == "10.0.0.138"
    told.clear()
    assert default_router.gateway() == "192.168.1.1"
    monkeypatch.setitem(sys.modules, "netifaces", None)
    assert default_router.gateway() == "192.168.1.1"
