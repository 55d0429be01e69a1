"""A home behind a router and a guest on the internet, between network namespaces made here: what
the ticket says, whether it works, and that the router is closed again. Needs root and nftables."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support import namespaces
from support.namespaces import Internet, Machine
from support.terminals import BOT, Terminal

from p2p_hoity.net.ticket import decode_ticket

pytestmark = pytest.mark.sampled(1)

HOME, INSIDE = "192.168.77.2", "192.168.77.1"
OUTSIDE, GUEST = "81.2.69.1", "81.2.69.9"
BEHIND = "100.64.9.1"
ALONE = (*BOT, "--no-again")


@dataclass
class Homes:
    """A home, its router and somebody on the internet."""

    net: Internet
    path: Path
    outside: str
    running: list[Terminal] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.guest = self.net.machine("g", f"{GUEST}/24")
        self.home = self.net.home("h", f"{self.outside}/24", inside=HOME.rpartition(".")[0])
        self.router = self.net.router("h")

    def start(self, machine: Machine, *words: str, **how: Any) -> Terminal:
        """Start a command that may ask the router."""
        path = self.path / str(len(self.running))
        self.running.append(machine.start(path, *words, HOITY_NO_MAP="", **how))
        return self.running[-1]

    def host(self, *words: str) -> Terminal:
        """Start a host in the home."""
        return self.start(self.home, "host", "--seats", "2", "--lan", "off", *ALONE, *words)

    def serve(self, machine: Machine, module: str, *words: str) -> Terminal:
        """Start a server of the tests, until it is ready."""
        server = self.start(machine, *words, module=f"support.{module}")
        server.read_until("ready")
        return server


@pytest.fixture
def homes(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Homes]:
    """The home, whose router has the address OUTSIDE or that of the parameter."""
    with namespaces.internet() as net:
        made = Homes(net, tmp_path, getattr(request, "param", OUTSIDE))
        yield made
        for terminal in made.running:
            terminal.kill()


def reached(host: Terminal, reach: str) -> dict[str, Any]:
    """What a host told once it was reached so; UPnP answers later than the others."""
    told = host.read_until("type", "reached")
    while told["scope"] != reach:
        told = host.read_until("type", "reached")
    return told


def leave(host: Terminal, router: Terminal) -> None:
    """Who leaves has the router closed."""
    host.interrupt()
    assert host.end() == 130
    assert router.read_until("open")["open"] == []


@pytest.mark.parametrize("spoken", ["pcp", "natpmp"])
def test_a_guest_from_afar_comes_in_by_what_the_router_opened(spoken: str, homes: Homes) -> None:
    router = homes.serve(homes.router, "router", OUTSIDE, INSIDE, spoken)
    host = homes.host()
    first = host.read_until("ticket")["ticket"]
    ticket = reached(host, "anywhere")["ticket"] or first
    assert [address.partition(":")[0] for address in decode_ticket(ticket).addresses] == [OUTSIDE]
    guest = homes.start(homes.guest, "join", ticket, "--yes", *ALONE)
    assert guest.read_until("type", "table")["seat"] is not None
    assert router.read_until("open")["open"] != []
    leave(host, router)


@pytest.mark.parametrize("homes", [BEHIND], indirect=True)
def test_a_router_behind_another_is_told_and_closed_again(homes: Homes) -> None:
    router = homes.serve(homes.router, "router", BEHIND, INSIDE, "pcp")
    told = homes.host().read_until("type", "reached")
    assert told["scope"] == "lan"
    reason = told["reasons"][1]
    assert (reason["code"], reason["fields"]) == ("router-behind-another", {"address": BEHIND})
    assert router.read_until("open")["open"] != []
    assert router.read_until("open")["open"] == []


@pytest.mark.nightly
def test_without_a_router_that_opens_a_guest_from_elsewhere_is_told_why(homes: Homes) -> None:
    host = homes.host()
    ticket = host.read_until("ticket")["ticket"]
    assert host.read_until("type", "reached")["scope"] == "lan"
    guest = homes.start(homes.guest, "join", ticket, "--yes", *ALONE)
    assert guest.end() == 3
    assert guest.last["code"] == "host-unreached-lan"


def test_upnp_is_asked_where_nothing_else_opens(homes: Homes) -> None:
    """The table of the device is looked at: what it maps, it does not carry out."""
    device = homes.serve(homes.router, "igd", OUTSIDE, INSIDE)
    host = homes.host()
    reasons = reached(host, "anywhere")["reasons"]
    (opened,) = (reason for reason in reasons if reason["code"] == "router-opened")
    (port,) = device.read_until("open")["open"]
    assert opened["fields"]["address"] == f"{OUTSIDE}:{port}"
    leave(host, device)


def test_a_port_that_another_machine_holds_is_left_to_it(homes: Homes) -> None:
    taken = "4646"
    homes.serve(homes.router, "igd", OUTSIDE, INSIDE, "0", taken)
    told = reached(homes.host("--listen", f":{taken}"), "anywhere")
    opened = told["reasons"][1]["fields"]["address"]
    assert opened.startswith(f"{OUTSIDE}:")
    assert not opened.endswith(f":{taken}")


@pytest.mark.nightly
def test_a_device_that_opens_for_ever_only_is_asked_to_and_closed(homes: Homes) -> None:
    device = homes.serve(homes.router, "igd", OUTSIDE, INSIDE, "725")
    host = homes.host()
    codes = {reason["code"] for reason in reached(host, "anywhere")["reasons"]}
    assert {"router-opened", "router-port-stays-open"} <= codes
    device.read_until("open")
    leave(host, device)


@pytest.mark.nightly
@pytest.mark.parametrize("forwarded", [(), ("--advertise", f"{OUTSIDE}:4646")])
def test_a_vpn_and_containers_do_not_hide_the_lan(homes: Homes, forwarded: tuple[str, ...]) -> None:
    own = homes.home.name
    for number in range(17, 28):
        bridge = f"br-{number:012x}"
        namespaces.run("ip", "-n", own, "link", "add", bridge, "type", "bridge")
        namespaces.run("ip", "-n", own, "addr", "add", f"172.{number}.0.1/16", "dev", bridge)
        namespaces.run("ip", "-n", own, "link", "set", bridge, "up")
    namespaces.run("ip", "-n", own, "tuntap", "add", "tun0", "mode", "tun")
    namespaces.run("ip", "-n", own, "addr", "add", "10.8.0.6/24", "dev", "tun0")
    namespaces.run("ip", "-n", own, "link", "set", "tun0", "up")
    for half in ("0.0.0.0/1", "128.0.0.0/1"):
        namespaces.run("ip", "-n", own, "route", "add", half, "dev", "tun0")
    words = ("host", "--seats", "2", "--no-map", *ALONE, *forwarded)
    ticket = decode_ticket(homes.start(homes.home, *words).read_until("ticket")["ticket"])
    hosts = [address.partition(":")[0] for address in ticket.addresses]
    if forwarded:
        assert hosts == [OUTSIDE, HOME]
    else:
        assert hosts[0] == HOME


WATCH = f"""
table inet watch {{
  counter proxied {{ }}
  counter leaked {{ }}
  chain out {{
    type filter hook output priority 0;
    oifname "lo" accept
    ip daddr {GUEST} tcp dport 1080 counter name proxied accept
    meta l4proto {{ tcp, udp }} counter name leaked drop
  }}
}}
"""


def packets(machine: Machine, counter: str) -> int:
    """How many packets were counted."""
    told = machine.run("nft", "list", "counter", "inet", "watch", counter)
    return int(told.partition("packets ")[2].split()[0])


def test_behind_a_proxy_no_packet_goes_anywhere_else(homes: Homes) -> None:
    """Neither to a router, nor to the LAN, nor to a name server, nor to the relay itself."""
    homes.guest.run("ip", "route", "add", f"{HOME}/32", "via", OUTSIDE)
    homes.home.run("nft", WATCH)
    relay = homes.start(homes.guest, "relay", "--listen", "127.0.0.1:4646", "--json")
    relay.read_until("type", "relay")
    homes.serve(homes.guest, "socks_server", GUEST, "1080", "relay.onion", "4646")
    proxy = ("--proxy", f"socks5://{GUEST}:1080")
    host = homes.host("--lan", "open", "--relay", "relay.onion:4646", *proxy)
    ticket = host.read_until("ticket")["ticket"]
    assert decode_ticket(ticket).addresses == ()
    assert host.read_until("type", "reached")["scope"] == "anywhere"
    guest = homes.start(homes.guest, "join", ticket, "--yes", *proxy, *ALONE)
    guest.read_until("round", 1)
    assert packets(homes.home, "proxied") > 10
    assert packets(homes.home, "leaked") == 0
    plain = homes.start(homes.home, "host", "--json", "--auto")
    plain.read_until("type", "reached")
    assert packets(homes.home, "leaked") > 0  # what would be seen without the proxy
