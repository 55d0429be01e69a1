"""A home behind a router and a guest on the internet, between network namespaces made here: what
the ticket says, whether it works, and that the router is closed again. Needs root and nftables."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from support import igd, router, socks_server, terminals
from support.liars.table import environment

from p2p_hoity.net.ticket import decode_ticket

HOME, INSIDE = "192.168.77.2", "192.168.77.1"
OUTSIDE, GUEST = "81.2.69.1", "81.2.69.9"
BEHIND = "100.64.9.1"
BOT = ("--auto", "--yes", "--json", "--no-again")


def sh(*words: str) -> str:
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return done.stdout


def lacking() -> str:
    """Why no namespaces can be made here; empty if they can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "network namespaces need root on Linux"
    missing = [tool for tool in ("ip", "nft", "sysctl") if which(tool) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    probe = f"hoity{os.getpid()}x"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True)
    if made.returncode:
        return f"no network namespaces here: {made.stderr.strip()}"
    sh("ip", "netns", "del", probe)
    return ""


class Homes:
    """A home, its router and somebody on the internet."""

    def __init__(self, name: str, outside: str = OUTSIDE) -> None:
        self.home, self.router, self.guest = self.names = [f"{name}{part}" for part in "hrg"]
        self.processes: list[subprocess.Popen[str]] = []
        for namespace in self.names:
            sh("ip", "netns", "add", namespace)
            self.ip(namespace, "link", "set", "lo", "up")
        self._cable(self.router, "inside", INSIDE, self.home, HOME)
        self._cable(self.router, "outside", outside, self.guest, GUEST)
        self.ip(self.home, "route", "add", "default", "via", INSIDE)
        sh("ip", "netns", "exec", self.router, "sysctl", "-qw", "net.ipv4.ip_forward=1")

    def ip(self, namespace: str, *words: str) -> None:
        sh("ip", "-n", namespace, *words)

    def _cable(self, one: str, name: str, near: str, two: str, far: str) -> None:
        self.ip(one, "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", two)
        for namespace, device, address in ((one, name, near), (two, "eth0", far)):
            self.ip(namespace, "addr", "add", f"{address}/24", "dev", device)
            self.ip(namespace, "link", "set", device, "up")

    def run(self, namespace: str, *words: str) -> subprocess.Popen[str]:
        """A script that says `ready` when it is."""
        command = ["ip", "netns", "exec", namespace, sys.executable, *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def start(self, namespace: str, home: Path, *words: str) -> terminals.Terminal:
        """A command that may ask the router."""
        env = {k: v for k, v in environment(home).items() if k != "HOITY_NO_MAP"}
        with (home / "errors").open("w") as errors:
            process = subprocess.Popen(
                ["ip", "netns", "exec", namespace, sys.executable, "-m", "cli", *words],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.processes.append(process)
        return terminals.Terminal(process, home)

    def clear(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        for namespace in self.names:
            sh("ip", "netns", "del", namespace)


@pytest.fixture
def name() -> str:
    if why := lacking():
        pytest.skip(why)
    return f"hoity{time.monotonic_ns() % 10**8}"


@pytest.fixture
def homes(name: str) -> Iterator[Homes]:
    made = Homes(name)
    yield made
    made.clear()


def play_from_elsewhere(homes: Homes, tmp_path: Path, at: subprocess.Popen[str]) -> None:
    """A guest on the internet sits down by the ticket; who leaves has the router closed."""
    host = homes.start(homes.home, tmp_path / "host", "host", "--seats", "2", "--lan", "off", *BOT)
    ticket = host.read_until("ticket")["ticket"]
    reached = host.read_until("type", "reached")
    if reached["ticket"]:
        ticket = reached["ticket"]
    elif reached["reach"] == "lan":  # UPnP answers later
        reached = host.read_until("type", "reached")
        ticket = reached["ticket"]
    assert reached["reach"] == "anywhere"
    assert [address.partition(":")[0] for address in decode_ticket(ticket).addresses] == [OUTSIDE]
    guest = homes.start(homes.guest, tmp_path / "guest", "join", ticket, *BOT)
    assert guest.read_until("type", "started")["seat"] is not None
    assert at.stdout is not None
    assert at.stdout.readline().startswith("open ")
    os.kill(_inner(host), signal.SIGINT)
    assert host.end() == 130
    assert at.stdout.readline() == "open\n"


def _inner(terminal: terminals.Terminal) -> int:
    """The process itself: `ip netns exec` becomes it."""
    return terminal.process.pid


@pytest.mark.parametrize("spoken", ["pcp", "natpmp"])
def test_a_guest_from_the_internet_comes_in_by_what_the_router_opened(
    spoken: str, homes: Homes, tmp_path: Path
) -> None:
    at = homes.run(homes.router, router.__file__, OUTSIDE, INSIDE, spoken)
    play_from_elsewhere(homes, tmp_path, at)


def test_a_router_behind_another_is_told_and_closed_again(name: str, tmp_path: Path) -> None:
    homes = Homes(name, BEHIND)
    try:
        at = homes.run(homes.router, router.__file__, BEHIND, INSIDE, "pcp")
        host = homes.start(homes.home, tmp_path / "host", "host", "--lan", "off", *BOT)
        told = host.read_until("type", "reached")
        assert told["reach"] == "lan"
        assert told["reasons"][1] == {
            "code": "router-behind-another",
            "fields": {"address": BEHIND},
            "words": told["reasons"][1]["words"],
        }
        assert at.stdout is not None
        assert at.stdout.readline().startswith("open ")
        assert at.stdout.readline() == "open\n"
    finally:
        homes.clear()


def test_without_a_router_that_opens_a_guest_from_elsewhere_is_told_why(
    homes: Homes, tmp_path: Path
) -> None:
    host = homes.start(homes.home, tmp_path / "host", "host", "--lan", "off", *BOT)
    ticket = host.read_until("ticket")["ticket"]
    assert host.read_until("type", "reached")["reach"] == "lan"
    guest = homes.start(homes.guest, tmp_path / "guest", "join", ticket, *BOT)
    assert guest.end() == 3
    assert guest.last["code"] == "host-unreached-lan"


def test_upnp_is_asked_where_its_library_is_installed(homes: Homes, tmp_path: Path) -> None:
    """The table of the device is looked at: what it maps, it does not carry out."""
    pytest.importorskip("miniupnpc", reason="the extra p2p-hoity[upnp] is not installed")
    at = homes.run(homes.router, igd.__file__, OUTSIDE, INSIDE)
    host = homes.start(homes.home, tmp_path / "host", "host", "--lan", "off", *BOT)
    told = host.read_until("type", "reached")
    while told["reach"] != "anywhere":
        told = host.read_until("type", "reached")
    (opened,) = (r for r in told["reasons"] if r["code"] == "router-opened")
    assert at.stdout is not None
    line = at.stdout.readline().split()
    assert opened["fields"]["address"] == f"{OUTSIDE}:{line[1]}"
    os.kill(_inner(host), signal.SIGINT)
    assert host.end() == 130
    assert at.stdout.readline() == "open\n"


def test_a_port_that_another_machine_holds_is_left_to_it(homes: Homes, tmp_path: Path) -> None:
    pytest.importorskip("miniupnpc", reason="the extra p2p-hoity[upnp] is not installed")
    taken = "4646"
    homes.run(homes.router, igd.__file__, OUTSIDE, INSIDE, "0", taken)
    words = ("host", "--lan", "off", "--listen", f":{taken}", *BOT)
    host = homes.start(homes.home, tmp_path / "host", *words)
    told = host.read_until("type", "reached")
    while told["reach"] != "anywhere":
        told = host.read_until("type", "reached")
    opened = told["reasons"][1]["fields"]["address"]
    assert opened.startswith(f"{OUTSIDE}:")
    assert not opened.endswith(f":{taken}")


def test_a_device_that_opens_for_ever_only_is_not_asked_to(homes: Homes, tmp_path: Path) -> None:
    pytest.importorskip("miniupnpc", reason="the extra p2p-hoity[upnp] is not installed")
    homes.run(homes.router, igd.__file__, OUTSIDE, INSIDE, "725")
    host = homes.start(homes.home, tmp_path / "host", "host", "--lan", "off", *BOT)
    told = host.read_until("type", "reached")
    while "router-asked" in {reason["code"] for reason in told["reasons"]}:
        told = host.read_until("type", "reached")
    assert told["reach"] == "lan"
    assert "router-refuses" in {reason["code"] for reason in told["reasons"]}


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


def packets(namespace: str, counter: str) -> int:
    """How many packets were counted."""
    words = ("nft", "list", "counter", "inet", "watch", counter)
    return int(sh("ip", "netns", "exec", namespace, *words).partition("packets ")[2].split()[0])


def test_behind_a_proxy_no_packet_goes_anywhere_else(homes: Homes, tmp_path: Path) -> None:
    """Neither to a router, nor to the LAN, nor to a name server, nor to the relay itself."""
    sh("ip", "-n", homes.guest, "route", "add", f"{HOME}/32", "via", OUTSIDE)
    inside = ("ip", "netns", "exec", homes.home)
    subprocess.run([*inside, "nft", "-f", "-"], input=WATCH, check=True, text=True)
    relay = homes.start(
        homes.guest, tmp_path / "relay", "relay", "--listen", "127.0.0.1:4646", "--json"
    )
    relay.read_until("type", "relay")
    homes.run(homes.guest, socks_server.__file__, GUEST, "1080", "relay.onion", "4646")
    proxy = ("--proxy", f"socks5://{GUEST}:1080")
    words = ("host", "--seats", "2", "--lan", "open", "--relay", "relay.onion:4646", *proxy, *BOT)
    host = homes.start(homes.home, tmp_path / "host", *words)
    ticket = host.read_until("ticket")["ticket"]
    assert decode_ticket(ticket).addresses == ()
    assert host.read_until("type", "reached")["reach"] == "anywhere"
    guest = homes.start(homes.guest, tmp_path / "guest", "join", ticket, *proxy, *BOT)
    guest.read_until("round", 1)
    assert packets(homes.home, "proxied") > 10
    assert packets(homes.home, "leaked") == 0
    plain = homes.start(homes.home, tmp_path / "plain", "host", "--json", "--auto")
    plain.read_until("type", "reached")
    assert packets(homes.home, "leaked") > 0  # what would be seen without the proxy
